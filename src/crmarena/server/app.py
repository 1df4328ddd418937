"""The application: the routes put together, and every error as Salesforce answers it."""

from __future__ import annotations

import os
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from crmarena.errors import SalesforceError
from crmarena.server import faults
from crmarena.server.caller import Desk
from crmarena.server.routes import query, versions
from crmarena.server.settings import ServerSettings

SETTINGS = "CRMARENA_SERVER_SETTINGS"
"""The environment variable that names the file of a worker's settings."""


def create_app(settings: ServerSettings) -> FastAPI:
    """The application that serves an org."""
    app = FastAPI(title="crmarena", description="An org over Salesforce's REST API.", redirect_slashes=False)
    app.state.desk = Desk(settings)
    app.add_exception_handler(SalesforceError, _answer)
    for module in (versions, query):
        app.include_router(module.router)
    return app


def create_worker() -> FastAPI:
    """The application of a worker process, by the settings that its environment names."""
    return create_app(ServerSettings.from_json(Path(os.environ[SETTINGS]).read_text(encoding="utf-8")))


async def _answer(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, SalesforceError):
        raise error
    return JSONResponse(faults.body(error), error.http_status)
