"""`search`: SOSL."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import Response

from crmarena.server.answers import answer
from crmarena.server.caller import Caller, caller
from crmarena.server.faults import fault

router = APIRouter(prefix="/services/data/v{version}", tags=["Query"])

_BARE = 37
"""The version before which the answer is a bare array."""


@router.get("/search")
def search(by: Annotated[Caller, Depends(caller)], q: str | None = None) -> Response:
    """The records a search finds."""
    if q is None:
        raise fault("no_search")
    found = by.search(q).to_rest(by.version)
    return answer(found["searchRecords"] if by.api_version < _BARE else found)
