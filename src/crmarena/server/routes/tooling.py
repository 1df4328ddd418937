"""`tooling`: what clients ask of it in passing. Of its objects the org has people; no Apex, no metadata."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.responses import Response

from crmarena import resources
from crmarena.server.answers import answer
from crmarena.server.caller import Caller, caller
from crmarena.server.faults import fault
from crmarena.server.openapi import returns
from crmarena.server.settings import PAGE_SIZE
from crmarena.soql.columns import describe_columns
from crmarena.soql.run import parse_text

router = APIRouter(prefix="/services/data/v{version}/tooling", tags=["Tooling"])

By = Annotated[Caller, Depends(caller)]
_PAGE = returns("QueryPage", "A page of records")


@router.get("")
def tooling(by: By) -> Response:
    """Where the resources are."""
    return answer({name: f"{by.root}/tooling/{name}" for name in ("query", "sobjects")})


@router.get("/query", responses=returns({"type": "object"}, "A page of records, or their columns"))
def query(by: By, q: str | None = None, columns: str = "") -> Response:
    """The records of a query: none, of objects that the Tooling API has and the org does not."""
    if q is None:
        raise fault("no_query")
    name = parse_text(q, by.api_version).source[0].path.text
    known = {one.lower(): one for one in _objects()}.get(name.lower())
    if known is None:
        raise fault("no_tooling_object", name=name)
    if by.desk.schema.object(known) is None:
        return answer(_page(by, {"totalSize": 0, "done": True, "records": []}, known))
    if columns.lower() == "true":
        return answer(describe_columns(by.desk.schema, q, by.api_version))
    return answer(_page(by, by.ask(q, PAGE_SIZE), known))


@router.get("/query/{locator}", responses=_PAGE)
def query_more(by: By, locator: str) -> Response:
    """A further page."""
    page = by.more(locator)
    name = next((record["attributes"]["type"] for record in page["records"]), None)
    return answer(_page(by, page, name))


def _page(by: Caller, page: dict[str, Any], name: str | None) -> dict[str, Any]:
    """A page of a query as the Tooling API has it."""
    more = page.get("nextRecordsUrl")
    locator = more and more.rpartition("/")[2]
    head = {"size": len(page["records"]), "totalSize": page["totalSize"], "done": page["done"]}
    if locator:
        head["nextRecordsUrl"] = f"{by.root}/tooling/query/{locator}"
    return {**head, "queryLocator": locator, "entityTypeName": name, "records": page["records"]}


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
