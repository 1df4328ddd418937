"""`/services/data`: the API's versions, and the resources of one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from crmarena.server.answers import answer
from crmarena.server.caller import Caller, caller
from crmarena.server.people import root_of
from crmarena.server.settings import NEWEST_VERSION, OLDEST_VERSION
from crmarena.server.tokens import NOBODY

router = APIRouter(tags=["Org"])

RESOURCES = (
    "sobjects",
    "query",
    "queryAll",
    "search",
    "parameterizedSearch",
    "composite",
    "tooling",
    "jobs",
    "limits",
    "recent",
)
"""The resources of a version, beside `identity`."""
_SEASONS = ("Winter", "Spring", "Summer")
_WINTER_25 = 62


@router.get("/services/data")
def versions() -> Response:
    """All versions, the oldest first. No token is needed."""
    return answer([_version(number) for number in range(OLDEST_VERSION, NEWEST_VERSION + 1)])


@router.get("/services/data/v{version}")
def resources(request: Request, by: Annotated[Caller, Depends(caller)]) -> Response:
    """The resources of a version, and where they are."""
    places = {name: f"{by.root}/{name}" for name in RESOURCES}
    user_id = by.token.user_id or NOBODY
    return answer(places | {"identity": f"{root_of(request)}/id/{by.desk.tokens.org_id}/{user_id}"})


def _version(number: int) -> dict[str, str]:
    years, season = divmod(number - _WINTER_25, len(_SEASONS))
    label = f"{_SEASONS[season]} '{(25 + years) % 100:02d}"
    return {"label": label, "url": f"/services/data/v{number}.0", "version": f"{number}.0"}
