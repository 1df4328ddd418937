"""`query` and `queryAll`: SOQL, a page at a time."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends

from crmarena.server.caller import Caller, caller
from crmarena.server.faults import fault

router = APIRouter(prefix="/services/data/v{version}")


@router.get("/query")
@router.get("/query/", include_in_schema=False)
def query(by: Annotated[Caller, Depends(caller)], q: str | None = None) -> dict[str, Any]:
    """The first page of a query's records."""
    if q is None:
        raise fault("no_query")
    return by.session.query(q).to_rest(by.version)
