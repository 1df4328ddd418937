"""`tooling`: what clients ask of it in passing. The org has no Apex and no metadata of that kind."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.responses import Response

from crmarena import resources
from crmarena.server.answers import answer
from crmarena.server.caller import Caller, caller
from crmarena.server.faults import fault
from crmarena.server.openapi import returns
from crmarena.soql.run import parse_text

router = APIRouter(prefix="/services/data/v{version}/tooling", tags=["Tooling"])

By = Annotated[Caller, Depends(caller)]
_PAGE = returns("QueryPage", "No records")


@router.get("")
def tooling(by: By) -> Response:
    """Where the resources are."""
    return answer({name: f"{by.root}/tooling/{name}" for name in ("query", "sobjects")})


@router.get("/query", responses=_PAGE)
def query(by: By, q: str | None = None) -> Response:
    """The records of a query: none, of objects that the Tooling API knows."""
    if q is None:
        raise fault("no_query")
    name = parse_text(q, by.api_version).source[0].path.text
    known = {one.lower(): one for one in _objects()}.get(name.lower())
    if known is None:
        raise fault("no_tooling_object", name=name)
    empty: dict[str, Any] = {"size": 0, "totalSize": 0, "done": True, "queryLocator": None}
    return answer({**empty, "entityTypeName": known, "records": []})


@router.get("/sobjects", responses=returns({"type": "object"}, "The objects"))
def sobjects(by: By) -> Response:
    """The objects that may be asked for."""
    root = f"{by.root}/tooling/sobjects"
    shown = [
        {"name": name, "label": name, "queryable": True, "urls": {"sobject": f"{root}/{name}"}}
        for name in _objects()
    ]
    return answer({"encoding": "UTF-8", "maxBatchSize": 200, "sobjects": shown})


@router.get("/executeAnonymous")
def execute_anonymous(by: By) -> Response:
    """Refused: there is no Apex."""
    raise fault("no_apex")


def _objects() -> list[str]:
    names: list[str] = resources.read_json("server/tooling.json")
    return names
