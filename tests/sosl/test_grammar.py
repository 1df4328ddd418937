"""SOSL's grammar in docs/ and its parser: what one gives the other takes; every sentence ends well."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from crmarena.errors import SalesforceError
from crmarena.soql import texts
from crmarena.soql.tokens import Source
from crmarena.sosl import faults
from crmarena.sosl.parse import parse
from crmarena.sosl.print import to_text
from crmarena.sosl.search import run_search
from crmarena.storage.database import Database
from tests.laws import law
from tests.soql.conftest import NOON
from tests.soql.ebnf import Grammar
from tests.soql.strategies import distinct_fields, order_by
from tests.soql.strategy_terms import SCHEMA, Level, condition

SOSL = Grammar("sosl.ebnf", "soql.ebnf")
SOQL = Grammar("soql.ebnf")
_FIND = re.compile(r"[ \t\n\r\f\v]*FIND[ \t\n\r\f\v]*\{", re.IGNORECASE)
_SOQL_VALUES = (
    "category_count distance_range invalid_date invalid_datetime out_of_range string_length too_complicated"
)
_SOSL_VALUES = """
    too_short leading_wildcard too_deep offset several_offsets several_list_views duplicate_clause invalid_id
"""
_WORDED = [texts.TEXTS[key] for key in _SOQL_VALUES.split()] + [
    faults.TEXTS[key] for key in _SOSL_VALUES.split()
]
_REFUSED_VALUE = re.compile(
    "|".join(re.sub(r"\\{\w+\\}", ".*", re.escape(text)) for _, text in _WORDED), re.DOTALL
)
"""What the parser refuses although it is well formed."""


def scan(text: str) -> list[str] | None:
    """The tokens of a search: those between the braces, then SOQL's."""
    start = _FIND.match(text)
    if start is None:
        return None
    found, place = ["FIND", "{"], start.end()
    inner = re.compile(
        rf"{SOSL.patterns['TERM'].pattern}|{SOSL.patterns['PHRASE'].pattern}|[()}}]", re.DOTALL
    )
    while found[-1] != "}":
        while place < len(text) and text[place].isspace():
            place += 1
        token = inner.match(text, place)
        if token is None:
            return None
        found.append(token.group())
        place = token.end()
    rest = SOQL.scan(text, place)
    return None if rest is None else found + rest


def written(tokens: list[str]) -> str:
    """Tokens as a text."""
    return " ".join(tokens)


def parses(text: str) -> bool | None:
    """Whether the parser takes a text; None where it stops at a value."""
    try:
        parse(Source(text))
    except SalesforceError as error:
        return None if _REFUSED_VALUE.fullmatch(error.text) else False
    return True


def derives(text: str) -> bool:
    """Whether the grammar gives a text."""
    tokens = scan(text)
    return tokens is not None and SOSL.derives("search", tokens)


SENTENCES = SOSL.sentences("search", 10).map(written)
THROUGH = sorted({(rule, written(tokens)) for rule, tokens in SOSL.through("search")})
_LITTER = r"""
    FIND {acme} } { AND OR NOT not ( ) "acme" ac* *me + \- IN NAME FIELDS RETURNING Account (Id) WITH ' ;
    HIGHLIGHT SNIPPET USING ListView = x LIMIT 5 -5 OFFSET UPDATE VIEWSTAT , DATA CATEGORY METADATA 'LABELS'
    NETWORK
"""
OBJECTS = ["Account", "Contact", "Case", "Lead", "Knowledge__kav", "Product2"]
TERMS = ["acme", "Acme*", "r?f*", '"acme bolt"', "bolt AND NOT zip", "(refund OR acme)", "30", "caf\u00e9"]
OPTIONS = [
    "HIGHLIGHT",
    "SNIPPET",
    "SNIPPET(target_length=60)",
    "METADATA = 'LABELS'",
    "SPELL_CORRECTION = true",
]


@st.composite
def returned(draw: st.DrawFn, name: str) -> str:
    """An object of RETURNING, with what it may say."""
    level = Level(SCHEMA.objects[name])
    fields = ", ".join(one.text for one in draw(distinct_fields(level)))
    where = f" WHERE {draw(condition(level))}" if draw(st.booleans()) else ""
    order = f" ORDER BY {draw(order_by(level))}" if draw(st.booleans()) else ""
    return draw(
        st.sampled_from([name, f"{name}({fields}{where}{order} LIMIT 3)", f"{name}({fields}{where})"])
    )


@st.composite
def searches(draw: st.DrawFn) -> str:
    """A search over real names."""
    text = f"FIND {{{' '.join(draw(st.lists(st.sampled_from(TERMS), min_size=1, max_size=2)))}}}"
    text += draw(st.sampled_from(["", " IN NAME FIELDS", " IN ALL FIELDS", " IN SIDEBAR FIELDS"]))
    names = draw(st.lists(st.sampled_from(OBJECTS), max_size=3, unique=True))
    if names:
        text += f" RETURNING {', '.join(draw(returned(name)) for name in names)}"
    for option in draw(st.lists(st.sampled_from(OPTIONS), max_size=2, unique_by=lambda one: one[:5])):
        text += f" WITH {option}"
    return text + draw(st.sampled_from(["", " LIMIT 4", " UPDATE TRACKING"]))


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A search with tokens put in, left out, or changed for others."""
    tokens = draw(SOSL.sentences("search", 10))
    for _ in range(draw(st.integers(1, 2))):
        place = draw(st.integers(0, len(tokens)))
        piece = draw(st.sampled_from(_LITTER.split()))
        tokens[place : place + draw(st.integers(0, 1))] = draw(st.sampled_from([[piece], []]))
    return written(tokens)


@pytest.mark.parametrize(("rule", "text"), THROUGH)
def test_every_choice_of_every_rule_parses(rule: str, text: str) -> None:
    assert derives(text)
    assert parses(text) is not False


@law(100)
@given(text=SENTENCES)
def test_what_the_grammar_gives_parses(text: str) -> None:
    assert parses(text) is not False
    assert derives(text)


@law(100)
@given(text=st.one_of(searches(), searches(), SENTENCES))
def test_a_search_prints_to_what_parses_to_its_tree(text: str) -> None:
    assume(parses(text))
    tree = parse(Source(text))
    assert parse(Source(to_text(tree))) == tree
    assert derives(to_text(tree))


@law(100)
@given(text=mutated())
def test_a_spoilt_search_parses_where_the_grammar_gives_it(text: str) -> None:
    found = parses(text)
    assume(found is not None)
    assert found == derives(text)


@law(50)
@given(text=searches())
def test_a_search_over_real_names_is_of_the_grammar(text: str) -> None:
    assert derives(text)
    assert parses(text) is not False


@law(100)
@given(text=st.one_of(searches(), searches(), SENTENCES, mutated()))
def test_a_search_runs_or_is_refused_and_changes_nothing(searched: Database, text: str) -> None:
    changes = searched.connection.total_changes
    try:
        ended = f"ran, {len(run_search(searched, text, NOON).records)} found"
    except SalesforceError as error:
        ended = error.error_code
    event(ended)
    assert searched.connection.total_changes == changes
