"""Ingest jobs: the rows of a CSV written to an org, and what became of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from crmarena.errors import SalesforceError
from crmarena.org.results import SaveResult
from crmarena.org.rules import ATTRIBUTES
from crmarena.org.writable import WritableSession
from crmarena.schema.objects import Schema, SObject
from crmarena.server.csv_records import NULL, Dialect, Reader, Writer, check_text, open_text
from crmarena.server.faults import fault
from crmarena.server.json_text import JSON_PARSER_ERROR

OPERATIONS = ("insert", "update", "upsert", "delete", "hardDelete")
SUCCESSFUL, FAILED, UNPROCESSED = "successfulResults", "failedResults", "unprocessedrecords"
RESULTS = (SUCCESSFUL, FAILED, UNPROCESSED)
PIECE = 200
"""Rows that are written at once."""

Values = dict[str, Any]
Piece = list[tuple[list[str], Values]]
"""Rows as they stand in the file, and as the fields of records."""


class Stopped(Exception):
    """Raised to stop a job: what is left of it stays unprocessed."""


@dataclass(frozen=True)
class Load:
    """An ingest job, as far as its rows are concerned."""

    sobject: SObject
    operation: str
    key_field: str
    dialect: Dialect
    folder: Path

    def run(self, session: WritableSession, data: Path, watch: Callable[[int, int], None]) -> None:
        """Write the rows of a file and their results.

        `watch` is told how many rows are processed and how many of them failed, and may raise Stopped.
        Raises SalesforceError for what fails the job as a whole.
        """
        check_text(data)
        with ExitStack() as stack:
            reader = Reader(stack.enter_context(open_text(data)), self.dialect)
            files = [
                stack.enter_context(result_file(self.folder, name).open("w", encoding="utf-8", newline=""))
                for name in RESULTS
            ]
            writers = [self.dialect.writer(file) for file in files]
            try:
                _Run(self, session, reader, writers).all(watch)
            finally:
                files[2].writelines(reader.rest())

    def columns(self, schema: Schema, header: list[str]) -> list[Column]:
        """The columns of a header. Raises SalesforceError for one that is no field, and a missing key."""
        columns = [_column(schema, self.sobject, name.strip()) for name in header]
        seen: set[tuple[str, str | None]] = set()
        for column in columns:
            if column.place in seen:
                raise fault("batch_column_twice", name=column.name)
            seen.add(column.place)
        self._check(columns)
        return columns

    def _check(self, columns: list[Column]) -> None:
        names = [column.name for column in columns]
        if self.operation in ("delete", "hardDelete") and names != ["Id"]:
            raise fault("batch_ids_only") if "Id" in names else fault("batch_column", name="Id")
        key = {"update": "Id", "upsert": self.key_field}.get(self.operation)
        if key is not None and key not in names:
            raise fault("batch_column", name=key)


@dataclass(frozen=True)
class Column:
    """A column of an upload: a field, or a parent named by a field of its own."""

    name: str
    """The field, or the relationship."""
    key: str | None = None
    """The parent's field."""
    kind: str | None = None
    """The parent's object, where the column says it."""
    rivals: tuple[str, ...] = ()
    """Under which names other columns give the same parent, the relationship first."""

    @property
    def place(self) -> tuple[str, str | None]:
        """What no other column may be."""
        return self.name, None if self.key is None else self.key.lower()

    def put(self, values: Values, cell: str) -> None:
        """Set what a cell says."""
        if not cell:
            return
        if any(name in values for name in self.rivals):
            # A parent that two cells of a row give is refused by the org, as one that is named by no key.
            for name in self.rivals:
                values.pop(name, None)
            values[self.rivals[0]] = {}
        elif cell == NULL or self.key is None:
            values[self.name] = None if cell == NULL else cell
        else:
            kind = {} if self.kind is None else {ATTRIBUTES: {"type": self.kind}}
            values[self.name] = {self.key: cell, **kind}


class _Run:
    """The run of a job."""

    def __init__(self, load: Load, session: WritableSession, reader: Reader, writers: list[Writer]) -> None:
        self._load = load
        self._session = session
        self._reader = reader
        self._successful, self._failed, self._unprocessed = writers

    def all(self, watch: Callable[[int, int], None]) -> None:
        """Write all rows."""
        header = next(self._reader, None)
        if header is None:
            raise fault("batch_empty")
        self._successful.writerow(["sf__Id", "sf__Created", *header])
        self._failed.writerow(["sf__Id", "sf__Error", *header])
        self._unprocessed.writerow(header)
        columns = self._load.columns(self._session.schema, header)
        done = failed = 0
        refused: SalesforceError | None = None
        while refused is None:
            piece, refused = self._piece(columns)
            try:
                watch(done, failed)
            except Stopped:
                self._unprocessed.writerows(row for row, _ in piece)
                raise
            failed += self._write(piece)
            done += len(piece)
            if len(piece) < PIECE:
                break
        watch(done, failed)
        if refused is not None:
            raise refused

    def _piece(self, columns: list[Column]) -> tuple[Piece, SalesforceError | None]:
        """Some rows with what they say, and the error that ended them if one did."""
        piece: Piece = []
        try:
            for row in islice(self._reader, PIECE):
                values: Values = {}
                for column, cell in zip(columns, row, strict=True):
                    column.put(values, cell)
                piece.append((row, values))
        except SalesforceError as error:
            return piece, error
        return piece, None

    def _write(self, piece: Piece) -> int:
        """Write some records and what became of them; how many failed."""
        failed = 0
        for (row, values), result in zip(piece, self._saved([values for _, values in piece]), strict=True):
            if result.success:
                self._successful.writerow([result.id, "true" if result.created else "false", *row])
            else:
                failed += 1
                told = "; ".join(self._told(error, values) for error in result.errors)
                self._failed.writerow([result.id or values.get("Id"), told, *row])
        return failed

    def _saved(self, records: list[Values]) -> list[SaveResult]:
        load, session = self._load, self._session
        name = load.sobject.name
        if load.operation == "insert":
            return session.insert_all(name, records)
        if load.operation == "update":
            return session.update_all(name, records)
        if load.operation == "upsert":
            return session.upsert_all(name, load.key_field, records)
        ids = [str(values.get("Id", "")) for values in records]
        return session.delete_all(name, ids, hard=load.operation == "hardDelete")

    def _told(self, error: SalesforceError, values: Mapping[str, Any]) -> str:
        """An error as a result shows it: `CODE:message:fields --`."""
        if error.error_code == JSON_PARSER_ERROR and error.fields:
            field = self._load.sobject.fields[error.fields[0]]
            error = fault("cell_type", label=field.label, value=values.get(field.name))
            return f"{error.error_code}:{error.message}:{field.name} --"
        # chosen: several fields stand side by side, and without any only the dashes stay.
        return f"{error.error_code}:{error.message}:{' '.join(error.fields)}{' ' * bool(error.fields)}--"


def result_file(folder: Path, name: str) -> Path:
    """The file of a job's results of a kind."""
    return folder / f"{name}.csv"


def _column(schema: Schema, sobject: SObject, name: str) -> Column:
    """`Name`, `Account.External_ID__c`, or `User:Owner.Email` where the parent may be of several objects."""
    field = sobject.field(name)
    if field is not None:
        return Column(field.name, rivals=(field.relationship_name,) if field.relationship_name else ())
    path, _, key = name.rpartition(".")
    kind, _, relationship = path.rpartition(":")
    parent = sobject.parent(relationship)
    kinds = [kind] if kind else list(parent.reference_to) if parent else []
    for target in filter(None, map(schema.object, kinds)):
        found = target.field(key)
        if parent is not None and found is not None and target.name in parent.reference_to:
            named = parent.relationship_name or relationship
            return Column(named, found.name, target.name if kind else None, (named, parent.name))
    raise fault("batch_column", name=name)
