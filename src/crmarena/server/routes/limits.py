"""`limits`, `limits/recordCount` and `recent`."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import Response

from crmarena import resources
from crmarena.server.answers import answer
from crmarena.server.caller import Caller, caller

router = APIRouter(prefix="/services/data/v{version}", tags=["Org"])

By = Annotated[Caller, Depends(caller)]
_COUNTED = "DailyApiRequests"


@router.get("/limits")
def limits(by: By) -> Response:
    """What the org allows and has left; only calls of the API are counted."""
    allowed: dict[str, int] = resources.read_json("server/limits.json")
    shown = {name: {"Max": most, "Remaining": most} for name, most in allowed.items()}
    shown[_COUNTED]["Remaining"] = max(allowed[_COUNTED] - by.desk.usage.calls, 0)
    return answer(shown)


@router.get("/limits/recordCount")
def record_count(by: By, sObjects: str | None = None) -> Response:
    """How many records objects have: those that are named, or all. A name that is no object is left out."""
    schema = by.desk.schema
    asked = schema.objects if sObjects is None else filter(None, map(str.strip, sObjects.split(",")))
    names = dict.fromkeys(found.name for name in asked if (found := schema.object(name)))
    counts = [{"count": by.query(f"SELECT COUNT() FROM {name}").total_size, "name": name} for name in names]
    return answer({"sObjects": counts})


@router.get("/recent")
def recent(by: By, limit: int | None = None) -> Response:
    """The records looked at last: none, nothing is kept of who looked at what."""
    return answer([])
