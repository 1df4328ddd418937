from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crmarena.errors import UsageError
from crmarena.org import mend
from crmarena.org.dumps import detect_org_type, import_dump
from crmarena.org.org import open_org

ACME, BIRCH = "001Wt00000PFj4zIAD", "001000000000002AAA"
ANN = "003000000000001AAA"
Row = dict[str, Any]
MakeDump = Callable[..., Path]


@pytest.fixture
def dump(tmp_path: Path) -> MakeDump:
    """Writes a dump of all-text tables from rows by table."""

    def write(**tables: list[Row]) -> Path:
        path = tmp_path / "dump.db"
        connection = sqlite3.connect(path)
        for name, rows in tables.items():
            columns = list(dict.fromkeys(column for row in rows for column in row))
            connection.execute(
                f'CREATE TABLE "{name}" ({", ".join(f"{column!r} TEXT" for column in columns)})'
            )
            for row in rows:
                marks = ", ".join("?" for _ in row)
                listed = ", ".join(f'"{column}"' for column in row)
                connection.execute(f'INSERT INTO "{name}" ({listed}) VALUES ({marks})', list(row.values()))
        connection.commit()
        connection.close()
        return path

    return write


def mended(report: Any) -> list[tuple[str, str, int]]:
    return [(m.field, m.kind, m.count) for m in report.mended]


def test_dirty_ids_and_blanks_are_mended_and_counted(dump: MakeDump, tmp_path: Path) -> None:
    """P45."""
    source = dump(
        Account=[{"Id": f"#{ACME}", "Name": "Acme "}, {"Id": BIRCH, "Name": "Birch"}],
        Contact=[
            {"Id": ANN, "LastName": "Lee", "AccountId": ACME},
            {"Id": "#003000000000002", "AccountId": f"#{ACME}"},
        ],
        Case=[
            {
                "Id": "500000000000001AAA",
                "Description": "Order #12 is late",
                "CreatedDate": "2021-06-07T10:50:00Z",
            }
        ],
    )
    report = import_dump(source, tmp_path / "out")
    assert mended(report) == [
        ("Account.Id", mend.HASH, 1),
        ("Account.Name", mend.BLANKS, 1),
        ("Case.CreatedDate", mend.DATETIME_FORM, 1),
        ("Contact.AccountId", mend.HASH, 1),
        ("Contact.Id", mend.HASH, 1),
        ("Contact.Id", mend.SHORT_ID, 1),
    ]
    with open_org(tmp_path / "out") as org:
        joined = org.query("SELECT LastName FROM Contact WHERE Account.Name = 'Acme' AND LastName != null")
        assert joined.records == [{"LastName": "Lee"}]
        case = org.query("SELECT Description, CreatedDate FROM Case").records
    assert case == [{"Description": "Order #12 is late", "CreatedDate": "2021-06-07T10:50:00.000+0000"}]


@pytest.mark.parametrize(
    ("second", "said"),
    [(f"#{ACME}", ACME), (ACME[:15], ACME), (f"{ACME} ", ACME)],
    ids=["hash", "short", "blank"],
)
def test_ids_that_become_equal_are_an_error(dump: MakeDump, tmp_path: Path, second: str, said: str) -> None:
    source = dump(Account=[{"Id": ACME}, {"Id": second}])
    with pytest.raises(UsageError, match=f"Account has two rows with the Id {said} once mended"):
        import_dump(source, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            {"CreatedDate": "soon"},
            "table Case, row 2 (Id 500000000000002AAA), column CreatedDate: 'soon' cannot",
        ),
        ({"createddate": "soon"}, "column CreatedDate: 'soon' cannot be read, it is no datetime."),
    ],
)
def test_a_value_that_cannot_be_read_names_its_place(
    dump: MakeDump, tmp_path: Path, row: Row, said: str
) -> None:
    source = dump(
        Case=[{"Id": "500000000000001AAA", **dict.fromkeys(row)}, {"Id": "500000000000002AAA", **row}]
    )
    with pytest.raises(UsageError) as caught:
        import_dump(source, tmp_path / "deep" / "out")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "deep").exists()


def test_a_failed_import_leaves_what_was_there(dump: MakeDump, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("keep", encoding="utf-8")
    with pytest.raises(UsageError):
        import_dump(dump(Account=[{"Id": None, "Name": "Acme"}]), tmp_path / "out")
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["mine.txt"]


def test_a_row_without_an_id_is_an_error(dump: MakeDump, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="table Account, row 1 has no Id"):
        import_dump(dump(Account=[{"Id": " ", "Name": "Acme"}]), tmp_path / "out")


def test_a_table_without_ids_is_an_error(dump: MakeDump, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="table Account has no column Id"):
        import_dump(dump(Account=[{"Name": "Acme"}]), tmp_path / "out")


def test_nothing_is_overwritten(dump: MakeDump, tmp_path: Path) -> None:
    source = dump(Account=[{"Id": ACME}])
    import_dump(source, tmp_path / "out")
    before = (tmp_path / "out" / "org.db").read_bytes()
    with pytest.raises(UsageError, match=r"org.db exists already"):
        import_dump(source, tmp_path / "out")
    assert (tmp_path / "out" / "org.db").read_bytes() == before


def test_columns_are_known_in_any_letter_case(dump: MakeDump, tmp_path: Path) -> None:
    source = dump(
        orderitem=[{"ID": "802000000000001AAA", "PriceBookEntryId": "01u000000000001AAA", "Quantity": "2"}]
    )
    report = import_dump(source, tmp_path / "out")
    assert report.records["OrderItem"] == 1
    assert [(d.field, d.count) for d in report.dangling] == [("OrderItem.PricebookEntryId", 1)]
    with open_org(tmp_path / "out") as org:
        assert org.query("SELECT PricebookEntryId, Quantity FROM OrderItem").records == [
            {"PricebookEntryId": "01u000000000001AAA", "Quantity": 2.0}
        ]


def test_unknown_tables_and_columns_are_reported(dump: MakeDump, tmp_path: Path) -> None:
    source = dump(Account=[{"Id": ACME, "Shoe": "44"}], Notes=[{"Id": "1"}])
    report = import_dump(source, tmp_path / "out")
    assert report.unread == ("Account.Shoe", "Notes")
    assert "not read, not in a b2b org: Account.Shoe" in report.as_text()


def test_dangling_references_are_counted(dump: MakeDump, tmp_path: Path) -> None:
    source = dump(
        Account=[{"Id": ACME, "Name": "Acme"}],
        Contact=[{"Id": ANN, "AccountId": ACME}, {"Id": "003000000000002AAA", "AccountId": BIRCH}],
        Task=[
            {"Id": "00T000000000001AAA", "WhatId": ACME},
            {"Id": "00T000000000002AAA", "WhatId": "006000000000001AAA"},
        ],
    )
    report = import_dump(source, tmp_path / "out")
    assert [(d.field, d.count) for d in report.dangling] == [("Contact.AccountId", 1), ("Task.WhatId", 1)]
    with open_org(tmp_path / "out") as org:
        assert org.query(f"SELECT Account.Name FROM Contact WHERE AccountId = '{BIRCH}'").records == [
            {"Account": None}
        ]


@pytest.mark.parametrize(
    ("tables", "org_type"),
    [
        ({"Account": ("Id", "Name"), "Lead": ("Id",)}, "b2b"),
        ({"account": ("Id", "personemail"), "lead": ("Id",)}, "b2c"),
        ({"Account": ("Id", "FirstName", "LastName"), "Case": ("Id",)}, "original"),
        ({"Account": ("Id", "Name"), "Case": ("Id",)}, "b2b"),
        ({"Case": ("Id",)}, "b2b"),
    ],
)
def test_the_org_type_is_told_by_tables_and_columns(
    tables: dict[str, tuple[str, ...]], org_type: str
) -> None:
    assert detect_org_type(tables) == org_type


def test_the_org_type_may_be_given(dump: MakeDump, tmp_path: Path) -> None:
    report = import_dump(dump(Case=[{"Id": "500000000000001AAA"}]), tmp_path / "out", org_type="original")
    assert report.org_type == "original"
    with open_org(tmp_path / "out") as org:
        assert org.schema.org_type == "original"


def test_what_is_no_dump_says_so(dump: MakeDump, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"No dump at .*missing.db"):
        import_dump(tmp_path / "missing.db", tmp_path / "out")
    (tmp_path / "notes.txt").write_text("Nothing of an org here.", encoding="utf-8")
    with pytest.raises(UsageError, match=r"notes.txt is not an SQLite file"):
        import_dump(tmp_path / "notes.txt", tmp_path / "out")
    with pytest.raises(UsageError, match=r"Cannot read"):
        import_dump(tmp_path, tmp_path / "out")
    with pytest.raises(UsageError, match=r"holds no table of an org"):
        import_dump(dump(Shoes=[{"Id": "1"}]), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_broken_or_finished_file_says_so(dump: MakeDump, tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"SQLite format 3\x00" + b"\x07" * 4000)
    with pytest.raises(UsageError, match=r"broken.db cannot be read as SQLite"):
        import_dump(broken, tmp_path / "out")
    import_dump(dump(Account=[{"Id": ACME}]), tmp_path / "out")
    with pytest.raises(UsageError, match=r"org.db is an org already"):
        import_dump(tmp_path / "out" / "org.db", tmp_path / "again")


def test_progress_is_reported(dump: MakeDump, tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    source = dump(Account=[{"Id": ACME}], Contact=[{"Id": ANN}])
    import_dump(source, tmp_path / "out", on_progress=lambda *step: seen.append(step))
    assert seen[:2] == [("reading the dump", 0, 2), ("reading the dump", 1, 2)]
    assert seen[-1] == ("making the indexes", 1, 1)


def test_the_same_dump_gives_the_same_org(dump: MakeDump, tmp_path: Path) -> None:
    source = dump(Account=[{"Id": ACME, "Name": "Acme "}])
    first, second = (import_dump(source, tmp_path / name).path.read_bytes() for name in ("one", "two"))
    assert first == second


def test_the_published_dump_imports_whole(upstream: Path, tmp_path: Path) -> None:
    """P45, on real rows."""
    report = import_dump(upstream / "crmarenapro_b2b_partial.db", tmp_path)
    assert report.org_type == "b2b"
    assert {name: count for name, count in report.records.items() if count} == {
        "VoiceCallTranscript__c": 97,
        "Task": 602,
        "Opportunity": 25,
    }
    assert report.unread == ()
    assert [(d.field, d.count) for d in report.dangling] == [
        ("VoiceCallTranscript__c.LeadId__c", 97),
        ("Task.WhatId", 602),
    ]
    with open_org(tmp_path) as org:
        stages = org.query("SELECT Id, StageName FROM Opportunity WHERE StageName != null")
        assert stages.total_size == 25
        lead = org.query("SELECT LeadId__c FROM VoiceCallTranscript__c LIMIT 1").records[0]["LeadId__c"]
        calls = org.query(f"SELECT Id, Body__c FROM VoiceCallTranscript__c WHERE LeadId__c = '{lead[:15]}'")
        assert calls.total_size >= 1
        assert all(call["Body__c"] for call in calls.records)
        assert org.search("FIND {budget} RETURNING VoiceCallTranscript__c(Id)").records


def test_a_report_is_json_and_text(dump: MakeDump, tmp_path: Path) -> None:
    report = import_dump(dump(Account=[{"Id": f"#{ACME}", "ParentId": BIRCH}]), tmp_path / "out")
    payload = report.as_dict()
    assert (payload["org_type"], payload["records"]["Account"]) == ("b2b", 1)
    assert payload["path"] == str(tmp_path / "out" / "org.db")
    lines = report.as_text().splitlines()
    assert lines[0].startswith("1 records of 1 objects (b2b) in ")
    assert "  mended Account.Id, '#' before an Id taken away: 1" in lines
    assert "  references to no record in Account.ParentId: 1" in lines
