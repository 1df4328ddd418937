"""Records into rows: every field a column, what follows from other fields filled in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from crmarena.errors import UsageError
from crmarena.schema.fields import Field, FieldType
from crmarena.schema.objects import SObject
from crmarena.storage import ddl
from crmarena.storage.database import Database

Record = Mapping[str, Any]


def insert(database: Database, object_name: str, records: Iterable[Record]) -> int:
    """Write records into an object's table; gives how many.

    A record maps field names to values: str, int, float, bool or None. Absent fields
    are null (false for a checkbox). Raises UsageError for a field the object lacks.
    """
    sobject = database.schema.objects[object_name]
    fields = sobject.columns
    columns = ", ".join(ddl.quote(f.name) for f in fields)
    marks = ", ".join("?" for _ in fields)
    statement = f"INSERT INTO {ddl.quote(sobject.name)} ({columns}) VALUES ({marks})"
    count = 0

    def stored() -> Iterable[tuple[Any, ...]]:
        nonlocal count
        for record in records:
            count += 1
            complete = derive(sobject, record, count)
            yield tuple(_stored(f, complete.get(f.name)) for f in fields)

    database.connection.executemany(statement, stored())
    return count


def derive(sobject: SObject, record: Record, number: int) -> Record:
    """A record with what a live org computes: compound Name, closed and won marks, auto-numbers.

    `number` counts the object's records from 1 and becomes the auto-number.
    """
    unknown = record.keys() - {field.name for field in sobject.columns}
    if unknown:
        raise UsageError(f"{sobject.name} has no field {sorted(unknown)[0]!r}.")
    complete = dict(record)
    for field in sobject.columns:
        if field.auto_number and complete.get(field.name) is None:
            complete[field.name] = f"{number:08d}"
    _derive_name(sobject, complete)
    _derive_marks(sobject.name, complete)
    return complete


def _derive_name(sobject: SObject, record: dict[str, Any]) -> None:
    if "FirstName" in sobject.fields and "Name" in sobject.fields and record.get("Name") is None:
        parts = [record.get("FirstName"), record.get("LastName")]
        record["Name"] = " ".join(part for part in parts if part) or None


def _derive_marks(name: str, record: dict[str, Any]) -> None:
    if name in {"Case", "Opportunity"} and record.get("IsClosed") is None:
        status = record.get("Status" if name == "Case" else "StageName")
        record["IsClosed"] = status == "Closed"


def _stored(field: Field, value: Any) -> Any:
    if field.type is FieldType.BOOLEAN:
        return 1 if value else 0
    # There are no empty texts in a Salesforce database.
    return None if value == "" else value
