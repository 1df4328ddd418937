"""Logins and tokens: who is who, until when.

A login may have several tokens, one after another by a refresh token; what belongs to it, a private
session above all, lasts as long as one of them. A token ends when it is revoked or not used for a time.
"""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass

from crmarena.org.org import Org
from crmarena.schema.ids import make_id
from crmarena.server.settings import Login, ServerSettings
from crmarena.server.state import StateStore

CHECK_AFTER = 1.0
"""Seconds for which a worker trusts what it knows of a token: so soon a revocation reaches all workers."""
NOBODY = make_id("005", "Cr", 1)
"""The user Id that is shown for a login in an org without users."""
_MARKS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_LENGTH = 64


@dataclass(frozen=True)
class Token:
    """A token that is good, and whose it is."""

    text: str
    login: str
    """What tokens of one login have in common."""
    username: str
    user_id: str | None


@dataclass(slots=True)
class _Known:
    """What a worker remembers of a token: it spares a read for each request."""

    token: Token
    checked: float
    used: float
    noted: float
    """The use that other workers know of."""


def new_token(org_id: str) -> str:
    """A token in Salesforce's form: the org's Id, an exclamation mark, marks nobody can guess."""
    return f"{org_id[:15]}!{''.join(secrets.choice(_MARKS) for _ in range(_LENGTH))}"


class Tokens:
    """The tokens of a server, shared by its workers."""

    def __init__(self, settings: ServerSettings, state: StateStore, org: Org) -> None:
        self._settings = settings
        self._state = state
        self._lock = threading.Lock()
        self._known: dict[str, _Known] = {}
        organization = org.query("SELECT Id, Name FROM Organization").records[0]
        self.org_id, self.org_name = str(organization["Id"]), str(organization["Name"])
        self._users = _users(org)

    def check(self, username: str, password: str) -> Login | None:
        """The login of a user's name and password, its security token appended; None where wrong."""
        for login in self._settings.logins:
            whole = login.password + login.security_token
            if _same(login.username.lower(), username.lower()) and _same(whole, password):
                return login
        return None

    def client(self, client_id: str, secret: str) -> Login | None:
        """The login that a connected app acts as; None where the app is unknown or its secret wrong."""
        for login in self._settings.logins:
            known = login.client_id and _same(login.client_id, client_id)
            if known and _same(login.client_secret, secret):
                return login
        return None

    def named(self, username: str) -> Login | None:
        """The login of a user's name."""
        found = (x for x in self._settings.logins if x.username.lower() == username.lower())
        return next(found, None)

    def issue(self, username: str, text: str | None = None, login: str | None = None) -> Token:
        """An access token for a user: new or of a given text, of a new login or a given one."""
        token = Token(
            text or new_token(self.org_id), login or secrets.token_hex(8), username, self.user_id(username)
        )
        self._write(token, "access")
        return token

    def issue_refresh(self, of: Token, text: str) -> None:
        """Let a text be the refresh token of a token's login."""
        self._write(Token(text, of.login, of.username, of.user_id), "refresh")

    def refresh(self, text: str) -> Token | None:
        """A new access token by a refresh token; None where there is no such."""
        select = "SELECT username, login FROM tokens WHERE token = ? AND kind = 'refresh'"
        row = self._state.connection.execute(select, (text,)).fetchone()
        return None if row is None else self.issue(row[0], login=row[1])

    def find(self, text: str) -> Token | None:
        """The access token of a text, if it is good. This counts as its use."""
        now = time.time()
        known = self._known.get(text)
        if known is None or now - known.checked > CHECK_AFTER or self._ended(known.used, now):
            known = self._read(text, known, now)
            if known is None:
                return None
        known.used = now
        return known.token

    def revoke(self, text: str) -> Token | None:
        """End a token, and with a refresh token all of its login; gives what was ended, if anything."""
        select = "SELECT login, username, user_id, kind FROM tokens WHERE token = ?"
        row = self._state.connection.execute(select, (text,)).fetchone()
        if row is None:
            return None
        column, value = ("login", row[0]) if row[3] == "refresh" else ("token", text)
        with self._state.change() as connection:
            connection.execute(f"DELETE FROM tokens WHERE {column} = ?", (value,))
        with self._lock:
            self._known = {
                key: k for key, k in self._known.items() if getattr(k.token, _PLACE[column]) != value
            }
        return Token(text, row[0], row[1], row[2])

    def sweep(self) -> None:
        """Tell the other workers of the tokens used here, and delete those that have ended."""
        with self._lock:
            used = [k for k in self._known.values() if k.used > k.noted]
        oldest = time.time() - self._settings.token_ttl
        with self._state.change() as connection:
            connection.executemany(
                "UPDATE tokens SET used = max(used, ?) WHERE token = ?",
                [(k.used, k.token.text) for k in used],
            )
            connection.execute("DELETE FROM tokens WHERE kind = 'access' AND used < ?", (oldest,))
        for known in used:
            known.noted = known.used
        with self._lock:
            self._known = {text: k for text, k in self._known.items() if k.used >= oldest}

    def logins(self) -> set[str]:
        """The logins that have a good token, or may get one by a refresh token."""
        return {login for (login,) in self._state.connection.execute("SELECT DISTINCT login FROM tokens")}

    def user_id(self, username: str) -> str | None:
        """The org's user of a name; for a name the org does not have, its first active user."""
        return self._users.get(username.lower()) or next(iter(self._users.values()), None)

    def _write(self, token: Token, kind: str) -> None:
        row = (token.text, kind, token.login, token.username, token.user_id, time.time())
        with self._state.change() as connection:
            connection.execute("INSERT OR REPLACE INTO tokens VALUES (?, ?, ?, ?, ?, ?)", row)

    def _read(self, text: str, known: _Known | None, now: float) -> _Known | None:
        select = "SELECT login, username, user_id, used FROM tokens WHERE token = ? AND kind = 'access'"
        row = self._state.connection.execute(select, (text,)).fetchone()
        used = max(row[3], known.used if known else 0.0) if row else 0.0
        with self._lock:
            if row is None or self._ended(used, now):
                self._known.pop(text, None)
                return None
            found = self._known[text] = _Known(Token(text, row[0], row[1], row[2]), now, used, row[3])
        return found

    def _ended(self, used: float, now: float) -> bool:
        return now - used > self._settings.token_ttl


_PLACE = {"login": "login", "token": "text"}
"""The attribute of a token for a column of the table."""


def _same(one: str, other: str) -> bool:
    return secrets.compare_digest(one.encode(), other.encode())


def _users(org: Org) -> dict[str, str]:
    """The Ids of users by name, the active ones first."""
    found = org.query("SELECT Id, Username FROM User ORDER BY IsActive DESC, Id").records
    return {str(user["Username"]).lower(): user["Id"] for user in found}
