"""`query` over HTTP: what is answered, and what is refused."""

from __future__ import annotations

import httpx
import pytest

from tests.server.conftest import Served, record_id


@pytest.mark.parametrize("path", ["query", "query/"])
def test_a_query_is_answered(served: Served, path: str) -> None:
    url = f"{served.url}/services/data/v59.0/{path}"
    got = httpx.get(url, params={"q": "SELECT Name FROM Account LIMIT 1"}, headers=served.headers)
    assert got.status_code == 200
    place = f"/services/data/v59.0/sobjects/Account/{record_id('001', 1)}"
    record = {"attributes": {"type": "Account", "url": place}, "Name": "Acme"}
    assert got.json() == {"totalSize": 1, "done": True, "records": [record]}


@pytest.mark.parametrize(
    ("path", "token", "status", "code"),
    [
        ("/services/data/v59.0/query", "no such token", 401, "INVALID_SESSION_ID"),
        ("/services/data/v99.0/query", None, 404, "NOT_FOUND"),
        ("/services/data/v59.0/query", None, 400, "MALFORMED_QUERY"),
    ],
)
def test_what_is_refused_says_why(
    served: Served, path: str, token: str | None, status: int, code: str
) -> None:
    headers = {"Authorization": f"Bearer {token}"} if token else served.headers
    got = httpx.get(served.url + path, headers=headers)
    assert (got.status_code, got.json()[0]["errorCode"]) == (status, code)
