"""What describe says may be done with a field is what a query may do with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from crmarena.clock import Clock
from crmarena.errors import SalesforceError
from crmarena.schema.describe import describe_object
from crmarena.schema.load import load_schema
from crmarena.schema.scopes import SCOPES
from crmarena.soql.run import run_query
from crmarena.storage.database import Database

NAMES = sorted({name for org_type in ("b2b", "b2c") for name in load_schema(org_type).objects})


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """An org of b2c, whose objects have the most fields, without records."""
    database = Database.create(tmp_path_factory.mktemp("flags") / "org.db", "b2c")
    database.finish()
    return database


def refusal(database: Database, query: str) -> str | None:
    """The code of the error that a query gets, if it gets one."""
    try:
        run_query(database, query, Clock.system())
    except SalesforceError as error:
        return error.error_code
    return None


def runs(database: Database, query: str) -> bool:
    """Whether a query runs; the only reason against it may be that the field does not allow it."""
    code = refusal(database, query)
    assert code in {None, "INVALID_FIELD", "MALFORMED_QUERY"}, query
    return code is None


@pytest.mark.parametrize("name", NAMES)
def test_every_field_allows_what_its_flags_say(empty: Database, name: str) -> None:
    for field in describe_object(empty.schema, name)["fields"]:
        own, query = field["name"], f"SELECT Id FROM {name}"
        asked = (
            f"DISTANCE({own}, GEOLOCATION(1, 2), 'km') < 5" if field["queryByDistance"] else f"{own} = null"
        )
        assert runs(empty, f"SELECT {own} FROM {name}"), own
        assert runs(empty, f"{query} WHERE {asked}") == field["filterable"], own
        assert runs(empty, f"{query} ORDER BY {own}") == field["sortable"], own
        assert runs(empty, f"SELECT {own} FROM {name} GROUP BY {own}") == field["groupable"], own
        assert runs(empty, f"SELECT COUNT({own}) FROM {name}") == field["aggregatable"], own


@pytest.mark.parametrize("name", NAMES)
def test_every_relationship_is_one_that_a_path_and_a_child_query_can_take(empty: Database, name: str) -> None:
    payload = describe_object(empty.schema, name)
    for field in payload["fields"]:
        if field["relationshipName"]:
            assert runs(empty, f"SELECT {field['relationshipName']}.Id FROM {name}"), field["name"]
    for child in payload["childRelationships"]:
        if child["relationshipName"]:
            assert runs(empty, f"SELECT (SELECT Id FROM {child['relationshipName']}) FROM {name}"), child


@pytest.mark.parametrize("name", NAMES)
def test_an_object_has_the_scopes_it_lists(empty: Database, name: str) -> None:
    listed = {scope["name"] for scope in describe_object(empty.schema, name)["supportedScopes"]}
    refusals = {
        scope: refusal(empty, f"SELECT Id FROM {name} USING SCOPE {scope}") for scope in SCOPES.values()
    }
    assert {scope for scope, code in refusals.items() if code is None} == listed
    assert set(refusals.values()) <= {None, "INVALID_QUERY_SCOPE"}


def test_the_objects_of_every_org_are_looked_at(empty: Database, tmp_path: Path) -> None:
    assert set(NAMES) == set(empty.schema.objects)
