"""`jobs/ingest`: records written from CSV."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, BinaryIO

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response, StreamingResponse

from crmarena.errors import SalesforceError
from crmarena.org.references import key_field
from crmarena.schema.objects import SObject
from crmarena.server import bulk
from crmarena.server.answers import Answer, answer
from crmarena.server.bodies import check_type
from crmarena.server.caller import Caller, caller
from crmarena.server.faults import fault
from crmarena.server.jobs import ABORTED, DATA, ENDED, INGEST, OPEN, UPLOADED, Job
from crmarena.server.json_text import JsonText, Members
from crmarena.server.load import OPERATIONS, RESULTS, UNPROCESSED, result_file
from crmarena.server.openapi import body, returns
from crmarena.server.routes.bulk_query import Chunked, JobType, Locator, Mode

router = APIRouter(prefix="/services/data/v{version}/jobs/ingest", tags=["Bulk"])

MOST_BYTES = 104_857_600
"""Bytes of an upload: 100 MB before anything is encoded."""
_BUFFER = 1_048_576
_PART = "upload.part"
"""The data while it is coming."""

By = Annotated[Caller, Depends(caller)]

_JOB = returns({"type": "object"}, "The job")
_GONE: dict[int | str, Any] = {204: {"description": "Deleted"}}
_CSV: dict[int | str, Any] = {200: {"description": "Rows of CSV", "content": {"text/csv": {}}}}
_ASKED = body(
    {
        "type": "object",
        "required": ["object", "operation"],
        "properties": {
            "object": {"type": "string"},
            "operation": {"type": "string", "enum": list(OPERATIONS)},
            "externalIdFieldName": {"type": "string", "description": "The key of an upsert"},
            **bulk.OPTION_SCHEMAS,
        },
    }
)
_STATE = body(
    {
        "type": "object",
        "required": ["state"],
        "properties": {"state": {"type": "string", "enum": [UPLOADED, ABORTED]}},
    }
)


@router.post("", responses=_JOB, openapi_extra=_ASKED)
def create_ingest(by: By, given: JsonText) -> Response:
    """Open a job, to which data is then uploaded."""
    _ = by.writing
    members = given.members("object", "operation", "externalIdFieldName", *bulk.OPTIONS)
    operation = bulk.choice(members, "operation", OPERATIONS)
    sobject = by.desk.schema.object(members.text("object"))
    if sobject is None:
        raise fault("bulk_object", name=members.text("object"))
    key = _key(members, operation, sobject)
    job = bulk.new_job(by, INGEST, members, operation=operation, object=sobject.name, key_field=key)
    by.desk.bulk.jobs.add(job)
    return answer(bulk.shown(job))


@router.get("", responses=returns({"type": "object"}, "A page of jobs"))
def list_ingests(
    by: By, job_type: JobType = None, mode: Mode = None, chunked: Chunked = None, locator: Locator = None
) -> Response:
    """The caller's ingest jobs."""
    return bulk.listing(by, INGEST, job_type, mode, chunked, locator)


@router.get("/{job_id}", responses=_JOB)
def read_ingest(by: By, job_id: str) -> Response:
    """An ingest job, and how far it is."""
    return answer(bulk.shown(bulk.job_of(by, INGEST, job_id), progress=True))


@router.put(
    "/{job_id}/batches",
    status_code=201,
    responses={201: {"description": "The data has come"}},
    openapi_extra=body({"type": "string"}, "text/csv"),
)
async def upload(by: By, job_id: str, request: Request) -> Response:
    """Upload the data of a job, once and as a whole."""
    check_type(request, frozenset({"text/csv"}))
    job = await asyncio.to_thread(_begun, by, job_id)
    try:
        await _receive(request, by.desk.bulk.jobs.folder(job))
    except FileNotFoundError:
        # The job was deleted meanwhile, because its session has ended.
        raise fault("no_resource") from None
    except BaseException:
        by.desk.bulk.jobs.change(job, (OPEN,), uploaded=0)
        raise
    return Answer(b"", 201)


@router.patch("/{job_id}", responses=_JOB, openapi_extra=_STATE)
def change_state(by: By, job_id: str, given: JsonText) -> Response:
    """Close a job, so that its data is processed, or end it before its time."""
    job = bulk.job_of(by, INGEST, job_id)
    state = bulk.choice(given.members("state"), "state", (UPLOADED, ABORTED))
    if state == ABORTED:
        return bulk.abort(by, job)
    if job.state == OPEN and not (by.desk.bulk.jobs.folder(job) / DATA).exists():
        raise fault("bulk_no_upload")
    if not by.desk.bulk.jobs.change(job, (OPEN,), state=UPLOADED):
        raise bulk.state_fault(by, job, "Closing")
    closed = bulk.job_of(by, INGEST, job_id)
    by.desk.bulk.start(job.id)
    return answer(bulk.shown(closed))


@router.delete("/{job_id}", status_code=204, responses=_GONE)
def delete_ingest(by: By, job_id: str) -> Response:
    """Delete an ingest job and its files."""
    return bulk.remove(by, bulk.job_of(by, INGEST, job_id))


@router.get("/{job_id}/{kind}", responses=_CSV)
def results(by: By, job_id: str, kind: str) -> StreamingResponse:
    """What became of a job's rows: `successfulResults`, `failedResults`, `unprocessedrecords`."""
    named = {name.lower(): name for name in RESULTS}.get(kind.lower())
    if named is None:
        raise fault("no_resource")
    job = bulk.job_of(by, INGEST, job_id)
    if job.state not in ENDED:
        raise fault("bulk_results", state=job.state)
    path = _results(by, job, named)
    size = path.stat().st_size if path else 0
    return StreamingResponse(
        _read(path) if path else iter(()), headers={"Content-Length": str(size)}, media_type=bulk.CSV_TYPE
    )


def _begun(by: Caller, job_id: str) -> Job:
    """The open job that data is uploaded to for the first time. Raises SalesforceError."""
    job = bulk.job_of(by, INGEST, job_id)
    if by.desk.bulk.jobs.begin_upload(job):
        return job
    if bulk.job_of(by, INGEST, job_id).state == OPEN:
        raise fault("bulk_uploaded", id=job.id)
    raise bulk.state_fault(by, job, "Uploading to")


def _key(members: Members, operation: str, sobject: SObject) -> str:
    """The key field of an upsert, which no other operation has. Raises SalesforceError."""
    name = members.text("externalIdFieldName", "")
    if operation != "upsert":
        if name:
            raise fault("bulk_value", name="externalIdFieldName", value=name)
        return ""
    try:
        return key_field(sobject, name).name
    except SalesforceError:
        raise fault("bulk_external_id", name=name) from None


async def _receive(request: Request, folder: Path) -> None:
    """Write a body to a file as it comes. Raises SalesforceError for one that is too large."""
    part = folder / _PART
    try:
        with part.open("wb") as file:
            await _write(request, file)
        part.rename(folder / DATA)
    finally:
        part.unlink(missing_ok=True)


async def _write(request: Request, file: BinaryIO) -> None:
    size, waiting = 0, bytearray()
    async for piece in request.stream():
        size += len(piece)
        if size > MOST_BYTES:
            raise fault("too_large", limit=MOST_BYTES)
        waiting += piece
        if len(waiting) >= _BUFFER:
            await asyncio.to_thread(file.write, bytes(waiting))
            waiting.clear()
    await asyncio.to_thread(file.write, bytes(waiting))


def _results(by: Caller, job: Job, name: str) -> Path | None:
    """The file of some results; of a job that was never begun, all its data is unprocessed."""
    folder = by.desk.bulk.jobs.folder(job)
    for path in (result_file(folder, name), *([folder / DATA] if name == UNPROCESSED else [])):
        if path.exists():
            return path
    return None


def _read(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_BUFFER):
            yield piece
