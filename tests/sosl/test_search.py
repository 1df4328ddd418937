from __future__ import annotations

from pathlib import Path

import pytest

from crmarena.clock import Clock
from crmarena.errors import SalesforceError
from crmarena.soql.viewer import Viewer
from crmarena.sosl.limits import share
from crmarena.sosl.search import clear_plan_cache, run_search
from crmarena.storage import rows, search_index
from crmarena.storage.database import Database
from tests.sosl.conftest import TODAY, Finder, record_id

NEW = record_id("001", 9)


def test_records_have_the_listed_fields_alone(find: Finder) -> None:
    assert find("FIND {zeta} RETURNING Account(Name, Phone)").records == [
        {"Name": "University of Zeta", "Phone": None}
    ]
    assert find("FIND {zeta} RETURNING account").records == [{"Id": record_id("001", 3)}]
    assert find("FIND {zoe*} RETURNING Contact(lastname, account.name)").records == [
        {"LastName": "Acme", "Account": {"Name": "Birch & Sons"}}
    ]


def test_objects_come_in_the_order_of_returning(find: Finder) -> None:
    assert find.ids("FIND {acme AND birch} RETURNING Contact, Account") == ["003-1", "001-2"]
    assert find.ids("FIND {acme AND birch} RETURNING Account, Contact") == ["001-2", "003-1"]


def test_the_best_match_comes_first(find: Finder) -> None:
    # In the name, in another name field, thrice in a long text.
    assert find.ids("FIND {acme} RETURNING Account") == ["001-1", "001-3", "001-2"]
    assert find.ids("FIND {acme} RETURNING Account(Id ORDER BY Name DESC)") == ["001-3", "001-2", "001-1"]


def test_a_field_group_narrows_the_search(find: Finder) -> None:
    assert find.ids("FIND {acme} IN NAME FIELDS RETURNING Account, Contact") == ["001-1", "001-3", "003-1"]
    assert find.ids("FIND {acme} IN EMAIL FIELDS RETURNING Account, Contact") == []
    assert find.ids("FIND {birch} IN EMAIL FIELDS RETURNING Account, Contact") == ["003-1"]
    assert find.ids("FIND {555} IN PHONE FIELDS RETURNING Account, Contact") == ["001-1", "003-2"]
    assert find.ids("FIND {days} IN NAME FIELDS RETURNING Knowledge__kav") == ["ka0-2"]


@pytest.mark.parametrize(
    ("clauses", "found"),
    [
        ("WHERE Status = 'New'", ["500-2"]),
        ("WHERE CreatedDate = N_DAYS_AGO:2", ["500-3"]),
        ("WHERE CreatedDate < LAST_N_DAYS:2 ORDER BY CreatedDate DESC", ["500-2", "500-1"]),
        (
            "WHERE Status = 'Closed' OR Subject LIKE 'refunds%' ORDER BY CaseNumber",
            ["500-1", "500-2", "500-3"],
        ),
        ("ORDER BY CreatedDate DESC LIMIT 2", ["500-3", "500-2"]),
        ("ORDER BY CreatedDate DESC LIMIT 1 OFFSET 1", ["500-2"]),
        ("ORDER BY CreatedDate OFFSET 2", ["500-3"]),
        ("LIMIT 0", []),
    ],
)
def test_clauses_work_as_in_soql(find: Finder, clauses: str, found: list[str]) -> None:
    assert find.ids(f"FIND {{patience}} RETURNING Case(Id {clauses})") == found


def test_functions_give_a_fields_text(find: Finder) -> None:
    assert find("FIND {web2case} RETURNING Case(toLabel(Status))").records == [{"Status": "Closed"}]


def test_without_returning_every_object_that_need_not_be_named_is_searched(find: Finder) -> None:
    assert sorted(find.ids("FIND {acme}")) == ["001-1", "001-2", "001-3", "003-1"]
    assert find.ids("FIND {policy}") == []
    assert find.ids("FIND {policy} RETURNING Knowledge__kav") == ["ka0-2"]
    assert find.ids("FIND {acme} RETURNING Product2") == ["01t-1"]


@pytest.mark.parametrize(
    ("limit", "found"),
    [
        (0, [0, 0]),
        (1, [1, 0]),
        (2, [1, 1]),
        (3, [2, 1]),
        (4, [3, 1]),
        (9, [3, 1]),
    ],
)
def test_a_limit_is_dealt_evenly(find: Finder, limit: int, found: list[int]) -> None:
    ids = find.ids(f"FIND {{acme}} RETURNING Account, Contact LIMIT {limit}")
    assert [sum(entry.startswith(prefix) for entry in ids) for prefix in ("001", "003")] == found


@pytest.mark.parametrize(
    ("found", "limit", "counts"),
    [
        ([], 5, []),
        ([0, 0], 5, [0, 0]),
        ([19, 35], 20, [10, 10]),
        ([3, 35], 20, [3, 17]),
        ([35, 3, 0, 9], 20, [9, 3, 0, 8]),
        ([5, 5, 5], 7, [3, 2, 2]),
        ([5, 5, 5], 2, [1, 1, 0]),
        ([5, 5], 2_000, [5, 5]),
        ([5, 5], 0, [0, 0]),
    ],
)
def test_what_one_object_leaves_the_others_share(found: list[int], limit: int, counts: list[int]) -> None:
    assert share(found, limit) == counts


def test_before_version_37_the_answer_is_a_bare_list(find: Finder) -> None:
    result = find("FIND {zeta} RETURNING Account(Name)")
    url = f"/services/data/v36.0/sobjects/Account/{record_id('001', 3)}"
    assert result.to_rest("36.0") == [
        {"attributes": {"type": "Account", "url": url}, "Name": "University of Zeta"}
    ]
    assert list(result.to_rest("37.0")) == ["searchRecords"]
    assert find("FIND {nowhere} RETURNING Case").to_rest("20.0") == []


def test_the_rest_answer_has_attributes(find: Finder) -> None:
    result = find("FIND {zoe*} RETURNING Contact(LastName, Account.Name), Case LIMIT 5")
    place = "/services/data/v60.0/sobjects"
    assert result.to_rest("60.0") == {
        "searchRecords": [
            {
                "attributes": {"type": "Contact", "url": f"{place}/Contact/{record_id('003', 1)}"},
                "LastName": "Acme",
                "Account": {
                    "attributes": {"type": "Account", "url": f"{place}/Account/{record_id('001', 2)}"},
                    "Name": "Birch & Sons",
                },
            }
        ]
    }
    assert find("FIND {nowhere} RETURNING Case").to_rest() == {"searchRecords": []}
    assert result.total_size == 1


# Public cases


def test_a_plus_sign_unescaped_finds_nothing_and_escaped_the_address(find: Finder) -> None:
    """P03."""
    assert find.ids("FIND {ann+crm@x.example} IN EMAIL FIELDS RETURNING Contact(Id)") == []
    assert find.ids(r"FIND {ann\+crm@x.example} IN EMAIL FIELDS RETURNING Contact(Id)") == ["003-2"]
    with pytest.raises(SalesforceError, match="MALFORMED_SEARCH"):
        find("FIND {ann-crm@x.example} IN EMAIL FIELDS RETURNING Contact(Id)")


def test_rich_text_is_searched_as_plain_text_and_given_as_stored(find: Finder) -> None:
    """P47."""
    for term in ("Socks", r"Shoes \& Socks", r'"Shoes \& Socks"', r"don\'t", "shoe"):
        assert find.ids(f"FIND {{{term}}} RETURNING Knowledge__kav(Id)") == ["ka0-1"], term
    assert find("FIND {Socks} RETURNING Knowledge__kav(FAQ_Answer__c)").records == [
        {"FAQ_Answer__c": "<p>Shoes &amp; Socks, don&#39;t run</p>"}
    ]
    assert find.ids("FIND {amp} RETURNING Knowledge__kav(Id)") == []


def test_whole_words_are_found_and_beginnings_only_with_a_star(find: Finder) -> None:
    assert find.ids("FIND {acm} RETURNING Account") == []
    assert len(find.ids("FIND {acm*} RETURNING Account")) == 3


def test_many_records_are_cut_at_salesforces_limits(tmp_path: Path) -> None:
    with Database.create(tmp_path / "org.db", "b2b") as database:
        for name, prefix in (("Case", "500"), ("Task", "00T")):
            made = ({"Id": record_id(prefix, n), "Subject": f"Same words {n}"} for n in range(2_100))
            rows.insert(database, name, made)
        database.finish()
        sizes = {
            text: run_search(database, text, Clock.at(TODAY)).total_size
            for text in (
                "FIND {words} RETURNING Case(Id)",
                "FIND {words} RETURNING Case(Id LIMIT 3)",
                "FIND {words} RETURNING Case(Id ORDER BY Id)",
                "FIND {words} RETURNING Case(Id WHERE Subject LIKE 'same%' LIMIT 2050)",
                "FIND {words} RETURNING Case, Task",
                "FIND {words} RETURNING Case, Task LIMIT 2001",
                "FIND {words} RETURNING Case(Id ORDER BY Id) LIMIT 2001",
            )
        }
        early = run_search(
            database, "FIND {words} RETURNING Case(Id ORDER BY Id)", Clock.at(TODAY), api_version=27
        )
    assert list(sizes.values()) == [250, 3, 2000, 2000, 500, 500, 2000]
    assert early.total_size == 200


# Who searches, and in what


def test_the_day_begins_where_the_viewer_is(find: Finder) -> None:
    # A case of the 13th at eight in the morning UTC, which is the 12th in Honolulu.
    text = "FIND {patience} RETURNING Case(Id WHERE CreatedDate = N_DAYS_AGO:2)"
    honolulu = run_search(find.database, text, Clock.at(TODAY), viewer=Viewer(zone="Pacific/Honolulu"))
    assert [record["Id"] for record in honolulu.records] == []
    assert find.ids(text) == ["500-3"]


def test_a_private_copy_finds_what_was_written_to_it(find: Finder) -> None:
    account = find.database.schema.objects["Account"]
    with find.database.copy() as copy:
        private = Finder(copy)
        copy.connection.execute('INSERT INTO "Account" (Id, Name) VALUES (?, ?)', (NEW, "Runners of Acme"))
        (row,) = copy.connection.execute('SELECT rowid FROM "Account" WHERE Id = ?', (NEW,)).fetchone()
        search_index.add(copy, account, row, {"Name": "Runners of Acme"})
        assert private.ids("FIND {acme runner*} RETURNING Account") == ["001-9"]
        assert private.ids("FIND {runners} RETURNING Account") == ["001-9"]
        search_index.remove(copy, account, row, {"Name": "Runners of Acme"})
        assert private.ids("FIND {runners} RETURNING Account") == []
    assert find.ids("FIND {runners} RETURNING Account") == []


def test_a_person_is_found_by_the_whole_name(tmp_path: Path) -> None:
    with Database.create(tmp_path / "org.db", "b2b") as database:
        for name, prefix in (("Contact", "003"), ("Lead", "00Q"), ("User", "005")):
            people = [("Ada", "Lee"), ("Lee", "Ada"), ("Ada", "Bird")]
            made = (
                {"Id": record_id(prefix, n), "FirstName": first, "LastName": last}
                for n, (first, last) in enumerate(people, start=1)
            )
            rows.insert(database, name, made)
        database.finish()
        find = Finder(database)
        assert find.ids('FIND {"Ada Lee"} IN NAME FIELDS') == ["005-1", "003-1", "00Q-1"]
        # Without quotation marks both, who is called so before who is not.
        assert find.ids("FIND {ada lee} RETURNING Contact") == ["003-1", "003-2"]
        assert find.ids("FIND {lee ada} RETURNING Contact") == ["003-2", "003-1"]


def test_nearer_words_and_weightier_fields_come_first(tmp_path: Path) -> None:
    texts = [
        ("Printer", "The blue light of the old printer blinks"),
        ("Printer", "It printed a light page of blue"),
        ("Blue light", "The printer is off"),
        ("Lamp", "A light, then blue"),
    ]
    with Database.create(tmp_path / "org.db", "b2b") as database:
        made = (
            {"Id": record_id("500", n), "Subject": subject, "Description": text}
            for n, (subject, text) in enumerate(texts, start=1)
        )
        rows.insert(database, "Case", made)
        database.finish()
        assert Finder(database).ids("FIND {blue light} RETURNING Case")[:2] == ["500-3", "500-1"]


def test_a_wildcard_for_very_many_words_finds_them_all(tmp_path: Path) -> None:
    made = ({"Id": record_id("500", n), "Subject": f"{_letters(n)}x"} for n in range(1_500))
    with Database.create(tmp_path / "org.db", "b2b") as database:
        rows.insert(database, "Case", made)
        database.finish()
        found = run_search(database, "FIND {a*x} RETURNING Case(Id ORDER BY Id)", Clock.at(TODAY))
        best = run_search(database, "FIND {a*x} RETURNING Case(Id)", Clock.at(TODAY))
    assert (found.total_size, best.total_size) == (1_500, 250)


def _letters(number: int) -> str:
    return "a" + f"{number:d}".translate(str.maketrans("0123456789", "bcdefghijk"))


def test_plans_are_kept_by_version_and_schema(find: Finder) -> None:
    clear_plan_cache()
    text = "FIND {acme} RETURNING Account(Name) WITH HIGHLIGHT"
    assert find(text).total_size == find(text).total_size == 3
    with pytest.raises(SalesforceError, match="Malformed search token: HIGHLIGHT"):
        run_search(find.database, text, Clock.at(TODAY), api_version=38)
