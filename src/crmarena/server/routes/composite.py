"""`composite` and its kin: several requests in one, each answered as if it had come by itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.responses import Response

from crmarena.errors import SalesforceError
from crmarena.server import references
from crmarena.server.answers import answer
from crmarena.server.caller import Caller, caller
from crmarena.server.faults import body as error_body
from crmarena.server.faults import fault
from crmarena.server.inner import Answered, Asked, carry_out
from crmarena.server.json_text import JsonText, Members
from crmarena.server.openapi import body, returns
from crmarena.server.record_answers import row_error
from crmarena.server.tree import TreeFailed, plant

router = APIRouter(prefix="/services/data/v{version}/composite", tags=["Composite"])

MOST_REQUESTS, MOST_QUERIES, MOST_GRAPHS, MOST_NODES = 25, 5, 75, 500
"""Requests in a call, and those of them that may be queries or collections; graphs, and their requests."""

By = Annotated[Caller, Depends(caller)]

_INHERITED = frozenset({"accept", "authorization", "content-type"})
"""Headers that a request inside another may not have: it takes the other's."""
_ANSWERS = returns({"type": "object"}, "An answer for each request")
_REQUEST: dict[str, Any] = {
    "type": "object",
    "required": ["method", "url"],
    "properties": {
        "method": {"type": "string", "enum": ["GET", "POST", "PATCH", "DELETE"]},
        "url": {"type": "string"},
        "referenceId": {"type": "string"},
    },
}


def _of(name: str, item: dict[str, Any]) -> dict[str, Any]:
    """The schema of a body with one list."""
    listed = {"type": "object", "required": [name], "properties": {name: {"type": "array", "items": item}}}
    return body(listed)


@router.get("", responses=_ANSWERS)
def resources(by: By) -> Response:
    """Where the composite resources are."""
    return answer({name: f"{by.root}/composite/{name}" for name in ("batch", "graph", "sobjects", "tree")})


@router.post("", responses=_ANSWERS, openapi_extra=_of("compositeRequest", _REQUEST))
def composite(by: By, given: JsonText) -> Response:
    """Requests of which later ones may refer to what earlier ones answered, all or none of them if asked."""
    members = given.members("allOrNone", "collateSubrequests", "compositeRequest")
    requests = members.each("compositeRequest", "method", "url", "referenceId", "body", "httpHeaders")
    _check_count(len(requests), MOST_REQUESTS, "operations")
    _check_queries(requests)
    members.flag("collateSubrequests")
    return answer({"compositeResponse": _run(by, requests, all_or_none=members.flag("allOrNone"))[0]})


@router.post("/graph", responses=_ANSWERS, openapi_extra=_of("graphs", {"type": "object"}))
def graphs(by: By, given: JsonText) -> Response:
    """Several composite requests, each of them all or none."""
    listed = given.members("graphs").each("graphs", "graphId", "compositeRequest")
    _check_count(len(listed), MOST_GRAPHS, "graphs")
    known = ("method", "url", "referenceId", "body", "httpHeaders")
    named = [(graph.text("graphId"), graph.each("compositeRequest", *known)) for graph in listed]
    _check_count(sum(len(requests) for _, requests in named), MOST_NODES, "nodes")
    shown = []
    for graph_id, requests in named:
        answered, good = _run(by, requests, all_or_none=True)
        response = {"compositeResponse": answered}
        shown.append({"graphId": graph_id, "graphResponse": response, "isSuccessful": good})
    return answer({"graphs": shown})


@router.post("/batch", responses=_ANSWERS, openapi_extra=_of("batchRequests", _REQUEST))
def batch(by: By, given: JsonText) -> Response:
    """Requests that know nothing of each other."""
    members = given.members("haltOnError", "batchRequests")
    requests = members.each("batchRequests", "method", "url", "richInput")
    _check_count(len(requests), MOST_REQUESTS, "operations")
    halts, failed, results = members.flag("haltOnError"), False, []
    for request in [_batched(request) for request in requests]:
        if failed and halts:
            halted = fault("batch_halted")
            results.append({"statusCode": halted.http_status, "result": error_body(halted)})
            continue
        done = carry_out(by, request)
        failed = failed or done.failed
        results.append({"statusCode": done.status, "result": done.body})
    return answer({"hasErrors": failed, "results": results})


@router.post(
    "/tree/{name}",
    status_code=201,
    responses=returns({"type": "object"}, "The records were created", 201),
    openapi_extra=_of("records", {"type": "object"}),
)
def tree(by: By, name: str, given: JsonText) -> Response:
    """Create records with their children, all or none."""
    session = by.writing
    try:
        made = plant(session, name, given)
    except TreeFailed as failed:
        results = [
            {"referenceId": reference, "errors": [row_error(error)]} for reference, error in failed.errors
        ]
        return answer({"hasErrors": True, "results": results}, 400)
    shown = [{"referenceId": reference, "id": record_id} for reference, record_id in made.items()]
    return answer({"hasErrors": False, "results": shown}, 201)


class _Undone(Exception):
    """Raised to leave a block without its writes."""


def _run(by: Caller, requests: list[Members], *, all_or_none: bool) -> tuple[list[dict[str, Any]], bool]:
    """The answers of some requests, and whether all are good. Raises SalesforceError for none that run."""
    named: dict[str, Members] = {}
    for request in requests:
        references.check_name(request.text("referenceId"), named)
        named[request.text("referenceId")] = request
        _asked(request, request.text("url"), request.value.get("body"))
    done: dict[str, Answered] = {}
    try:
        with _together(by, all_or_none):
            for name, request in named.items():
                done[name] = _carried_out(by, request, done)
                # A collection is all or none here too, whatever it says itself.
                if all_or_none and done[name].refuses:
                    raise _Undone
    except _Undone:
        # What refused is shown as it was, its records that are undone with it included.
        refused = {name: one for name, one in done.items() if one.refuses}
        done = {name: refused.get(name) or _rolled_back() for name in named}
    good = not any(one.refuses for one in done.values())
    return [_shown(name, one) for name, one in done.items()], good


def _carried_out(by: Caller, request: Members, done: dict[str, Answered]) -> Answered:
    answered = {name: one.body for name, one in done.items() if not one.failed}
    try:
        url = references.in_url(request.text("url"), answered)
        given = references.in_body(request.value.get("body"), answered)
    except SalesforceError as error:
        return Answered(error.http_status, error_body(error), {})
    return carry_out(by, _asked(request, url, given))


@contextmanager
def _together(by: Caller, all_or_none: bool) -> Iterator[None]:
    """A block that is undone as a whole, where anything can be written."""
    if all_or_none and by.desk.settings.writable:
        with by.writing.atomic():
            yield
    else:
        yield


def _asked(request: Members, url: str, given: Any) -> Asked:
    headers = request.value.get("httpHeaders") or {}
    if not isinstance(headers, dict) or not all(isinstance(value, str) for value in headers.values()):
        raise request.body.mismatch((*request.path, "httpHeaders"), "object", headers)
    for name in headers:
        if name.lower() in _INHERITED:
            raise fault("inherited_header", name=name)
    return Asked(request.text("method"), url, given, headers)


def _batched(request: Members) -> Asked:
    """A request of a batch, whose URL begins with the version."""
    url = request.text("url").lstrip("/")
    url = url if url.startswith("services/data/") else f"services/data/{url}"
    return Asked(request.text("method"), f"/{url}", request.value.get("richInput"))


def _rolled_back() -> Answered:
    error = fault("rolled_back")
    return Answered(error.http_status, error_body(error), {})


def _shown(name: str, one: Answered) -> dict[str, Any]:
    return {
        "body": one.body,
        "httpHeaders": one.headers,
        "httpStatusCode": one.status,
        "referenceId": name,
    }


def _check_count(count: int, limit: int, kind: str) -> None:
    if count > limit:
        raise fault("too_many_requests", limit=limit, kind=kind)


def _check_queries(requests: list[Members]) -> None:
    paths = [request.text("url").partition("?")[0].lower() for request in requests]
    queries = sum("/query" in path or "/composite/sobjects" in path for path in paths)
    _check_count(queries, MOST_QUERIES, "query or sObject Collections operations")
