"""Trees and their text: what is drawn prints to what parses to the same tree, and runs or is refused."""

from __future__ import annotations

import contextlib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from crmarena.clock import Clock
from crmarena.errors import SalesforceError
from crmarena.soql import ast
from crmarena.soql.ast import LiteralKind
from crmarena.soql.print import to_text
from crmarena.soql.run import parse_text, run_query
from crmarena.soql.tokens import Source
from crmarena.storage.database import Database
from tests.laws import law

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12)
FIELDS = """
    Id Subject Status Priority IsClosed CreatedDate ClosedDate AccountId OwnerId Type Origin SuppliedEmail
    Account.Name Account.NumberOfEmployees Owner.Name Contact.Account.Owner.LastName
    Description Nope Account.Nope
"""
PATHS = st.sampled_from(FIELDS.split()).map(lambda text: ast.Path(tuple(text.split("."))))
FUNCTIONS = st.sampled_from(
    ["CALENDAR_YEAR", "DAY_ONLY", "HOUR_IN_DAY", "TOLABEL", "COUNT", "MAX", "SUM", "LENGTH"]
)
CALLS = st.builds(ast.Call, FUNCTIONS, PATHS)
OPERANDS: st.SearchStrategy[ast.Operand] = st.one_of(PATHS, PATHS, CALLS)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\")


LITERALS = st.one_of(
    st.builds(ast.Literal, st.just(LiteralKind.STRING), TEXTS),
    st.builds(ast.Literal, st.just(LiteralKind.NUMBER), st.integers(-(10**6), 10**6)),
    st.builds(ast.Literal, st.just(LiteralKind.NUMBER), st.decimals(-1000, 1000, places=3).map(float)),
    st.builds(ast.Literal, st.just(LiteralKind.BOOLEAN), st.booleans()),
    st.just(ast.Literal(LiteralKind.NULL, None)),
    st.builds(ast.Literal, st.just(LiteralKind.DATE), st.dates().map(lambda day: f"20{day:%y-%m}-11")),
    st.just(ast.Literal(LiteralKind.DATETIME, "2024-05-10T02:30:00.000+0000")),
    st.builds(
        ast.Literal,
        st.just(LiteralKind.RELATIVE),
        st.sampled_from(
            [ast.Relative("TODAY"), ast.Relative("LAST_N_DAYS", 40), ast.Relative("THIS_FISCAL_YEAR")]
        ),
    ),
)
PATTERNS = st.builds(
    ast.Literal, st.just(LiteralKind.PATTERN), st.one_of(TEXTS.map(_escaped), st.just(r"\%a\_%"))
)


def _longer(kind: type[ast.And] | type[ast.Or], terms: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(kind, st.lists(terms, min_size=2, max_size=3).map(tuple))


LEAVES: st.SearchStrategy[ast.Condition] = st.one_of(
    st.builds(ast.Comparison, OPERANDS, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), LITERALS),
    st.builds(ast.Comparison, OPERANDS, st.just("LIKE"), PATTERNS),
    st.builds(
        ast.Membership,
        OPERANDS,
        st.sampled_from(["IN", "NOT IN", "INCLUDES"]),
        st.lists(LITERALS, min_size=1, max_size=3).map(tuple),
    ),
    st.builds(
        ast.SemiJoin,
        PATHS,
        st.booleans(),
        st.sampled_from(["SELECT Id FROM Account", "SELECT AccountId FROM Contact WHERE Email = null"]).map(
            parse_text
        ),
    ),
)
CONDITIONS = st.recursive(
    LEAVES,
    lambda terms: st.one_of(st.builds(ast.Not, terms), _longer(ast.And, terms), _longer(ast.Or, terms)),
    max_leaves=5,
)
FILTERS = [
    ("Status", "!=", "'Closed'"),
    ("Subject", "LIKE", "'%late%'"),
    ("CreatedDate", "<=", "LAST_N_MONTHS:2"),
    ("Account.Name", "IN", "('Acme', null, 'Élan Vital')"),
    ("Owner.IsActive", "=", "true"),
    ("AccountId", "NOT IN", "(SELECT AccountId FROM Contact)"),
    ("CALENDAR_YEAR(CreatedDate)", ">", "2023"),
]
CHILDREN = st.sampled_from(
    [
        "SELECT Id FROM EmailMessages",
        "SELECT Subject FROM Tasks WHERE Status = 'New' ORDER BY Subject LIMIT 2",
    ]
).map(parse_text)
SELECTS = st.one_of(
    st.builds(ast.SelectItem, PATHS),
    st.builds(ast.SelectItem, CALLS, st.sampled_from([None, "n", "total"])),
    st.builds(ast.SelectItem, CHILDREN),
    st.just(ast.SelectItem(ast.FieldsCall("STANDARD"))),
)
ORDERS = st.builds(ast.OrderItem, OPERANDS, st.booleans(), st.sampled_from([None, True, False]))
QUERIES = st.builds(
    ast.Query,
    select=st.lists(SELECTS, min_size=1, max_size=3).map(tuple),
    source=st.sampled_from([None, "c"]).map(lambda alias: (ast.FromItem(ast.Path(("Case",)), alias),)),
    scope=st.sampled_from([None, "everything"]),
    where=st.one_of(st.none(), CONDITIONS),
    security=st.sampled_from([None, "USER_MODE"]),
    group_by=st.lists(OPERANDS, max_size=2).map(tuple),
    having=st.one_of(st.none(), st.none(), LEAVES),
    order_by=st.lists(ORDERS, max_size=2).map(tuple),
    limit=st.one_of(st.none(), st.integers(0, 2500)),
    offset=st.one_of(st.none(), st.integers(0, 2500)),
    tail=st.sampled_from([(), ("FOR VIEW",), ("UPDATE TRACKING", "UPDATE VIEWSTAT"), ("FOR UPDATE",)]),
)
QUICK = law(150)


@QUICK
@given(QUERIES)
def test_a_printed_tree_parses_to_its_equal(query: ast.Query) -> None:
    assert parse_text(to_text(query)) == query


@st.composite
def sensible(draw: st.DrawFn) -> str:
    """A query that has no reason to be refused."""
    fields = draw(st.lists(st.sampled_from(FIELDS.split()[:-3]), min_size=1, max_size=5, unique=True))
    path, sign, value = draw(st.sampled_from(FILTERS))
    order = draw(st.sampled_from(fields))
    grouped = draw(
        st.sampled_from([None, "Status", "OwnerId", "CALENDAR_MONTH(CreatedDate)", "Account.Name"])
    )
    where = f"WHERE {path} {sign} {value}"
    if grouped:
        return f"SELECT {grouped}, COUNT(Id) FROM Case {where} GROUP BY {grouped}"
    children = draw(st.sampled_from(["", ", (SELECT Id FROM EmailMessages LIMIT 2)"]))
    limit = draw(st.integers(0, 9))
    return f"SELECT {', '.join(fields)}{children} FROM Case {where} ORDER BY {order} LIMIT {limit}"


@QUICK
@given(sensible())
def test_sensible_queries_run(database: Database, clock: Clock, query: str) -> None:
    result = run_query(database, query, clock)
    assert len(result.to_rest()["records"]) == len(result.records) == result.total_size


@QUICK
@given(QUERIES)
def test_every_query_runs_or_is_refused_as_salesforce_refuses(
    database: Database, clock: Clock, query: ast.Query
) -> None:
    try:
        result = run_query(database, to_text(query), clock)
    except SalesforceError:
        return
    assert result.is_count or len(result.records) == result.total_size


WORDS = """
    SELECT Id Name FROM Case WHERE ( ) , . = != 'x' 5 AND OR NOT IN LIKE GROUP BY ORDER LIMIT COUNT NULL TODAY
    : * '
"""


@QUICK
@given(st.one_of(st.lists(st.sampled_from(WORDS.split()), max_size=14).map(" ".join), TEXTS))
def test_any_text_parses_or_is_refused(text: str) -> None:
    for api_version in (50, 62):
        with contextlib.suppress(SalesforceError):
            assert parse_text(to_text(parse_text(text, api_version))) == parse_text(text)


def test_nodes_know_their_row_and_column() -> None:
    query = parse_text("SELECT Id,\n  MAX(Amount)\nFROM Opportunity\nWHERE Name\n = 'x'")
    identifier, call = (item.expression for item in query.select)
    assert isinstance(identifier, ast.Path)
    assert isinstance(call, ast.Call)
    assert isinstance(query.where, ast.Comparison)
    assert isinstance(query.where.left, ast.Path)
    assert (identifier.row, identifier.column) == (1, 8)
    assert (call.row, call.column) == (2, 3)
    assert (query.where.left.row, query.where.left.column) == (4, 7)
    assert (query.where.value.row, query.where.value.column) == (5, 4)


def test_tokens_can_start_behind_another_languages_text() -> None:
    source = Source("FIND {a 'b}\n RETURNING Case")
    words = source.tokens(source.text.index("}") + 1)
    assert [(token.word, token.row, token.column) for token in words] == [
        ("RETURNING", 2, 2),
        ("CASE", 2, 12),
        ("", 2, 16),
    ]


def test_words_of_the_language_may_be_names() -> None:
    query = parse_text("SELECT Id FROM Order ORDER BY Name")
    assert query.source[0].path.parts == ("Order",)
    assert query.order_by[0].expression == ast.Path(("Name",))
    assert parse_text("SELECT Type, End, View FROM Group GROUP BY Type").source[0].alias is None
