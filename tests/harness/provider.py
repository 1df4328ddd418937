"""A provider on the loopback interface that speaks OpenAI's chat protocol, and does what a test asks."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Messages = list[dict[str, Any]]
Reply = Callable[[Messages], str | int]
"""What a conversation is answered with: a text, or the status of a failure."""


class Provider:
    """Answers each request with what `reply` gives; a context manager."""

    def __init__(self, reply: Reply, *, delay: float = 0.0) -> None:
        self.requests: list[Messages] = []
        self.reply = reply
        self.delay = delay
        self.refusal = "failed"
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def environment(self) -> dict[str, str]:
        """What makes `openai-api/fake/NAME` this provider."""
        return {"FAKE_BASE_URL": self.address, "FAKE_API_KEY": "none"}

    def __enter__(self) -> Provider:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with provider._lock:
                    provider.requests.append(body["messages"])
                time.sleep(provider.delay)
                said = provider.reply(body["messages"])
                if isinstance(said, int):
                    self._send(said, {"error": {"message": provider.refusal, "type": "server_error"}})
                else:
                    self._send(200, completion(body["model"], said))

            def _send(self, status: int, payload: dict[str, Any]) -> None:
                data = json.dumps(payload).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                with suppress(BrokenPipeError):  # The client was killed, as some tests do.
                    self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:
                return

        return Handler


def completion(model: str, text: str) -> dict[str, Any]:
    """A whole chat completion with its usage."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }
