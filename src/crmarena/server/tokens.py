"""Logins and tokens: who is who, until when."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass

from crmarena.org.org import Org
from crmarena.server.settings import ServerSettings
from crmarena.server.state import StateStore

_MARKS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_LENGTH = 64


@dataclass(frozen=True)
class Token:
    """A token that is good, and whose it is."""

    text: str
    user_id: str | None
    username: str


def new_token(org_id: str) -> str:
    """A token in Salesforce's form: the org's Id, an exclamation mark, marks nobody can guess."""
    return f"{org_id[:15]}!{''.join(secrets.choice(_MARKS) for _ in range(_LENGTH))}"


class Tokens:
    """The tokens of a server, shared by its workers."""

    def __init__(self, settings: ServerSettings, state: StateStore, org: Org) -> None:
        self._settings = settings
        self._state = state
        self.org_id = str(org.query("SELECT Id FROM Organization").records[0]["Id"])
        self._users = _users(org)

    def log_in(self, username: str, password: str) -> Token | None:
        """A new token for a user's name and password; None where they are wrong.

        Clients append the user's security token to the password: this org has none to check.
        """
        for login in self._settings.logins:
            known = secrets.compare_digest(login.username.lower().encode(), username.lower().encode())
            if known and secrets.compare_digest(login.password.encode(), password.encode()):
                return self.issue(login.username)
        return None

    def issue(self, username: str, text: str | None = None) -> Token:
        """A token for a user, new or of a given text."""
        token = Token(text or new_token(self.org_id), self.user_id(username), username)
        row = (token.text, token.user_id, token.username, time.time())
        with self._state.change() as connection:
            connection.execute("INSERT OR REPLACE INTO tokens VALUES (?, ?, ?, ?)", row)
        return token

    def find(self, text: str) -> Token | None:
        """The token of a text, if it is good."""
        select = "SELECT user_id, username, used FROM tokens WHERE token = ?"
        row = self._state.connection.execute(select, (text,)).fetchone()
        if row is None or time.time() - row[2] > self._settings.token_ttl:
            return None
        return Token(text, row[0], row[1])

    def revoke(self, text: str) -> None:
        """End a token."""
        with self._state.change() as connection:
            connection.execute("DELETE FROM tokens WHERE token = ?", (text,))

    def user_id(self, username: str) -> str | None:
        """The org's user of a name; for a name the org does not have, its first active user."""
        return self._users.get(username.lower()) or next(iter(self._users.values()), None)


def _users(org: Org) -> dict[str, str]:
    """The Ids of users by name, the active ones first."""
    found = org.query("SELECT Id, Username FROM User ORDER BY IsActive DESC, Id").records
    return {str(user["Username"]).lower(): user["Id"] for user in found}
