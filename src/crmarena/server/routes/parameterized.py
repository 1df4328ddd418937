"""`parameterizedSearch`: a search by a plain text and parameters."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from crmarena.server.answers import answer
from crmarena.server.caller import Caller, caller
from crmarena.server.json_text import JsonText
from crmarena.server.openapi import body, returns
from crmarena.sosl.parameterized import ParameterizedSearch, run_parameterized
from crmarena.sosl.parameters import from_json, from_query

router = APIRouter(prefix="/services/data/v{version}", tags=["Query"])

By = Annotated[Caller, Depends(caller)]
_FOUND = returns({}, "The records that were found")


@router.post(
    "/parameterizedSearch",
    responses=_FOUND,
    openapi_extra=body(
        {"type": "object", "required": ["q"], "properties": {"q": {"type": "string"}}},
    ),
)
def search_by_body(by: By, given: JsonText) -> Response:
    """The records a search finds; its parameters stand in the body."""
    return _found(by, from_json(given.value))


async def _pairs(request: Request) -> list[tuple[str, str]]:
    return request.query_params.multi_items()


Pairs = Annotated[list[tuple[str, str]], Depends(_pairs)]
"""A route's parameter: all names and values of the query string."""


@router.get("/parameterizedSearch", responses=_FOUND)
def search(by: By, pairs: Pairs, q: str | None = None) -> Response:
    """The records a search finds; its parameters stand in the query string."""
    return _found(by, from_query(pairs))


def _found(by: Caller, asked: ParameterizedSearch) -> Response:
    session = by.session
    with session.searching() as database:
        found = run_parameterized(
            database, asked, session.clock, api_version=by.api_version, viewer=session.viewer
        )
        return answer(found.to_rest(by.version))
