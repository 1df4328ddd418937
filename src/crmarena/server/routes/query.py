"""`query` and `queryAll`: SOQL a page at a time, and what a query would do."""

from __future__ import annotations

import re
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from crmarena.server.answers import answer
from crmarena.server.caller import CALLER, Caller, caller
from crmarena.server.explain import plan
from crmarena.server.faults import fault
from crmarena.server.openapi import parameters, returns
from crmarena.server.settings import PAGE_SIZE, SMALLEST_PAGE
from crmarena.soql.columns import describe_columns

router = APIRouter(prefix="/services/data/v{version}", tags=["Query"])

By = Annotated[Caller, Depends(caller)]

PAGE = returns("QueryPage", "A page of records")
_SOQL = {"description": "SOQL", "example": "SELECT Id, Name FROM Account LIMIT 5"}
_OPTIONS = "Sforce-Query-Options"
_ASKED = {
    "q": _SOQL,
    "columns": {"description": "`true`: describe the columns of the answer"},
    _OPTIONS: {"description": "`batchSize=200` to `2000`", "in": "header"},
}
_BATCH = re.compile(r"batchsize\s*=\s*(\d{1,9})\Z", re.IGNORECASE)


# These two are called most, and by far: they read their parameters themselves, which takes FastAPI a
# fifth of the whole call.
@router.get(
    "/query",
    responses=returns({"type": "object"}, "A page of records, their columns or a plan"),
    openapi_extra=parameters({**_ASKED, "explain": {"description": "SOQL whose plan is asked for"}}),
)
def query(request: Request) -> Response:
    """The first page of a query's records; with `columns` their description, with `explain` a plan."""
    explained = request.query_params.get("explain")
    if explained is not None:
        return answer(plan(request.scope[CALLER], explained))
    return answer(_asked(request, all_rows=False))


@router.get(
    "/queryAll",
    responses=returns({"type": "object"}, "A page of records, or their columns"),
    openapi_extra=parameters(_ASKED),
)
def query_all(request: Request) -> Response:
    """The same with the records in the recycle bin."""
    return answer(_asked(request, all_rows=True))


@router.get("/query/{locator}", responses=PAGE)
def query_more(by: By, locator: str) -> Response:
    """A further page."""
    return answer(by.more(locator))


@router.get("/queryAll/{locator}", responses=PAGE)
def query_all_more(by: By, locator: str) -> Response:
    """A further page."""
    return answer(by.more(locator))


def _asked(request: Request, *, all_rows: bool) -> dict[str, Any]:
    by: Caller = request.scope[CALLER]
    given = request.query_params
    text = given.get("q")
    if text is None:
        raise fault("no_query")
    if given.get("columns", "").lower() == "true":
        return describe_columns(by.desk.schema, text, by.api_version)
    return by.ask(text, _page_size(request.headers.get(_OPTIONS)), all_rows=all_rows)


def _page_size(options: str | None) -> int:
    """The records on a page: what is asked for is a hint, kept to what a page may have."""
    size = PAGE_SIZE
    for option in filter(None, map(str.strip, (options or "").split(","))):
        found = _BATCH.match(option)
        if found is None:
            raise fault("parameter", name=_OPTIONS, text=option)
        size = int(found[1])
    return max(SMALLEST_PAGE, min(size, PAGE_SIZE))
