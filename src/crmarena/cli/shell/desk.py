"""What a shell works on: an org asked on some day as some user, and how answers are printed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

from crmarena.cli import answers, asking
from crmarena.cli.formats import Format, new_file
from crmarena.cli.hints import nothing_found
from crmarena.errors import CRMArenaError, SalesforceError, UsageError
from crmarena.org.org import open_org
from crmarena.org.session import Session

if TYPE_CHECKING:
    from crmarena.org.changes import Change
    from crmarena.org.writable import WritableSession


class Desk:
    """An org and the settings that commands change. Usable as a context manager."""

    def __init__(
        self, path: Path, *, today: str | None = None, user: str | None = None, writable: bool = False
    ) -> None:
        self.writable = writable
        self.today = today
        self.user = user
        self.form = Format.TABLE
        self.timing = False
        self.done = False
        """Whether `.quit` was said."""
        self.depth = 0
        """How many files are being read, one from the other."""
        self.org = open_org(path)
        self._file: TextIO | None = None
        self._blocks: list[AbstractContextManager[None]] = []
        self._kept: list[Change] = []
        self.session = self._open()

    @property
    def out(self) -> TextIO:
        """Where answers are printed."""
        return self._file or sys.stdout

    @property
    def writes(self) -> WritableSession:
        """The session, for a write. Raises UsageError where the shell only reads."""
        if not self.writable:
            raise UsageError("This shell only reads; start it with --writable to change records.")
        return cast("WritableSession", self.session)

    @property
    def pending(self) -> int:
        """How many records are changed and not committed."""
        return sum(change not in self._kept for change in self.writes.changes()) if self.writable else 0

    def ask(self, text: str) -> None:
        """Run a statement and print what it found. Raises SalesforceError."""
        with asking.timed(sys.stderr, wanted=self.timing):
            result = asking.ask(self.session, text)
        found = answers.answer(result, answers.columns_of(self.session.schema, text, asking.API_VERSION))
        answers.show(found, self.form, self.out)
        if not found.total:
            print(nothing_found(self.session, text), file=sys.stderr)

    def as_of(self, today: str | None) -> None:
        """Ask from now on as if it were a day; None: the machine's."""
        asking.clock_of(today, ".today")
        self._reopen(today, self.user)

    def as_user(self, user: str | None) -> None:
        """Ask from now on as a user; None: nobody."""
        asking.viewer_of(self.org, user)
        self._reopen(self.today, user)

    def begin(self) -> None:
        """Mark a place to roll back to."""
        block = self.writes.atomic()
        block.__enter__()
        self._blocks.append(block)

    def roll_back(self) -> None:
        """Undo what was written since the last mark; without one, everything."""
        if not self._blocks:
            self.writes.close()
            self.session = self._open()
            return
        with suppress(_Undone):
            self._blocks.pop().__exit__(_Undone, _Undone(), None)

    def commit(self, path: Path | None) -> Path:
        """Keep what was written: in the org's file, which is then opened anew, or in a new one."""
        writes = self.writes
        self._end_blocks()
        written = writes.commit(path)
        self._kept = writes.changes()
        if written == self.org.path:
            self.session.close()
            self.org.close()
            self.org = open_org(written)
            self.session = self._open()
        return written

    def print_to(self, path: Path | None) -> None:
        """Print answers into a new file; None: on the terminal again."""
        file = new_file(path) if path is not None else None
        if self._file is not None:
            self._file.close()
        self._file = file

    def close(self) -> None:
        """Give up what is not committed."""
        self.print_to(None)
        self._end_blocks()
        self.session.close()
        self.org.close()

    def __enter__(self) -> Desk:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> Session:
        self._kept = []
        return asking.open_session(self.org, today=self.today, user=self.user, writable=self.writable)

    def _reopen(self, today: str | None, user: str | None) -> None:
        if self.pending:
            raise UsageError("A new day or user starts a new session; .commit or .rollback first.")
        self._end_blocks()
        self.session.close()
        self.today, self.user = today, user
        self.session = self._open()

    def _end_blocks(self) -> None:
        """Let what was written since the marks stand."""
        while self._blocks:
            self._blocks.pop().__exit__(None, None, None)


class _Undone(Exception):
    """Leaves a block without its writes."""


@contextmanager
def told(failures: list[str]) -> Iterator[None]:
    """Add an error to the failures in place of raising it."""
    try:
        yield
    except SalesforceError as error:
        failures.append(str(error))
    except CRMArenaError as error:
        failures.append(f"crmarena: {error}")
    except BrokenPipeError:
        raise
    except OSError as error:
        failures.append(f"crmarena: {error.filename or 'output'}: {error.strerror}.")
