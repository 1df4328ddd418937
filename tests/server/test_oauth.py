"""Tokens by OAuth, their end, and who a token's user is."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

from crmarena.errors import UsageError
from crmarena.server.app import create_app
from crmarena.server.settings import Login
from tests.server.conftest import (
    ORG_ID,
    PASSWORD,
    USERNAME,
    Served,
    make_org,
    record_id,
    running,
    settings_for,
)

V = "/services/data/v59.0"
TOKEN = "/services/oauth2/token"
JWT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
PASSWORD_GRANT = {"grant_type": "password", "username": USERNAME, "password": PASSWORD}
REFRESH = "5Aep861.refresh"
KEY = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
OTHER_KEY = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)


def pem(key: Any) -> bytes:
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    made: bytes = key.public_key().public_bytes(serialization.Encoding.PEM, form)
    return made


@pytest.fixture(scope="module")
def open_minded(org_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that has a connected app, a refresh token and a certificate of assertions."""
    folder = tmp_path_factory.mktemp("state")
    (folder / "key.pem").write_bytes(pem(KEY))
    settings = settings_for(
        org_file,
        folder,
        logins=(Login(USERNAME, PASSWORD, client_id="app", client_secret="s3cret"),),
        refresh_token=REFRESH,
        jwt_certificate=str(folder / "key.pem"),
    )
    with running(settings) as found:
        yield found


def works(served: Served, token: str) -> bool:
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.get(f"{served.url}{V}/limits", headers=headers).status_code == 200


def ask(served: Served, **form: str) -> httpx.Response:
    return httpx.post(served.url + TOKEN, data=form)


def refusal(answer: httpx.Response) -> tuple[int, str, str]:
    body = answer.json()
    return answer.status_code, body["error"], body["error_description"]


def encoded(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).rstrip(b"=").decode()


def assertion(
    key: rsa.RSAPrivateKey = KEY, *, algorithm: str = "RS256", ends: float = 120, **claims: Any
) -> str:
    said = {"iss": "app", "sub": USERNAME, "aud": "https://login", "exp": int(time.time() + ends), **claims}
    parts = [encoded(json.dumps(part).encode()) for part in ({"alg": algorithm, "typ": "JWT"}, said)]
    signature = key.sign(".".join(parts).encode(), padding.PKCS1v15(), hashes.SHA256())
    return ".".join([*parts, encoded(signature)])


def test_a_password_gives_a_token(served: Served) -> None:
    answer = ask(served, **PASSWORD_GRANT)
    body = answer.json()
    assert answer.status_code == 200
    assert body["token_type"] == "Bearer"
    assert body["instance_url"] == served.url
    assert body["id"] == f"{served.url}/id/{ORG_ID}/{record_id('005', 1)}"
    assert body["issued_at"].isdigit()
    assert body["signature"]
    assert answer.headers["cache-control"] == "no-cache, no-store"
    assert works(served, body["access_token"])


def test_every_login_has_a_token_of_its_own(served: Served) -> None:
    assert len({ask(served, **PASSWORD_GRANT).json()["access_token"] for _ in "abc"}) == 3


@pytest.mark.parametrize(
    ("form", "error", "description"),
    [
        ({**PASSWORD_GRANT, "password": "no"}, "invalid_grant", "authentication failure"),
        ({"grant_type": "password"}, "invalid_grant", "authentication failure"),
        ({}, "unsupported_grant_type", "grant type not supported"),
        ({"grant_type": "authorization_code"}, "unsupported_grant_type", "grant type not supported"),
        ({"grant_type": "client_credentials"}, "invalid_client_id", "client identifier invalid"),
        ({"grant_type": "refresh_token"}, "invalid_grant", "expired access/refresh token"),
        (
            {"grant_type": "refresh_token", "refresh_token": "x"},
            "invalid_grant",
            "expired access/refresh token",
        ),
        ({"grant_type": JWT, "assertion": assertion()}, "invalid_grant", "invalid assertion"),
    ],
)
def test_what_cannot_be_granted_is_refused(
    served: Served, form: dict[str, str], error: str, description: str
) -> None:
    assert refusal(ask(served, **form)) == (400, error, description)


def test_a_connected_app_acts_as_its_user(open_minded: Served) -> None:
    by_form = ask(open_minded, grant_type="client_credentials", client_id="app", client_secret="s3cret")
    by_header = httpx.post(
        open_minded.url + TOKEN, data={"grant_type": "client_credentials"}, auth=("app", "s3cret")
    )
    assert works(open_minded, by_form.json()["access_token"])
    assert works(open_minded, by_header.json()["access_token"])


@pytest.mark.parametrize(
    ("client_id", "secret", "error"),
    [
        ("app", "no", "invalid_client"),
        ("other", "s3cret", "invalid_client_id"),
        ("", "", "invalid_client_id"),
    ],
)
def test_another_app_is_refused(open_minded: Served, client_id: str, secret: str, error: str) -> None:
    answer = ask(open_minded, grant_type="client_credentials", client_id=client_id, client_secret=secret)
    assert refusal(answer)[:2] == (400, error)


@pytest.mark.parametrize("header", ["Basic !!!", "Basic /w==", "Basic"])
def test_a_garbled_basic_header_is_no_client(open_minded: Served, header: str) -> None:
    answer = httpx.post(
        open_minded.url + TOKEN,
        data={"grant_type": "client_credentials"},
        headers={"Authorization": header},
    )
    assert refusal(answer)[1] == "invalid_client_id"


def test_a_signed_assertion_gives_a_token(open_minded: Served) -> None:
    answer = ask(open_minded, grant_type=JWT, assertion=assertion())
    assert works(open_minded, answer.json()["access_token"])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a.b.c",
        "....",
        assertion(OTHER_KEY),
        assertion(ends=-1_000),
        assertion(sub="nobody@crm.example"),
        assertion(sub=7),
        assertion(exp="soon"),
        assertion(algorithm="none"),
        assertion()[:-4],
        assertion().rpartition(".")[0] + ".",
        f"{encoded(b'[]')}.{encoded(b'[]')}.{encoded(b'x')}",
        "\u00e9.\u00e9.\u00e9",
    ],
)
def test_a_doubtful_assertion_gives_none(open_minded: Served, text: str) -> None:
    answer = ask(open_minded, grant_type=JWT, assertion=text)
    assert refusal(answer) == (400, "invalid_grant", "invalid assertion")


def test_a_certificate_that_is_none_is_refused_at_start(org_file: Path, tmp_path: Path) -> None:
    (tmp_path / "text.pem").write_text("no key")
    elliptic = tmp_path / "elliptic.pem"
    elliptic.write_bytes(pem(ec.generate_private_key(ec.SECP256R1())))
    for path, text in (("text.pem", "no certificate"), ("elliptic.pem", "RSA"), ("none", "Cannot read")):
        settings = settings_for(org_file, tmp_path, jwt_certificate=str(tmp_path / path))
        with pytest.raises(UsageError, match=text):
            create_app(settings)


def test_a_refresh_token_gives_one_token_after_another(open_minded: Served) -> None:
    answers = [ask(open_minded, grant_type="refresh_token", refresh_token=REFRESH) for _ in "ab"]
    first, second = (answer.json()["access_token"] for answer in answers)
    assert first != second
    assert works(open_minded, first)
    assert works(open_minded, second)
    assert not works(open_minded, REFRESH)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_revoked_token_is_at_an_end(served: Served, method: str) -> None:
    token = ask(served, **PASSWORD_GRANT).json()["access_token"]
    assert works(served, token)
    place, given = f"{served.url}/services/oauth2/revoke", {"token": token}
    answer = httpx.get(place, params=given) if method == "GET" else httpx.post(place, data=given)
    assert answer.status_code == 200
    assert not works(served, token)
    assert refusal(httpx.post(place, data=given))[1] == "unsupported_token_type"


def test_the_end_of_a_refresh_token_ends_its_login(org_file: Path, tmp_path: Path) -> None:
    with running(settings_for(org_file, tmp_path, refresh_token=REFRESH)) as served:
        fresh = ask(served, grant_type="refresh_token", refresh_token=REFRESH).json()["access_token"]
        other = ask(served, **PASSWORD_GRANT).json()["access_token"]
        httpx.post(f"{served.url}/services/oauth2/revoke", data={"token": REFRESH})
        assert [works(served, token) for token in (served.token, fresh, other)] == [False, False, True]
        assert refusal(ask(served, grant_type="refresh_token", refresh_token=REFRESH))[1] == "invalid_grant"


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_userinfo_tells_who_the_user_is(served: Served, method: str) -> None:
    with served.client as client:
        body = client.request(method, "/services/oauth2/userinfo").json()
    assert body["user_id"] == record_id("005", 1)
    assert body["organization_id"] == ORG_ID
    assert body["preferred_username"] == body["email"] == USERNAME
    assert (body["name"], body["given_name"], body["family_name"]) == ("Ann Young", "Ann", "Young")
    assert body["urls"]["rest"] == f"{served.url}/services/data/v{{version}}/"


def test_identity_is_where_the_resources_and_the_login_say(served: Served) -> None:
    with served.client as client:
        place = client.get(V).json()["identity"]
        body = client.get(place).json()
    assert place == ask(served, **PASSWORD_GRANT).json()["id"] == body["id"]
    assert (body["username"], body["display_name"]) == (USERNAME, "Ann Young")
    assert body["user_id"] == record_id("005", 1)
    by_parameter = httpx.get(place, params={"oauth_token": served.token, "format": "json"})
    assert by_parameter.json() == body


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"/id/{ORG_ID}/{record_id('005', 1)}?oauth_token=x", 401),
        (f"/id/{ORG_ID}/{record_id('005', 9)}", 404),
        (f"/id/00D000000000000AAA/{record_id('005', 1)}", 404),
        (f"/id/{ORG_ID}/{record_id('005', 1)}?format=xml", 404),
        (f"/id/{ORG_ID}", 404),
    ],
)
def test_another_identity_is_not_shown(client: httpx.Client, path: str, status: int) -> None:
    assert client.get(path).status_code == status


def test_without_a_token_nobody_is_shown(served: Served) -> None:
    for path in ("/services/oauth2/userinfo", f"/id/{ORG_ID}/{record_id('005', 1)}"):
        answer = httpx.get(served.url + path)
        assert (answer.status_code, answer.json()[0]["errorCode"]) == (401, "INVALID_AUTH_HEADER")


def test_an_org_without_the_user_lends_its_first_one(tmp_path: Path) -> None:
    org = make_org(tmp_path / "org.db")
    login = Login("guest@crm.example", "x")
    with running(settings_for(org, tmp_path, logins=(login,))) as served, served.client as client:
        body = client.get("/services/oauth2/userinfo").json()
    assert (body["user_id"], body["preferred_username"]) == (record_id("005", 1), "guest@crm.example")
