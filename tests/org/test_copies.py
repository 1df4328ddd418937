from __future__ import annotations

import threading
from pathlib import Path

import pytest

from crmarena.errors import UsageError
from crmarena.org.copies import KEPT, Copies
from crmarena.org.org import Org, open_org
from crmarena.storage.database import Database
from tests.org.small import build


def count(database: Database) -> int:
    found: int = database.connection.execute("SELECT COUNT(*) FROM Account").fetchone()[0]
    return found


def test_a_copy_is_lent_again_as_the_file_is(written_org: Path) -> None:
    with Database.open(written_org) as database:
        copies = Copies(database)
        first = copies.lend()
        first.connection.execute("DELETE FROM Account")
        copies.give_back(first)
        second = copies.lend()
        assert second is first
        assert count(second) == 2
        copies.give_back(second)
        copies.close()


SPOILT = [
    "COMMIT",
    "COMMIT; BEGIN",
    "ROLLBACK",
    "ROLLBACK; BEGIN; DELETE FROM Account; COMMIT; BEGIN",
    "PRAGMA user_version = 9; COMMIT",
]


@pytest.mark.parametrize("spoil", SPOILT)
def test_a_copy_whose_work_is_not_seen_to_be_undone_is_not_lent_again(written_org: Path, spoil: str) -> None:
    with Database.open(written_org) as database:
        copies = Copies(database)
        copy = copies.lend()
        copy.connection.execute("DELETE FROM Account")
        for statement in spoil.split(";"):
            copy.connection.execute(statement)
        copies.give_back(copy)
        fresh = copies.lend()
        assert fresh is not copy
        assert count(fresh) == 2
        copies.give_back(fresh)
        copies.close()


def test_as_many_copies_are_made_as_are_wanted_and_some_are_kept(org: Org) -> None:
    sessions = [org.session(writable=True) for _ in range(KEPT + 3)]
    for session in sessions:
        session.insert("Account", {"Name": "Cedar"})
    for session in sessions:
        assert session.query("SELECT COUNT() FROM Account").total_size == 3
        session.close()
    copies = org._private_copies()
    assert copies.idle == KEPT
    with org.session(writable=True) as session:
        assert copies.idle == KEPT - 1
        assert session.query("SELECT COUNT() FROM Account").total_size == 2


def test_sessions_outlive_their_org_and_none_is_opened_after_it(written_org: Path) -> None:
    org = open_org(written_org)
    session = org.session(writable=True)
    org.close()
    session.insert("Account", {"Name": "Cedar"})
    assert session.query("SELECT COUNT() FROM Account").total_size == 3
    session.close()
    with pytest.raises(UsageError, match=r"org\.db is closed; open it again"):
        org.session(writable=True)


def test_an_org_that_was_never_written_to_and_is_closed_opens_no_session(written_org: Path) -> None:
    org = open_org(written_org)
    org.close()
    with pytest.raises(UsageError, match=r"org\.db is closed; open it again"):
        org.session(writable=True)


def test_many_threads_open_sessions_of_one_org(org: Org) -> None:
    faults: list[object] = []

    def work(number: int) -> None:
        for _ in range(8):
            with org.session(writable=True) as session:
                session.insert("Account", {"Name": f"N{number}"})
                found = session.query("SELECT Name FROM Account WHERE Name LIKE 'N%'").records
                if found != [{"Name": f"N{number}"}]:
                    faults.append(found)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert org.query("SELECT COUNT() FROM Account").total_size == 2


def test_new_statistics_do_not_stay_for_the_next_session(tmp_path: Path) -> None:
    with open_org(build(tmp_path / "org.db")) as org:
        with org.session(writable=True) as session:
            first = session._database
            session.insert_all("Contact", [{"LastName": f"N{number}"} for number in range(600)])
            assert session.search("FIND {n500} RETURNING Contact(Id)").total_size == 1
        with org.session(writable=True) as session:
            assert session._database is not first
            assert session.query("SELECT COUNT() FROM Contact").total_size == 1
