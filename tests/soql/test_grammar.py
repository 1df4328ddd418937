"""The grammar in docs/ and the parser: what one gives the other takes, in both directions."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crmarena.errors import SalesforceError
from crmarena.schema.scopes import SCOPES
from crmarena.soql import literals, parse, parse_values, texts
from crmarena.soql.print import to_text
from crmarena.soql.run import parse_text
from tests.laws import law
from tests.soql.ebnf import Either, Grammar, Text
from tests.soql.strategies import mutated, queries

SOQL = Grammar("soql.ebnf")

VALUES = """
    category_count distance_range invalid_date invalid_datetime out_of_range string_length too_complicated
"""
"""What the parser refuses although it is well formed: values that do not exist, and what is too much."""
_REFUSED_VALUE = re.compile(
    "|".join(re.sub(r"\\{\w+\\}", ".*", re.escape(texts.TEXTS[key][1])) for key in VALUES.split())
)


def parses(text: str) -> bool | None:
    """Whether the parser takes a text; None where it stops at a value."""
    try:
        parse_text(text)
    except SalesforceError as error:
        return None if _REFUSED_VALUE.fullmatch(error.text) else False
    return True


def derives(text: str) -> bool:
    """Whether the grammar gives a text."""
    tokens = SOQL.scan(text)
    return tokens is not None and SOQL.derives("query", tokens)


def listed(rule: str) -> set[str]:
    """The words that a rule lists."""
    node = SOQL.rules[rule]
    assert isinstance(node, Either)
    return {choice.text for choice in node.choices if isinstance(choice, Text)}


def test_every_rule_is_used_and_every_rule_used_exists() -> None:
    assert SOQL.named() | {"query"} == SOQL.rules.keys()


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("plain_date", set(literals.PLAIN)),
        ("COUNTED", set(literals.COUNTED)),
        ("reserved", set(parse_values.RESERVED)),
        ("scope", set(SCOPES.values())),
        ("security", set(parse.SECURITY)),
    ],
)
def test_the_lists_of_words_are_those_of_the_parser(rule: str, words: set[str]) -> None:
    assert listed(rule) == words


@law(150)
@given(tokens=SOQL.sentences("query"), spaces=st.sampled_from([" ", "\n", "\t \r\n"]))
def test_what_the_grammar_gives_parses(tokens: list[str], spaces: str) -> None:
    assert parses(spaces.join(tokens)) is not False


THROUGH = sorted({(rule, " ".join(tokens)) for rule, tokens in SOQL.through("query")})


@pytest.mark.parametrize(("rule", "text"), THROUGH)
def test_every_choice_of_every_rule_parses(rule: str, text: str) -> None:
    assert derives(text)
    assert parses(text) is not False


@law(150)
@given(text=queries())
def test_what_is_drawn_and_what_is_printed_is_of_the_grammar(text: str) -> None:
    assert derives(text)
    assume(parses(text))
    assert derives(to_text(parse_text(text)))


@law(150)
@given(text=mutated())
def test_a_spoilt_query_parses_where_the_grammar_gives_it(text: str) -> None:
    found = parses(text)
    assume(found is not None)
    assert found == derives(text)
