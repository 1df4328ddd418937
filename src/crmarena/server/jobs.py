"""The jobs of Bulk API 2.0, as all workers know them: rows of the shared state, and a folder of files."""

from __future__ import annotations

import secrets
import shutil
import time
from collections.abc import Collection, Iterator
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from crmarena.clock import Clock, format_datetime
from crmarena.schema.ids import make_id
from crmarena.server.csv_records import Dialect
from crmarena.server.state import StateStore

OPEN, UPLOADED, RUNNING = "Open", "UploadComplete", "InProgress"
COMPLETE, FAILED, ABORTED = "JobComplete", "Failed", "Aborted"
ENDED = (COMPLETE, FAILED, ABORTED)
QUERY, INGEST = "query", "ingest"
DATA = "data.csv"
"""The file of what was uploaded."""


@dataclass(frozen=True)
class Job:
    """A job."""

    id: str
    kind: str
    """`query` or `ingest`."""
    owner: str
    """Whose it is: a login on a writable server, else a user name."""
    login: str
    user_id: str | None
    version: str
    operation: str
    object: str
    created: float
    column_delimiter: str = "COMMA"
    line_ending: str = "LF"
    query: str = ""
    key_field: str = ""
    state: str = OPEN
    modified: float = 0.0
    worker: str = ""
    """The worker that has it in hand."""
    beat: float = 0.0
    """When a worker was last seen to care for it."""
    attempt: int = 0
    uploaded: int = 0
    """Whether its data has come."""
    processed: int = 0
    failed: int = 0
    elapsed: int = 0
    """Milliseconds of work."""
    message: str = ""

    @property
    def dialect(self) -> Dialect:
        """How its CSV is written."""
        return Dialect(self.column_delimiter, self.line_ending)

    @property
    def clock(self) -> Clock:
        """The instant at which it was created."""
        return Clock(datetime.fromtimestamp(self.created, UTC))

    def to_rest(self, user_id: str) -> dict[str, Any]:
        """The job as it is shown at its creation and when its state is changed."""
        shown = {
            "id": self.id,
            "operation": self.operation,
            "object": self.object,
            "createdById": user_id,
            "createdDate": format_datetime(self.clock.now),
            "systemModstamp": format_datetime(datetime.fromtimestamp(self.modified, UTC)),
            "state": self.state,
            "concurrencyMode": "Parallel",
            "contentType": "CSV",
            "apiVersion": float(self.version),
            "lineEnding": self.line_ending,
            "columnDelimiter": self.column_delimiter,
        }
        if self.key_field:
            shown["externalIdFieldName"] = self.key_field
        if self.kind == INGEST and self.state == OPEN:
            shown["contentUrl"] = f"services/data/v{self.version}/jobs/ingest/{self.id}/batches"
        return shown

    def progress(self) -> dict[str, Any]:
        """What is shown beside when the job is asked for."""
        shown: dict[str, Any] = {
            "jobType": "V2Query" if self.kind == QUERY else "V2Ingest",
            "numberRecordsProcessed": self.processed,
            "retries": max(self.attempt - 1, 0),
            "totalProcessingTime": self.elapsed,
        }
        if self.kind == INGEST:
            shown["numberRecordsFailed"] = self.failed
            shown["apiActiveProcessingTime"] = self.elapsed
            shown["apexProcessingTime"] = 0
        return shown | ({"errorMessage": self.message} if self.message else {})


_COLUMNS = tuple(field.name for field in fields(Job))
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM jobs WHERE"


class Jobs:
    """The jobs of a server. What changes a job does so only from the states that it names."""

    def __init__(self, state: StateStore) -> None:
        self._state = state
        self._folder = Path(state.path).with_name("jobs")
        with state.change() as connection:
            connection.execute(f"CREATE TABLE IF NOT EXISTS jobs ({', '.join(_COLUMNS)}, PRIMARY KEY (id))")

    def add(self, job: Job) -> None:
        """Keep a new job."""
        self.folder(job).mkdir(parents=True)
        with self._state.change() as connection:
            marks = ", ".join("?" for _ in _COLUMNS)
            connection.execute(f"INSERT INTO jobs VALUES ({marks})", astuple(job))

    def find(self, job_id: str, kind: str | None = None, owner: str | None = None) -> Job | None:
        """A job by its Id of 18 characters, if it is of a kind and an owner."""
        for job in self._read("id = ?", job_id):
            if kind in (None, job.kind) and owner in (None, job.owner):
                return job
        return None

    def of(self, kind: str, owner: str) -> list[Job]:
        """An owner's jobs of a kind, the oldest first."""
        return list(self._read("kind = ? AND owner = ? ORDER BY created, id", kind, owner))

    def change(self, job: Job, states: Collection[str], **values: Any) -> bool:
        """Change a job that is in one of some states; whether it was."""
        return self._update(f"state IN ({_marks(states)})", (job.id, *states), modified=time.time(), **values)

    def begin_upload(self, job: Job) -> bool:
        """Let one upload be the job's data; whether it is the first, and the job is open."""
        return self._update(f"state = '{OPEN}' AND uploaded = 0", (job.id,), uploaded=1)

    def claim(self, job_id: str, worker: str, stale: float) -> bool:
        """Let a worker have a job in hand: one that waits, or whose worker was not seen since `stale`."""
        condition = f"(state = '{UPLOADED}' OR (state = '{RUNNING}' AND beat < ?))"
        with self._state.change() as connection:
            done = connection.execute(
                f"UPDATE jobs SET state = '{RUNNING}', worker = ?, beat = ?, modified = ?,"
                f" attempt = attempt + 1 WHERE id = ? AND {condition}",
                (worker, time.time(), time.time(), job_id, stale),
            )
            return done.rowcount == 1

    def report(self, job: Job, states: Collection[str] = (RUNNING,), **values: Any) -> bool:
        """Tell of a job that a worker has in hand; whether it is still to go on with it."""
        values = {"beat": time.time(), "modified": time.time(), **values}
        condition = f"worker = ? AND attempt = ? AND state IN ({_marks(states)})"
        return self._update(condition, (job.id, job.worker, job.attempt, *states), **values)

    def left(self, stale: float) -> list[str]:
        """The Ids of jobs that wait or are in hand, and were not cared for since `stale`."""
        waiting = self._read(f"state IN ('{UPLOADED}', '{RUNNING}') AND beat < ? ORDER BY created", stale)
        return [job.id for job in waiting]

    def beat(self, worker: str) -> None:
        """Care for all jobs that a worker has in hand."""
        with self._state.change() as connection:
            connection.execute(
                f"UPDATE jobs SET beat = ? WHERE worker = ? AND state = '{RUNNING}'", (time.time(), worker)
            )

    def remove(self, job: Job, states: Collection[str]) -> bool:
        """Delete a job that is in one of some states, with its files; whether it was."""
        with self._state.change() as connection:
            done = connection.execute(
                f"DELETE FROM jobs WHERE id = ? AND state IN ({_marks(states)})", (job.id, *states)
            )
            removed = done.rowcount == 1
        if removed:
            shutil.rmtree(self.folder(job), ignore_errors=True)
        return removed

    def sweep(self, oldest: float, owners: Collection[str] | None) -> None:
        """Delete jobs that were not touched since a time, and those of owners that are no more."""
        for job in self._read(f"modified < ? AND state != '{RUNNING}'", oldest):
            self.remove(job, (job.state,))
        select = "SELECT DISTINCT owner FROM jobs"
        known = (
            {owner for (owner,) in self._state.connection.execute(select)} if owners is not None else set()
        )
        for owner in known.difference(owners or ()):
            for job in self._read("owner = ?", owner):
                self.remove(job, (job.state,))

    def folder(self, job: Job) -> Path:
        """Where the files of a job are."""
        return self._folder / job.id

    def _read(self, condition: str, *values: Any) -> Iterator[Job]:
        for row in self._state.connection.execute(f"{_SELECT} {condition}", values).fetchall():
            yield Job(*row)

    def _update(self, condition: str, named: tuple[Any, ...], **values: Any) -> bool:
        columns = ", ".join(f"{name} = ?" for name in values)
        with self._state.change() as connection:
            done = connection.execute(
                f"UPDATE jobs SET {columns} WHERE id = ? AND {condition}", (*values.values(), *named)
            )
            return done.rowcount == 1


def new_id() -> str:
    """An Id for a job."""
    return make_id("750", "5", secrets.randbelow(62**11))


def _marks(values: Collection[str]) -> str:
    return ", ".join("?" for _ in values)
