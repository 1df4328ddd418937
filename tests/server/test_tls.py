"""Serving over TLS, by a certificate that is made at the start."""

from __future__ import annotations

import ssl
import stat
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from cryptography import x509

from crmarena.clock import Clock
from crmarena.server import tls
from crmarena.server.tls import certificate
from tests.server.conftest import running, settings_for
from tests.server.test_soap import element, login


def names(path: Path) -> set[str]:
    found = x509.load_pem_x509_certificate(path.read_bytes())
    held = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return {str(name.value) for name in held}


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_client_that_trusts_the_authority_is_served(org_file: Path, tmp_path: Path, host: str) -> None:
    settings = settings_for(org_file, tmp_path, tls=True, tls_directory=str(tmp_path / "tls"))
    with running(settings) as served:
        url = served.url.replace("127.0.0.1", host)
        got = httpx.get(f"{url}/services/data/v59.0/limits", headers=served.headers, verify=served.trust)
        assert got.status_code == 200


def test_a_client_that_does_not_is_not(org_file: Path, tmp_path: Path) -> None:
    with running(settings_for(org_file, tmp_path, tls=True)) as served, pytest.raises(httpx.ConnectError):
        httpx.get(f"{served.url}/services/data")


def test_the_addresses_that_are_told_are_of_https(org_file: Path, tmp_path: Path) -> None:
    with running(settings_for(org_file, tmp_path, tls=True)) as served, served.client as client:
        answer = client.post("/services/Soap/u/59.0", content=login())
        assert element(answer, "serverUrl").startswith("https://127.0.0.1:")


def test_a_certificate_is_kept_from_start_to_start(tmp_path: Path) -> None:
    first = certificate(tmp_path / "tls", "127.0.0.1")
    before = {path: path.read_bytes() for path in (first.authority, first.chain, first.key)}
    assert certificate(tmp_path / "tls", "localhost") == first
    assert {path: path.read_bytes() for path in before} == before


def test_the_key_is_its_owners_alone_and_the_authoritys_is_not_kept(tmp_path: Path) -> None:
    made = certificate(tmp_path, "127.0.0.1")
    assert stat.S_IMODE(made.key.stat().st_mode) == 0o600
    assert {path.name for path in tmp_path.iterdir()} == {"ca.pem", "server.pem", "server-key.pem"}


@pytest.mark.parametrize(("host", "added"), [("crm.local", "crm.local"), ("192.0.2.7", "192.0.2.7")])
def test_a_certificate_names_this_machine_and_the_host(tmp_path: Path, host: str, added: str) -> None:
    before = certificate(tmp_path, "127.0.0.1").chain.read_bytes()
    made = certificate(tmp_path, host)
    assert names(made.chain) == {"localhost", "127.0.0.1", "::1", added}
    assert made.chain.read_bytes() != before


def test_all_addresses_means_the_machines_name_too(tmp_path: Path) -> None:
    assert len(names(certificate(tmp_path, "0.0.0.0").chain)) >= 4


def test_a_certificate_that_ends_or_is_damaged_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tls, "_LIFE", timedelta(hours=1))
    ending = certificate(tmp_path, "127.0.0.1").chain.read_bytes()
    monkeypatch.undo()
    made = certificate(tmp_path, "127.0.0.1")
    assert made.chain.read_bytes() != ending
    ends = x509.load_pem_x509_certificate(made.chain.read_bytes()).not_valid_after_utc
    assert ends > Clock.system().now + timedelta(days=300)
    made.chain.write_text("damaged")
    assert names(certificate(tmp_path, "127.0.0.1").chain) == {"localhost", "127.0.0.1", "::1"}


@pytest.mark.parametrize("spoilt", ["ca.pem", "server.pem", "server-key.pem"])
def test_files_that_do_not_belong_together_are_made_anew(tmp_path: Path, spoilt: str) -> None:
    certificate(tmp_path / "one", "127.0.0.1")
    certificate(tmp_path / "other", "127.0.0.1")
    foreign = (tmp_path / "other" / spoilt).read_bytes()
    for content in (foreign, b"junk"):
        (tmp_path / "one" / spoilt).write_bytes(content)
        made = certificate(tmp_path / "one", "127.0.0.1")
        authority = x509.load_pem_x509_certificate(made.authority.read_bytes())
        x509.load_pem_x509_certificate(made.chain.read_bytes()).verify_directly_issued_by(authority)
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(made.chain, made.key)
        assert (tmp_path / "one" / spoilt).read_bytes() != content
