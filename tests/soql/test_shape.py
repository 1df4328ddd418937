"""How records look: to an agent, and in the REST API's answer."""

from __future__ import annotations

from crmarena.clock import Clock
from crmarena.soql.run import run_query
from crmarena.storage.database import Database
from tests.soql.conftest import moment, record_id


def test_keys_are_the_canonical_names_in_the_order_selected(database: Database, clock: Clock) -> None:
    query = "SELECT owner.NAME, status, isclosed, OWNER.lastname, createddate FROM case LIMIT 1"
    (record,) = run_query(database, query, clock).records
    assert record == {
        "Owner": {"Name": "Ann Young", "LastName": "Young"},
        "Status": "New",
        "IsClosed": False,
        "CreatedDate": moment("2024-05-15", "01:30:00"),
    }
    assert list(record) == ["Owner", "Status", "IsClosed", "CreatedDate"]
    assert record["IsClosed"] is False


def test_values_have_the_types_of_their_fields(database: Database, clock: Clock) -> None:
    (account,) = run_query(
        database, "SELECT NumberOfEmployees, IsDeleted FROM Account LIMIT 1", clock
    ).records
    assert account == {"NumberOfEmployees": 120, "IsDeleted": False}
    assert isinstance(account["NumberOfEmployees"], int)
    (deal,) = run_query(database, "SELECT Amount, CloseDate FROM Opportunity OFFSET 3", clock).records
    assert deal == {"Amount": -3.0, "CloseDate": None}
    assert isinstance(deal["Amount"], float)


def test_a_missing_parent_is_none_at_every_level(database: Database, clock: Clock) -> None:
    query = "SELECT Account.Owner.Name, Account.Name, Contact.Account.Name FROM Case WHERE Status != 'Closed'"
    records = run_query(database, query, clock).records
    assert records[0] == {
        "Account": {"Owner": {"Name": "Ann Young"}, "Name": "Acme"},
        "Contact": {"Account": {"Name": "Acme"}},
    }
    # An account without owner; no contact.
    assert records[1] == {"Account": {"Owner": None, "Name": "acme west"}, "Contact": None}
    # A reference that leads nowhere.
    assert records[3] == {"Account": None, "Contact": None}


def test_five_levels_of_parents(database: Database, clock: Clock) -> None:
    query = "SELECT Contact.Account.Owner.Manager.Manager.Name FROM Case LIMIT 1"
    assert run_query(database, query, clock).records == [
        {"Contact": {"Account": {"Owner": {"Manager": None}}}}
    ]


def test_children_are_lists_and_none_where_there_are_none(database: Database, clock: Clock) -> None:
    query = (
        "SELECT Name, (SELECT LastName, Account.Name FROM Contacts), (SELECT Subject FROM Account.Cases WHERE"
        " Status = 'Closed') FROM Account a LIMIT 3"
    )
    assert run_query(database, query, clock).records == [
        {
            "Name": "Acme",
            "Contacts": [
                {"LastName": "Able", "Account": {"Name": "Acme"}},
                {"LastName": "Baker", "Account": {"Name": "Acme"}},
            ],
            "Cases": [{"Subject": "late parcel"}],
        },
        {
            "Name": "acme west",
            "Contacts": [{"LastName": "O'Neil", "Account": {"Name": "acme west"}}],
            "Cases": [{"Subject": "Late refund"}],
        },
        {"Name": "Élan Vital", "Contacts": None, "Cases": None},
    ]


def test_limit_order_and_offset_of_children_count_for_each_parent(database: Database, clock: Clock) -> None:
    query = "SELECT Name, (SELECT Subject FROM Cases ORDER BY CreatedDate DESC LIMIT 1) FROM Account LIMIT 2"
    assert run_query(database, query, clock).records == [
        {"Name": "Acme", "Cases": [{"Subject": "Broken zip"}]},
        {"Name": "acme west", "Cases": [{"Subject": "Late refund"}]},
    ]
    query = "SELECT (SELECT Subject FROM Cases ORDER BY CreatedDate LIMIT 5 OFFSET 1) FROM Account LIMIT 1"
    assert run_query(database, query, clock).records == [{"Cases": [{"Subject": "Broken zip"}]}]


def test_children_of_children(database: Database, clock: Clock) -> None:
    query = (
        "SELECT Name, (SELECT LastName, (SELECT Subject FROM Cases) FROM Contacts ORDER BY LastName)"
        " FROM Account WHERE Name = 'Acme'"
    )
    assert run_query(database, query, clock).records == [
        {
            "Name": "Acme",
            "Contacts": [
                {"LastName": "Able", "Cases": [{"Subject": "Broken zip"}]},
                {"LastName": "Baker", "Cases": [{"Subject": "late parcel"}]},
            ],
        }
    ]


def test_typeof_gives_each_type_its_own_fields(database: Database, clock: Clock) -> None:
    query = (
        "SELECT Subject, TYPEOF What WHEN Account THEN Industry, Owner.Name WHEN Opportunity THEN StageName"
        " ELSE Name END FROM Task"
    )
    assert run_query(database, query, clock).records == [
        {"Subject": "Call", "What": {"StageName": "Discovery"}},
        {"Subject": "Visit", "What": {"Industry": "Energy", "Owner": {"Name": "Ann Young"}}},
        {"Subject": "Write", "What": {"Name": "00000001"}},
        {"Subject": "Idle", "What": None},
    ]


def test_typeof_without_else_gives_none_for_other_types(database: Database, clock: Clock) -> None:
    query = "SELECT TYPEOF What WHEN Account THEN Name END FROM Task"
    assert [r["What"] for r in run_query(database, query, clock).records] == [
        None,
        {"Name": "Acme"},
        None,
        None,
    ]


def test_unnamed_results_are_numbered_and_others_keep_their_names(database: Database, clock: Clock) -> None:
    query = (
        "SELECT MAX(CreatedDate), Account.Name, MIN(CreatedDate) low, COUNT(Id) FROM Case"
        " WHERE Account.Name = 'Acme' GROUP BY Account.Name"
    )
    assert run_query(database, query, clock).records == [
        {
            "expr0": moment("2024-05-15", "01:30:00"),
            "Name": "Acme",
            "low": moment("2024-05-10", "02:30:00"),
            "expr1": 2,
        }
    ]


def test_fields_lists_every_field_of_a_kind(database: Database, clock: Clock) -> None:
    fields = database.schema.objects["Issue__c"].fields
    (everything,) = run_query(database, "SELECT FIELDS(ALL) FROM Issue__c LIMIT 1", clock).records
    assert list(everything) == list(fields)
    (custom,) = run_query(database, "SELECT Id, FIELDS(CUSTOM) FROM Issue__c LIMIT 1", clock).records
    assert list(custom) == ["Id", "Description__c"]
    assert run_query(database, "SELECT FIELDS(STANDARD) FROM Issue__c", clock).total_size == 2


def test_rest_gives_type_and_url_of_every_record(database: Database, clock: Clock) -> None:
    query = "SELECT Subject, Account.Name, Contact.LastName FROM Case WHERE Subject = 'Wrong size'"
    assert run_query(database, query, clock).to_rest("60.0") == {
        "totalSize": 1,
        "done": True,
        "records": [
            {
                "attributes": {
                    "type": "Case",
                    "url": f"/services/data/v60.0/sobjects/Case/{record_id('Case', 4)}",
                },
                "Subject": "Wrong size",
                "Account": {
                    "attributes": {
                        "type": "Account",
                        "url": f"/services/data/v60.0/sobjects/Account/{record_id('Account', 2)}",
                    },
                    "Name": "acme west",
                },
                "Contact": None,
            }
        ],
    }


def test_rest_pages_children_and_marks_aggregates(database: Database, clock: Clock) -> None:
    names = "('acme west', 'Élan Vital')"
    query = f"SELECT (SELECT LastName FROM Contacts LIMIT 1) FROM Account WHERE Name IN {names}"
    west, elan = run_query(database, query, clock).to_rest()["records"]
    assert west["Contacts"] == {
        "totalSize": 1,
        "done": True,
        "records": [
            {
                "attributes": {
                    "type": "Contact",
                    "url": f"/services/data/v62.0/sobjects/Contact/{record_id('Contact', 3)}",
                },
                "LastName": "O'Neil",
            }
        ],
    }
    assert elan["Contacts"] is None
    query = "SELECT Status, COUNT(Id) FROM Case WHERE Status = 'Working' GROUP BY Status"
    assert run_query(database, query, clock).to_rest() == {
        "totalSize": 1,
        "done": True,
        "records": [{"attributes": {"type": "AggregateResult"}, "Status": "Working", "expr0": 1}],
    }


def test_a_changed_record_changes_neither_the_rest_answer_nor_the_next_query(
    database: Database, clock: Clock
) -> None:
    query = "SELECT Status FROM Case LIMIT 1"
    result = run_query(database, query, clock)
    result.records[0]["Status"] = "Mine"
    assert result.to_rest()["records"][0]["Status"] == "New"
    assert run_query(database, query, clock).records == [{"Status": "New"}]


def test_some_records_for_rest_are_those_of_the_whole(database: Database, clock: Clock) -> None:
    text = "SELECT Id, (SELECT Id, (SELECT Id FROM Cases) FROM Contacts) FROM Account ORDER BY Name"
    result = run_query(database, text, clock)
    whole = result.to_rest("59.0")["records"]
    parts = [result.rest_records(n, n + 1, "59.0") for n in range(len(whole))]
    assert len(whole) > 1
    assert [record for part in parts for record in part] == whole
    assert result.rest_records(len(whole), len(whole) + 5, "59.0") == []
    assert run_query(database, "SELECT COUNT() FROM Account", clock).rest_records(0, 5) == []


def test_a_polymorphic_parent_is_a_name_at_the_url_of_what_it_is(database: Database, clock: Clock) -> None:
    query = "SELECT Id, What.Name, TYPEOF Owner WHEN Group THEN Email ELSE Name END FROM Task ORDER BY Id"
    whats = [record["What"] for record in run_query(database, query, clock).to_rest("60.0")["records"]]
    assert whats[3] is None
    shown = [(what["attributes"]["type"], what["attributes"]["url"], what["Name"]) for what in whats[:3]]
    place = "/services/data/v60.0/sobjects"
    assert shown == [
        ("Name", f"{place}/Opportunity/{record_id('Opportunity', 1)}", "Pumps"),
        ("Name", f"{place}/Account/{record_id('Account', 1)}", "Acme"),
        ("Name", f"{place}/Case/{record_id('Case', 1)}", "00000001"),
    ]
    owner = run_query(database, query, clock).to_rest("60.0")["records"][0]["Owner"]
    assert owner == {
        "attributes": {"type": "Name", "url": f"{place}/User/{record_id('User', 1)}"},
        "Name": "Ann Young",
    }


def test_a_parent_of_one_type_and_a_typeof_branch_have_the_real_type(
    database: Database, clock: Clock
) -> None:
    query = "SELECT TYPEOF What WHEN Account THEN Industry END FROM Task WHERE Subject = 'Visit'"
    (task,) = run_query(database, query, clock).to_rest()["records"]
    assert task["What"]["attributes"]["type"] == "Account"
    (account,) = run_query(database, "SELECT Owner.Name FROM Account LIMIT 1", clock).to_rest()["records"]
    assert account["Owner"]["attributes"]["type"] == "User"


def test_a_typeof_without_a_match_and_an_else_is_null(database: Database, clock: Clock) -> None:
    query = "SELECT Subject, TYPEOF What WHEN Account THEN Industry WHEN Case THEN Status END FROM Task"
    found = {record["Subject"]: record["What"] for record in run_query(database, query, clock).records}
    assert found == {"Call": None, "Visit": {"Industry": "Energy"}, "Write": {"Status": "New"}, "Idle": None}
