"""Running a server: its state folder, its workers, its end."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import uvicorn

from crmarena.server.app import SETTINGS, create_app
from crmarena.server.caller import Desk
from crmarena.server.settings import ServerSettings


def serve(settings: ServerSettings) -> None:
    """Serve an org until the process is told to stop."""
    tokens = Desk(settings).tokens
    tokens.issue(settings.logins[0].username, settings.token)
    options: dict[str, Any] = {"host": settings.host, "port": settings.port, "log_level": "warning"}
    if settings.workers == 1:
        uvicorn.run(create_app(settings), **options)
        return
    place = Path(settings.state).with_name("settings.json")
    place.write_text(settings.to_json(), encoding="utf-8")
    os.environ[SETTINGS] = str(place)
    uvicorn.run("crmarena.server.app:create_worker", factory=True, workers=settings.workers, **options)
