"""An org: one file, opened for reading."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

from crmarena.clock import Clock
from crmarena.errors import SalesforceError
from crmarena.org.session import Session
from crmarena.schema.describe import no_resource
from crmarena.schema.fields import FieldType
from crmarena.schema.ids import to_18
from crmarena.schema.objects import Schema
from crmarena.soql.shape import QueryResult
from crmarena.sosl.search import SearchResult
from crmarena.storage import ddl
from crmarena.storage.database import Database


def open_org(path: Path | str) -> Org:
    """The org of a file, or of the folder that holds its `org.db`, for reading.

    Raises UsageError for what is missing or no org.
    """
    return Org(Database.open(path))


class Org:
    """An org whose records can be asked for. Usable as a context manager."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def schema(self) -> Schema:
        """The objects and fields of the org."""
        return self._database.schema

    @property
    def path(self) -> Path | None:
        """The org's file; None for one that lives in memory."""
        return self._database.path

    def session(self, *, clock: Clock | None = None) -> Session:
        """A session at one instant; without a clock, at the machine's."""
        return Session(self._database, clock)

    def query(self, text: str, *, clock: Clock | None = None) -> QueryResult:
        """Run a SOQL query. Raises SalesforceError."""
        return self.session(clock=clock).query(text)

    def search(self, text: str, *, clock: Clock | None = None) -> SearchResult:
        """Run a SOSL search. Raises SalesforceError."""
        return self.session(clock=clock).search(text)

    def describe(self, object_name: str | None = None) -> dict[str, Any]:
        """Salesforce's describe of an object, or of the list of all objects. Raises SalesforceError."""
        return self.session().describe(object_name)

    def get(self, object_name: str, record_id: str) -> dict[str, Any]:
        """All fields of a record, by an Id of either length. Raises SalesforceError NOT_FOUND."""
        sobject = self.schema.object(object_name)
        if sobject is None:
            raise no_resource()
        fields = sobject.columns
        columns = ", ".join(ddl.quote(field.name) for field in fields)
        # An imported org may hold Ids that Salesforce would not make.
        whole = to_18(record_id)
        found = self._database.connection.execute(
            f"SELECT {columns} FROM {ddl.quote(sobject.name)} WHERE Id = ?", (whole or record_id,)
        ).fetchone()
        if found is not None:
            return {
                field.name: bool(value) if field.type is FieldType.BOOLEAN else value
                for field, value in zip(fields, found, strict=True)
            }
        if whole is not None:
            raise no_resource()
        text = f"Provided external ID field does not exist or is not accessible: {record_id}"
        raise SalesforceError("NOT_FOUND", text, http_status=404)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def __enter__(self) -> Org:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
