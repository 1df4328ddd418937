"""Published SQLite dumps of an org, read into an org file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from crmarena.errors import UsageError
from crmarena.org import completion
from crmarena.org.completion import Filled
from crmarena.org.mend import Mended, Mends, Value, read_value
from crmarena.progress import Progress
from crmarena.schema.fields import Field, FieldType
from crmarena.schema.load import load_schema
from crmarena.schema.objects import Schema, SObject
from crmarena.storage import ddl, rows
from crmarena.storage.database import Database, refuse_pending

_HEADER = b"SQLite format 3\x00"
_PERSON = frozenset({"personemail", "firstname", "lastname"})
_SALES = frozenset({"lead", "opportunity", "quote", "contract", "territory2"})


@dataclass(frozen=True)
class Dangling:
    """How many values of a reference field point to no record."""

    field: str
    count: int


@dataclass(frozen=True)
class ImportReport:
    """What an import of a dump did."""

    source: str
    path: Path
    org_type: str
    records: Mapping[str, int]
    """How many records each object has."""
    mended: tuple[Mended, ...]
    filled: tuple[Filled, ...]
    """Standard fields that the dump lacks and a live org has values for."""
    dangling: tuple[Dangling, ...]
    unread: tuple[str, ...]
    """Tables and columns (`Account.Shoe`) that the org type does not have."""

    def as_dict(self) -> dict[str, Any]:
        """The report for a machine."""
        return asdict(self) | {"path": str(self.path), "records": dict(self.records)}

    def as_text(self) -> str:
        """The report for a person."""
        held = {name: count for name, count in self.records.items() if count}
        lines = [f"{sum(held.values()):,} records of {len(held)} objects ({self.org_type}) in {self.path}"]
        lines += [f"  mended {m.field}, {m.kind}: {m.count:,}" for m in self.mended]
        lines += [f"  filled {f.field}, {f.value}: {f.count:,}" for f in self.filled]
        lines += [f"  references to no record in {d.field}: {d.count:,}" for d in self.dangling]
        lines += [f"  not read, not in a {self.org_type} org: {name}" for name in self.unread]
        return "\n".join(lines)


@dataclass(frozen=True)
class _Table:
    """A table of the dump, and what each of its columns becomes."""

    name: str
    sobject: SObject
    columns: Mapping[str, Field]


@dataclass(frozen=True)
class _Dump:
    """A dump that was understood: what of it is read, and what is not."""

    source: Path
    connection: sqlite3.Connection
    schema: Schema
    tables: tuple[_Table, ...]
    unread: tuple[str, ...]


def import_dump(
    source: Path | str,
    out: Path | str,
    *,
    org_type: str | None = None,
    on_progress: Progress | None = None,
) -> ImportReport:
    """Make `out/org.db` of a published dump; the org type is told by its tables unless given.

    What is dirty is mended and counted. Raises UsageError for a source that is no dump, a
    value that cannot be read and Ids that become equal; nothing is left behind then.
    """
    source, path = Path(source), Path(out) / "org.db"
    with closing(_open(source)) as connection:
        found = _columns(connection, source)
        dump = _understood(source, connection, found, load_schema(org_type or detect_org_type(found)))
        if path.exists():
            raise UsageError(f"{path} exists already; give another folder or remove it first.")
        made = _make_folders(path.parent)
        aside = path.with_name(f".{path.name}-{os.getpid()}")
        try:
            report = _write(dump, aside, path, on_progress or _silent)
            aside.replace(path)
        except BaseException:
            aside.unlink(missing_ok=True)
            for folder in made:
                folder.rmdir()
            raise
    return report


def detect_org_type(columns: Mapping[str, tuple[str, ...]]) -> str:
    """The org type of a dump, by its tables and the columns of Account.

    Person accounts tell `original` and `b2c` from `b2b`, sales tables `b2c` from `original`.
    """
    tables = {name.lower(): {column.lower() for column in own} for name, own in columns.items()}
    if not tables.get("account", set()) & _PERSON:
        return "b2b"
    return "b2c" if tables.keys() & _SALES else "original"


def _open(source: Path) -> sqlite3.Connection:
    if not source.exists():
        raise UsageError(f"No dump at {source}.")
    try:
        with source.open("rb") as file:
            header = file.read(len(_HEADER))
    except OSError as error:
        raise UsageError(f"Cannot read {source}: {error.strerror}.") from None
    if header != _HEADER:
        raise UsageError(f"{source} is not an SQLite file; an org is imported from a published SQLite dump.")
    refuse_pending(source)
    return sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro&immutable=1", uri=True)


def _columns(dump: sqlite3.Connection, source: Path) -> dict[str, tuple[str, ...]]:
    """The columns of each table of the dump."""
    try:
        names = [
            name
            for (name,) in dump.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")
            if not name.startswith("sqlite_")
        ]
        found = {
            name: tuple(row[1] for row in dump.execute(f"PRAGMA table_info({ddl.quote(name)})"))
            for name in names
        }
    except sqlite3.DatabaseError as error:
        raise UsageError(f"{source} cannot be read as SQLite: {error}.") from None
    if "crmarena_meta" in found:
        raise UsageError(f"{source} is an org already; use it as it is.")
    return found


def _understood(
    source: Path, connection: sqlite3.Connection, found: Mapping[str, tuple[str, ...]], schema: Schema
) -> _Dump:
    """The tables and columns the schema knows, letter case ignored, and the names of the others."""
    tables, unread = [], []
    for name, columns in found.items():
        sobject = schema.object(name)
        if sobject is None:
            unread.append(name)
            continue
        known = {column: field for column in columns if (field := sobject.field(column))}
        unread += [f"{name}.{column}" for column in columns if column not in known]
        if "Id" not in {field.name for field in known.values()}:
            raise UsageError(f"{source}: table {name} has no column Id.")
        tables.append(_Table(name, sobject, known))
    if not tables:
        raise UsageError(f"{source} holds no table of an org; it is no published dump.")
    return _Dump(source, connection, schema, tuple(tables), tuple(unread))


def _make_folders(folder: Path) -> list[Path]:
    """Make a folder; gives those that were not there, innermost first."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"Cannot make the folder {folder}: {error.strerror}.") from None
    return missing


def _write(dump: _Dump, aside: Path, path: Path, report: Progress) -> ImportReport:
    mends = Mends()
    with Database.create(aside, dump.schema.org_type) as database:
        records = dict.fromkeys(dump.schema.objects, 0)
        for number, table in enumerate(dump.tables):
            report("reading the dump", number, len(dump.tables))
            name = table.sobject.name
            records[name] = rows.insert(database, name, _records(dump, table, mends))
        report("making the indexes", 0, 1)
        given = {
            table.sobject.name: frozenset(f.name for f in table.columns.values()) for table in dump.tables
        }
        filled = completion.fill(database, given)
        dangling = _dangling(database)
        database.write_meta({"origin": "imported", "source": dump.source.name})
        database.finish()
        report("making the indexes", 1, 1)
    return ImportReport(
        source=str(dump.source),
        path=path,
        org_type=dump.schema.org_type,
        records=records,
        mended=mends.listed(),
        filled=filled,
        dangling=dangling,
        unread=dump.unread,
    )


def _silent(stage: str, done: int, total: int) -> None:
    """Nobody asked for progress."""


def _records(dump: _Dump, table: _Table, mends: Mends) -> Iterator[dict[str, Any]]:
    columns = ", ".join(ddl.quote(column) for column in table.columns)
    name = table.sobject.name
    readers = [
        (field.name, partial(read_value, field, note=partial(mends.note, f"{name}.{field.name}")))
        for field in table.columns.values()
    ]
    seen: set[Value] = set()
    try:
        stored = dump.connection.execute(f"SELECT {columns} FROM {ddl.quote(table.name)}")
        for number, row in enumerate(stored, start=1):
            record = {}
            for (field, read), raw in zip(readers, row, strict=True):
                try:
                    record[field] = read(raw)
                except ValueError as error:
                    raise _unreadable(dump, table, (number, field), row, error) from None
            _check_id(dump, table, (number, record["Id"]), seen)
            yield record
    except sqlite3.DatabaseError as error:
        raise UsageError(f"{dump.source}: table {table.name} cannot be read: {error}.") from None


def _unreadable(
    dump: _Dump, table: _Table, place: tuple[int, str], row: tuple[Any, ...], error: ValueError
) -> UsageError:
    number, field = place
    raw = dict(zip((field.name for field in table.columns.values()), row, strict=True))
    return UsageError(
        f"{dump.source}: table {table.name}, row {number} (Id {raw['Id']}), column {field}: "
        f"{raw[field]!r} cannot be read, {error}."
    )


def _check_id(dump: _Dump, table: _Table, place: tuple[int, Value], seen: set[Value]) -> None:
    number, record_id = place
    if record_id is None:
        raise UsageError(f"{dump.source}: table {table.name}, row {number} has no Id.")
    if record_id in seen:
        raise UsageError(
            f"{dump.source}: {table.sobject.name} has two rows with the Id {record_id} once mended."
        )
    seen.add(record_id)


def _dangling(database: Database) -> tuple[Dangling, ...]:
    """The reference fields that lead to no record in some places."""
    found = []
    for sobject in database.schema.objects.values():
        for field in sobject.columns:
            count = _count_dangling(database, sobject, field)
            if count:
                found.append(Dangling(f"{sobject.name}.{field.name}", count))
    return tuple(found)


def _count_dangling(database: Database, sobject: SObject, field: Field) -> int:
    targets = [name for name in field.reference_to if name in database.schema.objects]
    if field.type is not FieldType.REFERENCE or not targets:
        return 0
    column = f"child.{ddl.quote(field.name)}"
    absent = " AND ".join(
        f'NOT EXISTS (SELECT 1 FROM {ddl.quote(target)} parent WHERE parent."Id" = {column})'
        for target in targets
    )
    statement = (
        f"SELECT COUNT(*) FROM {ddl.quote(sobject.name)} child WHERE {column} IS NOT NULL AND {absent}"
    )
    count: int = database.connection.execute(statement).fetchone()[0]
    return count
