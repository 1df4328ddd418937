"""SOAP: logging in by user name and password, and out. A WSDL describes it, not the OpenAPI document."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from starlette.responses import Response

from crmarena.server import soap
from crmarena.server.caller import desk_of, served
from crmarena.server.faults import fault
from crmarena.server.people import person_of, root_of

router = APIRouter()

_KINDS = {"u": "partner", "c": "enterprise"}
"""The doors of the two WSDLs, and the namespaces of their answers."""


@router.post("/services/Soap/{door}/{number}", include_in_schema=False)
@router.post("/services/Soap/{door}/{number}/{org}", include_in_schema=False)
async def soap_call(request: Request, door: str, number: str) -> Response:
    """`login` and `logout` of the partner (`u`) and the enterprise (`c`) WSDL."""
    if door not in _KINDS or not served(number if "." in number else f"{number}.0"):
        return soap.client_fault("There is no such API, or no such version of it.")
    try:
        asked = soap.read(await request.body())
    except soap.Malformed as error:
        return soap.client_fault(f"The request is no SOAP envelope: {error}.")
    if asked.operation == "login":
        return await asyncio.to_thread(_log_in, request, asked, door, number)
    if asked.operation == "logout":
        return await _log_out(request, asked, door)
    return soap.client_fault(
        f"No operation available for request {asked.operation}; only login and logout are, use the REST API."
    )


def _log_in(request: Request, asked: soap.SoapRequest, door: str, number: str) -> Response:
    desk = desk_of(request)
    login = desk.tokens.check(asked.values.get("username", ""), asked.values.get("password", ""))
    if login is None:
        return soap.refusal(fault("login"))
    token = desk.start(desk.tokens.issue(login.username))
    person = person_of(desk, token)
    shown = {
        "kind": _KINDS[door],
        "door": door,
        "version": number,
        "root": root_of(request),
        "session_id": token.text,
        "organization_id": desk.tokens.org_id,
        "organization_name": desk.tokens.org_name,
        "seconds": int(desk.settings.token_ttl),
        "user_id": person.user_id,
        "username": person.username,
        "full_name": person.full_name,
        "email": person.email,
    }
    return soap.filled("login", shown)


async def _log_out(request: Request, asked: soap.SoapRequest, door: str) -> Response:
    desk = desk_of(request)
    if desk.tokens.find(asked.session) is None:
        return soap.refusal(fault("session"))
    await desk.end(asked.session)
    return soap.filled("logout", {"kind": _KINDS[door]})
