"""The routing oracle reads issue and product out of a case's text."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from string import Template
from typing import Any

import pytest

from crmarena.generator.profile import Issue, Profile, load_profile
from crmarena.tasks.families.case_routing import oracle

PROFILES = ("b2b", "original")


class Asked:
    """Notes which issue and product an oracle asks for."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self.conditions: list[str] = []

    def __call__(self, query: str) -> list[dict[str, Any]]:
        if "FROM Issue__c" in query:
            issues = self._profile.issues
            return [{"Id": i.name, "Name": i.name, "Description__c": i.description} for i in issues]
        if "FROM Product2" in query:
            return [{"Id": p.name, "Name": p.name} for p in self._profile.products]
        self.conditions.append(query.split(" WHERE ")[1].split(" GROUP BY ")[0])
        return [{"OwnerId": user, "n": 1} for user in ("user A", "user B")]


def asked_about(profile: Profile, parameters: Mapping[str, str]) -> list[str]:
    asked = Asked(profile)
    oracle(asked, parameters)
    return asked.conditions


def texts(profile: Profile, issue: Issue) -> list[tuple[str, str]]:
    """Every subject, problem and detail of an issue, with openings and closings in turn."""
    ends = itertools.cycle(itertools.product(profile.openings, profile.closings))
    kinds = itertools.product(issue.subjects, issue.problems, issue.details)
    return [
        (subject, f"{opening} {problem} {detail} {closing}")
        for (subject, problem, detail), _ in itertools.product(kinds, range(5))
        for opening, closing in [next(ends)]
    ]


@pytest.mark.parametrize("org_type", PROFILES)
@pytest.mark.parametrize("number", range(15))
def test_issue_and_product_are_found_in_every_text(org_type: str, number: int) -> None:
    profile = load_profile(org_type)
    issue = profile.issues[number]
    for turn, (subject, description) in enumerate(texts(profile, issue)):
        name = profile.products[turn % len(profile.products)].name
        parameters = {
            "subject": Template(subject).substitute(product=name),
            "description": Template(description).substitute(product=name),
        }
        assert asked_about(profile, parameters) == [
            f"Status = 'Closed' AND IssueId__c = '{issue.name}'",
            f"Status = 'Closed' AND OrderItemId__r.Product2Id = '{name}'",
            "Status != 'Closed'",
        ]
