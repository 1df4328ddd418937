from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from crmarena.errors import CRMArenaError, UsageError
from crmarena.org.org import Org, open_org
from crmarena.org.writable import WritableSession
from tests.org.small import ACME, CASE, CLOCK, build

NAMES = "SELECT Name FROM Account ORDER BY Name"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return build(tmp_path / "org.db")


@pytest.fixture
def own(path: Path) -> Iterator[Org]:
    """An org that a test may commit to."""
    with open_org(path) as opened:
        yield opened


def writing(org: Org, name: str = "Cedar") -> WritableSession:
    session = org.session(writable=True, clock=CLOCK)
    session.insert("Account", {"Name": name})
    return session


def names(org: Org | WritableSession) -> list[str]:
    return [record["Name"] for record in org.query(NAMES).records]


def test_a_committed_state_is_what_the_next_reader_sees(own: Org, path: Path) -> None:
    path.chmod(0o640)
    with writing(own) as session:
        session.delete("Case", CASE)
        assert session.commit() == path
        # The session goes on, and may commit again.
        session.insert("Account", {"Name": "Dune"})
        session.commit()
    assert names(own) == ["Acme", "Birch & Sons"]
    with open_org(path) as later:
        assert names(later) == ["Acme", "Birch & Sons", "Cedar", "Dune"]
        assert later.search("FIND {dun*} RETURNING Account(Name)").records == [{"Name": "Dune"}]
        assert later.query("SELECT Id FROM Case").records == []
        assert later.query("SELECT Id FROM Case", all_rows=True).records == [{"Id": CASE}]
        assert later.describe("Account")["name"] == "Account"
        with later.session(writable=True) as session:
            session.undelete("Case", CASE)
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(path.parent.iterdir()) == [path]


def test_a_committed_file_has_indexes_and_statistics(own: Org, path: Path) -> None:
    def shape() -> tuple[set[str], set[str]]:
        connection = sqlite3.connect(path)
        indexes = {
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'index'")
        }
        measured = {name for (name,) in connection.execute("SELECT tbl FROM sqlite_stat1")}
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA user_version").fetchone() == (0,)
        connection.close()
        return indexes, measured

    before = shape()
    with writing(own) as session:
        session.insert("Lead", {"LastName": "Roe", "Company": "Dune"})
        session.commit()
    indexes, measured = shape()
    assert indexes == before[0]
    assert measured >= before[1] | {"Lead", "Lead__words"}


def test_another_path_must_be_free(own: Org, tmp_path: Path) -> None:
    taken = tmp_path / "taken.db"
    taken.write_text("mine", encoding="utf-8")
    with writing(own) as session:
        with pytest.raises(UsageError, match="exists already; give another name"):
            session.commit(taken)
        folder = tmp_path / "copy"
        folder.mkdir()
        assert session.commit(str(folder)) == folder / "org.db"
    assert taken.read_text(encoding="utf-8") == "mine"
    with open_org(folder) as copy:
        assert names(copy) == ["Acme", "Birch & Sons", "Cedar"]
    assert names(own) == ["Acme", "Birch & Sons"]


def test_a_file_that_was_changed_is_not_written_over(own: Org, path: Path) -> None:
    with writing(own, "Cedar") as first, writing(own, "Dune") as second:
        first.commit()
        with pytest.raises(
            UsageError, match=r"org\.db was changed after it was opened; commit to another path"
        ):
            second.commit()
        # Named by its path, it is the org's own file all the same.
        with pytest.raises(UsageError, match="was changed after it was opened"):
            second.commit(path)
        second.commit(path.with_name("second.db"))
    with open_org(path) as later:
        assert names(later) == ["Acme", "Birch & Sons", "Cedar"]


def test_a_file_that_was_removed_is_not_made_again(own: Org, path: Path) -> None:
    with writing(own) as session:
        path.unlink()
        with pytest.raises(UsageError, match="was changed after it was opened"):
            session.commit()


def test_a_link_stays_a_link(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "folder" / "link.db"
    link.parent.mkdir()
    link.symlink_to(path)
    with open_org(link) as org, writing(org) as session:
        session.commit()
    assert link.is_symlink()
    with open_org(path) as later:
        assert names(later) == ["Acme", "Birch & Sons", "Cedar"]


def test_a_folder_that_is_not_there_is_said_to_be_missing(own: Org, tmp_path: Path) -> None:
    with writing(own) as session, pytest.raises(CRMArenaError, match="cannot be written: No such file"):
        session.commit(tmp_path / "nowhere" / "org.db")


def test_a_reader_may_go_on_while_another_commits(own: Org, path: Path) -> None:
    stop = threading.Event()
    seen: set[tuple[str, ...]] = set()
    faults: list[Exception] = []

    def read() -> None:
        try:
            while not stop.is_set():
                with open_org(path) as org:
                    seen.add(tuple(names(org)))
                seen.add(tuple(names(own)))
        except Exception as error:
            faults.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        with writing(own, "N0") as session:
            session.commit()
            for number in range(1, 6):
                session.insert("Account", {"Name": f"N{number}"})
                session.commit()
    finally:
        stop.set()
        reader.join()
    assert faults == []
    states = [("Acme", "Birch & Sons", *(f"N{n}" for n in range(count))) for count in range(7)]
    assert seen <= set(states)


def run(code: str, path: Path) -> subprocess.Popen[str]:
    """A process that has opened the org and written to a session of it."""
    start = (
        "import sys, os\n"
        "from crmarena.errors import CRMArenaError\n"
        "from crmarena.org.org import open_org\n"
        "org = open_org(sys.argv[1])\n"
        "session = org.session(writable=True)\n"
        "people = [{'LastName': f'N{i}', 'Description': 'x' * 900} for i in range(3000)]\n"
        "session.insert_all('Contact', people)\n"
        "print('ready', flush=True)\n"
        "sys.stdin.readline()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", start + code, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


def test_two_processes_that_commit_at_once_do_not_both_win(path: Path) -> None:
    code = "try:\n    session.commit()\n    print('won')\nexcept CRMArenaError as error:\n    print(error)\n"
    processes = [run(code, path) for _ in range(3)]
    for process in processes:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    said = sorted(process.communicate(timeout=60)[0].strip() for process in processes)
    assert said[2] == "won"
    assert all("was changed after it was opened" in text for text in said[:2])
    with open_org(path) as later:
        assert later.query("SELECT COUNT() FROM Contact").total_size == 3001


def test_a_kill_in_the_middle_leaves_the_old_file_or_the_new_one(path: Path) -> None:
    code = "print('going', flush=True)\nwhile True:\n    session.commit()\n"
    before = path.read_bytes()
    for delay in (0.0, 0.004, 0.011, 0.023, 0.047):
        process = run(code, path)
        assert process.stdin
        assert process.stdout
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline() == "going\n"
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        with open_org(path) as org:
            count = org.query("SELECT COUNT() FROM Contact").total_size
            assert count in {1, 3001}
            assert (count == 1) == (path.read_bytes() == before)
            # What the kill left beside it is in nobody's way.
            with writing(org) as session:
                session.commit(path.with_name(f"later-{delay}.db"))
        path.write_bytes(before)


def test_a_full_disk_leaves_the_old_file_whole(path: Path) -> None:
    before = path.read_bytes()
    limit = path.stat().st_size + 65536
    code = (
        "import resource\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
        "try:\n"
        "    session.commit()\n"
        "except CRMArenaError as error:\n"
        "    print(error)\n"
        "print(session.query('SELECT COUNT() FROM Contact').total_size)\n"
    )
    process = run(code, path)
    said, _ = process.communicate("\n", timeout=60)
    assert "org.db cannot be written: File too large; what was there is as it was." in said
    assert said.splitlines()[-1] == "3001"
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]
    with open_org(path) as org:
        assert org.get("Account", ACME, ["Name"]) == {"Name": "Acme"}
