"""Queries a page at a time, and the locators of the pages that follow.

A locator (`01g...-2000`) names a list of records and where in it to go on. The list is the result of a
query or, when a record has more children than fit on a page, one list of children in it. What a locator
means stands in the shared state, so that any worker can run the query again as of the same instant; the
worker that ran it still holds the rows for a while. On a writable server nothing is run again: a page is
of what the query saw, and a locator ends when its rows are no longer held.
"""

from __future__ import annotations

import json
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from crmarena.clock import Clock
from crmarena.schema.ids import make_id
from crmarena.server.faults import fault
from crmarena.server.state import StateStore
from crmarena.soql.shape import QueryResult

LIFE = 900.0
"""Seconds that a locator lasts without being used: what live orgs were last seen to do."""
MOST_ROWS = 200_000
"""Rows of results that a worker holds for a login's further pages; the oldest result goes first."""
_LOCATOR = re.compile(r"(?P<key>01g[0-9A-Za-z]{15})-(?P<offset>\d{1,9})")

Records = list[dict[str, Any]]


@dataclass(frozen=True)
class Asked:
    """A query as it was asked: all that running it again takes."""

    text: str
    all_rows: bool
    api_version: int
    clock: Clock
    login: str
    size: int
    """Records on a page."""


@dataclass(frozen=True)
class _Listed:
    """A list of records in a result, by its place there: `[]`, or `[7, "Contacts"]` and deeper."""

    asked: Asked
    source: str
    """Names the result."""
    place: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class _Held:
    """A result, when it was last used, and whose it is."""

    result: QueryResult
    used: float
    login: str


Run = Callable[[Asked], QueryResult]


class Pager:
    """The pages of a worker."""

    def __init__(self, state: StateStore, *, again: bool) -> None:
        self._state = state
        self._again = again
        self._lock = threading.Lock()
        self._held: OrderedDict[str, _Held] = OrderedDict()

    def first(self, asked: Asked, result: QueryResult, version: str) -> dict[str, Any]:
        """The first page of a result."""
        fits = result.total_size <= asked.size and not _may_have_children(asked.text)
        if fits or result.is_count:
            return result.to_rest(version)
        page = _Page(_Listed(asked, _key()), version)
        body = page.of(result.total_size, result.rest_records(0, asked.size, version), 0)
        if page.lists:
            self._hold(page.listed, result)
            self._note(page.lists)
        return body

    def more(self, locator: str, login: str, version: str, run: Run) -> dict[str, Any]:
        """The page of a locator. Raises SalesforceError for one that is unknown, ended or another's."""
        found = _LOCATOR.fullmatch(locator)
        listed = self._find(found["key"], login) if found else None
        if found is None or listed is None:
            raise fault("locator")
        result = self._result(listed, run)
        start, size = int(found["offset"]), listed.asked.size
        total, records = _records(result, listed.place, start, start + size, version)
        page = _Page(listed, version, key=found["key"])
        body = page.of(total, records, start)
        self._note({key: x for key, x in page.lists.items() if key != found["key"]}, used=found["key"])
        return body

    def sweep(self) -> None:
        """Forget what was not used for a time."""
        oldest = time.time() - LIFE
        with self._state.change() as connection:
            connection.execute("DELETE FROM locators WHERE used < ?", (oldest,))
        with self._lock:
            for source in [source for source, held in self._held.items() if held.used < oldest]:
                del self._held[source]

    def _result(self, listed: _Listed, run: Run) -> QueryResult:
        with self._lock:
            held = self._held.get(listed.source)
        if held is None and not self._again:
            raise fault("locator")
        result = held.result if held else run(listed.asked)
        self._hold(listed, result)
        return result

    def _hold(self, listed: _Listed, result: QueryResult) -> None:
        """Hold a result; what goes for it is the same login's, so that nobody ends another's pages."""
        login = listed.asked.login
        with self._lock:
            self._held[listed.source] = _Held(result, time.time(), login)
            self._held.move_to_end(listed.source)
            own = [source for source, held in self._held.items() if held.login == login]
            rows = sum(self._held[source].result.rows for source in own)
            for source in own[:-1]:
                if rows > MOST_ROWS:
                    rows -= self._held.pop(source).result.rows

    def _find(self, key: str, login: str) -> _Listed | None:
        select = "SELECT asked, source, place FROM locators WHERE locator = ? AND login = ? AND used >= ?"
        row = self._state.connection.execute(select, (key, login, time.time() - LIFE)).fetchone()
        if row is None:
            return None
        asked = json.loads(row[0])
        asked["clock"] = Clock(datetime.fromisoformat(asked["clock"]))
        return _Listed(Asked(**asked), row[1], tuple(json.loads(row[2])))

    def _note(self, lists: dict[str, _Listed], used: str | None = None) -> None:
        now = time.time()
        rows = [
            (key, x.asked.login, _asked_text(x.asked), x.source, json.dumps(x.place), now)
            for key, x in lists.items()
        ]
        with self._state.change() as connection:
            connection.executemany("INSERT OR REPLACE INTO locators VALUES (?, ?, ?, ?, ?, ?)", rows)
            connection.execute("UPDATE locators SET used = ? WHERE locator = ?", (now, used))


class _Page:
    """A page in the making: the lists that go on after it get their locators."""

    def __init__(self, listed: _Listed, version: str, key: str | None = None) -> None:
        self.listed = listed
        self.lists: dict[str, _Listed] = {}
        self._url = f"/services/data/v{version}/query/"
        self._size = listed.asked.size
        self._key = key

    def of(self, total: int, records: Records, start: int) -> dict[str, Any]:
        """The body of the page; child lists that are too long for a page are cut."""
        if _may_have_children(self.listed.asked.text):
            for number, record in enumerate(records, start):
                self._cut_children(record, (*self.listed.place, number))
        return self._body(self.listed.place, total, records, start + len(records), self._key)

    def _cut_children(self, record: dict[str, Any], place: tuple[Any, ...]) -> None:
        for name, value in record.items():
            if isinstance(value, dict) and "records" in value and "totalSize" in value:
                children: Records = value["records"]
                inner = (*place, name)
                for number, child in enumerate(children[: self._size]):
                    self._cut_children(child, (*inner, number))
                if len(children) > self._size:
                    record[name] = self._body(inner, len(children), children[: self._size], self._size)

    def _body(
        self, place: tuple[Any, ...], total: int, records: Records, end: int, key: str | None = None
    ) -> dict[str, Any]:
        if end >= total or not records:
            return {"totalSize": total, "done": True, "records": records}
        key = key or (self.listed.source if place == () else _key())
        self.lists[key] = replace(self.listed, place=place)
        url = f"{self._url}{key}-{end}"
        return {"totalSize": total, "done": False, "nextRecordsUrl": url, "records": records}


def _records(
    result: QueryResult, place: tuple[Any, ...], start: int, stop: int, version: str
) -> tuple[int, Records]:
    """How many records a list of a result has, and some of them."""
    if not place:
        return result.total_size, result.rest_records(start, stop, version)
    records = result.rest_records(place[0], place[0] + 1, version)
    for name, number in zip(place[1::2], (*place[2::2], None), strict=True):
        children = records[0][name]["records"]
        records = children if number is None else [children[number]]
    return len(records), records[start:stop]


def _may_have_children(text: str) -> bool:
    return text.lower().count("select") > 1


def _key() -> str:
    return make_id("01g", "5", secrets.randbelow(62**11))


def _asked_text(asked: Asked) -> str:
    return json.dumps({**asdict(asked), "clock": asked.clock.now.isoformat()})
