"""Who may log in to a server that a person starts, and how clients are told to connect."""

from __future__ import annotations

import json
import re
import secrets
import shlex
import string
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from crmarena.errors import UsageError
from crmarena.org.org import Org, open_org
from crmarena.server.settings import NEWEST_VERSION, Login, ServerSettings
from crmarena.server.tokens import new_token

_MARKS = string.ascii_letters + string.digits
_PASSWORD_LENGTH = 12
_SF_TOKEN = re.compile(r"00D\w{12,15}![\w.]+")
"""The tokens that the sf CLI takes."""
_NOBODY = "admin@crmarena.example"
"""Who logs in to an org without users."""
_SHOWN = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "": "127.0.0.1"}
_QUERY = "SELECT Id, Name FROM Account LIMIT 3"


@dataclass(frozen=True)
class Who:
    """An org's file, who may log in to it, and the first one's token."""

    org: Path
    logins: tuple[Login, ...]
    token: str


def who(path: Path, users: Sequence[str], token: str | None, client: str | None = None) -> Who:
    """Who may log in: the users given as NAME:PASSWORD, or the org's first one with a new password.

    A connected app, given as ID:SECRET, acts as the first of them.
    """
    logins = tuple(_login(user) for user in users)
    if len({login.username.lower() for login in logins}) < len(logins):
        raise UsageError("--user names somebody twice; give each name one password.")
    if token is not None and not all("!" <= mark <= "~" for mark in token or " "):
        raise UsageError("--token has marks that no header carries; use letters, digits and . ! _ - only.")
    with open_org(path) as org:
        org_id = str(org.query("SELECT Id FROM Organization LIMIT 1").records[0]["Id"])
        file = (org.path or path).resolve()
        first, *others = logins or (_first_user(org),)
        return Who(file, (_with_client(first, client), *others), token or new_token(org_id))


def url(settings: ServerSettings) -> str:
    """The address of a server, as clients are given it."""
    host = _SHOWN.get(settings.host, f"[{settings.host}]" if ":" in settings.host else settings.host)
    return f"{settings.scheme}://{host}:{settings.port}"


def recipes(settings: ServerSettings) -> dict[str, str]:
    """A line for each client, to be copied."""
    root, first = url(settings), settings.logins[0]
    trust = shlex.quote(str(settings.authority)) if settings.authority else ""
    header = shlex.quote(f"Authorization: Bearer {settings.token}")
    query = f"{root}/services/data/v{NEWEST_VERSION}.0/query?q={_QUERY.replace(' ', '+')}"
    name, password = json.dumps(first.username), json.dumps(first.password)
    found = {
        "curl": f"curl {f'--cacert {trust} ' if trust else ''}-H {header} {shlex.quote(query)}",
        "simple_salesforce": f"crmarena.patch_simple_salesforce({json.dumps(root)}); "
        f'sf = Salesforce(username={name}, password={password}, security_token="")',
        "jsforce": f"conn = new jsforce.Connection({{ loginUrl: {json.dumps(root)} }}); "
        f"await conn.login({name}, {password})",
        "sf": f"SF_ORG_INSTANCE_URL={shlex.quote(root)} sf data query"
        f" --query {shlex.quote(_QUERY)} --target-org {shlex.quote(settings.token)}",
    }
    if not _SF_TOKEN.fullmatch(settings.token):
        del found["sf"]
    return found


def as_text(settings: ServerSettings) -> str:
    """What a person copies from."""
    lines = [f"Serving {settings.org} at {url(settings)} ({_access(settings)}). Ctrl-C ends it.", ""]
    for login in settings.logins:
        lines += [f"username  {login.username}", f"password  {login.password}"]
    lines.append(f"token     {settings.token}")
    if settings.authority:
        lines.append(f"trust     {settings.authority} (in REQUESTS_CA_BUNDLE, NODE_EXTRA_CA_CERTS)")
    for client, line in recipes(settings).items():
        lines += ["", f"{client}:", line]
    return "\n".join(lines)


def as_json(settings: ServerSettings) -> str:
    """The same in one line, for programs."""
    return json.dumps(
        {
            "url": url(settings),
            "org": settings.org,
            "writable": settings.writable,
            "users": [{"username": login.username, "password": login.password} for login in settings.logins],
            "token": settings.token,
            "authority": str(settings.authority) if settings.authority else None,
            "recipes": recipes(settings),
        }
    )


def _login(user: str) -> Login:
    name, colon, password = user.partition(":")
    if not (name.strip() and colon and password):
        raise UsageError(f"--user {user!r} lacks a name or a password; write it as NAME:PASSWORD.")
    return Login(name.strip(), password)


def _with_client(login: Login, client: str | None) -> Login:
    if client is None:
        return login
    name, colon, secret = client.partition(":")
    if not (name and colon and secret):
        raise UsageError(f"--client {client!r} lacks an id or a secret; write it as ID:SECRET.")
    return replace(login, client_id=name, client_secret=secret)


def _first_user(org: Org) -> Login:
    """The first user of the org, of the active ones if there are any, with a password made now."""
    select = "SELECT Username FROM User WHERE Username != null ORDER BY IsActive DESC, Username LIMIT 1"
    found = org.query(select).records
    password = "".join(secrets.choice(_MARKS) for _ in range(_PASSWORD_LENGTH))
    return Login(str(found[0]["Username"]) if found else _NOBODY, password)


def _access(settings: ServerSettings) -> str:
    if settings.writable:
        return f"writable, {settings.sessions} private sessions"
    return f"read-only, {settings.workers} worker{'' if settings.workers == 1 else 's'}"
