"""`sobjects`: one record, by its Id, by a key of its own, or by the way that leads to it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from crmarena.clock import format_datetime, parse_datetime
from crmarena.errors import SalesforceError
from crmarena.org.faults import fault as record_fault
from crmarena.org.values import FIRST_YEAR, LAST_YEAR
from crmarena.server.answers import answer, no_content
from crmarena.server.caller import Caller, caller
from crmarena.server.faults import fault
from crmarena.server.json_text import JsonText
from crmarena.server.openapi import body, returns
from crmarena.server.record_answers import (
    SAVED,
    created,
    listed,
    or_choices,
    own_name,
    record,
    upserted,
    with_attributes,
)
from crmarena.server.related import Found, children, follow

router = APIRouter(prefix="/services/data/v{version}", tags=["Records"])

By = Annotated[Caller, Depends(caller)]
Override = Annotated[str | None, Query(alias="_HttpMethod", description="`PATCH` or `DELETE`, by POST")]
UpdateOnly = Annotated[bool, Query(alias="updateOnly", description="Do not create a record")]

_RECORD = body({"type": "object", "description": "Fields by name"})
_SAVED = returns(SAVED, "The record was created", 201)
_SHOWN = returns({"type": "object"}, "The record")
_DONE: dict[int | str, Any] = {204: {"description": "Done"}}
_CHOICES = returns({"type": "array", "items": {"type": "string"}}, "Several records have the key", 300)
_SPAN = returns({"type": "object"}, "The records of the span")


@router.post("/sobjects/{name}", status_code=201, responses=_SAVED, openapi_extra=_RECORD)
def create(by: By, name: str, given: JsonText) -> Response:
    """Create a record."""
    session = by.writing
    with given.placing():
        return created(by, name, session.insert(name, given.record()))


@router.get("/sobjects/{name}/deleted", responses=_SPAN)
def deleted(by: By, name: str, start: str | None = None, end: str | None = None) -> Response:
    """The records deleted in a span of time."""
    since, until = _span(start, end)
    rows = _changed(by, name, since, until, deleted=True)
    found = [{"id": row["Id"], "deletedDate": row["SystemModstamp"]} for row in rows]
    covered = format_datetime(min(until, by.session.clock.now))
    # chosen: nothing is forgotten, so that any start is available.
    earliest = format_datetime(since)
    return answer({"deletedRecords": found, "earliestDateAvailable": earliest, "latestDateCovered": covered})


@router.get("/sobjects/{name}/updated", responses=_SPAN)
def updated(by: By, name: str, start: str | None = None, end: str | None = None) -> Response:
    """The records created or changed in a span of time."""
    since, until = _span(start, end)
    rows = _changed(by, name, since, until, deleted=False)
    covered = format_datetime(min(until, by.session.clock.now))
    return answer({"ids": [row["Id"] for row in rows], "latestDateCovered": covered})


@router.get("/sobjects/{name}/{record_id}", responses=_SHOWN)
def read(by: By, name: str, record_id: str, fields: str | None = None) -> Response:
    """A record: all its fields, or those that are named."""
    return answer(record(by, name, record_id, listed(fields)))


@router.patch("/sobjects/{name}/{record_id}", status_code=204, responses=_DONE, openapi_extra=_RECORD)
def update(by: By, name: str, record_id: str, given: JsonText) -> Response:
    """Change fields of a record."""
    session = by.writing
    with given.placing():
        session.update(name, record_id, given.record())
    return no_content()


@router.delete("/sobjects/{name}/{record_id}", status_code=204, responses=_DONE)
def delete(by: By, name: str, record_id: str) -> Response:
    """Delete a record."""
    by.writing.delete(name, record_id)
    return no_content()


@router.post("/sobjects/{name}/{record_id}", responses=_SAVED | _DONE, openapi_extra=_RECORD)
def post(by: By, name: str, record_id: str, given: JsonText, override: Override = None) -> Response:
    """What PATCH and DELETE do, for clients that cannot send them; to `Id`, create a record."""
    if override is None and record_id.lower() == "id":
        return create(by, name, given)
    return update(by, name, record_id, given) if _patches(override) else delete(by, name, record_id)


@router.get("/sobjects/{name}/{key}/{value:path}", responses=_SHOWN | _CHOICES)
def read_by(by: By, name: str, key: str, value: str, fields: str | None = None) -> Response:
    """A record by a key field and its value; with an Id for the key, what relationships lead to."""
    if _is_field(by, name, key):
        return or_choices(by, name, lambda: _read_by(by, name, key, value, fields))
    found = _follow(by, name, key, value)
    if found.children is not None:
        return answer(children(by, found, listed(fields)))
    return answer(record(by, found.sobject.name, found.record_id, listed(fields)))


@router.patch(
    "/sobjects/{name}/{key}/{value:path}",
    responses=returns(SAVED, "The record was changed") | _SAVED | _DONE | _CHOICES,
    openapi_extra=_RECORD,
)
def upsert(
    by: By, name: str, key: str, value: str, given: JsonText, update_only: UpdateOnly = False
) -> Response:
    """Change the record with a value in a key field, or create one with it."""
    session = by.writing
    if not _is_field(by, name, key):
        found = _record_of(by, name, key, value)
        return update(by, found.sobject.name, found.record_id, given)

    def write() -> Response:
        if update_only:
            session.get_by(name, key, value, ["Id"])
        with given.placing():
            return upserted(by, name, session.upsert(name, key, value, given.record()))

    return or_choices(by, name, write)


@router.delete("/sobjects/{name}/{key}/{value:path}", status_code=204, responses=_DONE | _CHOICES)
def delete_by(by: By, name: str, key: str, value: str) -> Response:
    """Delete the record with a value in a key field."""
    session = by.writing
    if not _is_field(by, name, key):
        found = _record_of(by, name, key, value)
        return delete(by, found.sobject.name, found.record_id)

    def write() -> Response:
        session.delete(name, session.get_by(name, key, value, ["Id"])["Id"])
        return no_content()

    return or_choices(by, name, write)


@router.post("/sobjects/{name}/{key}/{value:path}", responses=_SAVED | _DONE, openapi_extra=_RECORD)
def post_by(
    by: By,
    name: str,
    key: str,
    value: str,
    given: JsonText,
    override: Override = None,
    update_only: UpdateOnly = False,
) -> Response:
    """What PATCH and DELETE do, for clients that cannot send them."""
    if _patches(override):
        return upsert(by, name, key, value, given, update_only)
    return delete_by(by, name, key, value)


def _patches(override: str | None) -> bool:
    """Whether a POST stands for PATCH; else it does for DELETE. Raises SalesforceError for neither."""
    method = (override or "").upper()
    if method not in {"PATCH", "DELETE"}:
        allowed = "HEAD,GET,PATCH,DELETE"
        raise fault("override", found=override) if method else fault("method", method="POST", allowed=allowed)
    return method == "PATCH"


def _is_field(by: Caller, name: str, key: str) -> bool:
    sobject = by.desk.schema.object(name)
    if sobject is None:
        raise fault("no_resource")
    return sobject.field(key) is not None


def _read_by(by: Caller, name: str, key: str, value: str, fields: str | None) -> Response:
    names = listed(fields)
    wanted = None if names is None else [*names, "Id"]
    return answer(with_attributes(by, name, by.session.get_by(name, key, value, wanted)))


def _follow(by: Caller, name: str, record_id: str, path: str) -> Found:
    try:
        return follow(by, name, record_id, path)
    except SalesforceError as error:
        if error.error_code == "NOT_FOUND" and by.desk.schema.object_of_id(record_id) is None:
            # Neither a field nor an Id: a key field that is not there.
            raise record_fault("no_external_id", name=record_id) from None
        raise


def _record_of(by: Caller, name: str, record_id: str, path: str) -> Found:
    """The one record that relationships lead to."""
    found = _follow(by, name, record_id, path)
    if found.children is not None:
        raise fault("method", method="PATCH", allowed="HEAD,GET")
    return found


def _span(start: str | None, end: str | None) -> tuple[datetime, datetime]:
    """From when until when, whole minutes as Salesforce takes them. Raises SalesforceError."""
    since, until = _moment("start", start), _moment("end", end)
    if until - since < timedelta(minutes=1):
        raise fault("replication_span")
    return since, until


def _moment(name: str, text: str | None) -> datetime:
    if not text:
        raise fault("missing_parameter", name=name)
    try:
        # A plus sign that was not encoded has come as a blank.
        moment = parse_datetime(text.replace(" ", "+")).replace(second=0, microsecond=0)
    except (ValueError, OverflowError):
        raise fault("replication_date", name=name, value=text) from None
    if not FIRST_YEAR <= moment.year < LAST_YEAR:
        raise fault("replication_date", name=name, value=text)
    return moment


def _changed(
    by: Caller, name: str, since: datetime, until: datetime, *, deleted: bool
) -> list[dict[str, Any]]:
    if by.desk.schema.object(name) is None:
        raise fault("no_resource")
    span = f"SystemModstamp >= {since:%Y-%m-%dT%H:%M:%SZ} AND SystemModstamp < {until:%Y-%m-%dT%H:%M:%SZ}"
    text = f"SELECT Id, SystemModstamp FROM {own_name(by, name)} WHERE IsDeleted = {str(deleted).lower()}"
    return by.query(f"{text} AND {span} ORDER BY SystemModstamp, Id", all_rows=True).records
