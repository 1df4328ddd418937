"""Scores as tables on a terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from crmarena.cli import render
from crmarena.scoring.aggregate import SKILLS, Summary
from crmarena.tasks.family import FAMILIES, Skill

if TYPE_CHECKING:
    from crmarena.harness.outcomes import SampleRow

_NUMBERS = frozenset({"n", "score", "95% interval", "coverage"})


def summary(result: Summary) -> None:
    """Print one run: families by skill, then skills, ALL, confidentiality and states."""
    payload = result.to_json()
    rows = [_family_row(name, entry) for name, entry in _by_skill(payload["families"])]
    render.table(("skill", "family", "n", "score", "95% interval", "coverage"), rows, right=_NUMBERS)
    print()
    render.table(("skill", "score", "95% interval"), _skill_rows(payload), right=_NUMBERS)
    print()
    for line in _closing_lines(payload):
        print(line)


def effort(rows: Sequence[SampleRow]) -> None:
    """Print what a run took: the agent's turns, and tokens and cost by role, where models were called."""
    tokens: dict[str, list[float]] = {}
    for row in rows:
        for role, used in row.usage.items():
            spent = tokens.setdefault(role, [0, 0, 0.0])
            # One price unknown makes the sum unknown.
            values = used["input_tokens"], used["output_tokens"], used["cost"]
            for place, value in enumerate(values):
                spent[place] += math.nan if value is None else value
    if not tokens:
        return
    turns = [row.agent_turns for row in rows if row.agent_turns is not None]
    print(f"Agent turns: {sum(turns)} in {len(turns)} samples")
    for role, (given, made, cost) in tokens.items():
        price = "price unknown" if math.isnan(cost) else f"${cost:.4f}"
        print(f"Tokens of the {role}: {given:,.0f} in, {made:,.0f} out ({price})")


def comparison(results: Sequence[tuple[str, Summary]]) -> None:
    """Print several runs side by side: a row a family, a column a run."""
    payloads = [(name, result.to_json()) for name, result in results]
    columns = frozenset(name for name, _ in payloads) | {"n"}
    families = _by_skill(payloads[0][1]["families"])
    rows: list[tuple[object, ...]] = []
    for family, entry in families:
        skill = FAMILIES[family].skill
        scores = (_percent(payload["families"].get(family, {}).get("score")) for _, payload in payloads)
        rows.append((skill, family, entry["n"], *scores))
    for skill in payloads[0][1]["skills"]:
        scores = (_percent(payload["skills"].get(skill, {}).get("score")) for _, payload in payloads)
        rows.append((skill, "mean", "", *scores))
    rows.append(("ALL", "", "", *(_percent(payload["all"]["score"]) for _, payload in payloads)))
    render.table(("skill", "family", "n", *(name for name, _ in payloads)), rows, right=columns)
    print()
    for line in _all_note(payloads[0][1]):
        print(line)
    for name, payload in payloads:
        print(f"{name}: {_states(payload)}")


def _by_skill(families: Mapping[str, Any]) -> list[tuple[str, Any]]:
    order = {skill: place for place, skill in enumerate(Skill)}
    return sorted(families.items(), key=lambda item: order[FAMILIES[item[0]].skill])


def _family_row(name: str, entry: Mapping[str, Any]) -> tuple[object, ...]:
    return (
        FAMILIES[name].skill,
        name,
        entry["n"],
        _percent(entry["score"]),
        _interval(entry),
        _percent(entry["coverage"]),
    )


def _skill_rows(payload: Mapping[str, Any]) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = [
        (skill, _percent(entry["score"]), _interval(entry)) for skill, entry in payload["skills"].items()
    ]
    return [*rows, ("ALL", _percent(payload["all"]["score"]), _interval(payload["all"]))]


def _closing_lines(payload: Mapping[str, Any]) -> list[str]:
    lines = []
    kept = {name: value for name, value in payload["confidentiality"].items() if value is not None}
    if kept:
        shown = ", ".join(f"{name.replace('_', '-')} {_percent(value)}" for name, value in kept.items())
        lines.append(f"Confidentiality: {shown}")
    return [*lines, *_withheld_note(payload), *_all_note(payload), _states(payload)]


def _withheld_note(payload: Mapping[str, Any]) -> list[str]:
    if all(entry["score"] is not None for entry in payload["families"].values()):
        return []
    return ["A score is withheld (-) where less than 90% of what was planned was graded."]


def _all_note(payload: Mapping[str, Any]) -> list[str]:
    """Why there is no ALL, where there is none because skills were not run."""
    missing = [str(skill) for skill in SKILLS if skill not in payload["skills"]]
    if payload["all"]["score"] is not None or not missing:
        return []
    return [f"ALL is the mean of the four skills; no task here is of {' or '.join(missing)}."]


def _states(payload: Mapping[str, Any]) -> str:
    return (
        ", ".join(f"{count} {state}" for state, count in payload["states"].items() if count) or "nothing ran"
    )


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def _interval(entry: Mapping[str, Any]) -> str:
    if entry.get("low") is None or entry.get("high") is None:
        return "-"
    return f"{entry['low']:.1%} to {entry['high']:.1%}"
