"""REST queries a second, as a ratio to a bare FastAPI route that runs the same SQL.

Both are served by the same Uvicorn in a process of their own and asked by the same client over
loopback, in turns. Run: `python -m benchmarks.rest_throughput`. Target: 0.7 or more at the median.
"""

from __future__ import annotations

import argparse
import json
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import uvicorn
from fastapi import FastAPI

from crmarena.schema.ids import make_id
from crmarena.server.app import create_app
from crmarena.server.serve import options
from crmarena.server.settings import Login, ServerSettings
from crmarena.storage import rows
from crmarena.storage.database import Database

TARGET = 0.7
ROUNDS, SECONDS = 7, 0.6
CLIENTS = 4
TOKEN = "00DCr0000000001!benchmark"
RECORDS = 20_000

# name, SOQL, and the SQL that a person would write for it
QUERIES = [
    (
        "one record",
        "SELECT Id, Name FROM Account WHERE Id = '{id}'",
        "SELECT Id, Name FROM Account WHERE Id = ?",
    ),
    (
        "20 records",
        "SELECT Id, Name, AnnualRevenue FROM Account WHERE BillingState = 'S7' LIMIT 20",
        "SELECT Id, Name, AnnualRevenue FROM Account WHERE BillingState = 'S7' LIMIT 20",
    ),
    (
        "500 records",
        "SELECT Id, Name, BillingCity FROM Account LIMIT 500",
        "SELECT Id, Name, BillingCity FROM Account LIMIT 500",
    ),
    (
        "grouped",
        "SELECT BillingState, COUNT(Id) n FROM Account GROUP BY BillingState",
        "SELECT BillingState, COUNT(*) n FROM Account GROUP BY BillingState",
    ),
]
ID = make_id("001", "Rt", 4_321)


def build(path: Path) -> None:
    with Database.create(path, "b2b") as database:
        rows.insert(
            database,
            "Account",
            (
                {
                    "Id": make_id("001", "Rt", n),
                    "Name": f"Account {n}",
                    "AnnualRevenue": 1000.0 * n,
                    "BillingCity": f"City {n % 97}",
                    "BillingState": f"S{n % 40}",
                }
                for n in range(RECORDS)
            ),
        )
        database.finish()


def bare_app(org: str) -> FastAPI:
    """A route as one writes it by hand: no version, no token, records as they come from the table."""
    app = FastAPI()
    local = threading.local()
    statements = {name: sql for name, _, sql in QUERIES}

    @app.get("/query")
    def query(name: str) -> dict[str, Any]:
        if not hasattr(local, "connection"):
            local.connection = sqlite3.connect(f"file:{org}?mode=ro&immutable=1", uri=True)
        sql = statements[name]
        cursor = local.connection.execute(sql, (ID,) if "?" in sql else ())
        names = [column[0] for column in cursor.description]
        records = [dict(zip(names, row, strict=True)) for row in cursor]
        return {"totalSize": len(records), "done": True, "records": records}

    return app


def served_app(org: str, folder: str) -> tuple[FastAPI, dict[str, Any]]:
    settings = ServerSettings(
        org=org, state=f"{folder}/state.db", logins=(Login("bench@crm.example", "x"),), token=TOKEN
    )
    app = create_app(settings)
    app.state.desk.begin()
    return app, options(settings)


def run_server(kind: str, org: str, folder: str) -> None:
    """What a server process does: print its port, serve."""
    app, told = served_app(org, folder)
    if kind == "bare":
        app = bare_app(org)
    # asyncio spares only sockets that name their protocol the delays of Nagle's algorithm.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    print(listener.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, access_log=False, **told)).run(sockets=[listener])


@contextmanager
def server(kind: str, org: Path, folder: str) -> Iterator[int]:
    command = [sys.executable, __file__, "--serve", kind, str(org), folder]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


class Client:
    """A keep-alive connection that costs next to nothing: what is measured is the server."""

    def __init__(self, port: int, path: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._request = (
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
        ).encode()

    def ask(self) -> bytes:
        """One request; the body of its answer."""
        self._socket.sendall(self._request)
        data = b""
        while b"\r\n\r\n" not in data:
            data += self._socket.recv(65_536)
        head, _, body = data.partition(b"\r\n\r\n")
        assert b" 200 " in head.split(b"\r\n", 1)[0], data[:500]
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        while len(body) < length:
            body += self._socket.recv(262_144)
        return body

    def close(self) -> None:
        """End the connection."""
        self._socket.close()


def throughput(port: int, path: str) -> float:
    """Requests a second of several clients at once."""
    counts = [0] * CLIENTS
    until = time.perf_counter() + SECONDS

    def work(number: int) -> None:
        client = Client(port, path)
        while time.perf_counter() < until:
            client.ask()
            counts[number] += 1
        client.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(CLIENTS)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.perf_counter() - start)


def measure(bare: int, ours: int) -> list[float]:
    """The ratio of each query, the median of several rounds."""
    found = []
    print(f"{'query':12} {'bare':>9} {'crmarena':>9}   ratio")
    for name, soql, _ in QUERIES:
        paths = f"/query?name={quote(name)}", f"/services/data/v59.0/query?q={quote(soql.format(id=ID))}"
        sizes = [
            len(json.loads(Client(p, path).ask())["records"])
            for p, path in zip((bare, ours), paths, strict=True)
        ]
        assert sizes[0] == sizes[1] > 0
        rates = [(throughput(bare, paths[0]), throughput(ours, paths[1])) for _ in range(ROUNDS)]
        ratio = statistics.median(own / other for other, own in rates)
        other, own = (statistics.median(column) for column in zip(*rates, strict=True))
        print(f"{name:12} {other:7.0f}/s {own:7.0f}/s   {ratio:5.2f}")
        found.append(ratio)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit 1 if the target is missed")
    parser.add_argument("--serve", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        run_server(*arguments.serve)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        org = Path(folder) / "org.db"
        build(org)
        with server("bare", org, folder) as bare, server("crmarena", org, folder) as ours:
            ratio = statistics.median(measure(bare, ours))
    print(f"median ratio: {ratio:.2f} (target {TARGET} or more)")
    return 1 if ratio < TARGET and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
