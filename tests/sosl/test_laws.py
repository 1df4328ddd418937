"""What holds of every search."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from crmarena.clock import Clock
from crmarena.errors import SalesforceError
from crmarena.soql.tokens import Source
from crmarena.sosl.ast import AllOf, AnyOf, Expression, Search, Term, Without
from crmarena.sosl.parse import parse
from crmarena.sosl.print import expression as printed
from crmarena.sosl.print import to_text
from crmarena.sosl.search import run_search
from crmarena.storage import rows
from crmarena.storage.database import Database
from tests.laws import law
from tests.sosl.conftest import TODAY, record_id
from tests.sosl.plain import holds, split
from tests.sosl.strategies import searches

CODES = {
    "MALFORMED_SEARCH", "INVALID_SEARCH", "INVALID_FIELD", "INVALID_TYPE", "INVALID_TYPE_FOR_OPERATION",
    "INVALID_QUERY_FILTER_OPERATOR", "NUMBER_OUTSIDE_VALID_RANGE", "QUERY_TOO_COMPLICATED",
}  # fmt: skip


@law(120)
@given(search=searches)
def test_a_printed_search_parses_to_the_same_tree(search: Search) -> None:
    assert parse(Source(to_text(search))) == search


@law(100)
@given(search=searches)
def test_a_search_runs_or_is_refused_and_changes_nothing(searched: Database, search: Search) -> None:
    before = searched.connection.total_changes
    code = None
    try:
        result = run_search(searched, to_text(search), Clock.at(TODAY))
        assert len(result.records) == len(result.to_rest()["searchRecords"]) == result.total_size
        assert result.total_size <= (2_000 if search.limit is None else search.limit)
    except SalesforceError as error:
        code = error.error_code
    event(str(code))
    assert code is None or code in CODES
    assert searched.connection.total_changes == before


@law(80)
@given(
    text=st.text("abAB01 *?\"\\()&-+{}\u00e9'\n,", max_size=30),
    tail=st.sampled_from(["", " RETURNING Case(Id)", " WITH SNIPPET", " LIMIT 5 UPDATE"]),
)
def test_any_text_gives_records_or_a_salesforce_error(searched: Database, text: str, tail: str) -> None:
    code = None
    try:
        result = run_search(searched, f"FIND {{{text}}}{tail}", Clock.at(TODAY))
        assert result.total_size == len(result.records)
    except SalesforceError as error:
        code = error.error_code
    assert code in {None, "MALFORMED_SEARCH", "INVALID_SEARCH"}


# Matching against plain Python

FORMS = [{"run", "runs", "running", "ran"}, {"refund", "refunds", "refunded", "refunding"}, {"acme", "acmes"}]
HELD = ("run", "running", "ran", "refund", "refunds", "acme", "acmes2", "Web2Case", "web", "case", "the",
        "N\u00fa\u00f1ez", "o'neil", "x-ray")  # fmt: skip
ASKED = ("run", "refunds", "acme", "acm", "acme*", "a*e", "ac?e", "acm?", "re*", "ref*ds", "web2case", "web*",
         "w*2", "case", "the", "nunez", "o\\'neil", "x\\-ray", "2", "zzz*")  # fmt: skip
STOP_WORDS = {"the"}
FORM_OF = {word: forms for forms in FORMS for word in forms}

plain_terms = st.one_of(
    st.sampled_from([text for text in ASKED if text != "2"]).map(Term),
    st.lists(st.sampled_from(ASKED), min_size=1, max_size=3).map(" ".join).filter(lambda text: len(text) > 1)
    .map(lambda text: Term(text, phrase=True)),
)  # fmt: skip


def compound(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(several.map(AllOf), several.map(AnyOf), st.builds(Without, inner, inner))


@pytest.fixture(scope="module")
def mixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """Records with every pair of the words side by side and apart."""
    texts = [
        *HELD,
        *(" ".join(pair) for pair in pairwise(HELD)),
        *(f"{a}, {b}." for a, b in pairwise(HELD[::2])),
    ]
    with Database.create(tmp_path_factory.mktemp("mixture") / "org.db", "b2b") as database:
        made = (
            {
                "Id": record_id("500", n),
                "Subject": texts[n % len(texts)],
                "Description": texts[n * 7 % len(texts)],
            }
            for n in range(2 * len(texts))
        )
        rows.insert(database, "Case", made)
        database.finish()
        yield database


@law(140)
@given(expression=st.recursive(plain_terms, compound, max_leaves=5))
def test_matching_is_what_plain_python_says(mixture: Database, expression: Expression) -> None:
    statement = f"FIND {{{printed(expression)}}} RETURNING Case(Id LIMIT 2000)"
    found = {record["Id"] for record in run_search(mixture, statement, Clock.at(TODAY)).records}
    stored = mixture.connection.execute('SELECT Id, CaseNumber, Subject, Description FROM "Case"').fetchall()
    expected = {
        record_id
        for record_id, *texts in stored
        if holds([split(text) for text in texts], expression, FORM_OF, STOP_WORDS)
    }
    event(f"{min(len(found), 3)} found")
    assert found == expected
