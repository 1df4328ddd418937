"""A session's state into an org file: written beside it, made safe, and put in its place at once.

Whoever has the old file open keeps it, for a file that is replaced lives until it is closed. A
full disk or a kill leaves the old file whole.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from crmarena.errors import CRMArenaError, UsageError
from crmarena.org.copies import unmarked
from crmarena.storage.identity import FileIdentity

_fcntl: Any
try:
    import fcntl as _fcntl
except ImportError:
    # Windows: two commits at once are told apart by the file alone.
    _fcntl = None


def write_org(connection: sqlite3.Connection, path: Path, known: FileIdentity | None) -> FileIdentity:
    """Write the state of a connection to a path; gives what is there now.

    `known` is what the file at the path was when it was read, None for a new one. Raises UsageError
    where something else is there by now, CRMArenaError where it cannot be written.
    """
    path = path.resolve()
    aside = path.with_name(f".{path.name}-commit")
    content = connection.serialize()
    try:
        with _alone(path.parent):
            _check(path, known)
            try:
                _put(content, aside, path)
                _check(path, known)
                aside.replace(path)
            except BaseException:
                aside.unlink(missing_ok=True)
                raise
            _settle(path.parent)
    except (OSError, sqlite3.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise CRMArenaError(f"{path} cannot be written: {reason}; what was there is as it was.") from None
    found = FileIdentity.of(path)
    if found is None:
        raise CRMArenaError(f"{path} was removed while it was written.")
    return found


def _check(path: Path, known: FileIdentity | None) -> None:
    found = FileIdentity.of(path)
    if found == known:
        return
    if known is None:
        raise UsageError(f"{path} exists already; give another name or remove it first.")
    raise UsageError(
        f"{path} was changed after it was opened; commit to another path, or open it again and write again."
    )


def _put(content: bytes, aside: Path, path: Path) -> None:
    """The content as a finished file beside the path, with the statistics that queries are planned by."""
    with aside.open("wb") as file:
        file.write(content)
    with closing(sqlite3.connect(aside, isolation_level=None)) as connection:
        # Nobody else sees this file: what a crash leaves of it is of no use to anybody.
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        unmarked(connection)
        connection.execute("ANALYZE")
    if path.exists():
        aside.chmod(path.stat().st_mode & 0o7777)
    with aside.open("r+b") as file:
        os.fsync(file.fileno())


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One commit at a time in a folder; the lock ends with its process, however that ends."""
    if _fcntl is None:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        _fcntl.flock(descriptor, _fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _settle(folder: Path) -> None:
    """Make the new name of a file outlast a loss of power."""
    if _fcntl is None:
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
