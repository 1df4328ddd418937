"""Cases and their histories: who is given a case, who passes it on, who closes it and when."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from crmarena.clock import format_datetime, to_pacific
from crmarena.generator.book import Book, Record
from crmarena.generator.plan import Plan
from crmarena.generator.stages import complaints, staff
from crmarena.generator.stages.complaints import Complaint
from crmarena.generator.text import case_text
from crmarena.seeds import Seeds

_OPEN_SHARE = 0.06
_EXPERT_SHARES = {1: 0.22, 2: 0.36, 3: 0.45}
"""Share of an issue's cases that its best agents close together."""
_PASSED_SHARE = 0.45
_PASSED_TWICE = 0.3
_EFFORT = 300
"""Median working minutes of a case."""
_OPEN_STATUSES = ("New", "Working", "Working", "Waiting on Customer", "Escalated")


@dataclass(frozen=True)
class _Course:
    """What becomes of a complaint: the agents who have it in turn, and when it ends."""

    complaint: Complaint
    agents: tuple[int, ...]
    closed: datetime | None
    passed: tuple[datetime, ...]
    """When each agent was given the case."""


def make(plan: Plan, book: Book, seeds: Seeds) -> None:
    """Add the cases, earliest first, with their histories."""
    drawn = complaints.draw(plan, book, seeds.random("complaints"))
    owners = final_owners(plan, drawn, seeds.random("owners"))
    rng, texts = seeds.random("service"), seeds.random("case texts")
    contacts = _contacts(book)
    for complaint, (owner, is_open) in zip(drawn, owners, strict=True):
        course = _course(plan, complaint, owner, is_open, rng)
        case = _case(plan, book, course, contacts, texts)
        _history(plan, book, case, course)


def final_owners(plan: Plan, drawn: list[Complaint], rng: random.Random) -> list[tuple[int, bool]]:
    """For each complaint the agent who has it last, and whether it stays open.

    The closed cases of an issue are dealt so that its best agents closed equally many,
    and anyone else fewer.
    """
    still_open = _still_open(drawn, rng)
    result = [(0, False)] * len(drawn)
    loads = [skill.load for skill in plan.skills]
    for number in sorted(still_open):
        result[number] = (rng.choices(range(len(loads)), loads)[0], True)
    for issue in range(len(plan.profile.issues)):
        closed = [k for k, c in enumerate(drawn) if c.issue == issue and k not in still_open]
        rng.shuffle(closed)
        for number, owner in zip(closed, _deal(plan, issue, len(closed), rng), strict=True):
            result[number] = (owner, False)
    return result


def _still_open(drawn: list[Complaint], rng: random.Random) -> set[int]:
    """Mostly late cases stay open."""
    count = round(_OPEN_SHARE * len(drawn))
    late = range(len(drawn) - 2 * count, len(drawn))
    return set(rng.sample(late, count - count // 5)) | set(rng.sample(range(len(drawn)), count // 5))


def _deal(plan: Plan, issue: int, count: int, rng: random.Random) -> list[int]:
    weights = [skill.issues[issue] for skill in plan.skills]
    best = plan.experts[issue]
    if not best:
        return rng.choices(range(len(weights)), weights, k=count)
    rest = [agent for agent in range(len(weights)) if agent not in best]
    each = max(2, round(_EXPERT_SHARES.get(len(best), 0.5) * count / len(best)))
    while len(rest) * (each - 1) < count - each * len(best):
        each += 1
    each = min(each, count // len(best))
    dealt = [agent for agent in best for _ in range(each)]
    left = dict.fromkeys(rest, max(1, each - 1))
    while len(dealt) < count:
        agents = [agent for agent in rest if left[agent]]
        dealt.append(rng.choices(agents, [weights[agent] for agent in agents])[0])
        left[dealt[-1]] -= 1
    return dealt


def _course(plan: Plan, complaint: Complaint, owner: int, is_open: bool, rng: random.Random) -> _Course:
    created = complaint.created
    agents = (*_passed_by(plan, created, owner, rng), owner)
    effort = _effort(plan, complaint, owner, rng) * (1 + 0.3 * (len(agents) - 1))
    given = [plan.worktime.after(created, 1 + rng.random())]
    for _ in agents[1:]:
        given.append(plan.worktime.after(given[-1], effort * rng.uniform(0.1, 0.3)))
    closed = max(plan.worktime.after(created, effort), plan.worktime.after(given[-1], 4))
    return _Course(complaint, agents, None if is_open else closed, tuple(given))


def _passed_by(plan: Plan, created: datetime, owner: int, rng: random.Random) -> list[int]:
    """The agents who had the case before its last owner and passed it on."""
    if rng.random() >= _PASSED_SHARE:
        return []
    block = plan.block(to_pacific(created).date())
    weights = [skill.passing[block] for skill in plan.skills]
    chain: list[int] = []
    for _ in range(2 if rng.random() < _PASSED_TWICE else 1):
        agents = [agent for agent in range(len(weights)) if agent != owner and agent not in chain]
        chain.append(rng.choices(agents, [weights[agent] for agent in agents])[0])
    return chain


def _effort(plan: Plan, complaint: Complaint, owner: int, rng: random.Random) -> float:
    """Working minutes from the customer's complaint to its end."""
    block = plan.block(to_pacific(complaint.created).date())
    pace = plan.response_times[owner]
    state = plan.profile.states.index(complaint.purchase.state)
    factor = pace.usual * pace.form[block] * plan.regions[state][block]
    return 10 + _EFFORT * factor * rng.lognormvariate(0, 0.4)


def _case(
    plan: Plan, book: Book, course: _Course, contacts: dict[str, list[str]], texts: random.Random
) -> Record:
    complaint = course.complaint
    account_id = book.records["Account"][complaint.purchase.account]["Id"]
    issue, product = complaint.issue, complaint.purchase.product
    subject, description = case_text(plan.profile, issue, product, texts)
    ended = course.closed or course.passed[-1]
    return book.add(
        "Case",
        complaint.created,
        CaseNumber=f"{len(book.records['Case']) + 1:08d}",
        Subject=subject,
        Description=description,
        Priority=texts.choices(("Low", "Medium", "High"), (3, 5, 2))[0],
        Status="Closed" if course.closed else texts.choice(_OPEN_STATUSES),
        Origin=texts.choice(("Email", "Phone", "Web", "Chat")),
        ContactId=texts.choice(contacts[account_id]),
        AccountId=account_id,
        ClosedDate=format_datetime(course.closed) if course.closed else None,
        OrderItemId__c=complaint.purchase.item_id,
        IssueId__c=book.records["Issue__c"][issue]["Id"],
        OwnerId=staff.agents(plan, book)[course.agents[-1]]["Id"],
        LastModifiedDate=format_datetime(ended),
    )


def _history(plan: Plan, book: Book, case: Record, course: _Course) -> None:
    for moment, field, old, new in _events(plan, book, course):
        book.add(
            "CaseHistory__c",
            moment,
            Name=f"CH-{len(book.records['CaseHistory__c']) + 1:06d}",
            CaseId__c=case["Id"],
            Field__c=field,
            OldValue__c=old,
            NewValue__c=new,
            OwnerId=book.author,
        )


def _events(
    plan: Plan, book: Book, course: _Course
) -> Iterator[tuple[datetime, str, str | None, str | None]]:
    yield course.complaint.created, "Case Creation", None, None
    agents = staff.agents(plan, book)
    previous = None
    for moment, agent in zip(course.passed, course.agents, strict=True):
        yield moment, "Owner Assignment", previous, agents[agent]["Id"]
        previous = agents[agent]["Id"]
    if course.closed:
        yield course.closed, "Case Closed", None, None


def _contacts(book: Book) -> dict[str, list[str]]:
    contacts: dict[str, list[str]] = {}
    for contact in book.records["Contact"]:
        contacts.setdefault(contact["AccountId"], []).append(contact["Id"])
    return contacts
