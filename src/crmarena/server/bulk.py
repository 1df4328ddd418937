"""What query and ingest jobs have in common: options, lookup, listing, the change of their state."""

from __future__ import annotations

import base64
import binascii
import time
from typing import Any

from starlette.responses import Response

from crmarena.schema.ids import to_18
from crmarena.server.answers import answer, no_content
from crmarena.server.caller import Caller
from crmarena.server.csv_records import DELIMITERS, LINE_ENDINGS
from crmarena.server.faults import fault
from crmarena.server.jobs import (
    ABORTED,
    COMPLETE,
    ENDED,
    FAILED,
    INGEST,
    OPEN,
    RUNNING,
    UPLOADED,
    Job,
    new_id,
)
from crmarena.server.json_text import Members
from crmarena.server.tokens import NOBODY

PAGE = 1_000
"""Jobs on a page of their list."""
OPTION_SCHEMAS = {
    "contentType": {"type": "string", "enum": ["CSV"]},
    "columnDelimiter": {"type": "string", "enum": list(DELIMITERS), "default": "COMMA"},
    "lineEnding": {"type": "string", "enum": list(LINE_ENDINGS), "default": "LF"},
}
"""The options as the OpenAPI document describes them."""
OPTIONS = tuple(OPTION_SCHEMAS)
"""The members of a new job that say how its CSV is written."""
JOB_TYPES = {"v2query": "query", "v2ingest": "ingest", "classic": "", "bigobjectingest": ""}
CSV_TYPE = "text/csv; charset=UTF-8"
_STATE_WORDS = {
    OPEN: "Open",
    UPLOADED: "Closed",
    RUNNING: "Closed",
    COMPLETE: "Completed",
    FAILED: "Failed",
    ABORTED: "Aborted",
}
_NOT_RUNNING = (UPLOADED, *ENDED)


def new_job(by: Caller, kind: str, members: Members, **values: Any) -> Job:
    """A job of a caller, with the options of a body. Raises SalesforceError."""
    _option(members, "contentType", ("CSV",))
    delimiter = _option(members, "columnDelimiter", tuple(DELIMITERS)) or "COMMA"
    ending = _option(members, "lineEnding", tuple(LINE_ENDINGS)) or "LF"
    now = time.time()
    return Job(
        id=new_id(),
        kind=kind,
        owner=owner_of(by),
        login=by.token.login,
        user_id=by.token.user_id,
        version=by.version,
        created=now,
        modified=now,
        beat=now,
        column_delimiter=delimiter,
        line_ending=ending,
        **values,
    )


def choice(members: Members, name: str, known: tuple[str, ...]) -> str:
    """A member that is one of some words. Raises SalesforceError."""
    value = members.text(name)
    if value not in known:
        raise fault("bulk_value", name=name, value=value)
    return value


def owner_of(by: Caller) -> str:
    """Whose a caller's jobs are: on a writable server its login's, as is the org that they work on."""
    return by.token.login if by.desk.settings.writable else by.token.username.lower()


def job_of(by: Caller, kind: str, job_id: str) -> Job:
    """A caller's job by its Id. Raises SalesforceError NOT_FOUND."""
    found = by.desk.bulk.jobs.find(to_18(job_id) or job_id, kind, owner_of(by))
    if found is None:
        raise fault("no_resource")
    return found


def shown(job: Job, *, progress: bool = False) -> dict[str, Any]:
    """A job as a body."""
    return job.to_rest(job.user_id or NOBODY) | (job.progress() if progress else {})


def listing(
    by: Caller, kind: str, job_type: str | None, mode: str | None, chunked: bool | None, locator: str | None
) -> Response:
    """A page of a caller's jobs, those that the filters leave. Raises SalesforceError."""
    if job_type is not None and job_type.lower() not in JOB_TYPES:
        raise fault("bulk_value", name="jobType", value=job_type)
    # Every job is processed in parallel, and none by chunks of primary keys.
    fits = (mode or "parallel").lower() == "parallel" and not chunked
    fits = fits and JOB_TYPES[(job_type or f"v2{kind}").lower()] == kind
    jobs = by.desk.bulk.jobs.of(kind, owner_of(by)) if fits else []
    start = read_locator(locator)
    more = start + PAGE < len(jobs)
    url = f"{by.root}/jobs/{kind}?queryLocator={make_locator(start + PAGE)}" if more else None
    listed = [shown(job) | {"jobType": job.progress()["jobType"]} for job in jobs[start : start + PAGE]]
    return answer({"done": not more, "records": listed, "nextRecordsUrl": url})


def abort(by: Caller, job: Job) -> Response:
    """End a job before its time. Raises SalesforceError where it has ended."""
    if not by.desk.bulk.abort(job):
        raise state_fault(by, job, "Aborting")
    return answer(shown(job_of(by, job.kind, job.id)))


def remove(by: Caller, job: Job) -> Response:
    """Delete a job and its files. Raises SalesforceError while it is being done, or still open."""
    states = (*_NOT_RUNNING, OPEN) if job.kind == INGEST else _NOT_RUNNING
    if not by.desk.bulk.jobs.remove(job, states):
        raise fault("bulk_delete", state=job_of(by, job.kind, job.id).state)
    return no_content()


def state_fault(by: Caller, job: Job, doing: str) -> Exception:
    """The error of a change that a job's state does not allow."""
    return fault("bulk_state", doing=doing, state=_STATE_WORDS[job_of(by, job.kind, job.id).state])


def make_locator(row: int) -> str:
    """The text that stands for a row to go on from."""
    return base64.urlsafe_b64encode(str(row).encode()).decode().rstrip("=")


def read_locator(text: str | None) -> int:
    """The row that a locator stands for. Raises SalesforceError."""
    if not text:
        return 0
    try:
        row = base64.urlsafe_b64decode(f"{text}{'=' * (-len(text) % 4)}".encode()).decode()
    except (binascii.Error, ValueError):
        raise fault("locator") from None
    if not (row.isascii() and row.isdigit() and len(row) < 12):
        raise fault("locator")
    return int(row)


def _option(members: Members, name: str, known: tuple[str, ...]) -> str | None:
    return choice(members, name, known) if members.value.get(name) is not None else None
