"""HTTP as Uvicorn speaks it, with Salesforce's words for what is no HTTP, and an end to waiting."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import h11
import orjson
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from crmarena.errors import SalesforceError
from crmarena.server import faults
from crmarena.server.answers import JSON_TYPE
from crmarena.server.faults import fault
from crmarena.server.settings import HEAD_LIMIT, PATIENCE

_LINGER = 2.0
"""Seconds for which a refused client may go on sending."""
_DISCARDED = 16_000_000
"""Bytes that are taken from it meanwhile."""


class PatientProtocol(H11Protocol):
    """A connection. Who begins a request and does not go on with it is waited for, but not for ever."""

    patience = PATIENCE
    """Seconds for a request's line and headers, and for what comes after an early answer."""
    _deadline: asyncio.TimerHandle | None = None
    _refused = False
    _discarded = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Something has arrived; from a client that was refused already, it is thrown away."""
        if not self._refused:
            super().data_received(data)
            return
        self._discarded += len(data)
        if self._discarded > _DISCARDED:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client, or this server, has gone."""
        self._stop_waiting()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Take up what has arrived."""
        super().handle_events()
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """An answer has gone out."""
        self._wait()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP."""
        if len(self.conn.trailing_data[0]) > HEAD_LIMIT:
            self._refuse(fault("too_long", limit=HEAD_LIMIT))
        else:
            self._refuse(fault("not_http", text=msg))

    def _wait(self) -> None:
        self._stop_waiting()
        self._deadline = self.loop.call_later(self.patience, self._give_up)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self._refuse(fault("too_slow", seconds=f"{self.patience:g}"))

    def _refuse(self, error: SalesforceError) -> None:
        """Answer, if an answer can still be given, and close the connection.

        Closing while the client still sends would reset the connection, and the answer with it.
        """
        body = orjson.dumps(faults.body(error))
        headers = [
            ("content-type", JSON_TYPE),
            ("content-length", str(len(body))),
            ("connection", "close"),
        ]
        reason = STATUS_PHRASES.get(error.http_status, b"")
        events = (
            h11.Response(status_code=error.http_status, headers=headers, reason=reason),
            h11.Data(data=body),
            h11.EndOfMessage(),
        )
        # Where an answer was under way already, no other can be given.
        with suppress(h11.LocalProtocolError):
            self.transport.write(b"".join(self.conn.send(event) or b"" for event in events))
        self._stop_waiting()
        self._refused = True
        if not self.transport.can_write_eof():
            self.transport.close()
            return
        self.transport.write_eof()
        self.flow.resume_reading()
        self.loop.call_later(_LINGER, self.transport.close)
