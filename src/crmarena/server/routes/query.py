"""`query` and `queryAll`: SOQL, a page at a time."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import Response

from crmarena.server.answers import answer
from crmarena.server.caller import Caller, caller
from crmarena.server.faults import fault

router = APIRouter(prefix="/services/data/v{version}")


@router.get("/query")
def query(by: Annotated[Caller, Depends(caller)], q: str | None = None) -> Response:
    """The first page of a query's records."""
    if q is None:
        raise fault("no_query")
    return answer(by.session.query(q).to_rest(by.version))
