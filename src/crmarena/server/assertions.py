"""Assertions of the JWT bearer flow: who says who is logging in, checked by a signature."""

from __future__ import annotations

import base64
import binascii
import json
import time
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509 import load_pem_x509_certificate

from crmarena.errors import UsageError

_LEEWAY = 180.0
"""Seconds by which two machines' clocks may differ; Salesforce grants three minutes."""


def subject(assertion: str, key: rsa.RSAPublicKey) -> str | None:
    """The user name in an assertion; None where its form, signature or time is wrong."""
    head, claims, signature = (*assertion.split("."), "", "")[:3]
    try:
        key.verify(_bytes(signature), f"{head}.{claims}".encode(), padding.PKCS1v15(), hashes.SHA256())
        header, said = json.loads(_bytes(head)), json.loads(_bytes(claims))
        late = float(said["exp"]) + _LEEWAY < time.time()
        name = said["sub"]
    except (InvalidSignature, binascii.Error, ValueError, KeyError, TypeError, RecursionError):
        return None
    good = header.get("alg") == "RS256" and not late and isinstance(name, str)
    return name if good else None


def read_key(path: str) -> rsa.RSAPublicKey:
    """The public key of a certificate, or a bare one, in a PEM file. Raises UsageError."""
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"Cannot read the certificate {path}: {error.strerror}.") from None
    try:
        key = _key(text)
    except ValueError:
        raise UsageError(f"{path} is no certificate and no public key; give one in PEM form.") from None
    if not isinstance(key, rsa.RSAPublicKey):
        raise UsageError(f"The key in {path} is not an RSA key, which the JWT bearer flow needs.")
    return key


def _key(text: bytes) -> Any:
    if b"BEGIN CERTIFICATE" in text:
        return load_pem_x509_certificate(text).public_key()
    return serialization.load_pem_public_key(text)


def _bytes(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
