"""`composite/sobjects`: up to 200 records in one call, each with a result of its own."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from crmarena.errors import SalesforceError
from crmarena.org.results import SaveResult
from crmarena.org.rules import ATTRIBUTES, Rules
from crmarena.server.answers import answer
from crmarena.server.caller import Caller, caller
from crmarena.server.faults import fault
from crmarena.server.json_text import Body, JsonText
from crmarena.server.openapi import body, returns
from crmarena.server.record_answers import listed, record, row

router = APIRouter(prefix="/services/data/v{version}/composite/sobjects", tags=["Collections"])

MOST_WRITTEN, MOST_READ, MOST_CHUNKS = 200, 2_000, 10
"""Records of a call that writes, of one that reads, and runs of records of one object."""

By = Annotated[Caller, Depends(caller)]
Ids = Annotated[str | None, Query(description="Record Ids, a comma between them")]
AllOrNone = Annotated[bool, Query(alias="allOrNone")]
Records = list[dict[str, Any]]

_ROWS = returns({"type": "array", "items": {"type": "object"}}, "A result for each record, in their order")
_GIVEN = body(
    {
        "type": "object",
        "required": ["records"],
        "properties": {
            "allOrNone": {"type": "boolean"},
            "records": {"type": "array", "items": {"type": "object"}},
        },
    }
)
_ASKED = body(
    {
        "type": "object",
        "required": ["ids", "fields"],
        "properties": {
            "ids": {"type": "array", "items": {"type": "string"}},
            "fields": {"type": "array", "items": {"type": "string"}},
        },
    }
)


@router.post("", responses=_ROWS, openapi_extra=_GIVEN)
def create_all(by: By, given: JsonText) -> Response:
    """Create records."""
    session = by.writing
    records, all_or_none = _records(by, given)
    return _rows(session.insert_all(None, records, all_or_none=all_or_none))


@router.patch("", responses=_ROWS, openapi_extra=_GIVEN)
def update_all(by: By, given: JsonText) -> Response:
    """Change records, each with its Id."""
    session = by.writing
    records, all_or_none = _records(by, given)
    return _rows(session.update_all(None, records, all_or_none=all_or_none))


@router.delete("", responses=_ROWS)
def delete_all(by: By, ids: Ids = None, all_or_none: AllOrNone = False) -> Response:
    """Delete records."""
    session = by.writing
    wanted = _listed("ids", ids)
    _check_size(wanted, MOST_WRITTEN)
    return _rows(session.delete_all(None, wanted, all_or_none=all_or_none))


@router.get("/{name}", responses=_ROWS)
def read_all(by: By, name: str, ids: Ids = None, fields: str | None = None) -> Response:
    """Records by their Ids; null for one that is not there."""
    return _read(by, name, _listed("ids", ids), _listed("fields", fields))


@router.post("/{name}", responses=_ROWS, openapi_extra=_ASKED)
def read_more(by: By, name: str, given: JsonText) -> Response:
    """The same for more Ids than a URL holds."""
    members = given.members("ids", "fields")
    return _read(by, name, members.texts("ids"), members.texts("fields"))


@router.patch("/{name}/{key}", responses=_ROWS, openapi_extra=_GIVEN)
def upsert_all(by: By, name: str, key: str, given: JsonText) -> Response:
    """Change or create records by a key field that each of them holds."""
    session = by.writing
    records, all_or_none = _records(by, given, name)
    done = session.upsert_all(name, key, records, all_or_none=all_or_none)
    return answer([{**row(result), "created": result.created} for result in done])


def _records(by: Caller, given: Body, object_name: str | None = None) -> tuple[Records, bool]:
    """The records of a body, and whether all must be good. Raises SalesforceError."""
    members = given.members("allOrNone", "records")
    records = members.objects("records")
    _check_size(records, MOST_WRITTEN)
    _check_chunks(records)
    for number, values in enumerate(records):
        sobject = by.desk.schema.object(object_name or _type(values))
        if sobject is not None:
            # chosen: the whole call is refused for an unknown field or a value of the wrong type, as
            # Salesforce reads all of a body before it looks at any record.
            with given.placing("records", number):
                Rules(sobject).read(values)
    return records, members.flag("allOrNone")


def _type(values: dict[str, Any]) -> str:
    attributes = values.get(ATTRIBUTES)
    return str(attributes.get("type", "")) if isinstance(attributes, dict) else ""


def _check_size(items: list[Any], limit: int) -> None:
    if len(items) > limit:
        raise fault("too_many_records", limit=limit)


def _check_chunks(records: Records) -> None:
    if len(list(groupby(_type(values).lower() for values in records))) > MOST_CHUNKS:
        raise fault("too_many_chunks", limit=MOST_CHUNKS)


def _listed(name: str, text: str | None) -> list[str]:
    found = listed(text)
    if found is None:
        raise fault("missing_parameter", name=name)
    return found


def _read(by: Caller, name: str, ids: list[str], fields: list[str]) -> Response:
    if by.desk.schema.object(name) is None:
        raise fault("no_resource")
    _check_size(ids, MOST_READ)
    return answer([_record(by, name, record_id, fields) for record_id in ids])


def _record(by: Caller, name: str, record_id: str, fields: list[str]) -> dict[str, Any] | None:
    try:
        return record(by, name, record_id, fields)
    except SalesforceError as error:
        if error.http_status != 404:
            raise
        return None


def _rows(done: list[SaveResult]) -> Response:
    return answer([row(result) for result in done])
