"""Searches drawn from the grammar, a strategy for each production.

What is drawn parses; whether it runs depends on the org: names may be unknown, fields not filterable.
"""

from __future__ import annotations

from hypothesis import strategies as st

from crmarena.errors import SalesforceError
from crmarena.soql import ast as soql
from crmarena.sosl.ast import AllOf, AnyOf, Expression, FieldGroup, Returning, Search, Term, With, Without
from crmarena.sosl.parse import check_returning
from crmarena.sosl.terms import RESERVED, check_length
from tests.sosl.conftest import record_id

WORDS = (
    "acme",
    "refund",
    "ran",
    "web2case",
    "birch",
    "the",
    "zeta",
    "n\u00fa\u00f1ez",
    "\u6771\u4eac",
    "not",
    "x1y2",
)
FIELDS = {
    "Account": ("Id", "Name", "Phone", "Owner.Name", "Description", "Nmae"),
    "Contact": ("Id", "LastName", "account.Name", "Email"),
    "Case": ("Id", "Subject", "Status", "CaseNumber", "CreatedDate"),
    "Knowledge__kav": ("Id", "Title", "FAQ_Answer__c"),
    "Product2": ("Id", "Name"),
    "OrderItem": ("Id",),
    "Accounts": ("Id",),
}


def _long_enough(term: Term) -> bool:
    try:
        check_length(term.text, term.phrase)
    except SalesforceError:
        return False
    return term.text.upper() not in {"AND", "OR", "NOT"} or term.text == "not"


pieces = st.sampled_from([*WORDS, "*", "?", "+", "@", ".", *(f"\\{mark}" for mark in RESERVED)])
words = st.lists(pieces, min_size=1, max_size=4).map("".join).map(Term)
phrases = st.lists(st.one_of(pieces, st.just(" ")), min_size=1, max_size=6).map(
    lambda parts: Term("".join(parts), phrase=True)
)
terms = st.one_of(st.sampled_from(WORDS).map(Term), words, phrases).filter(_long_enough)


def _compound(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(several.map(AllOf), several.map(AnyOf), st.builds(Without, inner, inner))


expressions: st.SearchStrategy[Expression] = st.recursive(terms, _compound, max_leaves=6)
"""Search expressions."""

names = st.sampled_from(sorted(FIELDS))
counts = st.none() | st.integers(0, 2_100)


def path(text: str) -> soql.Path:
    return soql.Path(tuple(text.split(".")))


def select_lists(name: str) -> st.SearchStrategy[tuple[soql.SelectItem, ...]]:
    plain = st.sampled_from(FIELDS[name]).map(lambda text: soql.SelectItem(path(text)))
    labels = st.just(soql.SelectItem(soql.Call("TOLABEL", path(FIELDS[name][-1]))))
    return st.lists(st.one_of(plain, plain, labels), min_size=1, max_size=3).map(tuple)


def conditions(name: str) -> st.SearchStrategy[soql.Condition]:
    fields = st.sampled_from(FIELDS[name]).map(path)
    kinds = soql.LiteralKind
    literals = st.one_of(
        st.sampled_from(WORDS).map(lambda text: soql.Literal(kinds.STRING, text)),
        st.just(soql.Literal(kinds.NULL, None)),
        st.just(soql.Literal(kinds.RELATIVE, soql.Relative("LAST_N_DAYS", 5))),
    )
    comparisons = st.builds(soql.Comparison, fields, st.sampled_from(["=", "!=", "<"]), literals)
    return st.one_of(comparisons, st.lists(comparisons, min_size=2, max_size=2).map(tuple).map(soql.And))


@st.composite
def returnings(draw: st.DrawFn) -> Returning:
    """One object of RETURNING."""
    name = draw(names)
    source = (soql.FromItem(path(name)),)
    if not draw(st.booleans()):
        return Returning(soql.Query((soql.SelectItem(path("Id")),), source), listed=False)
    orders = st.builds(soql.OrderItem, st.sampled_from(FIELDS[name]).map(path), st.booleans())
    query = soql.Query(
        select=draw(select_lists(name)),
        source=source,
        where=draw(st.none() | conditions(name)),
        order_by=tuple(draw(st.lists(orders, max_size=2))),
        limit=draw(counts),
        offset=draw(st.none() | st.integers(0, 2_000)),
    )
    return Returning(query, True, draw(st.sampled_from([None, None, None, "Recent", "Mine"])))


def _goes_together(found: tuple[Returning, ...]) -> bool:
    try:
        check_returning(found)
    except SalesforceError:
        return False
    return True


ids = st.sampled_from(["000000000000000AAA", record_id("01s", 1), record_id("01s", 2)])
categories = st.builds(
    soql.CategoryFilter,
    st.sampled_from(["Geo__c", "Line__c"]),
    st.sampled_from(["AT", "ABOVE", "BELOW", "ABOVE_OR_BELOW"]),
    st.lists(st.sampled_from(["usa__c", "uk__c"]), min_size=1, max_size=2).map(tuple),
)
withs = st.builds(
    With,
    division=st.sampled_from([None, None, "Global", "it's \\ West"]),
    categories=st.lists(categories, max_size=3).map(tuple) | st.just(()),
    highlight=st.booleans(),
    snippet=st.just(True),
    target_length=st.none() | st.integers(-5, 2_000),
    networks=st.lists(ids, max_size=2).map(tuple),
    pricebooks=st.lists(ids, max_size=2).map(tuple),
    labels=st.booleans(),
    spell_correction=st.none() | st.booleans(),
) | st.builds(With, highlight=st.booleans(), labels=st.booleans(), spell_correction=st.none() | st.booleans())
"""What the WITH clauses say."""

searches = st.builds(
    Search,
    expression=expressions,
    group=st.sampled_from(FieldGroup),
    returning=st.lists(returnings(), max_size=3).map(tuple).filter(_goes_together),
    options=withs,
    limit=counts,
    updates=st.lists(st.sampled_from(["TRACKING", "VIEWSTAT"]), max_size=2).map(tuple),
)
"""Whole searches."""
