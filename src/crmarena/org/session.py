"""An org as one episode or one caller sees it: its clock and its user set, nothing to be changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from crmarena.clock import Clock
from crmarena.errors import UsageError
from crmarena.schema.objects import Schema
from crmarena.soql.run import run_query
from crmarena.soql.shape import QueryResult
from crmarena.soql.viewer import NOBODY, Viewer
from crmarena.storage.database import Database

if TYPE_CHECKING:
    from crmarena.sosl.result import SearchResult

_OPENING = re.compile(r"(`{3,})[^\n`]*\n")
_TICKS = re.compile(r"\s*(`{1,3})(?P<text>[^`]+)\1\s*\Z")
_LANGUAGE = re.compile(r"(?:soql|sosl|sql)\s+(?=find\b|select\b)", re.IGNORECASE)
_FIND = re.compile(r"\s*find\b", re.IGNORECASE)


def unfenced(text: str) -> str:
    """A query without the code fence around it; any other text as it is."""
    bare = text.strip()
    opening = _OPENING.match(bare)
    if opening and bare.endswith(opening[1], opening.end()):
        return bare[opening.end() : -len(opening[1])].strip()
    ticked = _TICKS.match(text)
    return _LANGUAGE.sub("", ticked["text"].strip(), count=1) if ticked else text


def looks_like_sosl(text: str) -> bool:
    """Whether a text, fenced or not, is a search: it starts with FIND in any letter case."""
    return _FIND.match(unfenced(text)) is not None


class Session:
    """Reads an org as one user at one instant; without a clock, at the machine's.

    Usable as a context manager; refuses all use once it is closed.
    """

    # What only some methods need is imported there: a query from the command line is not to wait for it.

    def __init__(self, database: Database, clock: Clock | None = None, viewer: Viewer = NOBODY) -> None:
        self._database = database
        self._clock = clock
        self._viewer = viewer
        self._closed = False

    @property
    def schema(self) -> Schema:
        """The objects and fields of the org."""
        return self._database.schema

    @property
    def clock(self) -> Clock:
        """The instant that TODAY and its kin are reckoned from."""
        return self._clock or Clock.system()

    @property
    def viewer(self) -> Viewer:
        """The running user."""
        return self._viewer

    def run(self, text: str) -> QueryResult | SearchResult:
        """Run SOQL or SOSL, told apart by the first word; a code fence around it is taken away."""
        bare = unfenced(text)
        return self.search(bare) if looks_like_sosl(bare) else self.query(bare)

    def query(self, text: str, *, all_rows: bool = False, api_version: int = 62) -> QueryResult:
        """Run a SOQL query, with `all_rows` over the recycle bin too. Raises SalesforceError."""
        with self._using() as database:
            return run_query(
                database,
                text,
                self.clock,
                api_version=api_version,
                viewer=self._viewer,
                all_rows=all_rows,
            )

    def search(self, text: str, *, api_version: int = 62) -> SearchResult:
        """Run a SOSL search. Raises SalesforceError."""
        from crmarena.sosl.search import run_search

        with self.searching() as database:
            return run_search(database, text, self.clock, api_version=api_version, viewer=self._viewer)

    @contextmanager
    def searching(self) -> Iterator[Database]:
        """The database, for a search of another form than SOSL's text."""
        with self._using() as database:
            yield database

    def describe(self, object_name: str | None = None) -> dict[str, Any]:
        """Salesforce's describe of an object, or of the list of all objects. Raises SalesforceError."""
        from crmarena.schema.describe import describe_global, describe_object

        if object_name is None:
            return describe_global(self.schema)
        return describe_object(self.schema, object_name)

    def get(self, object_name: str, record_id: str, fields: Sequence[str] | None = None) -> dict[str, Any]:
        """The fields of a record, all unless named, by an Id of either length.

        Raises SalesforceError: NOT_FOUND, or ENTITY_IS_DELETED for a record in the recycle bin.
        """
        from crmarena.org import reading

        with self._using() as database:
            return reading.get(database, object_name, record_id, fields)

    def get_by(
        self, object_name: str, field: str, value: str, fields: Sequence[str] | None = None
    ) -> dict[str, Any]:
        """The fields of the record with a value in an external id field, or with an Id in `Id`.

        Raises SalesforceError: NOT_FOUND, or one with HTTP status 300 and `record_ids` for several.
        """
        from crmarena.org import reading

        with self._using() as database:
            return reading.get_by(database, object_name, field, value, fields)

    def close(self) -> None:
        """End the session; closing it again does nothing."""
        self._closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _using(self) -> Iterator[Database]:
        """What the session works on. Raises UsageError once it is closed."""
        if self._closed:
            raise UsageError("This session is closed; open another with Org.session().")
        yield self._database
