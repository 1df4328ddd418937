"""Query jobs of Bulk API 2.0: made, waited for, read page by page, aborted, deleted, taken over."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from crmarena.server.jobs import ENDED, QUERY, RUNNING, UPLOADED, Job, Jobs, new_id
from crmarena.server.state import StateStore
from tests.server.conftest import USERNAME, Served, make_org, record_id, running, settings_for
from tests.server.test_records import error

V = "/services/data/v59.0"
JOBS = f"{V}/jobs/query"
CONTACTS = 2_500
EVERYONE = "SELECT Id, LastName, Account.Name FROM Contact ORDER BY Id"


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("large")
    with running(settings_for(make_org(folder / "org.db", CONTACTS), folder)) as found:
        yield found


@pytest.fixture
def bulk(large: Served) -> Iterator[httpx.Client]:
    with large.client as found:
        yield found


def start(client: httpx.Client, query: str = EVERYONE, **options: Any) -> dict[str, Any]:
    answer = client.post(JOBS, json={"operation": "query", "query": query, **options})
    assert answer.status_code == 200, answer.text
    job: dict[str, Any] = answer.json()
    return job


def ended(client: httpx.Client, job: dict[str, Any], kind: str = "query") -> dict[str, Any]:
    """The job once it has ended."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        found: dict[str, Any] = client.get(f"{V}/jobs/{kind}/{job['id']}").json()
        if found["state"] in ENDED:
            return found
        time.sleep(0.01)
    raise TimeoutError(f"job {job['id']} did not end")


def results(client: httpx.Client, job: dict[str, Any], **parameters: Any) -> httpx.Response:
    return client.get(f"{JOBS}/{job['id']}/results", params=parameters)


def rows(answer: httpx.Response, **options: Any) -> list[list[str]]:
    assert answer.headers["content-type"] == "text/csv; charset=UTF-8"
    return list(csv.reader(io.StringIO(answer.text, newline=""), **options))


def test_a_job_from_its_creation_to_its_records(bulk: httpx.Client) -> None:
    job = start(bulk)
    assert job == {
        "id": job["id"],
        "operation": "query",
        "object": "Contact",
        "createdById": record_id("005", 1),
        "createdDate": job["createdDate"],
        "systemModstamp": job["systemModstamp"],
        "state": "UploadComplete",
        "concurrencyMode": "Parallel",
        "contentType": "CSV",
        "apiVersion": 59.0,
        "lineEnding": "LF",
        "columnDelimiter": "COMMA",
    }
    done = ended(bulk, job)
    assert (done["state"], done["jobType"], done["retries"]) == ("JobComplete", "V2Query", 0)
    assert done["numberRecordsProcessed"] == CONTACTS
    answer = results(bulk, job)
    assert answer.headers["sforce-locator"] == "null"
    assert answer.headers["sforce-numberofrecords"] == str(CONTACTS)
    found = rows(answer)
    assert found[0] == ["Id", "LastName", "Account.Name"]
    assert found[1] == [record_id("003", 1), "Lee 1", "Globex"]
    assert len(found) == CONTACTS + 1


def test_records_come_in_pages(bulk: httpx.Client) -> None:
    job = start(bulk)
    ended(bulk, job)
    locator, found, sizes = "", [], []
    while locator != "null":
        answer = results(bulk, job, maxRecords=1_000, **({"locator": locator} if locator else {}))
        page = rows(answer)
        assert page[0] == ["Id", "LastName", "Account.Name"]
        found += page[1:]
        sizes.append(int(answer.headers["sforce-numberofrecords"]))
        locator = answer.headers["sforce-locator"]
    assert sizes == [1_000, 1_000, 500]
    assert [row[0] for row in found] == [record_id("003", number) for number in range(1, CONTACTS + 1)]


def test_how_values_are_written(bulk: httpx.Client) -> None:
    fields = "name, AnnualRevenue, IsDeleted, CreatedDate, Phone, Owner.Name, toLabel(Industry) i"
    job = start(bulk, f"select {fields} from account where Name = 'Acme'")
    ended(bulk, job)
    assert results(bulk, job).text == (
        '"Name","AnnualRevenue","IsDeleted","CreatedDate","Phone","Owner.Name","i"\n'
        '"Acme","1.5E8","false","2024-05-01T10:30:00.000Z","","Ann Young",""\n'
    )


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"columnDelimiter": "TAB"}, '"Name"\t"Phone"\n"Acme"\t""\n'),
        ({"columnDelimiter": "CARET", "lineEnding": "CRLF"}, '"Name"^"Phone"\r\n"Acme"^""\r\n'),
        ({"contentType": "CSV", "columnDelimiter": None, "lineEnding": None}, '"Name","Phone"\n"Acme",""\n'),
    ],
)
def test_delimiters_and_line_endings(bulk: httpx.Client, options: dict[str, Any], text: str) -> None:
    job = start(bulk, "SELECT Name, Phone FROM Account WHERE Name = 'Acme'", **options)
    ended(bulk, job)
    assert results(bulk, job).text == text


def test_a_query_without_records(bulk: httpx.Client) -> None:
    job = start(bulk, "SELECT Id FROM Account WHERE Name = 'Nothing'")
    ended(bulk, job)
    answer = results(bulk, job, maxRecords=10)
    assert (answer.text, answer.headers["sforce-numberofrecords"]) == ('"Id"\n', "0")
    assert answer.headers["sforce-locator"] == "null"


def test_the_recycle_bin_by_query_all(private: httpx.Client) -> None:
    private.delete(f"{V}/sobjects/Account/{record_id('001', 2)}")
    text = "SELECT Name, IsDeleted FROM Account ORDER BY Name"
    for operation, expected in (("query", 1), ("queryAll", 2)):
        job = start(private, text, operation=operation)
        assert ended(private, job)["numberRecordsProcessed"] == expected
    assert results(private, job).text.splitlines()[1:] == ['"Acme","false"', '"Globex","true"']


REFUSED = [
    ({"query": "SELECT Nmae FROM Account"}, "INVALID_FIELD", "No such column 'Nmae'"),
    ({"query": "SELECT FROM"}, "MALFORMED_QUERY", "unexpected token"),
    ({"query": "SELECT COUNT(Id) FROM Account"}, "API_ERROR", "not supported in Bulk Query"),
    ({"query": "SELECT COUNT() FROM Account"}, "API_ERROR", "not supported in Bulk Query"),
    ({"query": "SELECT Name FROM Account GROUP BY Name"}, "API_ERROR", "not supported in Bulk Query"),
    ({"query": "SELECT Id FROM Account LIMIT 1 OFFSET 1"}, "API_ERROR", "OFFSET not supported in Bulk Query"),
    (
        {"query": "SELECT (SELECT Id FROM Contacts) FROM Account"},
        "API_ERROR",
        "Aggregate Relationships not supported in Bulk Query",
    ),
    (
        {"query": "SELECT TYPEOF What WHEN Account THEN Name END FROM Task"},
        "API_ERROR",
        "TYPEOF not supported in Bulk Query",
    ),
    (
        {"query": "SELECT BillingAddress FROM Account"},
        "API_ERROR",
        "Selecting compound data not supported in Bulk Query",
    ),
    ({"query": " "}, "INVALIDJOB", "No query specified"),
    ({}, "INVALIDJOB", "No query specified"),
    ({"query": EVERYONE, "operation": "insert"}, "INVALIDJOB", "operation 'insert' is not supported"),
    ({"query": EVERYONE, "contentType": "JSON"}, "INVALIDJOB", "contentType 'JSON' is not supported"),
    ({"query": EVERYONE, "columnDelimiter": ","}, "INVALIDJOB", "columnDelimiter ',' is not supported"),
    ({"query": EVERYONE, "lineEnding": "CR"}, "INVALIDJOB", "lineEnding 'CR' is not supported"),
    ({"query": EVERYONE, "object": "Contact"}, "JSON_PARSER_ERROR", 'Unrecognized field "object"'),
    ({"query": 1}, "JSON_PARSER_ERROR", "Cannot deserialize instance of string"),
]


@pytest.mark.parametrize(("given", "code", "text"), REFUSED)
def test_a_job_that_is_refused(bulk: httpx.Client, given: dict[str, Any], code: str, text: str) -> None:
    status, found, message = error(bulk.post(JOBS, json={"operation": "query", **given}))
    assert (status, found) == (400, code)
    assert text in message


def test_a_job_that_has_ended(bulk: httpx.Client) -> None:
    job = start(bulk)
    ended(bulk, job)
    path = f"{JOBS}/{job['id']}"
    aborted = bulk.patch(path, json={"state": "Aborted"})
    assert error(aborted) == (400, "INVALIDJOBSTATE", "Aborting already Completed Job not allowed")
    assert error(bulk.patch(path, json={"state": "Open"}))[1] == "INVALIDJOB"
    deleted = bulk.delete(path)
    assert (deleted.status_code, deleted.content) == (204, b"")
    for again in (bulk.get(path), bulk.delete(path), results(bulk, job), bulk.patch(path, json={})):
        assert error(again)[:2] == (404, "NOT_FOUND")


def test_the_files_go_with_the_job(large: Served, bulk: httpx.Client) -> None:
    job = start(bulk)
    ended(bulk, job)
    folder = Path(large.settings.state).parent / "jobs" / job["id"]
    assert list(folder.iterdir())
    bulk.delete(f"{JOBS}/{job['id']}")
    assert not folder.exists()


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ({"locator": "nothing!"}, "INVALID_QUERY_LOCATOR"),
        ({"locator": "\u00e9"}, "INVALID_QUERY_LOCATOR"),
        ({"locator": "OTk5OTk5"}, "INVALID_QUERY_LOCATOR"),
        ({"locator": "LTE"}, "INVALID_QUERY_LOCATOR"),
        ({"maxRecords": "0"}, "ILLEGAL_QUERY_PARAMETER_VALUE"),
        ({"maxRecords": "many"}, "ILLEGAL_QUERY_PARAMETER_VALUE"),
    ],
)
def test_a_page_that_is_none(bulk: httpx.Client, parameters: dict[str, str], code: str) -> None:
    job = start(bulk, "SELECT Id FROM Account")
    ended(bulk, job)
    assert error(results(bulk, job, **parameters))[:2] == (400, code)


def test_jobs_are_listed(private: httpx.Client) -> None:
    assert private.get(JOBS).json() == {"done": True, "records": [], "nextRecordsUrl": None}
    made = [start(private)["id"] for _ in range(2)]
    found = private.get(JOBS, params={"jobType": "V2Query", "concurrencyMode": "parallel"}).json()
    assert [job["id"] for job in found["records"]] == made
    for filters in ({"jobType": "Classic"}, {"concurrencyMode": "serial"}, {"isPkChunkingEnabled": "true"}):
        assert private.get(JOBS, params=filters).json()["records"] == []
    assert error(private.get(JOBS, params={"jobType": "Nothing"}))[1] == "INVALIDJOB"
    assert private.get(f"{V}/jobs").json()["query"] == JOBS
    assert private.get(f"{V}/jobs/ingest").json()["records"] == []


def test_jobs_of_others_are_not_there(private: httpx.Client, writable: Served) -> None:
    job = start(private)
    with writable.client as other:
        assert error(other.get(f"{JOBS}/{job['id']}"))[:2] == (404, "NOT_FOUND")
        assert error(results(other, job))[:2] == (404, "NOT_FOUND")
        assert job["id"] not in other.get(JOBS).text


def test_a_job_sees_what_its_session_wrote(private: httpx.Client) -> None:
    private.post(f"{V}/sobjects/Account", json={"Name": "Initech"})
    job = start(private, "SELECT Name FROM Account ORDER BY Id")
    ended(private, job)
    assert results(private, job).text.splitlines() == ['"Name"', '"Acme"', '"Globex"', '"Initech"']


def test_any_worker_answers(large: Served, bulk: httpx.Client) -> None:
    job = start(bulk)
    with running(large.settings) as second, second.client as other:
        done = ended(other, job)
        assert (done["state"], done["numberRecordsProcessed"]) == ("JobComplete", CONTACTS)
        assert results(other, job).text == results(bulk, job).text


def left(state: str, **values: Any) -> Job:
    """A job as a worker leaves it that is killed."""
    return Job(
        id=new_id(),
        kind=QUERY,
        owner=USERNAME,
        login="gone",
        user_id=None,
        version="59.0",
        operation="query",
        object="Account",
        created=time.time(),
        modified=time.time(),
        query="SELECT Name FROM Account",
        state=state,
        **values,
    )


@pytest.mark.parametrize(
    ("job", "state", "retries"),
    [
        (left(UPLOADED), "JobComplete", 0),
        (left(RUNNING, worker="gone", attempt=1), "JobComplete", 1),
        (left(RUNNING, worker="gone", attempt=3), "Failed", 3),
    ],
    ids=["waiting", "in hand", "deadly"],
)
def test_a_job_of_a_worker_that_was_killed(
    large: Served, bulk: httpx.Client, job: Job, state: str, retries: int
) -> None:
    Jobs(StateStore(large.settings.state)).add(job)
    done = ended(bulk, {"id": job.id})
    assert (done["state"], done["retries"]) == (state, retries)
    assert ("errorMessage" in done) == (state == "Failed")
    if state == "JobComplete":
        assert results(bulk, {"id": job.id}).text.splitlines() == ['"Name"', '"Acme"', '"Globex"']


def test_a_worker_leaves_its_jobs_to_others(tmp_path: Path) -> None:
    settings = settings_for(make_org(tmp_path / "org.db"), tmp_path)
    jobs = Jobs(StateStore(settings.state))
    job = left(UPLOADED)
    jobs.add(job)
    assert jobs.claim(job.id, "first", time.time())
    assert not jobs.claim(job.id, "second", time.time() - 60)
    held = jobs.find(job.id)
    assert held is not None
    assert jobs.claim(job.id, "second", time.time() + 60)
    assert not jobs.report(held, processed=1)


def test_an_aborted_job_has_no_results(large: Served, bulk: httpx.Client) -> None:
    jobs = Jobs(StateStore(large.settings.state))
    job = left(RUNNING, worker="", attempt=1, beat=time.time() + 600)
    jobs.add(job)
    assert error(results(bulk, {"id": job.id}))[:2] == (400, "INVALIDJOBSTATE")
    assert error(bulk.delete(f"{JOBS}/{job.id}"))[:2] == (400, "INVALIDJOBSTATE")
    aborted = bulk.patch(f"{JOBS}/{job.id}", json={"state": "Aborted"})
    assert (aborted.status_code, aborted.json()["state"]) == (200, "Aborted")
    assert error(results(bulk, {"id": job.id}))[:2] == (400, "INVALIDJOBSTATE")
    assert bulk.delete(f"{JOBS}/{job.id}").status_code == 204


def test_a_failed_job_tells_why(large: Served, bulk: httpx.Client) -> None:
    job = left(UPLOADED)
    Jobs(StateStore(large.settings.state)).add(Job(**{**vars_of(job), "query": "SELECT Nmae FROM Account"}))
    done = ended(bulk, {"id": job.id})
    assert (done["state"], done["errorMessage"][:15]) == ("Failed", "INVALID_FIELD :")


def vars_of(job: Job) -> dict[str, Any]:
    return {name: getattr(job, name) for name in job.__dataclass_fields__}
