"""The work of jobs: in threads of the worker, taken over from workers that have died."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any

from crmarena.errors import CRMArenaError, SalesforceError
from crmarena.org.session import Session
from crmarena.org.writable import WritableSession
from crmarena.server.extract import ExtractFile, ExtractQuestion
from crmarena.server.faults import fault
from crmarena.server.jobs import ABORTED, COMPLETE, DATA, ENDED, FAILED, QUERY, RUNNING, UPLOADED, Job, Jobs
from crmarena.server.load import Load, Stopped

STALE = 10.0
"""Seconds after which a job that nobody cares for is taken over."""
LIFE = 7 * 86_400.0
"""Seconds for which the results of a job are kept."""
MOST_ATTEMPTS = 3
"""How often a query is begun: it may be what its workers die of."""
_AT_ONCE = 2
_PATIENCE, _PAUSE = 2.0, 0.005
_LOG = logging.getLogger("crmarena.server")

OpenSession = Callable[[Job], AbstractContextManager[Session]]


class JobRunner:
    """Does the jobs of a worker. Usable until it is closed."""

    def __init__(self, jobs: Jobs, open_session: OpenSession) -> None:
        self.jobs = jobs
        self._open_session = open_session
        self._worker = uuid.uuid4().hex
        self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="bulk")
        self._closing = threading.Event()
        self._at_hand: set[str] = set()
        """Jobs that are done, or wait for a thread, here."""

    def start(self, job_id: str) -> None:
        """Do a job as soon as there is a thread for it."""
        if not self._closing.is_set() and job_id not in self._at_hand:
            self._at_hand.add(job_id)
            self._pool.submit(self._do, job_id)

    def abort(self, job: Job) -> bool:
        """End a job that has not ended; whether it was so. Returns when its worker has let go of it."""
        if not self.jobs.change(job, [state for state in _STATES if state not in ENDED], state=ABORTED):
            return False
        patience = time.monotonic() + _PATIENCE
        while (found := self.jobs.find(job.id)) and found.worker and time.monotonic() < patience:
            time.sleep(_PAUSE)
        return True

    def sweep(self, owners: Collection[str] | None) -> None:
        """Care for the jobs at hand, take over those that were left, delete what is past its time."""
        if self._at_hand:
            self.jobs.beat(self._worker)
        now = time.time()
        for job_id in self.jobs.left(now - STALE):
            self.start(job_id)
        self.jobs.sweep(now - LIFE, owners)

    def close(self) -> None:
        """Leave the jobs at hand to others, and end the threads."""
        self._closing.set()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _do(self, job_id: str) -> None:
        try:
            if self._closing.is_set() or not self.jobs.claim(job_id, self._worker, time.time() - STALE):
                return
            job = self.jobs.find(job_id)
            if job is not None:
                self._run(job, time.monotonic())
        except Exception:
            # The job is left in hand with nobody to care for it, and so is soon taken over.
            _LOG.exception("Job %s could not be done.", job_id)
        finally:
            self._at_hand.discard(job_id)

    def _run(self, job: Job, begun: float) -> None:
        """Do a job, and tell how it ended."""
        ended: dict[str, Any] = {"state": COMPLETE}
        try:
            with self._open_session(job) as session:
                self._work(job, session, begun)
        except Stopped:
            ended = _left(job)
        except CRMArenaError as error:
            ended = {"state": FAILED, "message": _message(error)}
        except Exception as error:
            _LOG.error("Job %s failed.", job.id, exc_info=error)
            ended = {"state": FAILED, "message": _message(fault("crash", id=job.id))}
        ended = {"elapsed": _since(begun), **ended}
        if not self.jobs.report(job, worker="", **ended):
            self.jobs.report(job, (ABORTED,), worker="")

    def _work(self, job: Job, session: Session, begun: float) -> None:
        def watch(done: int, failed: int = 0) -> None:
            counts: dict[str, Any] = {"processed": done, "failed": failed, "elapsed": _since(begun)}
            if self._closing.is_set() or not self.jobs.report(job, **counts):
                raise Stopped

        if job.kind == QUERY:
            if job.attempt > MOST_ATTEMPTS:
                raise fault("batch_left")
            result_of(self.jobs, job).write(session, _question(job), watch)
            return
        # Rows that were written are not written again: what was left half done cannot be gone on with.
        if job.attempt > 1:
            raise fault("batch_left")
        if not isinstance(session, WritableSession):
            raise fault("read_only")
        folder = self.jobs.folder(job)
        sobject = session.schema.objects[job.object]
        load = Load(sobject, job.operation, job.key_field, job.dialect, folder)
        load.run(session, folder / DATA, watch)


_STATES = ("Open", UPLOADED, RUNNING, *ENDED)


def result_of(jobs: Jobs, job: Job) -> ExtractFile:
    """The file of a query job's records: one for each attempt, so that two never write one."""
    return ExtractFile(jobs.folder(job) / f"records-{job.attempt}.csv")


def _left(job: Job) -> dict[str, Any]:
    """How a job stands that its worker stops at: a query waits for another, what was half written fails."""
    if job.kind == QUERY:
        return {"state": UPLOADED, "beat": 0.0, "attempt": job.attempt - 1}
    return {"state": FAILED, "message": _message(fault("batch_left"))}


def _question(job: Job) -> ExtractQuestion:
    return ExtractQuestion(job.query, job.operation == "queryAll", int(float(job.version)), job.dialect)


def _message(error: CRMArenaError) -> str:
    """An error as a job shows it: `InvalidBatch : Field name not found : Nmae`."""
    return f"{error.error_code} : {error.message}" if isinstance(error, SalesforceError) else str(error)


def _since(begun: float) -> int:
    return round((time.monotonic() - begun) * 1_000)
