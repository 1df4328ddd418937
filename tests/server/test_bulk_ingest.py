"""Ingest jobs of Bulk API 2.0: opened, filled, closed, and what became of each row."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil  # type: ignore[import-untyped]
import pytest
from simple_salesforce.api import Salesforce

from crmarena import patch_simple_salesforce
from crmarena.server.jobs import INGEST, RUNNING, Job, Jobs, new_id
from crmarena.server.state import StateStore
from tests.server.conftest import Served, record_id
from tests.server.test_bulk_query import ended
from tests.server.test_collections import names
from tests.server.test_records import create, error

V = "/services/data/v59.0"
JOBS = f"{V}/jobs/ingest"
ACME, GLOBEX = record_id("001", 1), record_id("001", 2)
CSV = {"Content-Type": "text/csv"}


def opened(
    client: httpx.Client, operation: str = "insert", name: str = "Account", **options: Any
) -> dict[str, Any]:
    answer = client.post(JOBS, json={"object": name, "operation": operation, **options})
    assert answer.status_code == 200, answer.text
    job: dict[str, Any] = answer.json()
    return job


def upload(client: httpx.Client, job: dict[str, Any], data: str | bytes | Iterator[bytes]) -> httpx.Response:
    return client.put(f"/{job['contentUrl']}", content=data, headers=CSV)


def close(client: httpx.Client, job: dict[str, Any], state: str = "UploadComplete") -> httpx.Response:
    return client.patch(f"{JOBS}/{job['id']}", json={"state": state})


def run(client: httpx.Client, data: str | bytes, *given: str, **options: Any) -> dict[str, Any]:
    """A job that has ended."""
    job = opened(client, *given, **options)
    assert upload(client, job, data).status_code == 201
    assert close(client, job).status_code == 200
    return ended(client, job, "ingest")


def results(client: httpx.Client, job: dict[str, Any], kind: str) -> str:
    answer = client.get(f"{JOBS}/{job['id']}/{kind}/")
    assert answer.headers["content-type"] == "text/csv; charset=UTF-8"
    return answer.text


def rows(client: httpx.Client, job: dict[str, Any], kind: str, **options: Any) -> list[list[str]]:
    return list(csv.reader(io.StringIO(results(client, job, kind), newline=""), **options))


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def errors(client: httpx.Client, job: dict[str, Any]) -> list[str]:
    return [row[1] for row in rows(client, job, "failedResults")[1:]]


def test_a_job_from_its_opening_to_its_results(private: httpx.Client) -> None:
    job = opened(private, "insert", "contact", contentType="CSV", lineEnding="LF")
    assert (job["state"], job["object"], job["apiVersion"]) == ("Open", "Contact", 59.0)
    assert job["contentUrl"] == f"services/data/v59.0/jobs/ingest/{job['id']}/batches"
    assert "jobType" not in job
    sent = upload(private, job, "LastName,FirstName\nLee,Pat\n,Sam\n")
    assert (sent.status_code, sent.content) == (201, b"")
    closed = close(private, job).json()
    assert (closed["state"], "contentUrl" in closed) == ("UploadComplete", False)
    done = ended(private, job, "ingest")
    assert (done["state"], done["jobType"]) == ("JobComplete", "V2Ingest")
    assert (done["numberRecordsProcessed"], done["numberRecordsFailed"]) == (2, 1)
    header, made = rows(private, job, "successfulResults")
    assert header == ["sf__Id", "sf__Created", "LastName", "FirstName"]
    assert made[1:] == ["true", "Lee", "Pat"]
    assert private.get(f"{V}/sobjects/Contact/{made[0]}").json()["FirstName"] == "Pat"
    missing = "REQUIRED_FIELD_MISSING:Required fields are missing: [LastName]:LastName --"
    assert rows(private, job, "failedResults") == [
        ["sf__Id", "sf__Error", "LastName", "FirstName"],
        ["", missing, "", "Sam"],
    ]
    assert results(private, job, "unprocessedrecords") == '"LastName","FirstName"\n'
    assert results(private, job, "UnprocessedRecords") == results(private, job, "unprocessedrecords")


def test_records_are_updated(private: httpx.Client) -> None:
    absent = record_id("001", 999)
    done = run(private, f"Id,Name\n{ACME[:15]},Acme Corp\n{absent},x\n,y\n", "update")
    assert (done["numberRecordsProcessed"], done["numberRecordsFailed"]) == (3, 2)
    assert rows(private, done, "successfulResults")[1:] == [[ACME, "false", ACME[:15], "Acme Corp"]]
    assert rows(private, done, "failedResults")[1][:2] == [
        absent,
        "INVALID_CROSS_REFERENCE_KEY:invalid cross reference id:--",
    ]
    assert errors(private, done)[1].startswith("MISSING_ARGUMENT:Id not specified")
    assert names(private) == ["Acme Corp", "Globex"]


def test_records_are_upserted(private: httpx.Client) -> None:
    create(private, Name="Initech", External_ID__c="A-1")
    data = "External_ID__c,Name\nA-1,Initrode\nA-2,Hooli\n,no key\n"
    done = run(private, data, "upsert", externalIdFieldName="external_id__c")
    assert done["externalIdFieldName"] == "External_ID__c"
    assert [row[1] for row in rows(private, done, "successfulResults")[1:]] == ["false", "true"]
    assert errors(private, done) == ["MISSING_ARGUMENT:External_ID__c not specified:External_ID__c --"]
    assert names(private) == ["Acme", "Globex", "Initrode", "Hooli"]


@pytest.mark.parametrize(("operation", "in_bin"), [("delete", 1), ("hardDelete", 0)])
def test_records_are_deleted(private: httpx.Client, operation: str, in_bin: int) -> None:
    done = run(private, f"Id\n{GLOBEX}\nzzz\n", operation)
    assert rows(private, done, "successfulResults") == [
        ["sf__Id", "sf__Created", "Id"],
        [GLOBEX, "false", GLOBEX],
    ]
    assert errors(private, done) == ["MALFORMED_ID:malformed id zzz:--"]
    gone = "SELECT COUNT() FROM Account WHERE IsDeleted = true"
    assert private.get(f"{V}/queryAll", params={"q": gone}).json()["totalSize"] == in_bin


def test_empty_cells_and_null(private: httpx.Client) -> None:
    account = create(private, Name="Initech", Phone="1", Industry="Energy", AnnualRevenue=1.0)
    data = f'Id,Phone,Industry,AnnualRevenue\n{account},,#N/A,"2.5"\n'
    assert run(private, data, "update")["numberRecordsFailed"] == 0
    shown = private.get(f"{V}/sobjects/Account/{account}").json()
    assert (shown["Phone"], shown["Industry"], shown["AnnualRevenue"]) == ("1", None, 2.5)


def test_parents_by_their_keys(private: httpx.Client) -> None:
    parent = create(private, Name="Initech", External_ID__c="A-1")
    data = "LastName,account.external_id__c,Owner.Email\nLee,A-1,ann@crm.example\nLow,A-9,\nRay,#N/A,\n"
    done = run(private, data, "insert", "Contact")
    made = rows(private, done, "successfulResults")[1:]
    assert [row[2] for row in made] == ["Lee", "Ray"]
    shown = private.get(f"{V}/sobjects/Contact/{made[0][0]}").json()
    assert (shown["AccountId"], shown["OwnerId"]) == (parent, record_id("005", 1))
    wrong = "Foreign key external ID: A-9 not found for field External_ID__c in entity Account"
    assert errors(private, done) == [f"INVALID_FIELD:{wrong}:--"]


def test_a_parent_of_several_objects(private: httpx.Client) -> None:
    done = run(private, "Subject,User:Owner.Email\nBroken,ann@crm.example\n", "insert", "Case")
    (made,) = rows(private, done, "successfulResults")[1:]
    assert private.get(f"{V}/sobjects/Case/{made[0]}").json()["OwnerId"] == record_id("005", 1)


@pytest.mark.parametrize(
    ("options", "data"),
    [
        ({}, '\ufeffName,Description\n"Shop, the ""first""","two\nlines"\n'),
        ({"columnDelimiter": "SEMICOLON"}, 'Name;Description\n"Shop, the ""first""";"two\nlines"'),
        (
            {"columnDelimiter": "TAB", "lineEnding": "CRLF"},
            'Name\tDescription\r\n"Shop, the ""first"""\t"two\nlines"\r\n',
        ),
        ({"columnDelimiter": "PIPE"}, '"Name"|"Description"\n\n"Shop, the ""first"""|"two\nlines"\n\n'),
    ],
)
def test_quotes_delimiters_and_line_endings(
    private: httpx.Client, options: dict[str, str], data: str
) -> None:
    done = run(private, data, "insert", "Account", **options)
    (made,) = rows(private, done, "successfulResults", delimiter=data.lstrip("\ufeff").replace('"', "")[4])[
        1:
    ]
    shown = private.get(f"{V}/sobjects/Account/{made[0]}").json()
    assert (shown["Name"], shown["Description"]) == ('Shop, the "first"', "two\nlines")


TWICE = [
    f"ParentId,Parent.External_ID__c\n{ACME},A-1",
    f"Parent.External_ID__c,ParentId\nA-1,{ACME}",
    f"Parent.Id,Parent.External_ID__c\n{ACME},A-1",
    f"Parent.Id,Parent.External_ID__c\n{ACME},#N/A",
]


@pytest.mark.parametrize("data", TWICE)
def test_a_parent_that_two_cells_give(private: httpx.Client, data: str) -> None:
    header, row = data.split("\n")
    done = run(private, f"Name,{header}\nShop,{row}\nHall,{row.partition(',')[0]},\n", "insert", "Account")
    wrong = "INVALID_FIELD:Parent must name a parent record by exactly one external ID field:ParentId --"
    assert errors(private, done)[0] == wrong


def test_either_of_two_columns_gives_a_parent(private: httpx.Client) -> None:
    keys = "User:Owner.Email,OwnerId"
    ann = record_id("005", 1)
    done = run(private, f"Name,{keys}\nShop,ann@crm.example,\nHall,,{ann}\n", "insert", "Account")
    for made in rows(private, done, "successfulResults")[1:]:
        assert private.get(f"{V}/sobjects/Account/{made[0]}").json()["OwnerId"] == ann
    assert done["numberRecordsFailed"] == 0


CELLS = [
    (
        "AnnualRevenue",
        "many",
        "INVALID_TYPE_ON_FIELD_IN_RECORD:Annual Revenue: value not of required type: many:AnnualRevenue --",
    ),
    ("CreatedDate", "2024-01-01T00:00:00Z", "INVALID_FIELD_FOR_INSERT_UPDATE:"),
    ("ParentId", record_id("003", 1), "MALFORMED_ID:Parent ID: id value of incorrect type: "),
]


@pytest.mark.parametrize(("field", "cell", "message"), CELLS)
def test_a_row_that_is_refused(private: httpx.Client, field: str, cell: str, message: str) -> None:
    done = run(private, f"Name,{field}\nInitech,{cell}\n")
    (told,) = errors(private, done)
    assert done["state"] == "JobComplete"
    assert told.startswith(message)


FAILING = [
    ("insert", "Name,Nmae\na,b\n", "InvalidBatch : Field name not found : Nmae"),
    ("insert", "Name,Account.Name\na,b\n", "InvalidBatch : Field name not found : Account.Name"),
    ("insert", "Name,name\na,b\n", "InvalidBatch : Duplicate field name : Name"),
    ("insert", "", "InvalidBatch : Records not found"),
    ("update", "Name\na\n", "InvalidBatch : Field name not found : Id"),
    ("delete", "Id,Name\na,b\n", "InvalidBatch : Delete batch must contain only ids"),
    ("delete", "Name\na\n", "InvalidBatch : Field name not found : Id"),
    (
        "insert",
        "Name\r\na\r\n",
        "ClientInputError : LineEnding is invalid on user data. Current LineEnding setting is LF",
    ),
    ("insert", b"Name\n\xff\n", "InvalidBatch : Failed to parse CSV. The data is not UTF-8"),
]


@pytest.mark.parametrize(("operation", "data", "message"), FAILING)
def test_a_job_that_fails_as_a_whole(
    private: httpx.Client, operation: str, data: str | bytes, message: str
) -> None:
    done = run(private, data, operation)
    assert (done["state"], done["errorMessage"]) == ("Failed", message)
    assert done["numberRecordsProcessed"] == 0
    assert names(private) == ["Acme", "Globex"]
    if isinstance(data, str):
        kept = rows(private, done, "unprocessedrecords")
        assert kept == rows_of(data)


def test_a_job_that_fails_in_the_middle(private: httpx.Client) -> None:
    good = "".join(f"Shop {number},1\n" for number in range(250))
    done = run(private, f"Name,Phone\n{good}bad\nShop 250,1\n")
    assert (done["state"], done["numberRecordsProcessed"]) == ("Failed", 250)
    assert done["errorMessage"] == "InvalidBatch : Row 251 has 1 columns where the header has 2"
    assert len(rows(private, done, "successfulResults")) == 251
    assert rows(private, done, "unprocessedrecords") == [["Name", "Phone"], ["bad"], ["Shop 250", "1"]]


def test_states_that_do_not_follow(private: httpx.Client) -> None:
    job = opened(private)
    path = f"{JOBS}/{job['id']}"
    assert error(close(private, job)) == (
        400,
        "INVALIDJOBSTATE",
        "Closing a Job without uploaded data not allowed",
    )
    assert error(private.get(f"{path}/successfulResults"))[:2] == (400, "INVALIDJOBSTATE")
    assert error(close(private, job, "JobComplete"))[1] == "INVALIDJOB"
    assert upload(private, job, "Name\nInitech\n").status_code == 201
    status, code, message = error(upload(private, job, "Name\nHooli\n"))
    assert (status, code) == (400, "INVALIDJOB")
    assert message.startswith(f"Found multiple contents for job: <{job['id']}>")
    close(private, job)
    ended(private, job, "ingest")
    assert error(close(private, job)) == (400, "INVALIDJOBSTATE", "Closing already Completed Job not allowed")
    assert error(close(private, job, "Aborted"))[2] == "Aborting already Completed Job not allowed"
    assert error(upload(private, job, "Name\nHooli\n"))[1] == "INVALIDJOBSTATE"
    assert names(private) == ["Acme", "Globex", "Initech"]
    assert private.delete(path).status_code == 204
    assert error(private.get(path))[:2] == (404, "NOT_FOUND")


def test_a_job_that_is_aborted_before_it_begins(private: httpx.Client) -> None:
    job = opened(private)
    upload(private, job, "Name\nInitech\n")
    assert close(private, job, "Aborted").json()["state"] == "Aborted"
    assert error(close(private, job))[2] == "Closing already Aborted Job not allowed"
    assert results(private, job, "unprocessedrecords") == "Name\nInitech\n"
    assert (results(private, job, "successfulResults"), results(private, job, "failedResults")) == ("", "")
    assert names(private) == ["Acme", "Globex"]


def test_a_job_that_is_aborted_while_it_runs(private: httpx.Client) -> None:
    count = 20_000
    job = opened(private)
    upload(private, job, "Name\n" + "".join(f"Shop {number}\n" for number in range(count)))
    close(private, job)
    while private.get(f"{JOBS}/{job['id']}").json()["state"] == "UploadComplete":
        time.sleep(0.002)
    assert close(private, job, "Aborted").json()["state"] == "Aborted"
    done = len(rows(private, job, "successfulResults")) - 1
    waiting = rows(private, job, "unprocessedrecords")[1:]
    assert 0 <= done < count
    assert done + len(waiting) == count
    assert waiting[0] == [f"Shop {done}"]
    counted = private.get(f"{V}/query", params={"q": "SELECT COUNT() FROM Account"}).json()
    assert counted["totalSize"] == done + 2


NOT_OPENED = [
    ({"object": "Nothing", "operation": "insert"}, "INVALIDENTITY", "Unable to find object: Nothing"),
    ({"object": "Account", "operation": "query"}, "INVALIDJOB", "operation 'query' is not supported"),
    ({"object": "Account", "operation": "upsert"}, "INVALIDJOB", "not an external ID"),
    (
        {"object": "Account", "operation": "upsert", "externalIdFieldName": "Name"},
        "INVALIDJOB",
        "external ID: Name",
    ),
    (
        {"object": "Account", "operation": "insert", "externalIdFieldName": "Id"},
        "INVALIDJOB",
        "'Id' is not supported",
    ),
    ({"object": "Account", "operation": "insert", "contentType": "XML"}, "INVALIDJOB", "contentType 'XML'"),
    ({"operation": "insert"}, "JSON_PARSER_ERROR", "Missing required field: object"),
    (
        {"object": "Account", "operation": "insert", "assignmentRuleId": "x"},
        "JSON_PARSER_ERROR",
        "assignmentRuleId",
    ),
]


@pytest.mark.parametrize(("given", "code", "text"), NOT_OPENED)
def test_a_job_that_is_not_opened(private: httpx.Client, given: dict[str, str], code: str, text: str) -> None:
    status, found, message = error(private.post(JOBS, json=given))
    assert (status, found) == (400, code)
    assert text in message


def test_a_read_only_server_takes_no_ingest(client: httpx.Client) -> None:
    refused = client.post(JOBS, json={"object": "Account", "operation": "insert"})
    assert error(refused)[:2] == (403, "INSUFFICIENT_ACCESS_OR_READONLY")
    assert client.get(JOBS).json()["records"] == []


def test_an_upload_of_another_type(private: httpx.Client) -> None:
    job = opened(private)
    wrong = private.put(f"/{job['contentUrl']}", content="{}", headers={"Content-Type": "application/json"})
    assert error(wrong)[:2] == (415, "UNSUPPORTED_MEDIA_TYPE")
    assert upload(private, job, "Name\nInitech\n").status_code == 201


def megabytes(count: int) -> Iterator[bytes]:
    piece = b"x" * 99 + b"\n"
    for _ in range(count):
        yield piece * 10_486


def test_an_upload_of_over_100_mb(private: httpx.Client, writable: Served) -> None:
    job = opened(private)
    before = psutil.Process().memory_info().rss
    status, code, _ = error(upload(private, job, megabytes(101)))
    assert (status, code) == (413, "EXCEEDED_MAX_SIZE_REQUEST")
    assert psutil.Process().memory_info().rss - before < 60_000_000
    folder = Path(writable.settings.state).parent / "jobs" / job["id"]
    assert list(folder.iterdir()) == []
    assert upload(private, job, "Name\nInitech\n").status_code == 201


def test_other_calls_are_answered_while_data_comes(private: httpx.Client, writable: Served) -> None:
    job = opened(private)
    coming = Path(writable.settings.state).parent / "jobs" / job["id"] / "upload.part"
    seen = []

    def pieces() -> Iterator[bytes]:
        yield b"Name\n"
        while not coming.exists():
            time.sleep(0.005)
        seen.extend(names(private))
        yield b"Initech\n"

    assert upload(private, job, pieces()).status_code == 201
    assert seen == ["Acme", "Globex"]


def test_other_calls_are_answered_while_results_are_read(private: httpx.Client) -> None:
    done = run(private, "Name,Description\n" + f"Shop,{'x' * 30_000}\n" * 500)
    with private.stream("GET", f"{JOBS}/{done['id']}/successfulResults") as answer:
        pieces = answer.iter_bytes()
        read = len(next(pieces))
        assert len(names(private)) == 502
        read += sum(map(len, pieces))
    assert read > 15_000_000


def test_jobs_end_with_their_session(writable: Served, private: httpx.Client) -> None:
    job = opened(private)
    folder = Path(writable.settings.state).parent / "jobs" / job["id"]
    assert folder.is_dir()
    token = private.headers["Authorization"].partition(" ")[2]
    private.post("/services/oauth2/revoke", data={"token": token})
    deadline = time.monotonic() + 20
    while folder.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not folder.exists()


def test_what_was_half_written_is_not_written_again(writable: Served) -> None:
    with writable.client as client:
        login = Jobs(StateStore(writable.settings.state))
        probe = opened(client)
        known = login.find(probe["id"])
        assert known is not None
        job = Job(
            id=new_id(),
            kind=INGEST,
            owner=known.owner,
            login=known.login,
            user_id=None,
            version="59.0",
            operation="insert",
            object="Account",
            created=time.time(),
            modified=time.time(),
            state=RUNNING,
            worker="gone",
            attempt=1,
        )
        login.add(job)
        done = ended(client, {"id": job.id}, "ingest")
        assert (done["state"], done["numberRecordsProcessed"]) == ("Failed", 0)
        assert done["errorMessage"].startswith("InternalServerError : ")


@pytest.fixture
def simple(private: httpx.Client, writable: Served) -> Iterator[Any]:
    """simple_salesforce's client of Bulk API 2.0, as a program written for a live org makes it."""
    token = private.headers["Authorization"].partition(" ")[2]
    with patch_simple_salesforce(writable.url):
        yield Salesforce(instance="acme.my.salesforce.com", session_id=token, version="59.0").bulk2


def test_a_client_writes_and_reads(simple: Any) -> None:
    records = [{"Name": f"Shop {number}", "Description": 'a,\n"b"'} for number in range(450)]
    told = simple.Account.insert(records=records, batch_size=200, concurrency=2, wait=0)
    assert [(job["numberRecordsProcessed"], job["numberRecordsFailed"]) for job in told] == [
        (200, 0),
        (200, 0),
        (50, 0),
    ]
    query = "SELECT Name, Description FROM Account WHERE Name LIKE 'Shop %' ORDER BY Id"
    pages = list(simple.Account.query(query, max_records=300, wait=0))
    found = [row for page in pages for row in csv.DictReader(io.StringIO(page))]
    assert len(pages) == 2
    assert sorted(found, key=lambda row: int(row["Name"][5:])) == records


def test_a_client_is_told_of_failures(simple: Any) -> None:
    (job,) = simple.Contact.insert(records=[{"LastName": "Lee"}, {"LastName": "x" * 81}], wait=0)
    (failed,) = csv.DictReader(io.StringIO(simple.Contact.get_failed_records(job["job_id"])))
    assert failed["sf__Error"].startswith("STRING_TOO_LONG:Last Name: data value too large: xxx")
    assert simple.Contact.get_unprocessed_records(job["job_id"]) == '"LastName"\n'
