"""What a server is started with."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

from crmarena.clock import Clock

OLDEST_VERSION, NEWEST_VERSION = 20, 64
"""The API versions that are answered."""
PAGE_SIZE = 2_000
"""Records on a page of a query, at most and unless the caller asks for fewer."""


@dataclass(frozen=True)
class Login:
    """Who may log in, and with what."""

    username: str
    password: str


@dataclass(frozen=True)
class ServerSettings:
    """A server: the org, the address, who may log in. Paths are absolute."""

    org: str
    state: str
    """The file that the workers share: tokens, locators, jobs."""
    logins: tuple[Login, ...]
    token: str
    """A token that is good from the start."""
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    token_ttl: float = 7_200.0
    """Seconds after which a token that is not used ends."""
    writable: bool = False
    sessions: int = 16
    """How many logins may each have a private session at once, on a writable server."""
    today: str | None = None
    """The day TODAY means, `2024-05-31`; None: the machine's."""
    tls: bool = False
    tls_directory: str | None = None
    """Where the certificate is kept; None: beside the state."""

    @property
    def scheme(self) -> str:
        """`http` or `https`."""
        return "https" if self.tls else "http"

    @property
    def clock(self) -> Clock | None:
        """The instant of every query; None for the machine's."""
        return None if self.today is None else Clock.at(date.fromisoformat(self.today))

    def to_json(self) -> str:
        """The settings as a text that `from_json` reads: how workers get them."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> ServerSettings:
        """The settings of a text that `to_json` made."""
        raw = json.loads(text)
        return cls(**{**raw, "logins": tuple(Login(**login) for login in raw["logins"])})


def state_path(directory: Path) -> str:
    """Where the workers of a server keep what they share."""
    return str(directory / "state.db")
