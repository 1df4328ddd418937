"""The private sessions of a writable server: one for each login, as many as were asked for."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from crmarena.org.writable import WritableSession
from crmarena.server.faults import fault
from crmarena.server.tokens import Token


@dataclass(eq=False)
class _Private:
    """A login's session, and the turn of its calls: one at a time, in the order they came."""

    session: WritableSession
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class SessionPool:
    """Opens a session for each login and ends it with the login's last token."""

    def __init__(self, size: int, opener: Callable[[Token], WritableSession]) -> None:
        self._size = size
        self._opener = opener
        self._lock = threading.Lock()
        self._held: dict[str, _Private] = {}
        self._ending: set[asyncio.Task[None]] = set()

    def reserve(self, token: Token) -> None:
        """Open the session of a token's login. Raises SalesforceError when all places are taken."""
        with self._lock:
            if token.login in self._held:
                return
            if len(self._held) >= self._size:
                raise fault("busy")
            self._held[token.login] = _Private(self._opener(token))

    @asynccontextmanager
    async def turn(self, token: Token) -> AsyncIterator[WritableSession]:
        """The session of a token's login, for one call alone. Raises SalesforceError."""
        private = await self._private(token)
        async with private.turn:
            if self._held.get(token.login) is not private:
                raise fault("session")
            yield private.session

    async def aside(self, token: Token) -> WritableSession:
        """The session of a token's login, for a call that leaves it to others. Raises SalesforceError."""
        return (await self._private(token)).session

    def get(self, login: str) -> WritableSession | None:
        """The session of a login, for work that outlasts a call; None where it has ended."""
        private = self._held.get(login)
        return None if private is None else private.session

    async def keep(self, logins: Collection[str]) -> None:
        """End the sessions of all other logins; a call at hand of one keeps no other from ending."""
        for login in [login for login in self._held if login not in logins]:
            task = asyncio.create_task(self.end(login))
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)
        await asyncio.sleep(0)  # their places are free from here on

    async def end(self, login: str) -> None:
        """End a login's session once its call at hand is done; its place is free at once."""
        private = self._held.pop(login, None)
        if private is not None:
            async with private.turn:
                await asyncio.to_thread(private.session.close)

    async def _private(self, token: Token) -> _Private:
        if token.login not in self._held:
            await asyncio.to_thread(self.reserve, token)
        private = self._held.get(token.login)
        if private is None:
            raise fault("session")
        return private

    def close(self) -> None:
        """End all sessions."""
        while self._held:
            self._held.popitem()[1].session.close()
