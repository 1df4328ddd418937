"""What is the same for every resource: paths, methods, versions, tokens, bodies, headers, crashes."""

from __future__ import annotations

import errno
import logging
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import Response

from crmarena.server import door
from crmarena.server.app import create_app
from crmarena.server.protocol import PatientProtocol
from crmarena.server.settings import BODY_LIMIT, HEAD_LIMIT
from tests.server.conftest import PASSWORD, USERNAME, Served, running, settings_for

V = "/services/data/v59.0"
QUERY = f"{V}/query?q=SELECT+Name+FROM+Account+ORDER+BY+Name"
LOGIN = {"grant_type": "password", "username": USERNAME, "password": PASSWORD}


class Impatient(PatientProtocol):
    patience = 0.2


@pytest.fixture(scope="module")
def impatient(org_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    settings = settings_for(org_file, tmp_path_factory.mktemp("state"))
    with running(settings, http=Impatient) as found:
        yield found


def code_of(answer: httpx.Response) -> str:
    (error,) = answer.json()
    return str(error["errorCode"])


def raw(served: Served, sent: bytes) -> bytes:
    """What comes back for some bytes, until the server closes the connection."""
    host, port = served.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(sent)
        answer = b""
        while piece := connection.recv(65_536):
            answer += piece
    return answer


@pytest.mark.parametrize("path", [V, f"{V}/limits", f"{V}/sobjects", f"{V}/sobjects/Account/describe"])
def test_a_trailing_slash_makes_no_difference(client: httpx.Client, path: str) -> None:
    plain, slashed = client.get(path), client.get(path + "/")
    assert plain.status_code == slashed.status_code == 200
    assert plain.json().keys() == slashed.json().keys()


@pytest.mark.parametrize("version", ["20.0", "37.0", "59.0", "64.0"])
def test_every_version_is_served(client: httpx.Client, version: str) -> None:
    answer = client.get(f"/services/data/v{version}/query", params={"q": "SELECT Id FROM Account LIMIT 1"})
    assert answer.json()["records"][0]["attributes"]["url"].startswith(f"/services/data/v{version}/")


@pytest.mark.parametrize(
    "path",
    [
        "/services/data/v19.0/query",
        "/services/data/v65.0/query",
        "/services/data/v99.0/query",
        "/services/data/v59/query",
        "/services/data/v59.5/query",
        "/services/data/v059.0/query",
        "/services/data/vx.0/query",
        "/services/data/v/query",
        f"{V}/nothing",
        f"{V}/theme",
        f"{V}/tabs",
        "/nothing",
        "/services",
        f"{V}//query",
    ],
)
def test_what_is_not_there_is_not_found(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert answer.json() == [{"message": "The requested resource does not exist", "errorCode": "NOT_FOUND"}]


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", f"{V}/query", "HEAD,GET"),
        ("POST", f"{V}/query", "HEAD,GET"),
        ("PUT", f"{V}/limits/", "HEAD,GET"),
        ("GET", "/services/oauth2/token", "POST"),
        ("PATCH", "/services/oauth2/revoke", "HEAD,GET,POST"),
        ("POST", "/services/data", "HEAD,GET"),
        ("GET", "/services/Soap/u/59.0", "POST"),
    ],
)
def test_a_method_that_is_not_taken_names_those_that_are(
    client: httpx.Client, method: str, path: str, allowed: str
) -> None:
    answer = client.request(method, path)
    assert answer.status_code == 405
    assert answer.headers["allow"] == allowed
    text = f"HTTP Method '{method}' not allowed. Allowed are {allowed}"
    assert answer.json() == [{"message": text, "errorCode": "METHOD_NOT_ALLOWED"}]


def test_head_is_get_without_the_body(client: httpx.Client) -> None:
    got, head = client.get(QUERY), client.head(QUERY)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == got.headers["content-length"]
    assert client.head(f"{V}/nothing").status_code == 404


def test_pretty_print_changes_white_space_alone(client: httpx.Client) -> None:
    plain, pretty = client.get(QUERY), client.get(QUERY, headers={"X-PrettyPrint": "1"})
    assert pretty.text.startswith('{\n  "totalSize"')
    assert pretty.json() == plain.json()
    assert "\n" not in plain.text
    assert client.get(f"{V}/nothing", headers={"X-PrettyPrint": "1"}).text.startswith("[\n")


@pytest.mark.parametrize("path", [QUERY, f"{V}/nothing", "/services/data", "/services/data/v99.0/x"])
def test_every_answer_is_json_in_utf_8(client: httpx.Client, path: str) -> None:
    assert client.get(path).headers["content-type"] == "application/json;charset=UTF-8"


def test_calls_are_counted_and_the_count_is_shown(client: httpx.Client) -> None:
    used = [int(client.get(QUERY).headers["sforce-limit-info"].split("=")[1].split("/")[0]) for _ in "abc"]
    assert used == [used[0], used[0] + 1, used[0] + 2]
    assert client.get(f"{V}/nothing").headers["sforce-limit-info"].endswith("/15000")
    assert "sforce-limit-info" not in client.get("/services/data").headers
    left = client.get(f"{V}/limits").json()["DailyApiRequests"]
    assert left == {"Max": 15_000, "Remaining": 15_000 - used[-1] - 1}


@pytest.mark.parametrize(
    ("header", "code"),
    [
        (None, "INVALID_AUTH_HEADER"),
        ("", "INVALID_AUTH_HEADER"),
        ("Bearer", "INVALID_AUTH_HEADER"),
        ("Basic YTpi", "INVALID_AUTH_HEADER"),
        ("Bearer 00D!nothing", "INVALID_SESSION_ID"),
        ("OAuth 00D!nothing", "INVALID_SESSION_ID"),
        ("Bearer \u00e9", "INVALID_SESSION_ID"),
    ],
)
def test_without_a_good_token_there_is_nothing_to_see(served: Served, header: str | None, code: str) -> None:
    headers = {} if header is None else {"Authorization": header.encode("latin-1")}
    answer = httpx.get(served.url + QUERY, headers=headers)  # type: ignore[arg-type]
    assert (answer.status_code, code_of(answer)) == (401, code)


@pytest.mark.parametrize("kind", ["Bearer", "bearer", "OAuth", "oauth"])
def test_a_token_is_taken_as_bearer_or_oauth(served: Served, kind: str) -> None:
    headers = {"Authorization": f"{kind} {served.token}"}
    assert httpx.get(served.url + QUERY, headers=headers).status_code == 200


@pytest.mark.parametrize("query", ["q=%ff", "q=SELECT+Id+FROM+Account&x=%c3%28", "%80"])
def test_a_query_string_that_is_no_text_is_refused(client: httpx.Client, query: str) -> None:
    answer = client.get(f"{V}/query?{query}")
    assert (answer.status_code, code_of(answer)) == (400, "ILLEGAL_QUERY_PARAMETER_VALUE")


@pytest.mark.parametrize(
    "null", ["%00", "SELECT+Id%00+FROM+Account", "SELECT+Id+FROM+Account+WHERE+Name='%00'"]
)
def test_null_bytes_do_no_harm(client: httpx.Client, null: str) -> None:
    assert client.get(f"{V}/query?q={null}").status_code in {200, 400}
    assert client.get(f"{V}/sobjects/{null}/describe").status_code == 404


@pytest.mark.parametrize(
    ("sent", "media_type", "status", "code"),
    [
        (b'{"grant_type": "password"}', "application/json", 415, "UNSUPPORTED_MEDIA_TYPE"),
        (b"<x/>", "text/xml", 415, "UNSUPPORTED_MEDIA_TYPE"),
        (b"grant_type=%ff", "application/x-www-form-urlencoded", 400, "ILLEGAL_QUERY_PARAMETER_VALUE"),
        (b"grant_type=\xff", "application/x-www-form-urlencoded", 400, "ILLEGAL_QUERY_PARAMETER_VALUE"),
        (b"&" * 5_000, "application/x-www-form-urlencoded", 400, "ILLEGAL_QUERY_PARAMETER_VALUE"),
    ],
)
def test_a_body_of_the_wrong_kind_is_refused(
    client: httpx.Client, sent: bytes, media_type: str, status: int, code: str
) -> None:
    answer = client.post("/services/oauth2/token", content=sent, headers={"Content-Type": media_type})
    assert (answer.status_code, code_of(answer)) == (status, code)


def test_a_packed_body_is_refused(client: httpx.Client) -> None:
    answer = client.post("/services/oauth2/token", data=LOGIN, headers={"Content-Encoding": "gzip"})
    assert (answer.status_code, code_of(answer)) == (415, "UNSUPPORTED_MEDIA_TYPE")


def test_a_body_may_come_in_pieces(client: httpx.Client) -> None:
    def pieces() -> Iterator[bytes]:
        for letter in str(httpx.QueryParams(LOGIN)).encode():
            yield bytes([letter])

    answer = client.post(
        "/services/oauth2/token",
        content=pieces(),
        headers={"Content-Type": "application/x-www-form-urlencoded"},
    )
    assert answer.status_code == 200


@pytest.mark.parametrize("announced", [True, False])
def test_a_body_that_is_too_large_is_refused(client: httpx.Client, announced: bool) -> None:
    whole = b"x" * (BODY_LIMIT + 1)
    content = (
        whole if announced else (whole[start : start + 65_536] for start in range(0, len(whole), 65_536))
    )
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = client.post("/services/oauth2/token", content=content, headers=headers)
    assert (answer.status_code, code_of(answer)) == (413, "EXCEEDED_MAX_SIZE_REQUEST")
    assert client.get(QUERY).status_code == 200


def test_a_body_that_does_not_come_is_not_waited_for(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "PATIENCE", 0.2)
    head = (
        b"POST /services/oauth2/token HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nConnection: close\r\n\r\n"
    )
    answer = raw(served, head + b"grant")
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"REQUEST_RUNNING_TOO_LONG" in answer


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        (b"nonsense\r\n\r\n", 400, b"UNKNOWN_EXCEPTION"),
        (b"GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n", 400, b"UNKNOWN_EXCEPTION"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, b"UNKNOWN_EXCEPTION"),
        (b"GET /services/data HTTP/1.1\r\n\r\n", 400, b"UNKNOWN_EXCEPTION"),
        (b"GET /" + b"x" * (HEAD_LIMIT + 70_000), 431, b"URI_TOO_LONG"),
        (
            b"POST /services/oauth2/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            400,
            b"UNKNOWN_EXCEPTION",
        ),
    ],
    ids=["text", "bytes", "tls", "no host", "long", "bad chunk"],
)
def test_what_is_no_http_is_told_so(served: Served, sent: bytes, status: int, code: bytes) -> None:
    answer = raw(served, sent)
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    assert b'"errorCode":"%s"' % code in answer


@pytest.mark.parametrize(
    "sent", [b"", b"GET /services/data HT", b"GET /services/data HTTP/1.1\r\nHost: x\r\n"]
)
def test_a_request_that_does_not_come_is_not_waited_for(impatient: Served, sent: bytes) -> None:
    assert b"REQUEST_RUNNING_TOO_LONG" in raw(impatient, sent)
    assert httpx.get(impatient.url + "/services/data").status_code == 200


def test_a_full_disk_is_named(org_file: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings = settings_for(org_file, tmp_path)
    app = create_app(settings)

    async def fill(request: Request) -> Response:
        raise OSError(errno.ENOSPC, "No space left on device")

    app.add_route("/services/data/v59.0/fill", fill)
    with running(settings, app) as served, served.client as client:
        answer = client.get("/services/data/v59.0/fill")
    assert (answer.status_code, code_of(answer)) == (503, "SERVER_UNAVAILABLE")
    assert [record.message for record in caplog.records if "disk" in record.message]


def test_a_crash_is_logged_under_an_id_and_shows_nothing_else(
    org_file: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = settings_for(org_file, tmp_path)
    app = create_app(settings)

    async def crash(request: Request) -> Response:
        raise RuntimeError("a secret of the server")

    app.add_route(f"{V}/crash", crash)
    app.add_route("/services/Soap/crash", crash)
    with running(settings, app) as served, served.client as client, caplog.at_level(logging.ERROR):
        answer = client.get(f"{V}/crash")
        (error,) = answer.json()
        assert (answer.status_code, error["errorCode"]) == (500, "UNKNOWN_EXCEPTION")
        number = error["message"].rpartition(": ")[2]
        assert number.isdigit()
        assert f"ErrorId {number}" in caplog.text
        assert "a secret of the server" in caplog.text
        assert "secret" not in answer.text
        soap = client.get("/services/Soap/crash")
        assert "<faultcode>UNKNOWN_EXCEPTION</faultcode>" in soap.text
        assert client.get(QUERY).status_code == 200
