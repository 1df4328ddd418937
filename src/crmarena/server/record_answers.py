"""Records and what became of them, as the REST API answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from starlette.responses import Response

from crmarena.errors import SalesforceError
from crmarena.org.results import SaveResult, Upserted
from crmarena.server.answers import Answer, answer, no_content
from crmarena.server.caller import Caller

SAVED: dict[str, Any] = {
    "type": "object",
    "required": ["id", "success", "errors"],
    "properties": {
        "id": {"type": "string"},
        "success": {"type": "boolean"},
        "errors": {"type": "array", "items": {"type": "object"}},
        "created": {"type": "boolean"},
    },
}
"""How the OpenAPI document describes the answer to a write."""
CREATED_VERSION = 46
"""The first API version in which an upsert says whether it created the record."""


def record(by: Caller, object_name: str, record_id: str, fields: Sequence[str] | None) -> dict[str, Any]:
    """A record by its Id: the fields, all unless named, and the Id. Raises SalesforceError."""
    wanted = None if fields is None else [*fields, "Id"]
    return with_attributes(by, object_name, by.session.get(object_name, record_id, wanted))


def with_attributes(by: Caller, object_name: str, values: dict[str, Any]) -> dict[str, Any]:
    """The fields of a record, its Id among them, as a body."""
    name = own_name(by, object_name)
    return {"attributes": {"type": name, "url": record_url(by, name, values["Id"])}, **values}


def listed(fields: str | None) -> list[str] | None:
    """The names of a comma-separated parameter; None where there are none."""
    names = [name.strip() for name in (fields or "").split(",") if name.strip()]
    return names or None


def own_name(by: Caller, object_name: str) -> str:
    """The name of an object in its own letter case."""
    sobject = by.desk.schema.object(object_name)
    return object_name if sobject is None else sobject.name


def record_url(by: Caller, object_name: str, record_id: str) -> str:
    """The path of a record."""
    return f"{by.root}/sobjects/{own_name(by, object_name)}/{record_id}"


def created(by: Caller, object_name: str, record_id: str) -> Answer:
    """The answer to a record's creation."""
    where = {"Location": record_url(by, object_name, record_id)}
    return answer({"id": record_id, "success": True, "errors": []}, 201, where)


def upserted(by: Caller, object_name: str, done: Upserted) -> Answer:
    """The answer to an upsert: older versions do not tell what was created."""
    if by.api_version < CREATED_VERSION:
        return created(by, object_name, done.id) if done.created else no_content()
    body = {"id": done.id, "success": True, "errors": [], "created": done.created}
    where = {"Location": record_url(by, object_name, done.id)} if done.created else None
    return answer(body, 201 if done.created else 200, where)


def or_choices(by: Caller, object_name: str, do: Callable[[], Response]) -> Response:
    """What `do` answers; where several records have a key, the answer 300 with their paths."""
    try:
        return do()
    except SalesforceError as error:
        if not error.record_ids:
            raise
        return answer([record_url(by, object_name, found) for found in error.record_ids], 300)


def row(result: SaveResult) -> dict[str, Any]:
    """One record's result in the answer to a call with several."""
    body: dict[str, Any] = {} if result.id is None else {"id": result.id}
    return body | {"success": result.success, "errors": [row_error(error) for error in result.errors]}


def row_error(error: SalesforceError) -> dict[str, Any]:
    """An error in the answer to a call with several records."""
    return {"statusCode": error.error_code, "message": error.message, "fields": list(error.fields)}
