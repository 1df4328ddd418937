"""Logging in and out by SOAP."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape

import httpx
import pytest

from crmarena.server.settings import Login
from crmarena.server.soap import MAX_DEPTH
from tests.server.conftest import ORG_ID, PASSWORD, USERNAME, Served, record_id, running, settings_for

V = "/services/data/v59.0"
PLACE = "/services/Soap/u/59.0"
HEADERS = {"Content-Type": "text/xml; charset=UTF-8", "SOAPAction": "login"}


def envelope(body: str, header: str = "") -> str:
    return (
        '<?xml version="1.0" encoding="utf-8" ?><env:Envelope xmlns:n1="urn:partner.soap.sforce.com"'
        ' xmlns:env="http://schemas.xmlsoap.org/soap/envelope/">'
        f"<env:Header>{header}</env:Header><env:Body>{body}</env:Body></env:Envelope>"
    )


def login(username: str = USERNAME, password: str = PASSWORD, *, prefix: str = "n1:") -> str:
    given = f"<{prefix}username>{escape(username)}</{prefix}username>"
    given += f"<{prefix}password>{escape(password)}</{prefix}password>"
    space = "" if prefix else ' xmlns="urn:partner.soap.sforce.com"'
    return envelope(f"<{prefix}login{space}>{given}</{prefix}login>")


def post(served: Served, content: str | bytes, place: str = PLACE) -> httpx.Response:
    return httpx.post(served.url + place, content=content, headers=HEADERS)


def element(answer: httpx.Response, name: str) -> str:
    return answer.text.partition(f"<{name}>")[2].partition(f"</{name}>")[0]


@pytest.mark.parametrize("prefix", ["n1:", ""])
@pytest.mark.parametrize("place", [PLACE, PLACE + "/", "/services/Soap/u/64.0", "/services/Soap/c/20.0"])
def test_a_login_gives_a_token_and_where_to_use_it(served: Served, prefix: str, place: str) -> None:
    answer = post(served, login(prefix=prefix), place)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/xml;charset=UTF-8")
    version = place.rstrip("/").rpartition("/")[2]
    door = place.split("/")[3]
    assert element(answer, "serverUrl") == f"{served.url}/services/Soap/{door}/{version}/{ORG_ID}"
    assert element(answer, "userId") == record_id("005", 1)
    assert element(answer, "organizationId") == ORG_ID
    assert element(answer, "userName") == USERNAME
    assert element(answer, "passwordExpired") == "false"
    headers = {"Authorization": f"Bearer {element(answer, 'sessionId')}"}
    assert httpx.get(f"{served.url}{V}/limits", headers=headers).status_code == 200


def test_the_address_is_the_one_the_client_used(served: Served) -> None:
    headers = {**HEADERS, "Host": "crm.local:1234"}
    answer = httpx.post(served.url + PLACE, content=login(), headers=headers)
    assert element(answer, "serverUrl").startswith("http://crm.local:1234/services/Soap/u/59.0/00D")


@pytest.mark.parametrize(
    ("username", "password"),
    [
        (USERNAME, "wrong"),
        (USERNAME, ""),
        (USERNAME, PASSWORD + "token"),
        (USERNAME, PASSWORD.upper()),
        ("nobody@crm.example", PASSWORD),
        ("", ""),
        ("' OR 1=1 --", "<&>"),
    ],
)
def test_a_wrong_login_is_a_fault(served: Served, username: str, password: str) -> None:
    answer = post(served, login(username, password))
    text = "Invalid username, password, security token; or user locked out."
    assert answer.status_code == 500
    assert element(answer, "faultcode") == "INVALID_LOGIN"
    assert element(answer, "faultstring") == f"INVALID_LOGIN: {text}"
    assert element(answer, "sf:exceptionCode") == "INVALID_LOGIN"
    assert element(answer, "sf:exceptionMessage") == text


def test_user_names_ignore_letter_case(served: Served) -> None:
    assert post(served, login(USERNAME.upper())).status_code == 200


def test_a_security_token_must_follow_the_password(org_file: Path, tmp_path: Path) -> None:
    settings = settings_for(org_file, tmp_path, logins=(Login(USERNAME, PASSWORD, security_token="t0ken"),))
    with running(settings) as served:
        assert post(served, login(password=PASSWORD + "t0ken")).status_code == 200
        assert element(post(served, login()), "faultcode") == "INVALID_LOGIN"


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "no xml",
        "<a/>",
        "<a>",
        envelope(""),
        envelope("<n1:query/>"),
        envelope("<n1:login><n1:username>"),
        b'<?xml version="1.0" encoding="martian"?><a/>',
        b"\xff\xfe\x00",
        "<a>" * 100_000,
        "<a>" * (MAX_DEPTH + 1) + "</a>" * (MAX_DEPTH + 1),
        '<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;">]>' + login().partition("?>")[2],
        '<!DOCTYPE a SYSTEM "file:///etc/hostname"><a>&b;</a>',
    ],
)
def test_what_is_no_request_is_a_fault_of_the_client(served: Served, sent: str | bytes) -> None:
    answer = post(served, sent)
    assert answer.status_code == 500
    assert element(answer, "faultcode") == "soapenv:Client"


@pytest.mark.parametrize("place", ["/services/Soap/x/59.0", "/services/Soap/u/99.0", "/services/Soap/u/x"])
def test_other_apis_and_versions_are_a_fault_of_the_client(served: Served, place: str) -> None:
    assert element(post(served, login(), place), "faultcode") == "soapenv:Client"


def test_a_large_body_is_read_or_refused(served: Served) -> None:
    padding = f"<!--{'x' * 1_000_000}-->"
    assert post(served, login().replace("<env:Body>", f"{padding}<env:Body>")).status_code == 200
    too_large = post(served, login() + " " * 10_000_000)
    assert (too_large.status_code, element(too_large, "faultcode")) == (500, "EXCEEDED_MAX_SIZE_REQUEST")


def test_a_logout_ends_the_token(served: Served) -> None:
    token = element(post(served, login()), "sessionId")
    header = f"<n1:SessionHeader><n1:sessionId>{token}</n1:sessionId></n1:SessionHeader>"
    leave = envelope("<n1:logout/>", header)
    answer = post(served, leave, f"{PLACE}/{ORG_ID}")
    assert (answer.status_code, "<logoutResponse/>" in answer.text) == (200, True)
    again = httpx.get(f"{served.url}{V}/limits", headers={"Authorization": f"Bearer {token}"})
    assert again.status_code == 401
    assert element(post(served, leave), "faultcode") == "INVALID_SESSION_ID"
