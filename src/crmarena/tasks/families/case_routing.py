"""case_routing: who should be given a new case."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from crmarena.generator.profile import load_profile
from crmarena.generator.text import case_text
from crmarena.tasks import managed
from crmarena.tasks.evidence import Evidence
from crmarena.tasks.fairness import Draft, Verdict
from crmarena.tasks.managed import Ask, choices

__all__ = ["choices", "derive", "oracle", "sample"]

_WORD = re.compile(r"[a-z]+")
_STEM = 5
"""Letters by which words are held to be the same."""
_COMMON = frozenset({"about", "also", "from", "have", "into", "more", "that", "this", "when", "with"})
"""Words that tell nothing of an issue."""


def derive(evidence: Evidence, parameters: Mapping[str, Any], reading: None = None) -> Verdict:
    """Most closed cases on the issue; among those level, on the product; then the fewest open."""
    closed = [case for case in evidence.cases if case.is_closed]
    on_issue = Counter(case.owner for case in closed if case.issue == parameters["issue"])
    on_product = Counter(case.owner for case in closed if case.product == parameters["product"])
    waiting = Counter(case.owner for case in evidence.cases if not case.is_closed)
    verdict, level = Verdict(None), list(on_issue)
    for criterion, counts in (("issue", on_issue), ("product", on_product), ("workload", waiting)):
        worth = {user: -counts[user] if criterion == "workload" else counts[user] for user in level}
        verdict = _verdict(criterion, worth, counts)
        level = _leaders(worth)
        if verdict.clear:
            break
    return verdict


def _verdict(criterion: str, worth: Mapping[str, int], counts: Mapping[str, int]) -> Verdict:
    ranked = sorted(worth, key=lambda user: (-worth[user], user))
    if not ranked:
        return Verdict(None)
    runner_up = ranked[1] if len(ranked) > 1 else None
    margin = worth[ranked[0]] - worth[runner_up] if runner_up else worth[ranked[0]]
    value, rows = counts[ranked[0]], sum(counts.values())
    clear = runner_up is None or margin >= 1
    return Verdict(ranked[0], runner_up, margin, clear, value, rows, decided_by=criterion)


def sample(evidence: Evidence, rng: random.Random, kind: str) -> Iterator[Draft | None]:
    """Fair instances of a kind, without end; None for each attempt that gave none."""
    profile = load_profile(evidence.org_type)
    issues = {name: record_id for record_id, name in evidence.names["Issue__c"].items()}
    products = {name: record_id for record_id, name in evidence.names["Product2"].items()}
    while True:
        issue, product = rng.randrange(len(profile.issues)), rng.randrange(len(profile.products) - 1)
        ids = {
            "issue": issues[profile.issues[issue].name],
            "product": products[profile.products[product].name],
        }
        verdict = derive(evidence, ids)
        tie_break = verdict.decided_by != "issue"
        if not verdict.clear or verdict.answer is None or tie_break != (kind == "tie-break"):
            yield None
            continue
        subject, description = case_text(profile, issue, product, rng)
        today = evidence.last_day + timedelta(days=rng.randrange(1, 30))
        words = {"subject": subject, "description": description}
        yield Draft(words, verdict, today, words, shortcuts(evidence, ids["product"]), ids)


def shortcuts(evidence: Evidence, product: str) -> dict[str, str | None]:
    """Guesses that need no reasoning: by Id, by date, by number of records."""
    on_product = Counter(c.owner for c in evidence.cases if c.is_closed and c.product == product)
    shared = managed.shortcuts(evidence, evidence.cases)
    most = max(on_product, key=lambda user: (on_product[user], user), default=None)
    return {**shared, "most cases on the product": most}


def oracle(ask: Ask, parameters: Mapping[str, Any]) -> tuple[str | None, ...]:
    """The answer, from queries alone; issue and product are read out of the case's text."""
    text = f"{parameters['subject']} {parameters['description']}"
    product = _named_product(ask("SELECT Id, Name FROM Product2"), text)
    about = text.replace(product["Name"], " ") if product else text
    issue = _nearest_issue(ask("SELECT Id, Name, Description__c FROM Issue__c"), about)
    level = _leaders(_count(ask, f"Status = 'Closed' AND IssueId__c = '{issue}'"))
    if len(level) > 1 and product:
        on_product = _count(ask, f"Status = 'Closed' AND OrderItemId__r.Product2Id = '{product['Id']}'")
        level = _leaders({user: on_product.get(user, 0) for user in level})
    if len(level) > 1:
        waiting = _count(ask, "Status != 'Closed'")
        level = _leaders({user: -waiting.get(user, 0) for user in level})
    return (level[0] if level else None,)


def _count(ask: Ask, condition: str) -> dict[str, int]:
    records = ask(f"SELECT OwnerId, COUNT(Id) n FROM Case WHERE {condition} GROUP BY OwnerId")
    return {record["OwnerId"]: int(record["n"]) for record in records}


def _leaders(counts: Mapping[str, int]) -> list[str]:
    """Those with the highest count."""
    best = max(counts.values(), default=0)
    return sorted(user for user, count in counts.items() if count == best)


def _named_product(products: Sequence[Mapping[str, Any]], text: str) -> Mapping[str, Any] | None:
    named = [product for product in products if product["Name"].lower() in text.lower()]
    return max(named, key=lambda product: len(product["Name"]), default=None)


def _nearest_issue(issues: Sequence[Mapping[str, Any]], text: str) -> str:
    """The issue whose name and description share most with a text, rare words weighing more."""
    stems = {str(i["Id"]): _stems(f"{i['Name']} {i['Description__c']}") for i in issues}
    spread = Counter(stem for found in stems.values() for stem in found)
    words = _stems(text)

    def likeness(issue: str) -> float:
        return math.fsum(math.log(1 + len(issues) / spread[stem]) for stem in words & stems[issue])

    return max(stems, key=lambda issue: (likeness(issue), issue))


def _stems(text: str) -> set[str]:
    words = _WORD.findall(text.lower())
    return {word[:_STEM] for word in words if len(word) > 3 and word not in _COMMON}
