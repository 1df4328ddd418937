"""An org as one episode or one caller sees it: its clock set, nothing to be changed."""

from __future__ import annotations

import re
from types import TracebackType
from typing import Any

from crmarena.clock import Clock
from crmarena.schema.describe import describe_global, describe_object
from crmarena.schema.objects import Schema
from crmarena.soql.run import run_query
from crmarena.soql.shape import QueryResult
from crmarena.sosl.search import SearchResult, run_search
from crmarena.storage.database import Database

_FENCE = re.compile(r"\s*(`{3,})[^\n`]*\n(?P<text>.*?)\n?\s*\1\s*\Z", re.DOTALL)
_TICKS = re.compile(r"\s*(`{1,3})(?P<text>[^`]+)\1\s*\Z")
_LANGUAGE = re.compile(r"(?:soql|sosl|sql)\s+(?=find\b|select\b)", re.IGNORECASE)
_FIND = re.compile(r"\s*find\b", re.IGNORECASE)


def unfenced(text: str) -> str:
    """A query without the code fence around it; any other text as it is."""
    fenced = _FENCE.match(text)
    if fenced:
        return fenced["text"].strip()
    ticked = _TICKS.match(text)
    return _LANGUAGE.sub("", ticked["text"].strip(), count=1) if ticked else text


def looks_like_sosl(text: str) -> bool:
    """Whether a text, fenced or not, is a search: it starts with FIND in any letter case."""
    return _FIND.match(unfenced(text)) is not None


class Session:
    """Reads an org at one instant; without a clock, at the machine's. Usable as a context manager."""

    def __init__(self, database: Database, clock: Clock | None = None) -> None:
        self._database = database
        self._clock = clock

    @property
    def schema(self) -> Schema:
        """The objects and fields of the org."""
        return self._database.schema

    @property
    def clock(self) -> Clock:
        """The instant that TODAY and its kin are reckoned from."""
        return self._clock or Clock.system()

    def run(self, text: str) -> QueryResult | SearchResult:
        """Run SOQL or SOSL, told apart by the first word; a code fence around it is taken away."""
        bare = unfenced(text)
        return self.search(bare) if looks_like_sosl(bare) else self.query(bare)

    def query(self, text: str) -> QueryResult:
        """Run a SOQL query. Raises SalesforceError."""
        return run_query(self._database, text, self.clock)

    def search(self, text: str) -> SearchResult:
        """Run a SOSL search. Raises SalesforceError."""
        return run_search(self._database, text, self.clock)

    def describe(self, object_name: str | None = None) -> dict[str, Any]:
        """Salesforce's describe of an object, or of the list of all objects. Raises SalesforceError."""
        if object_name is None:
            return describe_global(self.schema)
        return describe_object(self.schema, object_name)

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is left to undo: a session of this kind changes nothing."""
