"""How long the command takes to start, as a ratio to bare Python importing sqlite3 and json.

Targets: 10 or less for `crmarena --help` and for `crmarena query` on a small org.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from crmarena.storage import rows
from crmarena.storage.database import Database

ROUNDS = 15
TARGET = 10.0


def seconds(command: list[str]) -> float:
    """The wall time of one run of a command."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def small_org(folder: Path) -> Path:
    """An org with a few accounts."""
    path = folder / "org.db"
    with Database.create(path, "b2b") as database:
        accounts = [{"Id": f"00100000000000{n}AAA", "Name": f"Account {n}"} for n in range(9)]
        rows.insert(database, "Account", accounts)
        database.finish()
    return path


def main() -> None:
    command = str(Path(sys.executable).with_name("crmarena"))
    with tempfile.TemporaryDirectory() as folder:
        org = str(small_org(Path(folder)))
        measured = {
            "floor: python -c 'import sqlite3, json'": [sys.executable, "-c", "import sqlite3, json"],
            "crmarena --help": [command, "--help"],
            "crmarena query": [command, "query", org, "SELECT Id, Name FROM Account LIMIT 2"],
        }
        times: dict[str, list[float]] = {name: [] for name in measured}
        for _ in range(ROUNDS):
            for name, argv in measured.items():
                times[name].append(seconds(argv))
    medians = {name: statistics.median(values) for name, values in times.items()}
    floor = next(iter(medians.values()))
    print("Start of the command")
    for name, median in medians.items():
        ratio = median / floor
        verdict = "" if ratio == 1 else ("ok" if ratio <= TARGET else f"over {TARGET:g}")
        print(f"  {name:44} {median * 1000:7.1f} ms {ratio:6.1f} x  {verdict}")


if __name__ == "__main__":
    main()
