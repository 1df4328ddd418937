"""Programs written for a live org, brought to a local server without a change of theirs.

simple_salesforce speaks https to Salesforce's hosts only. `patch_simple_salesforce` sends such
requests to a server of this package for the whole process, `adapter` those of one session of
`requests`, and `python -m crmarena.clients URL program.py` runs a program under the patch.
"""

from __future__ import annotations

import argparse
import functools
import inspect
import re
import runpy
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from crmarena.errors import UsageError

if TYPE_CHECKING:
    from requests import PreparedRequest, Response
    from requests.adapters import HTTPAdapter

_SALESFORCE = re.compile(r"(.+\.)?(salesforce\.com|force\.com|salesforce\.mil)")
"""The hosts that Salesforce serves logins and orgs from."""
_SERVER = re.compile(r"https?://([\w.-]+|\[[0-9a-fA-F:]+\])(:\d{1,5})?/?")


_patches: list[Patch] = []
"""The patches in force, the latest last."""
_originals: list[tuple[Any, str, Callable[..., Any]]] = []
"""What the wrappers stand in for: the class, the method's name, the method."""


def patch_simple_salesforce(url: str, *, token: str | None = None) -> Patch:
    """Send what simple_salesforce asks of Salesforce to the server at a URL, until `undo`.

    Every request of the process for a host of Salesforce's goes there, and every request for an
    instance that a `Salesforce` is made with. With a token, it takes the place of the program's own.
    Raises UsageError where simple_salesforce is not installed, or the URL is none.
    """
    _needed("simple_salesforce")
    patch = Patch(Target(url, token))
    if not _patches:
        _install()
    _patches.append(patch)
    return patch


def adapter(url: str, *, token: str | None = None) -> HTTPAdapter:
    """An adapter for one session of `requests`: what it is mounted for goes to the server at a URL.

    `session.mount("https://", adapter("http://127.0.0.1:8000"))`, then `Salesforce(..., session=session)`.
    """
    base: type[HTTPAdapter] = _needed("requests.adapters").HTTPAdapter
    target = Target(url, token)

    class Adapter(base):  # type: ignore[misc, valid-type]
        def send(self, request: PreparedRequest, *args: Any, **options: Any) -> Response:
            target.redirect(request)
            response: Response = super().send(request, *args, **{**options, "proxies": {}})
            return response

    made: HTTPAdapter = Adapter()
    return made


class Target:
    """A server of this package, as requests are turned to it."""

    def __init__(self, url: str, token: str | None) -> None:
        if not _SERVER.fullmatch(url):
            raise UsageError(f"{url!r} is no URL of a server; write it as http://127.0.0.1:8000.")
        self.root = url.rstrip("/")
        self.token = token

    def redirect(self, request: PreparedRequest) -> None:
        """Turn a request to this server, as the token's owner if there is a token."""
        request.url = self.root + request.path_url
        if self.token and str(request.headers.get("Authorization", "")).startswith("Bearer "):
            request.headers["Authorization"] = f"Bearer {self.token}"


class Patch:
    """A patch in force, usable as a context manager. Of several the latest counts."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._hosts = {_host(target.root)}

    def undo(self) -> None:
        """Let requests go where they went before this patch; again does nothing."""
        if self in _patches:
            _patches.remove(self)
        if not _patches:
            _restore()

    def add_instance(self, instance: str) -> None:
        """Take the requests for an instance too, given as a host or a URL."""
        self._hosts.add(_host(instance))

    def turn(self, request: PreparedRequest) -> bool:
        """Turn a request to the server if it is for Salesforce; whether it was."""
        host = _host(request.url or "")
        if host not in self._hosts and not _SALESFORCE.fullmatch(host):
            return False
        self._target.redirect(request)
        return True

    def __enter__(self) -> Patch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.undo()


def _install() -> None:
    """Put the two wrappers in place: one on sending, one on making a `Salesforce`."""
    for holder, name, wrap in (
        (_needed("requests").Session, "send", _sending),
        (_needed("simple_salesforce").Salesforce, "__init__", _making),
    ):
        original = getattr(holder, name)
        _originals.append((holder, name, original))
        setattr(holder, name, wrap(original))


def _restore() -> None:
    while _originals:
        holder, name, original = _originals.pop()
        setattr(holder, name, original)


def _sending(original: Callable[..., Response]) -> Callable[..., Response]:
    @functools.wraps(original)
    def send(session: Any, request: PreparedRequest, **options: Any) -> Response:
        if any(patch.turn(request) for patch in reversed(_patches)):
            # The proxies were chosen for Salesforce's host: none stands between here and the server.
            options["proxies"] = {}
        return original(session, request, **options)

    return send


def _making(original: Callable[..., None]) -> Callable[..., None]:
    signature = inspect.signature(original)

    @functools.wraps(original)
    def init(*args: Any, **options: Any) -> None:
        given = signature.bind(*args, **options).arguments
        for name in ("instance", "instance_url"):
            if given.get(name):
                _patches[-1].add_instance(given[name])
        original(*args, **options)

    return init


def _host(url: str) -> str:
    """The host of a URL, or of a bare instance, with its port where that is not the scheme's own."""
    parts = urlsplit(url if "://" in url else f"https://{url}")
    return f"{parts.hostname}" if parts.port in {None, 80, 443} else f"{parts.hostname}:{parts.port}"


def _needed(module: str) -> Any:
    """A module that comes with simple_salesforce, imported only when it is asked for."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != module.split(".")[0]:
            raise
        raise UsageError(
            f"{module.split('.')[0]} is not installed; `pip install simple-salesforce` brings it."
        ) from None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a Python program under the patch, as `python program.py` would; the exit code of wrong usage."""
    given = _parser().parse_args(arguments)
    try:
        patch = patch_simple_salesforce(given.url, token=given.token)
        if not given.module and not Path(given.program).is_file():
            raise UsageError(f"No program at {given.program}; name a Python file, or a module after -m.")
    except UsageError as error:
        print(f"crmarena: {error}", file=sys.stderr)
        return error.exit_code
    with patch:
        _run(given.program, given.module, given.arguments)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m crmarena.clients",
        description="Run a Python program that uses simple_salesforce against a local server.",
    )
    parser.add_argument("--token", help="send this token in place of the program's own")
    parser.add_argument("-m", dest="module", action="store_true", help="the program is the name of a module")
    parser.add_argument("url", help="the server, as http://127.0.0.1:8000")
    parser.add_argument("program", help="the program's file")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the program is given")
    return parser


def _run(program: str, module: bool, arguments: list[str]) -> None:
    sys.argv = [program, *arguments]
    if module:
        runpy.run_module(program, run_name="__main__", alter_sys=True)
        return
    sys.path[0] = str(Path(program).resolve().parent)
    runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    # As the module that programs import, not as a second copy of it.
    sys.exit(import_module("crmarena.clients").main())
