from __future__ import annotations

from pathlib import Path

from crmarena.org.changes import STAMPS
from crmarena.org.org import open_org
from crmarena.org.writable import WritableSession
from tests.org.small import ACME, BIRCH, CASE, DEAL, LEE


def kinds(session: WritableSession) -> list[tuple[str, str, str]]:
    return [(change.kind, change.object, change.id) for change in session.changes()]


def test_nothing_written_is_no_change(session: WritableSession) -> None:
    session.query("SELECT Id FROM Account")
    assert session.changes() == []


def test_an_update_lists_the_fields_that_differ_without_the_stamps(session: WritableSession) -> None:
    session.update("Case", CASE, {"Status": "Closed", "Subject": "Broken sole"})
    (change,) = session.changes()
    assert (change.kind, change.object, change.id) == ("update", "Case", CASE)
    assert change.before == {"Status": "New", "IsClosed": False, "ClosedDate": None}
    assert change.after == {
        "Status": "Closed",
        "IsClosed": True,
        "ClosedDate": "2024-05-15T12:00:00.000+0000",
    }


def test_an_insert_and_a_delete_list_all_fields(session: WritableSession) -> None:
    whole = session.get("Case", CASE)
    made = session.insert("Account", {"Name": "Cedar"})
    session.delete("Case", CASE)
    inserted, deleted = session.changes()
    stored = [field.name for field in session.schema.objects["Account"].columns]
    assert (inserted.kind, inserted.before) == ("insert", None)
    assert inserted.after == session.get("Account", made, stored)
    assert (deleted.kind, deleted.after, deleted.before) == ("delete", None, whole)


def test_the_difference_is_net(session: WritableSession) -> None:
    session.delete("Account", session.insert("Account", {"Name": "Cedar"}))
    session.update("Account", ACME, {"Phone": "1", "Rating": "Cold"})
    session.update("Account", ACME, {"Phone": None, "Rating": "Hot"})
    session.delete("Case", CASE)
    session.undelete("Case", CASE)
    assert session.changes() == []
    assert session.get("Account", ACME, ["LastModifiedDate"])["LastModifiedDate"] is not None


def test_an_update_before_a_deletion_shows_the_record_as_it_was(session: WritableSession) -> None:
    session.update("Case", CASE, {"Subject": "Changed"})
    session.delete("Case", CASE)
    (change,) = session.changes()
    assert change.kind == "delete"
    assert change.before
    assert change.before["Subject"] == "Broken sole"


def test_records_stand_in_the_order_of_their_first_touch(session: WritableSession) -> None:
    session.update("Case", CASE, {"Subject": "Changed"})
    made = session.insert("Account", {"Name": "Cedar"})
    session.update("Account", BIRCH, {"Phone": "1"})
    session.update("Case", CASE, {"Subject": "Changed again"})
    assert kinds(session) == [
        ("update", "Case", CASE),
        ("insert", "Account", made),
        ("update", "Account", BIRCH),
    ]


def test_what_a_deletion_took_along_and_emptied_is_listed(session: WritableSession) -> None:
    session.delete("Contact", LEE)
    assert kinds(session) == [("delete", "Contact", LEE), ("update", "Opportunity", DEAL)]
    emptied = session.changes()[1]
    assert (emptied.before, emptied.after) == ({"ContactId": LEE}, {"ContactId": None})


def test_bringing_back_what_the_org_had_deleted_is_a_change_of_its_own(
    session: WritableSession, tmp_path: Path
) -> None:
    session.delete("Case", CASE)
    committed = session.commit(tmp_path / "org.db")
    with open_org(committed) as org, org.session(writable=True) as later:
        later.undelete("Case", CASE)
        (change,) = later.changes()
        assert (change.kind, change.id, change.before) == ("undelete", CASE, None)
        assert change.after
        assert change.after["Subject"] == "Broken sole"


def test_the_stamps_are_fields_of_every_object(session: WritableSession) -> None:
    assert all(sobject.fields.keys() >= STAMPS for sobject in session.schema.objects.values())
