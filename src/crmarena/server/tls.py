"""The certificate of `--tls`: made at start by an authority of its own, whose key nobody keeps."""

from __future__ import annotations

import ipaddress
import os
import socket
import ssl
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from crmarena.clock import Clock
from crmarena.errors import UsageError

_LIFE = timedelta(days=365)
_SPARE = timedelta(days=1)
"""A certificate that ends sooner than this is made anew."""
_ANY = frozenset({"", "0.0.0.0", "::"})


@dataclass(frozen=True)
class Certificate:
    """The files of a certificate."""

    authority: Path
    """What a client verifies by: `ca.pem`."""
    chain: Path
    key: Path


def certificate(folder: Path, host: str) -> Certificate:
    """A folder's certificate for this machine and a host, made if there is none that is good.

    Raises UsageError where the folder cannot be written.
    """
    files = Certificate(folder / "ca.pem", folder / "server.pem", folder / "server-key.pem")
    names = _names(host)
    if not _is_good(files, names):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _make(files, names)
        except OSError as error:
            raise UsageError(f"Cannot keep a certificate in {folder}: {error.strerror}.") from None
    return files


def _names(host: str) -> list[x509.GeneralName]:
    """The names that clients may use: those of this machine on itself, and the host's."""
    listed = ["localhost", "127.0.0.1", "::1"]
    if host in _ANY:
        listed.append(socket.gethostname())
    elif host not in listed:
        listed.append(host)
    return [_name(name) for name in listed]


def _name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _is_good(files: Certificate, names: Iterable[x509.GeneralName]) -> bool:
    if not all(path.is_file() for path in (files.authority, files.chain, files.key)):
        return False
    try:
        found = x509.load_pem_x509_certificate(files.chain.read_bytes())
        held = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        found.verify_directly_issued_by(x509.load_pem_x509_certificate(files.authority.read_bytes()))
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(files.chain, files.key)
    except (OSError, ValueError, TypeError, InvalidSignature, x509.ExtensionNotFound):
        return False
    return found.not_valid_after_utc - _SPARE > Clock.system().now and set(names) <= set(held)


def _make(files: Certificate, names: list[x509.GeneralName]) -> None:
    now = Clock.system().now
    authority_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    by = _subject("crmarena local authority")
    authority = (
        _builder(by, by, authority_key, now)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs=True), critical=True)
        .sign(authority_key, hashes.SHA256())
    )
    own = (
        _builder(_subject("crmarena"), by, key, now)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), critical=False
        )
        .sign(authority_key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    _write_secret(
        files.key,
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()),
    )
    files.chain.write_bytes(own.public_bytes(pem) + authority.public_bytes(pem))
    files.authority.write_bytes(authority.public_bytes(pem))


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, now: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now.astimezone(UTC) - _SPARE)
        .not_valid_after(now.astimezone(UTC) + _LIFE)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _subject(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )


def _write_secret(path: Path, content: bytes) -> None:
    """Write a file that only its owner may read, from the first moment on."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
