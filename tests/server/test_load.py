"""Too much of everything, at a server process of its own: answered or refused, in bounded memory."""

from __future__ import annotations

import asyncio
import http.client
import socket
import struct
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, closing
from urllib.parse import urlencode

import httpx
import psutil  # type: ignore[import-untyped]
import pytest

from crmarena.server.settings import THREADS
from tests.server.conftest import Served, make_org
from tests.server.test_serve import Process, process

V = "/services/data/v59.0"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
XML = {"Content-Type": "text/xml"}
JSON = {"Content-Type": "application/json"}
ALL = "SELECT Id, LastName, Email, Account.Name FROM Contact"
GROWTH = 100_000_000
"""Bytes by which the server may grow while it is asked too much."""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    folder = tmp_path_factory.mktemp("loaded")
    with process(make_org(folder / "org.db", contacts=20_000), folder) as found:
        # What as many large queries as it takes at once cost, a server has before the tests.
        readers = [threading.Thread(target=read_much, args=(found.served,)) for _ in range(THREADS + 4)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
        yield found


def read_much(served: Served) -> None:
    for _ in range(2):
        assert get(served, f"{V}/query", q=ALL)[0] == 200


@pytest.fixture(autouse=True)
def stays_alive_and_small(loaded: Process) -> Iterator[None]:
    """After each test the server answers, and has not grown by more than it may."""
    before = size(loaded)
    yield
    with loaded.served.client as client:
        assert client.get(f"{V}/query", params={"q": "SELECT Id FROM Account"}).json()["totalSize"] == 2
    assert size(loaded) - before < GROWTH


def size(loaded: Process) -> int:
    resident: int = psutil.Process(loaded.process.pid).memory_info().rss
    return resident


def address(served: Served) -> tuple[str, int]:
    return "127.0.0.1", served.settings.port


def get(served: Served, path: str, **parameters: str) -> tuple[int, str]:
    """Status and text of an answer, by a client that sends URIs of any length."""
    connection = http.client.HTTPConnection(*address(served), timeout=60)
    with closing(connection):
        connection.request("GET", f"{path}?{urlencode(parameters)}", headers=served.headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def request_of(served: Served, text: str) -> bytes:
    """The bytes of a query."""
    query = f"GET {V}/query?q={text.replace(' ', '+')} HTTP/1.1\r\nHost: x\r\n"
    return f"{query}Authorization: Bearer {served.token}\r\n\r\n".encode()


def megabytes(count: int) -> Iterator[bytes]:
    for _ in range(count):
        yield b"x" * 1_000_000


@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        ("/services/oauth2/token", FORM),
        ("/services/Soap/u/59.0", XML),
        (f"{V}/sobjects/Account", JSON),
        (f"{V}/composite", JSON),
        (f"{V}/parameterizedSearch", JSON),
    ],
)
def test_a_body_of_100_mb(loaded: Process, path: str, media_type: dict[str, str], announced: bool) -> None:
    headers = {**media_type, "Content-Length": "100000000"} if announced else media_type
    with loaded.served.client as client:
        answer = client.post(path, content=megabytes(100), headers=headers)
    assert answer.status_code in {413, 500}
    assert "EXCEEDED_MAX_SIZE_REQUEST" in answer.text


def test_a_body_of_100_mb_where_none_is_read(loaded: Process) -> None:
    with loaded.served.client as client:
        answer = client.request("GET", f"{V}/limits", content=megabytes(100))
        assert answer.status_code == 200
        assert client.post(f"{V}/limits", content=megabytes(100)).status_code == 405


def test_many_large_bodies_at_once(loaded: Process) -> None:
    async def post(client: httpx.AsyncClient) -> int:
        async def pieces() -> AsyncIterator[bytes]:
            for piece in megabytes(12):
                yield piece

        answer = await client.post("/services/oauth2/token", content=pieces(), headers=FORM)
        return answer.status_code

    async def all_at_once() -> list[int]:
        async with httpx.AsyncClient(base_url=loaded.served.url, timeout=120) as client:
            return await asyncio.gather(*(post(client) for _ in range(8)))

    assert asyncio.run(all_at_once()) == [413] * 8


@pytest.mark.parametrize(
    ("length", "status", "code"),
    [(99_000, 200, None), (100_000, 200, None), (100_001, 400, "MALFORMED_QUERY")],
)
def test_a_query_of_100_kb(loaded: Process, length: int, status: int, code: str | None) -> None:
    head, tail = "SELECT Id FROM Account WHERE Name IN (", "'x')"
    listed = "'abcdefgh'," * ((length - len(head) - len(tail)) // 11)
    text = f"{head}{listed}{' ' * (length - len(head) - len(listed) - len(tail))}{tail}"
    assert len(text) == length
    answered, said = get(loaded.served, f"{V}/query", q=text)
    assert answered == status
    assert code is None or code in said


def test_a_uri_of_a_megabyte(loaded: Process) -> None:
    request = b"GET /" + b"x" * 1_000_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n"
    with socket.create_connection(address(loaded.served), timeout=30) as connection:
        connection.sendall(request)
        answer = b""
        while piece := connection.recv(65_536):
            answer += piece
        assert b"URI_TOO_LONG" in answer


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT Id FROM Account WHERE {'(' * 1_000}Name = 'x'{')' * 1_000}",
        f"SELECT Id FROM Account WHERE {'NOT ' * 1_000}Name = 'x'",
        f"SELECT Id FROM Account WHERE {'(' * 30_000}",
        f"SELECT {'(SELECT Id, ' * 1_000}Id",
    ],
)
def test_a_query_nested_1000_deep(loaded: Process, text: str) -> None:
    assert get(loaded.served, f"{V}/query", q=text)[0] in {200, 400}


def test_a_search_nested_1000_deep(loaded: Process) -> None:
    text = f"FIND {{{'(' * 1_000}x{')' * 1_000}}}"
    assert get(loaded.served, f"{V}/search", q=text)[0] in {200, 400}


def test_an_envelope_nested_1000_deep(loaded: Process) -> None:
    with loaded.served.client as client:
        answer = client.post("/services/Soap/u/59.0", content="<a>" * 1_000 + "</a>" * 1_000)
    assert (answer.status_code, "nested" in answer.text) == (500, True)


@pytest.mark.parametrize("path", ["sobjects/Account", "composite", "composite/tree/Account"])
@pytest.mark.parametrize("depth", [250, 1_000, 100_000])
def test_json_nested_1000_deep(loaded: Process, path: str, depth: int) -> None:
    for nested in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
        with loaded.served.client as client:
            answer = client.post(f"{V}/{path}", content=f'{{"Name": {nested}}}', headers=JSON)
        assert answer.status_code in {400, 403}
        assert answer.json()[0]["errorCode"] != "UNKNOWN_EXCEPTION"


def test_200_connections_at_once(loaded: Process) -> None:
    with ExitStack() as stack:
        connections = [
            stack.enter_context(socket.create_connection(address(loaded.served), timeout=60))
            for _ in range(200)
        ]
        for _ in range(2):
            for connection in connections:
                connection.sendall(request_of(loaded.served, "SELECT Id, Name FROM Account"))
            for connection in connections:
                answer = connection.recv(65_536)
                while not answer.endswith(b"]}"):
                    answer += connection.recv(65_536)
                assert answer.startswith(b"HTTP/1.1 200 ")


def test_clients_that_begin_and_do_not_go_on(loaded: Process) -> None:
    begun = (
        b"GET /services/data HTTP/1.1\r\nHost: x\r\nX-",
        b"POST /services/oauth2/token HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\ngrant",
        b"",
    )
    with ExitStack() as stack, loaded.served.client as client:
        for number in range(200):
            waiting = stack.enter_context(socket.create_connection(address(loaded.served), timeout=30))
            waiting.sendall(begun[number % len(begun)])
        for _ in range(10):
            assert client.get(f"{V}/query", params={"q": "SELECT Id FROM Account"}).status_code == 200


def test_clients_that_go_away_in_the_middle(loaded: Process) -> None:
    whole = request_of(loaded.served, ALL)
    half = (
        b"POST /services/oauth2/token HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\n" + b"x" * 90_000
    )
    for sent in (whole, half, whole[:60]) * 20:
        with socket.create_connection(address(loaded.served), timeout=30) as leaving:
            # Closed without a farewell: the server finds a connection that was reset.
            leaving.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            leaving.sendall(sent)


def test_clients_that_do_not_read_what_they_asked_for(loaded: Process) -> None:
    whole = request_of(loaded.served, ALL)
    with ExitStack() as stack, loaded.served.client as client:
        for _ in range(50):
            deaf = stack.enter_context(socket.create_connection(address(loaded.served), timeout=30))
            deaf.sendall(whole)
        assert client.get("/services/data").status_code == 200
