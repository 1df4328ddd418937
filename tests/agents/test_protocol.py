"""Tagged text is read as it is meant, and any text is read."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crmarena.agents.protocol import Action, ActionKind, parse_action

E, R, N = ActionKind.EXECUTE, ActionKind.RESPOND, ActionKind.NEITHER


@pytest.mark.parametrize(
    ("text", "kind", "content"),
    [
        ("<execute> SELECT Id FROM Case </execute>", E, "SELECT Id FROM Case"),
        ("<respond> None </respond>", R, "None"),
        ("<respond>a</respond><execute>q</execute>", E, "q"),
        ("<EXECUTE>q</Execute>", E, "q"),
        ("<execute >q</execute >", E, "q"),
        ("<execute>SELECT Id\nFROM Case", E, "SELECT Id\nFROM Case"),
        ("<respond>It is a < b", R, "It is a < b"),
        ("<execute>q <respond>a</respond>", E, "q"),
        ("<execute>q1\n<execute>q2</execute>", E, "q1"),
        ("<execute>q1</execute> Result: [] <execute>q2</execute>", E, "q1"),
        ("<execute></execute><execute>q2</execute>", E, "q2"),
        ("<execute> </execute><respond>a</respond>", R, "a"),
        ("<respond></respond>", N, ""),
        ("SELECT Id FROM Case", N, ""),
        ("</execute>", N, ""),
        ("", N, ""),
        ("<execute>```sql\nSELECT Id FROM Case\n```</execute>", E, "SELECT Id FROM Case"),
        ("<execute>```SELECT Id FROM Case```</execute>", E, "SELECT Id FROM Case"),
        ("<execute>\n```\nFIND {a}\n", E, "FIND {a}"),
        ("<execute>Here it is:\n```soql\nSELECT Id\nFROM Case\n```\n</execute>", E, "SELECT Id\nFROM Case"),
        ("```\n<execute>\nSELECT Id FROM Case\n</execute>\n```", E, "SELECT Id FROM Case"),
        ("<respond>```\nkept\n```</respond>", R, "```\nkept\n```"),
        ("<thought>I could <execute>q</execute></thought><respond>a</respond>", R, "a"),
        ("<think><respond>draft</respond></think><execute>q</execute>", E, "q"),
        ("draft <respond>x</respond></think><respond>a</respond>", R, "a"),
        ("<thought>open <execute>q</execute>", E, "q"),
    ],
)
def test_an_action_is_read(text: str, kind: ActionKind, content: str) -> None:
    action = parse_action(text)
    assert (action.kind, action.text) == (kind, content)


@pytest.mark.parametrize(
    ("text", "thought"),
    [
        ("<thought> count first </thought>\n<execute>q</execute>", "count first"),
        ("<thought> count first\n<execute>q</execute>", "count first"),
        ("<think>long</think><thought>short</thought><execute>q</execute>", "short"),
        ("<think>long</think><execute>q</execute>", "long"),
        ("<execute>q</execute>", ""),
    ],
)
def test_the_thought_is_kept(text: str, thought: str) -> None:
    assert parse_action(text) == Action(E, "q", thought)


TAGS = ["<execute>", "</execute>", "<respond>", "</respond>", "<thought>", "</think>", "```", "\n"]


@given(st.text() | st.lists(st.sampled_from(TAGS) | st.text(max_size=5), max_size=20).map("".join))
def test_any_text_is_read(text: str) -> None:
    action = parse_action(text)
    assert (action.kind is N) == (action.text == "")
    assert action.text == action.text.strip()


@pytest.mark.parametrize("piece", ["<thought>", "<execute>", "```", "<execute> ", "</thought>"])
def test_a_flood_of_tags_is_read_quickly(piece: str) -> None:
    start = time.perf_counter()
    parse_action(piece * 20_000)
    assert time.perf_counter() - start < 2
