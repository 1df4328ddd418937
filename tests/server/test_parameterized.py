"""A search by a plain text and parameters, in the URL or in the body."""

from __future__ import annotations

import httpx
import pytest

from tests.server.conftest import record_id
from tests.server.test_records import error

PATH = "/services/data/v59.0/parameterizedSearch"


def test_a_search_by_url_and_by_body(client: httpx.Client) -> None:
    url = client.get(f"{PATH}/?q=Acme&sobject=Account&Account.fields=Id,Name&in=NAME").json()
    given = {"q": "Acme", "in": "NAME", "sobjects": [{"name": "Account", "fields": ["Id", "Name"]}]}
    assert client.post(PATH, json=given).json() == url
    (found,) = url["searchRecords"]
    assert (found["Id"], found["Name"]) == (record_id("001", 1), "Acme")


def test_what_was_written_is_found(private: httpx.Client) -> None:
    private.post("/services/data/v59.0/sobjects/Account", json={"Name": "Initech"})
    found = private.get(PATH, params={"q": "initech", "sobject": "Account", "Account.fields": "Name"}).json()
    assert [record["Name"] for record in found["searchRecords"]] == ["Initech"]


@pytest.mark.parametrize(
    "given", [{}, {"q": "Acme", "foo": 1}, {"q": 1}, [], {"q": "Acme", "sobjects": [{"name": "Nothing"}]}]
)
def test_a_search_that_is_refused(client: httpx.Client, given: object) -> None:
    assert error(client.post(PATH, json=given))[0] == 400
