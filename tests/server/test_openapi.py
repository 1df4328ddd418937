"""The OpenAPI document tells the truth: requests drawn from it are answered as it says, never by a 500."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    allow_header_conformance,
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.server.conftest import Served, running, settings_for

EXAMPLES = 10
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    allow_header_conformance,
]
BOUNDED = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def writable(org_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with running(settings_for(org_file, tmp_path_factory.mktemp("state"), writable=True)) as found:
        yield found


def check_all(served: Served) -> int:
    """Draw requests for every operation and hold their answers to the document; how many operations."""
    api = schemathesis.openapi.from_url(f"{served.url}/openapi.json")
    operations = [found.ok() for found in api.get_all_operations() if isinstance(found, Ok)]
    for operation in operations:

        @BOUNDED
        @given(case=operation.as_strategy())
        def answers(case: Any) -> None:
            case.call_and_validate(headers=served.headers, checks=CHECKS)

        answers()
    return len(operations)


def test_a_server_for_reading_answers_as_described(served: Served) -> None:
    assert check_all(served) > 15


def test_a_writable_server_answers_as_described(writable: Served) -> None:
    assert check_all(writable) > 15


@pytest.fixture(scope="module")
def document(client: httpx.Client) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/openapi.json").json()
    return found


def test_every_data_resource_needs_a_version_and_a_token(document: dict[str, Any]) -> None:
    for path, items in document["paths"].items():
        for operation in items.values():
            named = [parameter["name"] for parameter in operation.get("parameters", [])]
            if path.startswith("/services/data/v{version}"):
                assert named[0] == "version"
                assert operation["security"] == [{"token": []}]
            assert "422" not in operation["responses"]


def test_every_resource_says_what_it_is_for(document: dict[str, Any]) -> None:
    operations = [operation for items in document["paths"].values() for operation in items.values()]
    assert len(operations) > 15
    assert all(operation["description"] and operation["tags"] for operation in operations)
    assert len({operation["operationId"] for operation in operations}) == len(operations)


def test_the_page_of_the_document_needs_no_network(client: httpx.Client) -> None:
    page = client.get("/docs")
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    assert "http" not in page.text.replace("<!doctype html>", "")
