"""Who calls: the token, the API version, and the session of the org that the call works on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from fastapi import Request

from crmarena.clock import Clock
from crmarena.org.org import Org, open_org
from crmarena.org.session import Session
from crmarena.org.writable import WritableSession
from crmarena.server.assertions import read_key
from crmarena.server.faults import fault
from crmarena.server.job_runner import JobRunner
from crmarena.server.jobs import Job, Jobs
from crmarena.server.paging import Asked, Pager
from crmarena.server.sessions import SessionPool
from crmarena.server.settings import NEWEST_VERSION, OLDEST_VERSION, ServerSettings
from crmarena.server.state import StateStore
from crmarena.server.tokens import Token, Tokens
from crmarena.server.usage import Usage
from crmarena.soql.shape import QueryResult
from crmarena.soql.viewer import Viewer
from crmarena.sosl.result import SearchResult

CALLER = "crmarena.caller"
"""Where a request's scope holds its caller."""


class Desk:
    """The org as this worker serves it."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.clock = settings.clock
        self.jwt_key = read_key(settings.jwt_certificate) if settings.jwt_certificate else None
        self.state = StateStore(settings.state)
        self.usage = Usage(self.state)
        self.pager = Pager(self.state, again=not settings.writable)
        self._free: list[Org] = []
        with self.org() as org:
            self.schema = org.schema
            self.made = (org.path or Path(settings.org)).stat().st_mtime
            """When the org was made, seconds since 1970."""
            self.tokens = Tokens(settings, self.state, org)
        self._source = open_org(settings.org) if settings.writable else None
        self.sessions = SessionPool(settings.sessions, self._open_private)
        self.bulk = JobRunner(Jobs(self.state), self._job_session)

    def begin(self) -> None:
        """Make the tokens that the settings give, unless another worker has made them."""
        text = self.settings.token
        token = self.tokens.find(text) or self.tokens.issue(self.settings.logins[0].username, text)
        self.start(token)
        if self.settings.refresh_token:
            self.tokens.issue_refresh(token, self.settings.refresh_token)

    @contextmanager
    def org(self) -> Iterator[Org]:
        """The org through a connection of one's own, for a while."""
        org = self.take()
        try:
            yield org
        finally:
            self.give(org)

    def take(self) -> Org:
        """A connection to the org that nobody else uses until it is given back."""
        try:
            return self._free.pop()
        except IndexError:
            return open_org(self.settings.org)

    def give(self, org: Org) -> None:
        """Let others use a connection that was taken."""
        self._free.append(org)

    def read(self, org: Org, token: Token, clock: Clock | None = None) -> Session:
        """A session for reading, as a token's user, at one instant."""
        return org.session(clock=clock or self.clock or Clock.system(), viewer=Viewer(token.user_id))

    def start(self, token: Token) -> Token:
        """Give a token what its calls work on. Raises SalesforceError when all private sessions are taken."""
        if self._source is not None:
            try:
                self.sessions.reserve(token)
            except BaseException:
                self.tokens.revoke(token.text)
                raise
        return token

    async def end(self, text: str) -> bool:
        """End a token, and with the last one of its login the private session; whether there was such."""
        ended = self.tokens.revoke(text)
        if ended is not None and ended.login not in self.tokens.logins():
            await self.sessions.end(ended.login)
        return ended is not None

    def sweep(self) -> None:
        """Put in order what the workers share: done every second."""
        self.tokens.sweep()
        self.pager.sweep()
        self.usage.share()
        self.bulk.sweep(self.tokens.logins() if self.settings.writable else None)

    def close(self) -> None:
        """Close every session and connection of this worker."""
        self.bulk.close()
        self.sessions.close()
        for org in self._free:
            org.close()
        if self._source is not None:
            self._source.close()

    @contextmanager
    def _job_session(self, job: Job) -> Iterator[Session]:
        """What a job works on: what a call of its login would. Raises SalesforceError."""
        if self.settings.writable:
            private = self.sessions.get(job.login)
            if private is None:
                raise fault("batch_session")
            yield private
        else:
            with self.org() as org:
                yield self.read(org, Token("", job.login, job.owner, job.user_id), self.clock or job.clock)

    def _open_private(self, token: Token) -> WritableSession:
        assert self._source is not None
        return self._source.session(clock=self.clock, viewer=Viewer(token.user_id), writable=True)


class Caller:
    """A call with a good token."""

    def __init__(
        self, desk: Desk, token: Token, version: str, private: WritableSession | None = None
    ) -> None:
        self.desk = desk
        self.token = token
        self.version = version
        """As in the path: `59.0`."""
        self._private = private
        self._org: Org | None = None

    @property
    def api_version(self) -> int:
        """The whole number of the version."""
        return int(self.version[:-2])

    @property
    def root(self) -> str:
        """The path of the version's resources: `/services/data/v59.0`."""
        return f"/services/data/v{self.version}"

    @cached_property
    def session(self) -> Session:
        """What the call works on: its login's private session on a writable server, else the org."""
        if self._private is not None:
            return self._private
        self._org = self.desk.take()
        return self.desk.read(self._org, self.token)

    @property
    def writing(self) -> WritableSession:
        """The session, to change records. Raises SalesforceError on a server for reading only."""
        if self._private is None:
            raise fault("read_only")
        return self._private

    def query(self, text: str, *, all_rows: bool = False) -> QueryResult:
        """Run a query, worded as the call's version words it. Raises SalesforceError."""
        return self.session.query(text, all_rows=all_rows, api_version=self.api_version)

    def search(self, text: str) -> SearchResult:
        """Run a search, worded as the call's version words it. Raises SalesforceError."""
        return self.session.search(text, api_version=self.api_version)

    def ask(self, text: str, size: int, *, all_rows: bool = False) -> dict[str, Any]:
        """The first page of a query. Raises SalesforceError."""
        clock = self.session.clock
        asked = Asked(text, all_rows, self.api_version, clock, self.token.login, size)
        return self.desk.pager.first(asked, self.query(text, all_rows=all_rows), self.version)

    def more(self, locator: str) -> dict[str, Any]:
        """A further page, by its locator. Raises SalesforceError."""
        return self.desk.pager.more(locator, self.token.login, self.version, self._again)

    def _again(self, asked: Asked) -> QueryResult:
        with self.desk.org() as org:
            session = self.desk.read(org, self.token, asked.clock)
            return session.query(asked.text, all_rows=asked.all_rows, api_version=asked.api_version)

    def close(self) -> None:
        """Give back what the call used."""
        if self._org is not None:
            self.desk.give(self._org)
            self._org = None


def served(version: str) -> bool:
    """Whether an API version, as it stands in a path, is answered."""
    whole, dot, part = version.partition(".")
    digits = whole.isascii() and whole.isdigit() and len(whole) == 2
    return digits and dot == "." and part == "0" and OLDEST_VERSION <= int(whole) <= NEWEST_VERSION


def bearer(header: str) -> str:
    """The token of an Authorization header. Raises SalesforceError."""
    kind, _, token = header.partition(" ")
    if kind.lower() not in {"bearer", "oauth"} or not token.strip():
        raise fault("header")
    return token.strip()


def desk_of(request: Request) -> Desk:
    """The desk of the app that a request came to."""
    desk: Desk = request.app.state.desk
    return desk


async def caller(request: Request) -> Caller:
    """The caller of a data route, whom the front door has let in."""
    found: Caller = request.scope[CALLER]
    return found
