"""Several requests in one: references, all or none, batches, graphs and trees."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.server.conftest import record_id
from tests.server.test_collections import names
from tests.server.test_records import error

V = "/services/data/v59.0"
ACME, GLOBEX = record_id("001", 1), record_id("001", 2)
ABSENT = record_id("001", 999)


def step(method: str, path: str, name: str, given: Any = None) -> dict[str, Any]:
    body = {} if given is None else {"body": given}
    return {"method": method, "url": f"{V}/{path}", "referenceId": name, **body}


def run(client: httpx.Client, *steps: dict[str, Any], **options: Any) -> list[dict[str, Any]]:
    answer = client.post(f"{V}/composite", json={**options, "compositeRequest": list(steps)})
    assert answer.status_code == 200, answer.text
    done: list[dict[str, Any]] = answer.json()["compositeResponse"]
    assert [one["referenceId"] for one in done] == [one["referenceId"] for one in steps]
    return done


def codes(done: list[dict[str, Any]]) -> list[Any]:
    """The status of each answer, or the code of an error."""
    return [
        one["body"][0]["errorCode"] if one["httpStatusCode"] >= 400 else one["httpStatusCode"] for one in done
    ]


INITECH = step("POST", "sobjects/Account", "account", {"Name": "Initech"})
WRONG = step("POST", "sobjects/Contact", "wrong", {"FirstName": "Sam"})


def test_later_requests_refer_to_earlier_ones(private: httpx.Client) -> None:
    done = run(
        private,
        INITECH,
        step("POST", "sobjects/Contact", "contact", {"LastName": "Lee", "AccountId": "@{account.id}"}),
        step("GET", "sobjects/Account/@{account.id}?fields=Name", "read"),
        step("GET", "query?q=SELECT Id, Name FROM Contact WHERE AccountId = '@{account.id}'", "found"),
        step(
            "PATCH", "sobjects/Contact/@{found.records[0].Id}", "patched", {"Description": "of @{read.Name}"}
        ),
        step("GET", "sobjects/Contact/@{contact.id}/?fields=Description", "last"),
        step("DELETE", "sobjects/Contact/@{contact.id}", "deleted"),
    )
    assert codes(done) == [201, 201, 200, 200, 204, 200, 204]
    made = done[0]["body"]["id"]
    assert done[0]["httpHeaders"] == {"Location": f"{V}/sobjects/Account/{made}"}
    assert done[3]["body"]["records"][0]["Name"] == "Lee"
    assert (done[4]["body"], done[4]["httpHeaders"]) == (None, {})
    assert done[5]["body"]["Description"] == "of Initech"


def test_a_value_that_is_a_reference_keeps_its_type(private: httpx.Client) -> None:
    read = step("GET", f"sobjects/Account/{ACME}?fields=AnnualRevenue", "read")
    copy = {"AnnualRevenue": "@{read.AnnualRevenue}", "Description": "earns @{read.AnnualRevenue}"}
    done = run(private, read, step("PATCH", f"sobjects/Account/{GLOBEX}", "copied", copy))
    assert codes(done) == [200, 204]
    shown = private.get(f"{V}/sobjects/Account/{GLOBEX}").json()
    assert (shown["AnnualRevenue"], shown["Description"]) == (1.5e8, "earns 1.5E8")


def test_a_value_in_a_url_is_encoded(private: httpx.Client) -> None:
    key = "A/1 &+?"
    made = private.post(f"{V}/sobjects/Account", json={"Name": "Initech", "External_ID__c": key}).json()["id"]
    read = step("GET", f"sobjects/Account/{made}?fields=External_ID__c", "read")
    again = step("GET", "sobjects/Account/External_ID__c/@{read.External_ID__c}?fields=Name", "again")
    assert run(private, read, again)[1]["body"]["Name"] == "Initech"


def test_a_request_that_fails_leaves_the_others(private: httpx.Client) -> None:
    done = run(
        private,
        WRONG,
        INITECH,
        step("GET", "sobjects/Contact/@{wrong.id}", "halted"),
        step("GET", "nothing", "nowhere"),
        step("PUT", "query", "method"),
        step("GET", f"sobjects/Account/{ABSENT}", "absent"),
    )
    assert codes(done) == [
        "REQUIRED_FIELD_MISSING",
        201,
        "PROCESSING_HALTED",
        "NOT_FOUND",
        "METHOD_NOT_ALLOWED",
        "NOT_FOUND",
    ]
    message = "Invalid reference specified. No value for wrong.id found in wrong"
    assert done[2]["body"] == [{"errorCode": "PROCESSING_HALTED", "message": message}]
    assert (done[0]["body"][0]["fields"], done[5]["httpStatusCode"]) == (["LastName"], 404)
    assert names(private) == ["Acme", "Globex", "Initech"]


def test_all_or_none(private: httpx.Client) -> None:
    done = run(private, INITECH, WRONG, step("DELETE", f"sobjects/Account/{ACME}", "gone"), allOrNone=True)
    assert codes(done) == ["PROCESSING_HALTED", "REQUIRED_FIELD_MISSING", "PROCESSING_HALTED"]
    assert done[0]["httpStatusCode"] == 400
    rolled_back = "The transaction was rolled back since another operation in the same transaction failed."
    assert done[0]["body"][0]["message"] == rolled_back
    assert names(private) == ["Acme", "Globex"]


@pytest.mark.parametrize("inner", [False, True])
def test_all_or_none_holds_for_the_records_of_a_collection(private: httpx.Client, inner: bool) -> None:
    records = [{"attributes": {"type": "Account"}, "Name": "Hooli"}, {"attributes": {"type": "Account"}}]
    many = step("POST", "composite/sobjects", "many", {"allOrNone": inner, "records": records})
    done = run(private, INITECH, many, step("GET", "limits", "limits"), allOrNone=True)
    assert codes(done) == ["PROCESSING_HALTED", 200, "PROCESSING_HALTED"]
    assert [row["success"] for row in done[1]["body"]] == [not inner, False]
    assert names(private) == ["Acme", "Globex"]
    graphs = [{"graphId": "one", "compositeRequest": [many]}]
    (graph,) = private.post(f"{V}/composite/graph", json={"graphs": graphs}).json()["graphs"]
    assert not graph["isSuccessful"]
    assert names(private) == ["Acme", "Globex"]


def test_all_or_none_where_all_are_good(private: httpx.Client) -> None:
    assert codes(run(private, INITECH, step("GET", "limits", "limits"), allOrNone=True)) == [201, 200]
    assert names(private) == ["Acme", "Globex", "Initech"]


def test_requests_that_read(client: httpx.Client) -> None:
    done = run(
        client,
        step("GET", "queryAll/?q=SELECT+COUNT()+FROM+Account", "all"),
        step("GET", "search?q=FIND+%7BAcme%7D+RETURNING+Account(Id)", "search"),
        step("GET", "parameterizedSearch?q=Acme&sobject=Account", "plain"),
        step("GET", "sobjects/Account/describe", "describe"),
        step("GET", f"composite/sobjects/Account?ids={ACME}&fields=Name", "many"),
        step("GET", "limits/recordCount?sObjects=Account", "counts"),
        INITECH,
        allOrNone=True,
    )
    assert set(codes(done)) == {"PROCESSING_HALTED", "INSUFFICIENT_ACCESS_OR_READONLY"}
    done = run(
        client,
        step("GET", "queryAll/?q=SELECT+COUNT()+FROM+Account", "all"),
        step("GET", "search?q=FIND+%7BAcme%7D+RETURNING+Account(Id)", "search"),
        step("GET", "parameterizedSearch?q=Acme&sobject=Account", "plain"),
        step("GET", "sobjects/Account/describe", "describe"),
        step("GET", f"composite/sobjects/Account?ids={ACME}&fields=Name", "many"),
        step("GET", "limits/recordCount?sObjects=@{many[0].attributes.type}", "counts"),
        step("GET", "recent?limit=many", "wrong"),
        allOrNone=False,
    )
    assert codes(done) == [200, 200, 200, 200, 200, 200, "ILLEGAL_QUERY_PARAMETER_VALUE"]
    assert done[1]["body"]["searchRecords"] == done[2]["body"]["searchRecords"]
    assert done[4]["body"][0]["Name"] == "Acme"
    assert done[5]["body"]["sObjects"] == [{"count": 2, "name": "Account"}]
    assert "Last-Modified" in done[3]["httpHeaders"]


def test_requests_on_many_records(private: httpx.Client) -> None:
    done = run(
        private,
        step("DELETE", f"composite/sobjects?ids={ACME},{ABSENT}&allOrNone=true", "none"),
        step("DELETE", f"composite/sobjects?ids={ACME},{ABSENT}&allOrNone=some", "wrong"),
        step("DELETE", f"composite/sobjects?ids={ACME},{ABSENT}", "one"),
    )
    assert codes(done) == [200, "ILLEGAL_QUERY_PARAMETER_VALUE", 200]
    assert [row["success"] for row in done[0]["body"]] == [False, False]
    assert [row["success"] for row in done[2]["body"]] == [True, False]


def test_a_url_is_text_of_any_script(private: httpx.Client) -> None:
    named = "Zo\u00eb \u65e5\u672c"
    found = f"query?q=SELECT Name FROM Account WHERE Name = '{named}'"
    done = run(
        private,
        step("POST", "sobjects/Account", "made", {"Name": named}),
        step("GET", found, "found"),
        step("GET", "query?q=SELECT Name FROM Account WHERE Name = '@{found.records[0].Name}'", "again"),
        step("GET", "query?q=%FF", "wrong"),
    )
    assert codes(done) == [201, 200, 200, "ILLEGAL_QUERY_PARAMETER_VALUE"]
    assert [one["body"]["records"][0]["Name"] for one in done[1:3]] == [named, named]


def test_headers_of_a_request(client: httpx.Client) -> None:
    described = step("GET", "sobjects/Account/describe", "described")
    (first,) = run(client, described)
    known = {**described, "httpHeaders": {"if-modified-since": first["httpHeaders"]["Last-Modified"]}}
    assert run(client, known)[0]["httpStatusCode"] == 304


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ([step("GET", "limits", f"r{number}") for number in range(26)], "LIMIT_EXCEEDED"),
        (
            [step("GET", "query?q=SELECT Id FROM Account", f"r{number}") for number in range(6)],
            "LIMIT_EXCEEDED",
        ),
        ([step("GET", "limits", "one"), step("GET", "limits", "one")], "INVALID_INPUT"),
        ([step("GET", "limits", "one-1")], "INVALID_INPUT"),
        ([{"method": "GET", "url": f"{V}/limits"}], "JSON_PARSER_ERROR"),
        ([{"method": "GET", "url": f"{V}/limits", "referenceId": "a", "more": 1}], "JSON_PARSER_ERROR"),
        ([{**step("GET", "limits", "one"), "httpHeaders": {"a": 1}}], "JSON_PARSER_ERROR"),
        ([{**step("GET", "limits", "one"), "httpHeaders": {"ACCEPT": "text/csv"}}], "INVALID_INPUT"),
        ([{**step("GET", "limits", "one"), "httpHeaders": {"Content-Type": "a"}}], "INVALID_INPUT"),
        ([1], "JSON_PARSER_ERROR"),
        ({}, "JSON_PARSER_ERROR"),
    ],
)
def test_a_composite_that_is_refused(client: httpx.Client, steps: Any, code: str) -> None:
    answer = client.post(f"{V}/composite", json={"compositeRequest": steps})
    assert error(answer)[:2] == (400, code)


def test_a_composite_holds_no_composite(client: httpx.Client) -> None:
    done = run(
        client,
        step("POST", "composite", "inner", {"compositeRequest": []}),
        step("GET", "tooling/sobjects", "tooling"),
        {"method": "GET", "url": "/services/data/v99.0/limits", "referenceId": "version"},
        {"method": "GET", "url": "limits", "referenceId": "relative"},
    )
    assert codes(done) == ["NOT_FOUND"] * 4


@pytest.mark.parametrize(
    "path",
    [
        "found.records[9].Id",
        "found.records",
        "found.records[0]",
        "found.records[x].Id",
        "later.id",
        "",
        "found",
    ],
)
def test_a_reference_to_nothing(client: httpx.Client, path: str) -> None:
    done = run(
        client,
        step("GET", "query?q=SELECT Id FROM Account", "found"),
        step("GET", f"sobjects/Account/@{{{path}}}", "read"),
        step("GET", "limits", "later"),
    )
    assert codes(done) == [200, "PROCESSING_HALTED", 200]


def test_a_batch(private: httpx.Client) -> None:
    requests = [
        {"method": "PATCH", "url": f"v59.0/sobjects/Account/{ACME}", "richInput": {"Name": "Acme Corp"}},
        {"method": "GET", "url": f"v45.0/sobjects/Account/{ACME}?fields=Name"},
        {"method": "GET", "url": f"/services/data/v59.0/sobjects/Account/{ABSENT}"},
        {"method": "GET", "url": "v59.0/limits"},
    ]
    answer = private.post(f"{V}/composite/batch", json={"batchRequests": requests})
    done = answer.json()
    assert (answer.status_code, done["hasErrors"]) == (200, True)
    assert [one["statusCode"] for one in done["results"]] == [204, 200, 404, 200]
    assert done["results"][0]["result"] is None
    read = done["results"][1]["result"]
    assert (read["Name"], read["attributes"]["url"][:20]) == ("Acme Corp", "/services/data/v45.0")
    assert done["results"][2]["result"][0]["errorCode"] == "NOT_FOUND"


def test_a_batch_that_halts(client: httpx.Client) -> None:
    requests = [{"method": "GET", "url": f"v59.0/{path}"} for path in ("limits", "nothing", "limits")]
    done = client.post(f"{V}/composite/batch", json={"haltOnError": True, "batchRequests": requests}).json()
    assert [one["statusCode"] for one in done["results"]] == [200, 404, 412]
    assert done["results"][2]["result"][0]["errorCode"] == "BATCH_PROCESSING_HALTED"
    many = client.post(f"{V}/composite/batch", json={"batchRequests": requests * 9})
    assert error(many)[1] == "LIMIT_EXCEEDED"


def test_graphs_succeed_and_fail_by_themselves(private: httpx.Client) -> None:
    contact = step("POST", "sobjects/Contact", "c", {"LastName": "Lee", "AccountId": "@{account.id}"})
    graphs = [
        {"graphId": "good", "compositeRequest": [INITECH, contact]},
        {"graphId": "bad", "compositeRequest": [INITECH, WRONG]},
    ]
    good, bad = private.post(f"{V}/composite/graph", json={"graphs": graphs}).json()["graphs"]
    assert (good["graphId"], good["isSuccessful"]) == ("good", True)
    assert codes(good["graphResponse"]["compositeResponse"]) == [201, 201]
    assert (bad["graphId"], bad["isSuccessful"]) == ("bad", False)
    assert codes(bad["graphResponse"]["compositeResponse"]) == ["PROCESSING_HALTED", "REQUIRED_FIELD_MISSING"]
    assert names(private) == ["Acme", "Globex", "Initech"]


def tree(kind: str, reference: str, **values: Any) -> dict[str, Any]:
    return {"attributes": {"type": kind, "referenceId": reference}, **values}


def under(*records: dict[str, Any]) -> dict[str, Any]:
    return {"records": list(records)}


def test_trees_are_planted(private: httpx.Client) -> None:
    case = tree("Case", "case", Subject="It broke")
    contacts = under(
        tree("Contact", "lee", LastName="Lee", Cases=under(case)), tree("Contact", "low", LastName="Low")
    )
    given = under(
        tree("Account", "a1", Name="Initech", Contacts=contacts), tree("account", "a2", Name="Hooli")
    )
    answer = private.post(f"{V}/composite/tree/Account", json=given)
    done = answer.json()
    assert (answer.status_code, done["hasErrors"]) == (201, False)
    assert [one["referenceId"] for one in done["results"]] == ["a1", "a2", "lee", "low", "case"]
    ids = {one["referenceId"]: one["id"] for one in done["results"]}
    shown = private.get(f"{V}/sobjects/Case/{ids['case']}").json()
    assert (shown["ContactId"], shown["AccountId"]) == (ids["lee"], ids["a1"])


def test_a_tree_that_fails_leaves_nothing(private: httpx.Client) -> None:
    contacts = under(tree("Contact", "lee", LastName="Lee"), tree("Contact", "bad", LastName="x", Email="y"))
    answer = private.post(
        f"{V}/composite/tree/Account", json=under(tree("Account", "a", Name="In", Contacts=contacts))
    )
    (failed,) = answer.json()["results"]
    assert (answer.status_code, answer.json()["hasErrors"], failed["referenceId"]) == (400, True, "bad")
    assert failed["errors"][0]["statusCode"] == "INVALID_EMAIL_ADDRESS"
    assert names(private) == ["Acme", "Globex"]


def deep(levels: int) -> dict[str, Any]:
    found = tree("Account", f"a{levels}", Name="x")
    for level in range(levels - 1, 0, -1):
        found = tree("Account", f"a{level}", Name="x", ChildAccounts=under(found))
    return found


@pytest.mark.parametrize(
    ("records", "code"),
    [
        ([tree("Account", f"a{number}", Name="x") for number in range(201)], "EXCEEDED_ID_LIMIT"),
        ([tree("Account", "a", Name="x"), tree("Account", "a", Name="y")], "INVALID_INPUT"),
        ([tree("Contact", "a", LastName="x")], "INVALID_TYPE"),
        ([tree("Account", "a", Name="x", Nothing=under())], "INVALID_FIELD"),
        ([{"attributes": {"type": "Account"}, "Name": "x"}], "JSON_PARSER_ERROR"),
        ([{"Name": "x"}], "JSON_PARSER_ERROR"),
        ([tree("Account", "a", Name="x", Contacts={"records": {}})], "JSON_PARSER_ERROR"),
        ([tree("Account", "a", Name="x", Contacts={"records": [], "done": True})], "JSON_PARSER_ERROR"),
    ],
)
def test_a_tree_that_is_refused(private: httpx.Client, records: list[Any], code: str) -> None:
    assert error(private.post(f"{V}/composite/tree/Account", json={"records": records}))[:2] == (400, code)
    assert names(private) == ["Acme", "Globex"]


def test_the_place_of_the_resources(client: httpx.Client) -> None:
    assert client.get(f"{V}/composite").json()["tree"] == f"{V}/composite/tree"
