"""OAuth 2: tokens by four grants, their end, and who a token's user is."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import time
from collections.abc import Callable, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from crmarena.server import assertions
from crmarena.server.answers import Answer, answer
from crmarena.server.bodies import form_of
from crmarena.server.caller import Desk, bearer, desk_of
from crmarena.server.faults import fault
from crmarena.server.openapi import body, named
from crmarena.server.people import person_of, root_of
from crmarena.server.settings import Login
from crmarena.server.tokens import NOBODY, Token

router = APIRouter(tags=["Log in"])

JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"

# key -> (error, error_description), with the status 400. chosen: the texts of client, refresh and
# assertion, which the sheet does not have.
REFUSALS: dict[str, tuple[str, str]] = {
    "password": ("invalid_grant", "authentication failure"),
    "refresh": ("invalid_grant", "expired access/refresh token"),
    "assertion": ("invalid_grant", "invalid assertion"),
    "client": ("invalid_client_id", "client identifier invalid"),
    "secret": ("invalid_client", "invalid client credentials"),
    "grant": ("unsupported_grant_type", "grant type not supported"),
    "token": ("unsupported_token_type", "this token is not supported"),
}

_FORM_TYPE = "application/x-www-form-urlencoded"
_TEXTS = ("grant_type", "username", "password", "client_id", "client_secret", "refresh_token", "assertion")


def _form(required: str, *names: str) -> dict[str, Any]:
    fields = {name: {"type": "string"} for name in (required, *names)}
    return body({"type": "object", "required": [required], "properties": fields}, _FORM_TYPE)


_ERROR = {"anyOf": [named("OAuthError"), named("SalesforceErrors")]}
_OAUTH: dict[int | str, dict[str, Any]] = {
    400: {"description": "Refused", "content": {"application/json": {"schema": _ERROR}}}
}

Form = Annotated[Mapping[str, str], Depends(form_of)]


def _refused(key: str) -> Answer:
    error, description = REFUSALS[key]
    return answer({"error": error, "error_description": description}, 400)


def _by_password(desk: Desk, form: Mapping[str, str], client: tuple[str, str]) -> Token | str:
    """Of the connected app, which a local server need not know, nothing is checked."""
    login = desk.tokens.check(form.get("username", ""), form.get("password", ""))
    return "password" if login is None else desk.tokens.issue(login.username)


def _by_client(desk: Desk, form: Mapping[str, str], client: tuple[str, str]) -> Token | str:
    if not any(login.client_id == client[0] for login in desk.settings.logins if login.client_id):
        return "client"
    login = desk.tokens.client(*client)
    return "secret" if login is None else desk.tokens.issue(login.username)


def _by_refresh(desk: Desk, form: Mapping[str, str], client: tuple[str, str]) -> Token | str:
    return desk.tokens.refresh(form.get("refresh_token", "")) or "refresh"


def _by_assertion(desk: Desk, form: Mapping[str, str], client: tuple[str, str]) -> Token | str:
    """Without a certificate in the settings no assertion can be checked, and none is taken."""
    key = desk.jwt_key
    username = assertions.subject(form.get("assertion", ""), key) if key else None
    login = desk.tokens.named(username) if username else None
    return "assertion" if login is None else desk.tokens.issue(login.username)


_Grant = Callable[[Desk, Mapping[str, str], tuple[str, str]], Token | str]
GRANTS: dict[str, _Grant] = {
    "password": _by_password,
    "client_credentials": _by_client,
    "refresh_token": _by_refresh,
    JWT_BEARER: _by_assertion,
}
"""The grants, by the grant type; each gives a token or the key of a refusal."""


@router.post("/services/oauth2/token", openapi_extra=_form(*_TEXTS), responses=_OAUTH)
def token(request: Request, form: Form) -> Response:
    """A new access token."""
    desk = desk_of(request)
    grant = GRANTS.get(form.get("grant_type", ""))
    if grant is None:
        return _refused("grant")
    given = grant(desk, form, _client(request, form))
    if isinstance(given, str):
        return _refused(given)
    desk.start(given)
    return answer(_granted(desk, request, given), 200, {"Cache-Control": "no-cache, no-store"})


@router.get("/services/oauth2/revoke", operation_id="revoke_get", responses=_OAUTH)
@router.post(
    "/services/oauth2/revoke", operation_id="revoke_post", openapi_extra=_form("token"), responses=_OAUTH
)
async def revoke(request: Request, form: Form) -> Response:
    """End a token; with a refresh token, all tokens of its login."""
    desk = desk_of(request)
    if not await desk.end(form.get("token", "")):
        return _refused("token")
    return answer({})


@router.get("/services/oauth2/userinfo", operation_id="userinfo_get")
@router.post("/services/oauth2/userinfo", operation_id="userinfo_post")
def userinfo(request: Request) -> Response:
    """Who the user of a token is, by OpenID Connect."""
    desk, found = desk_of(request), _token(request)
    person = person_of(desk, found)
    root, org_id = root_of(request), desk.tokens.org_id
    return answer(
        {
            "sub": f"{root}/id/{org_id}/{person.user_id}",
            "user_id": person.user_id,
            "organization_id": org_id,
            "preferred_username": person.username,
            "nickname": person.username.partition("@")[0],
            "name": person.full_name,
            "given_name": person.first_name,
            "family_name": person.last_name,
            "email": person.email,
            "email_verified": True,
            "zoneinfo": "GMT",
            "locale": "en_US",
            "language": "en_US",
            "user_type": "STANDARD",
            "active": person.active,
            "updated_at": person.modified,
            "is_app_installed": True,
            "photos": _photos(root),
            "urls": _urls(root, org_id, person.user_id),
        }
    )


@router.get("/id/{org}/{user}")
def identity(
    request: Request, org: str, user: str, oauth_token: str | None = None, format: str = "json"
) -> Response:
    """Who the user of a token is, by Salesforce's identity service."""
    desk, found = desk_of(request), _token(request, oauth_token)
    person = person_of(desk, found)
    org_id = desk.tokens.org_id
    if format != "json" or org[:15] != org_id[:15] or user[:15] != person.user_id[:15]:
        raise fault("no_resource")
    root = root_of(request)
    return answer(
        {
            "id": f"{root}/id/{org_id}/{person.user_id}",
            "asserted_user": True,
            "user_id": person.user_id,
            "organization_id": org_id,
            "username": person.username,
            "nick_name": person.username.partition("@")[0],
            "display_name": person.full_name,
            "email": person.email,
            "email_verified": True,
            "first_name": person.first_name,
            "last_name": person.last_name,
            "timezone": "GMT",
            "photos": _photos(root),
            "addr_street": None,
            "mobile_phone": None,
            "status": {"created_date": None, "body": None},
            "urls": _urls(root, org_id, person.user_id),
            "active": person.active,
            "user_type": "STANDARD",
            "language": "en_US",
            "locale": "en_US",
            "utcOffset": 0,
            "last_modified_date": person.modified,
            "is_app_installed": True,
        }
    )


def _client(request: Request, form: Mapping[str, str]) -> tuple[str, str]:
    """The connected app and its secret: of the form, or of a Basic header."""
    kind, _, packed = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "basic":
        try:
            name, _, secret = base64.b64decode(packed, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return "", ""
        return name, secret
    return form.get("client_id", ""), form.get("client_secret", "")


def _granted(desk: Desk, request: Request, given: Token) -> dict[str, Any]:
    root, user_id = root_of(request), given.user_id or NOBODY
    place, issued = f"{root}/id/{desk.tokens.org_id}/{user_id}", str(int(time.time() * 1000))
    login = desk.tokens.named(given.username)
    signed = hmac.digest(_secret(login), f"{place}{issued}".encode(), hashlib.sha256)
    return {
        "access_token": given.text,
        "instance_url": root,
        "id": place,
        "token_type": "Bearer",
        "scope": "api refresh_token",
        "issued_at": issued,
        "signature": base64.b64encode(signed).decode(),
    }


def _secret(login: Login | None) -> bytes:
    return (login.client_secret if login else "").encode()


def _token(request: Request, given: str | None = None) -> Token:
    text = given or bearer(request.headers.get("authorization", ""))
    found = desk_of(request).tokens.find(text)
    if found is None:
        raise fault("session")
    return found


def _photos(root: str) -> dict[str, str]:
    return {"picture": f"{root}/profilephoto/005/F", "thumbnail": f"{root}/profilephoto/005/T"}


def _urls(root: str, org_id: str, user_id: str) -> dict[str, str]:
    """The addresses of the APIs; `{version}` is the client's to fill in."""
    data = f"{root}/services/data/v{{version}}"
    return {
        "enterprise": f"{root}/services/Soap/c/{{version}}/{org_id}",
        "partner": f"{root}/services/Soap/u/{{version}}/{org_id}",
        "rest": f"{data}/",
        "sobjects": f"{data}/sobjects/",
        "search": f"{data}/search/",
        "query": f"{data}/query/",
        "recent": f"{data}/recent/",
        "tooling_rest": f"{data}/tooling/",
        "profile": f"{root}/{user_id}",
    }
