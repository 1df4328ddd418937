"""`query` and `queryAll`: SOQL a page at a time, and what a query would do."""

from __future__ import annotations

import re
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query
from starlette.responses import Response

from crmarena.server.answers import answer
from crmarena.server.caller import Caller, caller
from crmarena.server.explain import plan
from crmarena.server.faults import fault
from crmarena.server.openapi import returns
from crmarena.server.settings import PAGE_SIZE, SMALLEST_PAGE
from crmarena.soql.columns import describe_columns

router = APIRouter(prefix="/services/data/v{version}", tags=["Query"])

By = Annotated[Caller, Depends(caller)]
Soql = Annotated[str | None, Query(description="SOQL", examples=["SELECT Id, Name FROM Account LIMIT 5"])]
Options = Annotated[str | None, Header(alias="Sforce-Query-Options", description="`batchSize=200` to `2000`")]

PAGE = returns("QueryPage", "A page of records")
_BATCH = re.compile(r"batchsize\s*=\s*(\d{1,9})\Z", re.IGNORECASE)


@router.get("/query", responses=returns({"type": "object"}, "A page of records, their columns or a plan"))
def query(
    by: By,
    q: Soql = None,
    explain: Soql = None,
    columns: str | None = None,
    options: Options = None,
) -> Response:
    """The first page of a query's records; with `columns` their description, with `explain` a plan."""
    if explain is not None:
        return answer(plan(by, explain))
    return answer(_asked(by, q, columns, options, all_rows=False))


@router.get("/queryAll", responses=returns({"type": "object"}, "A page of records, or their columns"))
def query_all(by: By, q: Soql = None, columns: str | None = None, options: Options = None) -> Response:
    """The same with the records in the recycle bin."""
    return answer(_asked(by, q, columns, options, all_rows=True))


@router.get("/query/{locator}", responses=PAGE)
def query_more(by: By, locator: str) -> Response:
    """A further page."""
    return answer(by.more(locator))


@router.get("/queryAll/{locator}", responses=PAGE)
def query_all_more(by: By, locator: str) -> Response:
    """A further page."""
    return answer(by.more(locator))


def _asked(
    by: Caller, text: str | None, columns: str | None, options: str | None, *, all_rows: bool
) -> dict[str, Any]:
    if text is None:
        raise fault("no_query")
    if columns is not None and columns.lower() == "true":
        return describe_columns(by.desk.schema, text, by.api_version)
    return by.ask(text, _page_size(options), all_rows=all_rows)


def _page_size(options: str | None) -> int:
    """The records on a page: what is asked for is a hint, kept to what a page may have."""
    size = PAGE_SIZE
    for option in filter(None, map(str.strip, (options or "").split(","))):
        found = _BATCH.match(option)
        if found is None:
            raise fault("parameter", name="Sforce-Query-Options", text=option)
        size = int(found[1])
    return max(SMALLEST_PAGE, min(size, PAGE_SIZE))
