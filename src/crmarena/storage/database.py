"""One SQLite file that holds an org: made, opened, copied."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from types import TracebackType

from crmarena import resources
from crmarena.errors import UsageError
from crmarena.schema import ids
from crmarena.schema.load import load_schema
from crmarena.schema.objects import Schema, SObject
from crmarena.storage import ddl, functions
from crmarena.storage.identity import FileIdentity

FORMAT = 2
_META = "crmarena_meta"
_PRAGMAS = ("PRAGMA cache_size = -65536", "PRAGMA mmap_size = 268435456", "PRAGMA temp_store = MEMORY")


class Database:
    """A connection to an org file and the schema it follows. Usable as a context manager."""

    def __init__(self, connection: sqlite3.Connection, schema: Schema, path: Path | None) -> None:
        self.connection = connection
        self.schema = schema
        self.path = path
        self.identity: FileIdentity | None = None
        """What the file was when it was opened for reading."""
        self.reusable = True
        """Whether a rollback undoes all that was done; new statistics stay in SQLite's memory."""

    @classmethod
    def create(cls, path: Path, org_type: str) -> Database:
        """A new org file with empty tables. Raises UsageError if there is a file already.

        Call `rows.insert` for the records and `finish` at the end.
        """
        if path.exists():
            raise UsageError(f"{path} exists already; give another name or remove it first.")
        schema = load_schema(org_type)
        try:
            connection = _connect(str(path))
            connection.execute("PRAGMA journal_mode = OFF")
        except sqlite3.OperationalError as error:
            raise UsageError(f"{path} cannot be written: {error}.") from None
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        connection.execute(f"CREATE TABLE {_META} (key TEXT PRIMARY KEY, value TEXT)")
        database = cls(connection, schema, path)
        database.write_meta({"format": str(FORMAT), "org_type": org_type})
        for statement in ddl.DELETION_TABLES:
            connection.execute(statement)
        for sobject in schema.objects.values():
            for statement in ddl.create_tables(sobject):
                connection.execute(statement)
        return database

    @classmethod
    def open(cls, path: Path | str) -> Database:
        """An org file for reading. Raises UsageError when it is missing or is no org file."""
        path = Path(path)
        if path.is_dir():
            path = path / "org.db"
        if not path.exists():
            raise UsageError(f"No org at {path}; make one with `crmarena generate` or `crmarena import`.")
        if not os.access(path, os.R_OK):
            raise UsageError(f"{path} may not be read: permission denied.")
        refuse_pending(path)
        # Before the file is opened: one that is replaced in between is seen as changed, not taken for this.
        identity = FileIdentity.of(path)
        try:
            connection = _connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
        except sqlite3.DatabaseError:
            raise _no_org(path) from None
        try:
            meta = _read_meta(connection, path)
            connection.execute("PRAGMA query_only = ON")
        except BaseException:
            connection.close()
            raise
        opened = cls(connection, load_schema(meta["org_type"]), path)
        opened.identity = identity
        return opened

    def copy(self) -> Database:
        """A private copy in memory, writable, with the same schema."""
        connection = _connect(":memory:")
        self.connection.backup(connection)
        return Database(connection, self.schema, None)

    def finish(self) -> None:
        """Make indexes and full-text tables over what was inserted, and commit.

        An org that was given no Organization record gets the usual one.
        """
        self._fill_organization()
        for sobject in self.schema.objects.values():
            for statement in ddl.create_indexes(sobject):
                self.connection.execute(statement)
            self._fill_search_table(sobject.name)
        self.connection.execute("COMMIT")
        self.connection.execute("ANALYZE")

    def meta(self) -> dict[str, str]:
        """What the file says of itself: format, org type, where it came from."""
        return dict(self.connection.execute(f"SELECT key, value FROM {_META} ORDER BY key"))

    def write_meta(self, values: dict[str, str]) -> None:
        """Set meta values."""
        self.connection.executemany(f"INSERT OR REPLACE INTO {_META} VALUES (?, ?)", sorted(values.items()))

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _fill_organization(self) -> None:
        if self.connection.execute("SELECT 1 FROM Organization").fetchone():
            return
        record = {"Id": ids.make_id("00D", "Cr", 1), **resources.read_json("storage/organization.json")}
        columns = ", ".join(map(ddl.quote, record))
        marks = ", ".join("?" for _ in record)
        self.connection.execute(
            f"INSERT INTO Organization ({columns}) VALUES ({marks})", list(record.values())
        )

    def _fill_search_table(self, name: str) -> None:
        sobject = self.schema.objects[name]
        statement = ddl.create_search_table(sobject)
        if statement is None:
            return
        self.connection.execute(statement)
        fields = ddl.search_fields(sobject)
        columns = ", ".join(ddl.quote(f.name) for f in fields)
        marks = ", ".join("?" for _ in fields)
        stored = self.connection.execute(f"SELECT rowid, {columns} FROM {ddl.quote(name)} ORDER BY rowid")
        self.connection.executemany(
            f"INSERT INTO {ddl.quote(ddl.search_table(sobject))} (rowid, {columns}) VALUES (?, {marks})",
            (
                (rowid, *(ddl.searchable_text(f, v) for f, v in zip(fields, values, strict=True)))
                for rowid, *values in stored
            ),
        )
        self._list_words(sobject)

    def _list_words(self, sobject: SObject) -> None:
        """Fill the table of words, which wildcards and other forms of a word are looked up in."""
        texts = ddl.quote(ddl.search_table(sobject))
        words = ddl.quote(ddl.words_table(sobject))
        self.connection.execute(f"CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, {texts}, row)")
        self.connection.execute(f"CREATE TABLE {words} (word TEXT PRIMARY KEY) WITHOUT ROWID")
        self.connection.execute(f"INSERT INTO {words} SELECT term FROM temp.vocabulary")
        self.connection.execute("DROP TABLE temp.vocabulary")


def refuse_pending(path: Path) -> None:
    """UsageError for a file with changes that its writer has not moved into it yet.

    Files are opened as immutable, which reads the main file alone.
    """
    for ending in ("-wal", "-journal"):
        beside = path.with_name(path.name + ending)
        if beside.exists() and beside.stat().st_size:
            raise UsageError(
                f"{path} has changes waiting in {beside.name}; close the program that writes it, or "
                "take them in with the sqlite3 command PRAGMA wal_checkpoint(TRUNCATE)."
            )


def _connect(target: str, *, uri: bool = False) -> sqlite3.Connection:
    # Statements run one at a time; the harness may move a session between threads.
    connection = sqlite3.connect(target, uri=uri, isolation_level=None, check_same_thread=False)
    try:
        functions.register(connection)
        for pragma in _PRAGMAS:
            connection.execute(pragma)
    except BaseException:
        connection.close()
        raise
    return connection


def _read_meta(connection: sqlite3.Connection, path: Path) -> dict[str, str]:
    try:
        meta = dict(connection.execute(f"SELECT key, value FROM {_META}"))
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        raise _no_org(path) from None
    if meta.get("format") != str(FORMAT):
        raise UsageError(
            f"{path} has org format {meta.get('format')}, this version reads {FORMAT}; generate it again."
        )
    return meta


def _no_org(path: Path) -> UsageError:
    return UsageError(f"{path} is not an org file; `crmarena import` makes one from a published SQLite dump.")
