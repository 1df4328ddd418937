"""Who calls: the token, the API version, and the session of the org that the call works on."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from fastapi import Request

from crmarena.org.org import Org, open_org
from crmarena.org.session import Session
from crmarena.server.faults import fault
from crmarena.server.settings import NEWEST_VERSION, OLDEST_VERSION, ServerSettings
from crmarena.server.state import StateStore
from crmarena.server.tokens import Token, Tokens


@dataclass(frozen=True)
class Caller:
    """A call with a good token."""

    token: Token
    version: str
    """As in the path: `59.0`."""
    session: Session

    @property
    def api_version(self) -> int:
        """The whole number of the version."""
        return int(self.version.partition(".")[0])

    @property
    def root(self) -> str:
        """The path of the version's resources: `/services/data/v59.0`."""
        return f"/services/data/v{self.version}"


class Desk:
    """The org as this worker serves it. Each thread reads through a connection of its own."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.state = StateStore(settings.state)
        self._local = threading.local()
        self.tokens = Tokens(settings, self.state, self.org)

    @property
    def org(self) -> Org:
        """The calling thread's org."""
        found: Org | None = getattr(self._local, "org", None)
        if found is None:
            found = self._local.org = open_org(self.settings.org)
        return found

    def session(self, token: Token) -> Session:
        """The session of a token: its own on a writable server, the org's on another."""
        return self.org.session(clock=self.settings.clock)


def desk_of(request: Request) -> Desk:
    """The desk of the app that a request came to."""
    desk: Desk = request.app.state.desk
    return desk


def caller(request: Request, version: str) -> Caller:
    """The caller of a data route. Raises SalesforceError for a version or token that is not good."""
    if not _served(version):
        raise fault("no_resource")
    desk = desk_of(request)
    token = desk.tokens.find(_bearer(request))
    if token is None:
        raise fault("session")
    return Caller(token, version, desk.session(token))


def _served(version: str) -> bool:
    whole, dot, part = version.partition(".")
    return whole.isdigit() and dot == "." and part == "0" and OLDEST_VERSION <= int(whole) <= NEWEST_VERSION


def _bearer(request: Request) -> str:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() not in {"bearer", "oauth"} or not token:
        raise fault("header")
    return token.strip()
