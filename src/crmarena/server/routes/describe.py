"""`sobjects`: what objects and fields there are."""

from __future__ import annotations

from email.utils import formatdate, parsedate_to_datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header
from starlette.responses import Response

from crmarena.schema.describe import describe_global, describe_object
from crmarena.server.answers import Answer, answer
from crmarena.server.caller import Caller, caller

router = APIRouter(prefix="/services/data/v{version}", tags=["Describe"])

By = Annotated[Caller, Depends(caller)]
Since = Annotated[str | None, Header(alias="If-Modified-Since")]


@router.get("/sobjects", responses={304: {"description": "Not modified"}})
def all_objects(by: By, since: Since = None) -> Response:
    """All objects."""
    return _unless_known(by, since) or _described(by, describe_global(by.desk.schema, by.version))


@router.get("/sobjects/{name}")
def basic(by: By, name: str) -> Response:
    """An object in short; nothing is kept of who looked at what."""
    whole = describe_object(by.desk.schema, name, by.version)
    short = {key: value for key, value in whole.items() if not isinstance(value, list)}
    return answer({"objectDescribe": short, "recentItems": []})


@router.get("/sobjects/{name}/describe", responses={304: {"description": "Not modified"}})
def one_object(by: By, name: str, since: Since = None) -> Response:
    """An object with its fields and child relationships."""
    return _unless_known(by, since) or _described(by, describe_object(by.desk.schema, name, by.version))


def _described(by: Caller, content: dict[str, Any]) -> Answer:
    return answer(content, 200, {"Last-Modified": formatdate(by.desk.made, usegmt=True)})


def _unless_known(by: Caller, since: str | None) -> Answer | None:
    """The answer 304 for a client that has the description: it does not change while it is served."""
    if since is None:
        return None
    try:
        known = parsedate_to_datetime(since).timestamp() >= int(by.desk.made)
    except (ValueError, OverflowError):
        return None
    return Answer(b"", 304) if known else None
