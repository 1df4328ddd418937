"""Running a server: its state folder, its certificate, its workers, its end."""

from __future__ import annotations

import os
import signal
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.supervisors import Multiprocess

from crmarena.errors import UsageError
from crmarena.server.app import SETTINGS, create_app
from crmarena.server.caller import Desk
from crmarena.server.protocol import PatientProtocol
from crmarena.server.settings import HEAD_LIMIT, PATIENCE, ServerSettings, state_path
from crmarena.server.tls import certificate

_BACKLOG = 2_048
_GRACE = 5
"""Seconds that requests at hand have to end when the server is told to."""


def serve(settings: ServerSettings, on_ready: Callable[[ServerSettings], None] | None = None) -> None:
    """Serve an org until the process is told to stop by SIGTERM or SIGINT.

    `on_ready` is called once clients can connect, with the port that was found for port 0 and the
    folder of the certificate. Raises UsageError for what cannot be served, or not there.
    """
    if settings.writable and settings.workers > 1:
        raise UsageError("A writable server has its sessions in one process; ask for 1 worker.")
    with _until_told(), _folder() as folder, _listening(settings) as listener:
        ready = _completed(settings, Path(folder), listener.getsockname()[1])
        _run(ready, listener, on_ready)


def options(settings: ServerSettings) -> dict[str, Any]:
    """What Uvicorn is told of a server."""
    found: dict[str, Any] = {
        "http": PatientProtocol,
        "ws": "none",
        "log_level": "warning",
        "h11_max_incomplete_event_size": HEAD_LIMIT,
        "timeout_keep_alive": int(PATIENCE),
        "timeout_graceful_shutdown": _GRACE,
    }
    if settings.tls:
        files = certificate(settings.certificates, settings.host)
        found |= {"ssl_certfile": str(files.chain), "ssl_keyfile": str(files.key)}
    return found


def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="crmarena-serve-")


def _completed(settings: ServerSettings, folder: Path, port: int) -> ServerSettings:
    """The settings with what the start has decided."""
    return replace(settings, port=port, state=settings.state or state_path(folder))


def _run(
    settings: ServerSettings,
    listener: socket.socket,
    on_ready: Callable[[ServerSettings], None] | None,
) -> None:
    told = options(settings)
    if settings.workers == 1:
        app = create_app(settings)
        app.state.desk.begin()
        (on_ready or _silent)(settings)
        uvicorn.Server(uvicorn.Config(app, **told)).run(sockets=[listener])
        return
    desk = Desk(settings)
    desk.begin()
    desk.close()
    place = Path(settings.state).with_name("settings.json")
    place.write_text(settings.to_json(), encoding="utf-8")
    os.environ[SETTINGS] = str(place)
    config = uvicorn.Config(
        "crmarena.server.app:create_worker", factory=True, workers=settings.workers, **told
    )
    (on_ready or _silent)(settings)
    Multiprocess(config, sockets=[listener]).run()


@contextmanager
def _listening(settings: ServerSettings) -> Iterator[socket.socket]:
    """The socket that clients connect to. Raises UsageError where it cannot be had."""
    where = f"{settings.host}:{settings.port}"
    try:
        address = socket.getaddrinfo(
            settings.host or None, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        # Only sockets that name their protocol are spared the delays of Nagle's algorithm by asyncio.
        listener = socket.socket(address[0], address[1], socket.IPPROTO_TCP)
    except OSError as error:
        raise UsageError(f"Cannot listen on {where}: {error.strerror}; give another host.") from None
    with listener:
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address[4])
            listener.listen(_BACKLOG)
        except OSError as error:
            raise UsageError(f"Cannot listen on {where}: {error.strerror}; give another port.") from None
        listener.set_inheritable(True)
        yield listener


class _Told(BaseException):
    """SIGTERM came."""


@contextmanager
def _until_told() -> Iterator[None]:
    """End the block, and no more, when the process is told to stop."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: Any) -> None:
        raise _Told

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    for number in before:
        signal.signal(number, end)
    try:
        yield
    except _Told:
        pass
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _silent(settings: ServerSettings) -> None:
    """Nobody asked to be told."""
