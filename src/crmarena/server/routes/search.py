"""`search`: SOSL."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from crmarena.server.answers import answer
from crmarena.server.caller import Caller, caller
from crmarena.server.faults import fault

Sosl = Annotated[str | None, Query(description="SOSL", examples=["FIND {Acme} RETURNING Account(Name)"])]

router = APIRouter(prefix="/services/data/v{version}", tags=["Query"])


@router.get("/search")
def search(by: Annotated[Caller, Depends(caller)], q: Sosl = None) -> Response:
    """The records a search finds."""
    if q is None:
        raise fault("no_search")
    return answer(by.search(q).to_rest(by.version))
