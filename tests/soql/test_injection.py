"""Hostile texts everywhere a text or a name may stand: data stays data, nothing is changed or let out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crmarena.errors import SalesforceError
from crmarena.org.org import Org, open_org
from crmarena.schema.ids import make_id
from crmarena.schema.load import load_schema
from crmarena.soql.compile import Plan, compile_query
from crmarena.soql.parse import parse
from crmarena.soql.resolve import resolve
from crmarena.soql.shape import Record, Value, shaper
from crmarena.soql.tokens import Source
from crmarena.soql.viewer import Viewer
from crmarena.storage import rows
from crmarena.storage.database import Database
from tests.laws import law
from tests.soql.conftest import NOON
from tests.soql.hostile import HOSTILE
from tests.soql.plain import alike
from tests.soql.strategies import queries

CANARY = "canary-5d1c-never-told"
KNOWN = make_id("001", "Hx", 0)
TOLD = ('CREATE TABLE "', "CREATE VIRTUAL", CANARY, "root:")
"""What no answer and no error may hold: the file's own schema, a table beside the org, a file elsewhere."""


def storable(text: str) -> bool:
    """Whether a text can be in a database at all: half of a surrogate pair is no character."""
    return not re.search("[\ud800-\udfff]", text)


STORED = [text for text in HOSTILE if storable(text) and len(text) <= 5_000]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An org with an account for each hostile text, and a table beside its objects."""
    found = tmp_path_factory.mktemp("hostile") / "org.db"
    with Database.create(found, "b2b") as database:
        rows.insert(
            database,
            "Account",
            ({"Id": make_id("001", "Hx", n), "Name": text} for n, text in enumerate(STORED)),
        )
        database.connection.execute("CREATE TABLE secret (text TEXT)")
        database.connection.execute("INSERT INTO secret VALUES (?)", (CANARY,))
        database.write_meta({"secret": CANARY})
        database.finish()
    return found


class Guarded:
    """An org, and the bytes and the folder it should keep."""

    def __init__(self, path: Path, org: Org) -> None:
        self.path = path
        self.org = org
        self.before = path.read_bytes()
        self.session = org.session(clock=NOON)

    def told(self, ask: Callable[..., Any], *arguments: Any) -> Any:
        """What was answered; None for an error. Asserts that neither says what it should not."""
        try:
            found = ask(*arguments)
            said = repr(found)
        except SalesforceError as error:
            found, said = None, str(error)
        assert not [words for words in TOLD if words in said]
        return found

    def query(self, text: str) -> list[dict[str, Any]] | None:
        """The records of a query; None for an error."""
        found: list[dict[str, Any]] | None = self.told(lambda: self.session.query(text).records)
        return found

    def search(self, text: str) -> list[dict[str, Any]] | None:
        """The records of a search; None for an error."""
        found: list[dict[str, Any]] | None = self.told(lambda: self.session.search(text).records)
        return found

    def check(self) -> None:
        """Assert that the org's file is as it was, and alone."""
        assert self.path.read_bytes() == self.before
        assert [one.name for one in self.path.parent.iterdir()] == [self.path.name]
        assert not Path("evil.db").exists()


@pytest.fixture(scope="module")
def opened(path: Path) -> Iterator[Guarded]:
    with open_org(path) as org:
        yield Guarded(path, org)


@pytest.fixture
def guarded(opened: Guarded) -> Iterator[Guarded]:
    """The org, checked when the test ends."""
    yield opened
    opened.check()


def quoted(text: str) -> str:
    """A text as a literal, escaped as it must be."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def ids(text: str) -> list[str]:
    """The accounts of a name, letter case ignored."""
    return [make_id("001", "Hx", n) for n, stored in enumerate(STORED) if alike(stored) == alike(text)]


def test_there_are_over_two_hundred_of_them() -> None:
    assert len(set(HOSTILE)) >= 200


EVERY = pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))

LITERALS = [
    "SELECT Id FROM Account WHERE Name = {}",
    "SELECT Id FROM Account WHERE Name IN ({})",
    "SELECT Id FROM Account WHERE NOT Name != {}",
    "SELECT Id FROM Account WHERE Name IN ('Acme', {}, 'Birch')",
    "SELECT Id FROM Account WHERE Name >= {0} AND Name <= {0}",
]


@EVERY
def test_an_escaped_literal_finds_the_record_of_that_name_alone(guarded: Guarded, text: str) -> None:
    wanted = ids(text) if text else []
    for query in LITERALS:
        found = guarded.query(query.format(quoted(text)))
        if len(text) > 4_000:
            assert found is None
        elif storable(text):
            assert [record["Id"] for record in found or []] == wanted


PLACES = """
    SELECT Id FROM Account WHERE Name = '{}'
    SELECT Id FROM Account WHERE Name = {}
    SELECT Id FROM Account WHERE Name LIKE '{}'
    SELECT Id FROM Account WHERE Id = '{}'
    SELECT Id FROM Account WHERE Id IN ('{}')
    SELECT Id FROM Account WHERE NumberOfEmployees = {}
    SELECT Id FROM Account WHERE CreatedDate = {}
    SELECT Id FROM Account WHERE CreatedDate > LAST_N_DAYS:{}
    SELECT Id FROM Contact WHERE Languages__c INCLUDES ('{}')
    SELECT Id FROM Account WHERE Id IN (SELECT AccountId FROM Contact WHERE LastName = '{}')
    SELECT Industry, COUNT(Id) FROM Account GROUP BY Industry HAVING MAX(Name) = '{}'
    SELECT Id, (SELECT Id FROM Contacts WHERE LastName = '{}') FROM Account LIMIT 1
    SELECT Id FROM Account WHERE DISTANCE(BillingAddress, GEOLOCATION({}, 1), '{}') < 1
    SELECT Id FROM Account WITH UserId = '{}'
    SELECT {} FROM Account
    SELECT Id, {} FROM Account LIMIT 1
    SELECT Owner.{} FROM Account
    SELECT {}.Name FROM Account
    SELECT MAX({}) FROM Account
    SELECT {}(Name) FROM Account
    SELECT COUNT(Id) {} FROM Account
    SELECT FIELDS({}) FROM Account LIMIT 1
    SELECT TYPEOF What WHEN {} THEN Id END FROM Task
    SELECT TYPEOF {} WHEN Account THEN Id END FROM Task
    SELECT Id, (SELECT Id FROM {}) FROM Account LIMIT 1
    SELECT Id FROM {}
    SELECT Id FROM Account {}
    SELECT Id FROM Account a, a.{} b
    SELECT Id FROM Account USING SCOPE {}
    SELECT Id FROM Account WHERE {} = 'x'
    SELECT Id FROM Account WHERE {}
    SELECT Id FROM Account WITH {}
    SELECT Id FROM Account WITH DATA CATEGORY {} AT x
    SELECT COUNT(Id) FROM Account GROUP BY {}
    SELECT Id FROM Account ORDER BY {}
    SELECT Id FROM Account ORDER BY Name {}
    SELECT Id FROM Account LIMIT {}
    SELECT Id FROM Account LIMIT 1 OFFSET {}
    SELECT Id FROM Account LIMIT 1 {}
    {}
    {} SELECT Id FROM Account
"""
SEARCHES = """
    FIND {{{}}}
    FIND {{"{}"}} RETURNING Account(Id, Name)
    FIND {{{}*}} IN NAME FIELDS RETURNING Account(Id, Name)
    FIND {{acme}} IN {} FIELDS
    FIND {{acme}} RETURNING {}
    FIND {{acme}} RETURNING Account({})
    FIND {{acme}} RETURNING Account(Id WHERE Name = '{}')
    FIND {{acme}} RETURNING Account(Id ORDER BY {})
    FIND {{acme}} RETURNING Account(Id USING ListView = {})
    FIND {{acme}} WITH {}
    FIND {{acme}} WITH DIVISION = '{}'
    FIND {{acme}} WITH METADATA = '{}'
    FIND {{acme}} LIMIT {}
    FIND {}
"""
QUERY_PLACES = [line.strip() for line in PLACES.strip().split("\n")]
SEARCH_PLACES = [line.strip() for line in SEARCHES.strip().split("\n")]


@EVERY
def test_a_raw_text_in_any_place_of_a_query_is_answered_or_refused(guarded: Guarded, text: str) -> None:
    for place in QUERY_PLACES:
        guarded.query(place.format(text, text))


@EVERY
def test_a_raw_text_in_any_place_of_a_search_is_answered_or_refused(guarded: Guarded, text: str) -> None:
    for place in SEARCH_PLACES:
        found = guarded.search(place.format(text))
        assert all(record["Id"].startswith(("001", "00D")) for record in found or [] if "Id" in record)


@EVERY
def test_describe_and_get_tell_nothing_of_what_is_no_object_record_or_field(
    guarded: Guarded, text: str
) -> None:
    session = guarded.session
    assert guarded.told(session.describe, text) is None
    assert guarded.told(session.get, text, KNOWN) is None
    assert guarded.told(session.get, "Account", text) is None
    assert guarded.told(session.get, "Account", KNOWN, [text]) is None
    assert guarded.told(session.get_by, "Account", text, "x") is None
    assert guarded.told(session.get_by, "Account", "External_ID__c", text) is None


def test_a_hostile_user_owns_nothing(guarded: Guarded) -> None:
    for text in HOSTILE:
        session = guarded.org.session(clock=NOON, viewer=Viewer(user_id=text))
        found = guarded.told(lambda: session.query("SELECT Id FROM Account USING SCOPE mine").records)  # noqa: B023
        assert not found


def test_what_is_written_is_data_and_names_are_names(guarded: Guarded) -> None:
    with guarded.org.session(clock=NOON, writable=True) as session:
        for text in HOSTILE:
            assert guarded.told(session.insert, text, {"Name": "x"}) is None
            assert guarded.told(session.insert, "Account", {"Name": "x", text: "x"}) is None
            assert guarded.told(session.update, "Account", text, {"Name": "x"}) is None
            assert guarded.told(session.upsert, "Account", text, "x", {"Name": "x"}) is None
            made = guarded.told(session.insert, "Account", {"Name": f"made {text}"})
            if made is not None and storable(text):
                assert str(session.get("Account", made)["Name"]).split() == f"made {text}".split()
        count = session.query("SELECT COUNT() FROM Account").total_size
        assert count == len(STORED) + len(session.changes())


# What a query's SQL and Python are made of

WORDS = """
    SELECT FROM WHERE AND OR NOT IN IS NULL TRUE FALSE LIKE ESCAPE ORDER BY DESC NULLS FIRST LAST LIMIT
    OFFSET GROUP HAVING AS ON LEFT CROSS JOIN UNION ALL CASE WHEN THEN ELSE END CAST INTEGER BLOB DISTINCT
    COLLATE NOCASE SF_TEXT OVER PARTITION
    COUNT SUM AVG MIN MAX COALESCE substr strftime length printf instr row_number json_each
    sf_fold sf_sort sf_local sf_set sf_distance sf_extreme sf_extreme_text
    Id rowid value key given place
"""
_SQL = re.compile(
    r"""(?P<name>"[^"]*")|(?P<text>'[^']*')|(?P<word>[A-Za-z_]\w*)|(?P<mark>\?\d+)|(?P<number>\d+)"""
    r"""|(?P<sign>[-+*/%<>=!(),.|]|\s)|(?P<other>.)""",
    re.DOTALL,
)
TEXTS = {"'%06d'", "'%j'", "'%w'", "';'", "'\\'"}
SCHEMA = load_schema("b2b")
NAMES = {f'"{name}{end}"' for name in SCHEMA.objects for end in ("", "__bin")} | {
    f'"{field}"' for sobject in SCHEMA.objects.values() for field in sobject.fields
}
ALIAS = re.compile(r"[ta]\d+")


def odd_pieces(sql: str) -> list[str]:
    """The pieces of a statement that do not come from the schema or from the compiler's own words."""
    words = set(WORDS.split())
    odd = []
    for piece in _SQL.finditer(sql):
        kind, text = piece.lastgroup, piece.group()
        known = (
            text in NAMES
            if kind == "name"
            else text in TEXTS
            if kind == "text"
            else text in words or ALIAS.fullmatch(text)
            if kind == "word"
            else kind != "other"
        )
        if not known:
            odd.append(text)
    return odd


def plans(plan: Plan) -> Iterator[Plan]:
    """A plan and those of its child queries."""
    yield plan
    for child in plan.children:
        yield from plans(child.plan)


def names_read(code: CodeType) -> set[str]:
    """The names that code takes from outside, and the attributes it asks for."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*(names_read(one) for one in inner))


@law(150)
@given(text=queries())
def test_a_statement_holds_names_of_the_schema_and_no_value(text: str) -> None:
    try:
        source = Source(text)
        plan = compile_query(resolve(SCHEMA, parse(source), source))
    except SalesforceError:
        assume(False)
    for one in plans(plan):
        assert odd_pieces(one.sql) == []
        for rest in (False, True):
            made: Any = shaper(one.record, one.width, len(one.children), rest)
            assert names_read(made.__code__) <= {"get"}


@law(200)
@given(key=st.one_of(st.text(), st.sampled_from(HOSTILE)), value=st.one_of(st.text(), st.integers()))
def test_a_key_is_a_key_whatever_it_says(key: str, value: object) -> None:
    made: Any = shaper(Record(key, None, ((key, Value(0)),)), 1, 0, True)
    assert made([(value,)], "", None) == [{"attributes": {"type": "AggregateResult"}, key: value}]
    assert names_read(made.__code__) == set()


ALIASES = """
    import eval exec lambda None True class yield await print rows url written c0 a0 a1 get attributes type
    select_ x__import__ a__class__ e1 inf nan totalSize done records order_ by group_ drop table
"""


@pytest.mark.parametrize("alias", ALIASES.split())
def test_an_alias_is_the_key_of_its_value(guarded: Guarded, alias: str) -> None:
    text = f"SELECT COUNT(Id) {alias}, MAX(Id) FROM Account"
    (record,) = guarded.query(text) or [{}]
    assert record[alias] == len(STORED)
    (sent,) = guarded.session.query(text).to_rest()["records"]
    assert alias == "attributes" or sent[alias] == len(STORED)
