"""The front door: what every request passes on its way in, and every answer on its way out.

In: the path with one slash before it and none behind, HEAD as GET, a query string that is text, a version
that is served, a token that is good, a body that is neither too large nor too slow. Out: the API usage,
and any exception as Salesforce would answer it.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import sqlite3
import uuid
from collections.abc import Iterable
from contextlib import AsyncExitStack
from urllib.parse import unquote_to_bytes

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crmarena.errors import SalesforceError
from crmarena.server import answers, soap
from crmarena.server.caller import CALLER, Caller, Desk, bearer, served
from crmarena.server.faults import fault
from crmarena.server.settings import BODY_LIMIT, PATIENCE, UPLOAD_LIMIT

_DATA = "/services/data/v"
_SOAP = "/services/Soap/"
_JOBS = "jobs/"
"""What is of Bulk API: its calls only move data, and the jobs themselves take turns at the session."""
_LOG = logging.getLogger("crmarena.server")


class FrontDoor:
    """An ASGI application around another."""

    def __init__(self, app: ASGIApp, desk: Desk) -> None:
        self._app = app
        self._desk = desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        out = _Out(send, self._desk)
        try:
            await self._let_in(scope, receive, out)
        except ClientDisconnect:
            return
        except Exception as error:
            if out.started:
                raise
            await self._refuse(error, scope, receive, out)

    async def _let_in(self, scope: Scope, receive: Receive, out: _Out) -> None:
        # A client that keeps its instance URL with a slash behind it, as the sf CLI does, sends two.
        path = f"/{scope['path'].lstrip('/')}"
        headers = _wanted(scope["headers"])
        # An encoded slash at the end belongs to the value that a record is found by.
        written = scope.get("raw_path", b"").partition(b"?")[0]
        _check_text(written)
        inner = {**scope, "path": path[:-1] if written.endswith(b"/") and len(path) > 1 else path}
        if scope["method"] == "HEAD":
            inner["method"] = "GET"
        answers.PRETTY.set(headers.get(b"x-prettyprint") in (b"1", b"true"))
        _check_text(scope["query_string"])
        if scope["method"] not in ("GET", "HEAD"):
            receive = _Body(receive, _limit(inner), headers.get(b"content-length"))
        if not path.startswith(_DATA):
            await self._app(inner, receive, out)
            return
        out.counted = True
        await self._serve(inner, headers, receive, out)

    async def _serve(self, scope: Scope, headers: dict[bytes, bytes], receive: Receive, out: _Out) -> None:
        """Answer a request for data: by whom, and on which session."""
        desk = self._desk
        version, _, resource = scope["path"][len(_DATA) :].partition("/")
        if not served(version):
            raise fault("no_resource")
        token = desk.tokens.find(bearer(headers.get(b"authorization", b"").decode("latin-1")))
        if token is None:
            raise fault("session")
        async with AsyncExitStack() as stack:
            private = None
            if desk.settings.writable and resource.startswith(_JOBS):
                # Data may be long on its way, to a reader that makes other calls between its pieces.
                private = await desk.sessions.aside(token)
            elif desk.settings.writable:
                # Whoever is slow to send keeps nobody waiting for the session.
                receive = await _arrived(receive) if scope["method"] not in ("GET", "HEAD") else receive
                private = await stack.enter_async_context(desk.sessions.turn(token))
            caller = scope[CALLER] = Caller(desk, token, version, private)
            try:
                await self._app(scope, receive, out)
            finally:
                caller.close()

    async def _refuse(self, error: Exception, scope: Scope, receive: Receive, out: _Out) -> None:
        if is_full(error):
            _LOG.error("%s %s: the disk of the server's state is full.", scope["method"], scope["path"])
            error = fault("disk_full")
        elif not isinstance(error, SalesforceError):
            number = f"{uuid.uuid4().int % 10**10:010d}"
            _LOG.error("ErrorId %s: %s %s", number, scope["method"], scope["path"], exc_info=error)
            error = fault("crash", id=number)
        answer = soap.refusal(error) if scope["path"].startswith(_SOAP) else answers.refusal(error)
        await answer(scope, receive, out)


class _Out:
    """The way out: counts the call and says so."""

    def __init__(self, send: Send, desk: Desk) -> None:
        self._send = send
        self._desk = desk
        self.started = False
        self.counted = False
        """Whether the request counts as a call of the API."""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            if self.counted:
                message["headers"].append((b"sforce-limit-info", self._desk.usage.count()))
        await self._send(message)


class _Body:
    """A request's body on its way in: refused when it is too large, or does not come."""

    def __init__(self, receive: Receive, limit: int, announced: bytes | None) -> None:
        self._receive = receive
        self._limit = limit
        self._left = limit
        if announced is not None and announced.isdigit() and int(announced) > limit:
            raise fault("too_large", limit=limit)

    async def __call__(self) -> Message:
        try:
            message = await asyncio.wait_for(self._receive(), PATIENCE)
        except TimeoutError:
            raise fault("too_slow", seconds=int(PATIENCE)) from None
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise fault("too_large", limit=self._limit)
        return message


async def _arrived(receive: Receive) -> Receive:
    """A body that is here as a whole, to be read like one that still comes. Raises ClientDisconnect."""
    pieces, more = [], True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        pieces.append(message.get("body", b""))
        more = message.get("more_body", False)
    given = iter([{"type": "http.request", "body": b"".join(pieces), "more_body": False}])

    async def again() -> Message:
        return next(given, None) or await receive()

    return again


def is_full(error: Exception) -> bool:
    """Whether an error says that there is no room on the disk."""
    if isinstance(error, sqlite3.Error):
        return "full" in str(error) or "disk I/O" in str(error)
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def _wanted(headers: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """The headers by name; of one that is repeated the last."""
    return dict(headers)


def _limit(scope: Scope) -> int:
    return UPLOAD_LIMIT if scope["method"] == "PUT" and "/jobs/ingest/" in scope["path"] else BODY_LIMIT


def _check_text(query: bytes) -> None:
    if b"%" in query:
        try:
            unquote_to_bytes(query).decode()
        except UnicodeDecodeError:
            raise fault("query_string") from None
