"""The application: the routes put together behind the front door."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio.to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from crmarena.server import answers, openapi
from crmarena.server.caller import Desk
from crmarena.server.door import FrontDoor
from crmarena.server.faults import fault
from crmarena.server.routes import (
    bulk_ingest,
    bulk_query,
    collections,
    composite,
    describe,
    limits,
    oauth,
    parameterized,
    query,
    records,
    search,
    soap,
    tooling,
    versions,
)
from crmarena.server.settings import THREADS, ServerSettings

SETTINGS = "CRMARENA_SERVER_SETTINGS"
"""The environment variable that names the file of a worker's settings."""
_ROUTERS = (
    query.router,
    search.router,
    describe.router,
    limits.router,
    records.router,
    collections.router,
    composite.router,
    tooling.router,
    parameterized.router,
    bulk_query.router,
    bulk_ingest.router,
    versions.router,
    oauth.router,
    soap.router,
)
_LOG = logging.getLogger("crmarena.server")
_SWEEP = 1.0
"""Seconds between two looks at what has ended."""


def create_app(settings: ServerSettings) -> FastAPI:
    """The application that serves an org."""
    desk = Desk(settings)
    app = FastAPI(
        title="crmarena",
        description=(
            "An org over Salesforce's REST API. Logins by SOAP are at /services/Soap/u/ with the version;"
            " a WSDL describes them, not this document."
        ),
        redirect_slashes=False,
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
    )
    app.state.desk = desk
    for router in _ROUTERS:
        app.include_router(router)
    openapi.install(app)
    app.add_exception_handler(HTTPException, _no_route)
    app.add_exception_handler(RequestValidationError, _bad_parameter)
    app.add_middleware(FrontDoor, desk=desk)
    return app


def create_worker() -> FastAPI:
    """The application of a worker process, by the settings that its environment names."""
    return create_app(ServerSettings.from_json(Path(os.environ[SETTINGS]).read_text(encoding="utf-8")))


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    desk: Desk = app.state.desk
    anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
    sweeping = asyncio.create_task(_sweep(desk))
    try:
        yield
    finally:
        sweeping.cancel()
        with suppress(asyncio.CancelledError):
            await sweeping
        desk.close()


async def _sweep(desk: Desk) -> None:
    parent = multiprocessing.parent_process()
    while True:
        await asyncio.sleep(_SWEEP)
        if parent is not None and not parent.is_alive():
            # Whoever started the workers was killed, and can no longer end them.
            signal.raise_signal(signal.SIGTERM)
        try:
            await asyncio.to_thread(desk.sweep)
            if desk.settings.writable:
                await desk.sessions.keep(desk.tokens.logins())
        except Exception:
            _LOG.exception("What had ended could not be put away; the next try is in a second.")


async def _no_route(request: Request, error: Exception) -> Response:
    """Starlette's own refusals: of a path that nobody serves, of a method that a path does not take."""
    if isinstance(error, HTTPException) and error.status_code == 405:
        taken = openapi.methods(request.app, request.scope["path"])
        allowed = ",".join(taken) or (error.headers or {}).get("Allow", "")
        refused = answers.refusal(fault("method", method=request.method, allowed=allowed))
        refused.headers["Allow"] = allowed
        return refused
    return answers.refusal(fault("no_resource"))


async def _bad_parameter(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    return answers.refusal(fault("parameter", name=first["loc"][-1], text=first["msg"]))
