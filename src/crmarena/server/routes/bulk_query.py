"""`jobs/query`: queries whose records come as CSV."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response, StreamingResponse

from crmarena.server import bulk
from crmarena.server.answers import answer
from crmarena.server.caller import Caller, caller
from crmarena.server.extract import Extract
from crmarena.server.faults import fault
from crmarena.server.job_runner import result_of
from crmarena.server.jobs import ABORTED, COMPLETE, QUERY, UPLOADED
from crmarena.server.json_text import JsonText
from crmarena.server.openapi import body, returns

router = APIRouter(prefix="/services/data/v{version}/jobs", tags=["Bulk"])

MOST_ROWS = 50_000
"""Rows of a page where a client does not say how many. chosen: small results come as one page."""

By = Annotated[Caller, Depends(caller)]
JobType = Annotated[str | None, Query(alias="jobType", description="`V2Query` or `V2Ingest`")]
Mode = Annotated[str | None, Query(alias="concurrencyMode", description="`parallel`")]
Chunked = Annotated[bool | None, Query(alias="isPkChunkingEnabled", description="No job is")]
Locator = Annotated[str | None, Query(alias="queryLocator", description="Where the next page begins")]
MostRecords = Annotated[
    int, Query(alias="maxRecords", ge=1, le=10**9, description="Records of a page, at most")
]
Start = Annotated[str | None, Query(description="What `Sforce-Locator` of the page before says")]

_JOB = returns({"type": "object"}, "The job")
_JOBS = returns({"type": "object"}, "A page of jobs")
_GONE: dict[int | str, Any] = {204: {"description": "Deleted"}}
_HEADERS = {
    "Sforce-Locator": {
        "description": "The `locator` of the next page, `null` on the last",
        "schema": {"type": "string"},
    },
    "Sforce-NumberOfRecords": {"description": "Records on this page", "schema": {"type": "integer"}},
}
_CSV: dict[int | str, Any] = {
    200: {"description": "Rows of CSV", "headers": _HEADERS, "content": {"text/csv": {}}}
}
_ASKED = body(
    {
        "type": "object",
        "required": ["operation", "query"],
        "properties": {
            "operation": {"type": "string", "enum": ["query", "queryAll"]},
            "query": {"type": "string", "example": "SELECT Id, Name FROM Account"},
            **bulk.OPTION_SCHEMAS,
        },
    }
)
_STATE = body(
    {"type": "object", "required": ["state"], "properties": {"state": {"type": "string", "enum": [ABORTED]}}}
)


@router.get("", responses=returns({"type": "object"}, "The kinds of jobs"))
def kinds(by: By) -> Response:
    """Where jobs are."""
    return answer({kind: f"{by.root}/jobs/{kind}" for kind in ("ingest", "query")})


@router.post("/query", responses=_JOB, openapi_extra=_ASKED)
def create_query(by: By, given: JsonText) -> Response:
    """Start a query. One that is wrong, or that Bulk does not take, is refused at once."""
    members = given.members("operation", "query", *bulk.OPTIONS)
    operation = bulk.choice(members, "operation", ("query", "queryAll"))
    text = members.text("query", "")
    if not text.strip():
        raise fault("bulk_no_query")
    extract = Extract.of(by.desk.schema, text, by.api_version)
    job = bulk.new_job(
        by, QUERY, members, operation=operation, object=extract.object_name, query=text, state=UPLOADED
    )
    by.desk.bulk.jobs.add(job)
    by.desk.bulk.start(job.id)
    return answer(bulk.shown(job))


@router.get("/query", responses=_JOBS)
def list_queries(
    by: By, job_type: JobType = None, mode: Mode = None, chunked: Chunked = None, locator: Locator = None
) -> Response:
    """The caller's query jobs."""
    return bulk.listing(by, QUERY, job_type, mode, chunked, locator)


@router.get("/query/{job_id}", responses=_JOB)
def read_query(by: By, job_id: str) -> Response:
    """A query job, and how far it is."""
    return answer(bulk.shown(bulk.job_of(by, QUERY, job_id), progress=True))


@router.patch("/query/{job_id}", responses=_JOB, openapi_extra=_STATE)
def abort_query(by: By, job_id: str, given: JsonText) -> Response:
    """End a query job before its time."""
    job = bulk.job_of(by, QUERY, job_id)
    bulk.choice(given.members("state"), "state", (ABORTED,))
    return bulk.abort(by, job)


@router.delete("/query/{job_id}", status_code=204, responses=_GONE)
def delete_query(by: By, job_id: str) -> Response:
    """Delete a query job and its records."""
    return bulk.remove(by, bulk.job_of(by, QUERY, job_id))


@router.get("/query/{job_id}/results", responses=_CSV)
def results(by: By, job_id: str, locator: Start = None, most: MostRecords = MOST_ROWS) -> StreamingResponse:
    """A page of a query job's records."""
    job = bulk.job_of(by, QUERY, job_id)
    if job.state != COMPLETE:
        raise fault("bulk_results", state=job.state)
    start = bulk.read_locator(locator)
    if start > job.processed or (start == job.processed and locator):
        raise fault("locator")
    stop = min(start + most, job.processed)
    try:
        size, pieces = result_of(by.desk.bulk.jobs, job).page(start, stop)
    except FileNotFoundError:
        # Another worker has deleted the job meanwhile.
        raise fault("no_resource") from None
    headers = {
        "Sforce-Locator": bulk.make_locator(stop) if stop < job.processed else "null",
        "Sforce-NumberOfRecords": str(stop - start),
        "Content-Length": str(size),
    }
    return StreamingResponse(pieces, headers=headers, media_type=bulk.CSV_TYPE)
