"""References of a request to what was answered before: `@{account.id}`, `@{found.records[0].Id}`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from crmarena.server.answers import to_json
from crmarena.server.faults import fault

_REFERENCE = re.compile(r"@\{([^}]*)\}")
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d{1,4})\]")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_]*\Z")


def check_name(name: str, known: Mapping[str, Any]) -> None:
    """Raise SalesforceError for a reference id that is none, or is known already."""
    if not _NAME.match(name):
        raise fault("bad_reference_id", name=name)
    if name in known:
        raise fault("repeated_reference_id", name=name)


def in_url(url: str, answered: Mapping[str, Any]) -> str:
    """A URL with the values that its references mean. Raises SalesforceError."""
    return _REFERENCE.sub(lambda found: quote(_text(_value(found[1], answered)), safe=""), url)


def in_body(body: Any, answered: Mapping[str, Any]) -> Any:
    """A body with the values that its references mean, keys left as they are. Raises SalesforceError."""
    if isinstance(body, str):
        return _in_text(body, answered)
    if isinstance(body, dict):
        return {name: in_body(value, answered) for name, value in body.items()}
    if isinstance(body, list):
        return [in_body(value, answered) for value in body]
    return body


def _in_text(text: str, answered: Mapping[str, Any]) -> Any:
    whole = _REFERENCE.fullmatch(text)
    if whole:
        # A text that is a reference and nothing else takes the value's own type.
        return _value(whole[1], answered)
    return _REFERENCE.sub(lambda found: _text(_value(found[1], answered)), text)


def _value(path: str, answered: Mapping[str, Any]) -> Any:
    name = re.split(r"[.\[]", path, maxsplit=1)[0]
    found, rest = answered.get(name), path[len(name) :]
    if "".join(match[0] for match in _STEP.finditer(rest)) != rest:
        found = None
    for member, place in _STEP.findall(rest):
        found = _member(found, member) if member else _element(found, int(place))
    # chosen: an object or a list is no value that a text could stand for.
    if found is None or isinstance(found, dict | list):
        raise fault("no_reference", path=path, name=name)
    return found


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _element(value: Any, place: int) -> Any:
    return value[place] if isinstance(value, list) and place < len(value) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else to_json(value).decode().strip()
