"""How a person asks an org: on which day, as whom, in which language and version."""

from __future__ import annotations

import difflib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TextIO

from crmarena.clock import Clock
from crmarena.errors import UsageError
from crmarena.org.session import Session, looks_like_sosl, unfenced
from crmarena.schema.objects import Schema, SObject
from crmarena.soql.viewer import NOBODY, Viewer

if TYPE_CHECKING:
    from crmarena.org.org import Org
    from crmarena.soql.shape import QueryResult
    from crmarena.sosl.result import SearchResult

API_VERSION = 62
"""The API version whose words are used unless another is asked for."""


def clock_of(today: str | None, named: str = "--today") -> Clock | None:
    """Noon of a day written as 2024-05-31; None for the machine's instant."""
    if today is None:
        return None
    try:
        day = datetime.strptime(today, "%Y-%m-%d").replace(tzinfo=UTC).date()
    except ValueError:
        raise UsageError(f"{named} {today!r} is no date; write it as 2024-05-31.") from None
    if not 1700 <= day.year < 4000:
        raise UsageError(f"{named} {today!r}: Salesforce's calendar goes from 1700 to 4000.")
    return Clock.at(day)


def viewer_of(org: Org, name: str | None) -> Viewer:
    """The user of a name or an Id, in that user's zone."""
    if name is None:
        return NOBODY
    literal = name.replace("\\", "\\\\").replace("'", "\\'")
    field = "Id" if len(name) in {15, 18} and name.startswith("005") else "Username"
    found = org.query(f"SELECT Id, TimeZoneSidKey FROM User WHERE {field} = '{literal}' LIMIT 1").records
    if not found:
        raise UsageError(f"The org has no user {name!r}; {_near_user(org, name)}")
    return Viewer(found[0]["Id"], found[0]["TimeZoneSidKey"] or NOBODY.zone)


def open_session(
    org: Org, *, today: str | None = None, user: str | None = None, writable: bool = False
) -> Session:
    """A session on some day, as some user; a writable one works on a copy of its own."""
    return org.session(clock=clock_of(today), viewer=viewer_of(org, user), writable=writable)


def find_object(schema: Schema, name: str) -> SObject:
    """The object of a name, in any letter case."""
    found = schema.object(name)
    if found is None:
        near = difflib.get_close_matches(name, list(schema.objects), n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"it has {', '.join(schema.objects)}."
        raise UsageError(f"The org has no object {name!r}; {hint}")
    return found


def ask(
    session: Session, text: str, *, all_rows: bool = False, api_version: int = API_VERSION
) -> QueryResult | SearchResult:
    """Run SOQL or SOSL, told apart by the first word."""
    bare = unfenced(text)
    if not looks_like_sosl(bare):
        return session.query(bare, all_rows=all_rows, api_version=api_version)
    if all_rows:
        raise UsageError("--all-rows is for SOQL: a search never finds deleted records.")
    return session.search(bare, api_version=api_version)


@contextmanager
def timed(out: TextIO, *, wanted: bool) -> Iterator[None]:
    """Print how long the block took, if that is wanted."""
    start = time.perf_counter()
    yield
    if wanted:
        print(f"Time: {(time.perf_counter() - start) * 1_000:.1f} ms", file=out)


def _near_user(org: Org, name: str) -> str:
    known = [
        str(user["Username"]) for user in org.query("SELECT Username FROM User ORDER BY Username").records
    ]
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.4) or known[:1]
    return f"did you mean {near[0]}?" if near else "it has no users."
