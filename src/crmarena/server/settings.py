"""What a server is started with."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

from crmarena.clock import Clock

OLDEST_VERSION, NEWEST_VERSION = 20, 64
"""The API versions that are answered."""
PAGE_SIZE, SMALLEST_PAGE = 2_000, 200
"""Records on a page of a query: at most and unless the caller asks for fewer, and at least."""
BODY_LIMIT = 10_000_000
"""Bytes of a request body that is read as a whole: JSON, forms, XML."""
UPLOAD_LIMIT = 150_000_000
"""Bytes of an upload of Bulk API, which is read in pieces."""
HEAD_LIMIT = 524_288
"""Bytes of a URI with its headers. chosen: Salesforce stops at 16 kB; here every query fits."""
PATIENCE = 60.0
"""Seconds that a client may keep the server waiting for what it has begun to send."""
THREADS = 16
"""Requests that a worker has in hand at once; further ones wait."""


@dataclass(frozen=True)
class Login:
    """Who may log in, and with what."""

    username: str
    password: str
    security_token: str = ""
    """What must follow the password, as clients of Salesforce append it."""
    client_id: str = ""
    """The connected app that acts as this user by `client_credentials`; empty: none."""
    client_secret: str = ""


@dataclass(frozen=True)
class ServerSettings:
    """A server: the org, the address, who may log in. Paths are absolute."""

    org: str
    logins: tuple[Login, ...]
    """At least one."""
    token: str
    """An access token of the first login that is good from the start."""
    state: str = ""
    """The file that the workers share: tokens, locators, jobs; empty: `serve` makes one for its time."""
    refresh_token: str = ""
    """A refresh token of the first login; empty: none."""
    jwt_certificate: str | None = None
    """The file of the certificate or public key (PEM) that signs assertions of the JWT bearer flow."""
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
    def certificates(self) -> Path:
        """The folder of the certificate; clients verify by the file `ca.pem` in it."""
        return Path(self.tls_directory or Path(self.state).parent)

    @property
    def authority(self) -> Path | None:
        """The file that clients verify by; None for a server without TLS."""
        return self.certificates / "ca.pem" if self.tls else None

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
