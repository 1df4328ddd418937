"""The user behind a token, as logins, userinfo and identity show him."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import Request

from crmarena.errors import SalesforceError
from crmarena.server.caller import Desk
from crmarena.server.tokens import NOBODY, Token


@dataclass(frozen=True)
class Person:
    """What is shown of a user."""

    user_id: str
    username: str
    full_name: str
    first_name: str
    last_name: str
    email: str
    active: bool
    modified: str


def person_of(desk: Desk, token: Token) -> Person:
    """The user of a token; in an org without users one that has a name only."""
    record = _record(desk, token)
    first, last = str(record.get("FirstName") or ""), str(record.get("LastName") or "")
    return Person(
        user_id=token.user_id or NOBODY,
        username=token.username,
        full_name=" ".join(filter(None, (first, last))) or token.username,
        first_name=first,
        last_name=last,
        email=str(record.get("Email") or token.username),
        active=bool(record.get("IsActive", True)),
        modified=str(record.get("LastModifiedDate") or "1970-01-01T00:00:00.000+0000"),
    )


def root_of(request: Request) -> str:
    """The server's address as the client reached it: `http://127.0.0.1:8000`."""
    desk: Desk = request.app.state.desk
    settings = desk.settings
    return f"{settings.scheme}://{request.headers.get('host') or f'{settings.host}:{settings.port}'}"


def _record(desk: Desk, token: Token) -> dict[str, Any]:
    if token.user_id is None:
        return {}
    with desk.org() as org:
        try:
            return org.get("User", token.user_id)
        except SalesforceError:
            return {}
