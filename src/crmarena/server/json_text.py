"""A JSON body whose errors tell their place: what a member must be, and where in the text it stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Annotated, Any

import orjson
from fastapi import Depends, Request

from crmarena.errors import SalesforceError
from crmarena.server.bodies import check_type, parse_json
from crmarena.server.faults import fault

Path = tuple[str | int, ...]
"""The way to a value: member names and places in lists."""

JSON_PARSER_ERROR = "JSON_PARSER_ERROR"
MOST_LEVELS = 100
"""Levels of objects and lists in a body."""
_JSON_TYPES = frozenset({"", "application/json", "text/json"})
_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+)', re.DOTALL)
_TOKENS: dict[type, str] = {
    str: "VALUE_STRING",
    int: "VALUE_NUMBER_INT",
    float: "VALUE_NUMBER_FLOAT",
    dict: "START_OBJECT",
    list: "START_ARRAY",
    type(None): "VALUE_NULL",
}


class _Duplicate(Exception):
    """A member that an object has twice."""


class Body:
    """A request's JSON body, read when it is first asked for."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw

    @classmethod
    def of(cls, value: Any) -> Body:
        """The body of a request inside another's."""
        body = cls(orjson.dumps(value))
        body.value = value
        return body

    @cached_property
    def value(self) -> Any:
        """The value. Raises SalesforceError JSON_PARSER_ERROR for what is no JSON, or has members twice."""
        value = parse_json(self.raw)
        if _is_deep(value):
            raise fault("json_text", text="JSON nesting is too deep", line=1, column=1)
        try:
            json.loads(self.raw, object_pairs_hook=_unique, parse_int=str, parse_float=str)
        except _Duplicate:
            raise self._duplicate() from None
        return value

    def members(self, *known: str) -> Members:
        """The members of the body, an object that has no others than those known."""
        return Members(self, self.value, ()).only(known)

    def record(self) -> dict[str, Any]:
        """The body as the fields of a record. Raises SalesforceError."""
        return Members(self, self.value, ()).value

    def fault(self, key: str, path: Path, **values: object) -> SalesforceError:
        """An error about the value at a path."""
        line, column = place(self.raw, path)
        return fault(key, line=line, column=column, **values)

    def mismatch(self, path: Path, wanted: str, found: Any) -> SalesforceError:
        """The error of a value of another type than is wanted, as a JSON reader of Java words it."""
        token = f"VALUE_{str(found).upper()}" if isinstance(found, bool) else _TOKENS[type(found)]
        shown = {dict: "{", list: "[", type(None): "null"}.get(type(found), found)
        shown = str(found).lower() if isinstance(found, bool) else shown
        return self.fault("json_type", path, type=wanted, token=token, value=shown)

    @contextmanager
    def placing(self, *path: str | int) -> Iterator[None]:
        """Add the place of its field to an error that says a record's value is of the wrong type."""
        try:
            yield
        except SalesforceError as error:
            if error.error_code != JSON_PARSER_ERROR or not error.fields:
                raise
            line, column = place(self.raw, (*path, error.fields[0]))
            message = f"{error.message} at [line:{line}, column:{column}]"
            raise SalesforceError(JSON_PARSER_ERROR, message) from None

    def _duplicate(self) -> SalesforceError:
        seen: set[Path] = set()
        for path, offset in _values(self.raw.decode()):
            if path in seen:
                line, column = _line_and_column(self.raw.decode(), offset)
                return fault("json_duplicate", name=path[-1], line=line, column=column)
            seen.add(path)
        return fault("json_duplicate", name="", line=1, column=1)


class Members:
    """The members of an object in a body, each asked for by name and type."""

    def __init__(self, body: Body, value: Any, path: Path) -> None:
        if not isinstance(value, dict):
            raise body.mismatch(path, "object", value)
        self.body = body
        self.value: dict[str, Any] = value
        self.path = path

    def only(self, known: tuple[str, ...]) -> Members:
        """The same, if it has no members but these."""
        for name in self.value:
            if name not in known:
                raise self.body.fault("json_unknown", (*self.path, name), name=name)
        return self

    def text(self, name: str, default: str | None = None) -> str:
        """A text; without a default it must be there."""
        found: str = self._get(name, str, "string", default)
        return found

    def flag(self, name: str) -> bool:
        """A truth, false unless given."""
        found: bool = self._get(name, bool, "boolean", False)
        return found

    def listed(self, name: str) -> list[Any]:
        """A list; it must be there."""
        found: list[Any] = self._get(name, list, "array", None)
        return found

    def objects(self, name: str) -> list[dict[str, Any]]:
        """A list of objects; it must be there."""
        return [
            Members(self.body, value, (*self.path, name, number)).value
            for number, value in enumerate(self.listed(name))
        ]

    def each(self, name: str, *known: str) -> list[Members]:
        """A list of objects that have no members but those known; it must be there."""
        return [
            Members(self.body, value, (*self.path, name, number)).only(known)
            for number, value in enumerate(self.listed(name))
        ]

    def texts(self, name: str) -> list[str]:
        """A list of texts; it must be there."""
        for number, value in enumerate(self.listed(name)):
            if not isinstance(value, str):
                raise self.body.mismatch((*self.path, name, number), "string", value)
        return self.listed(name)

    def _get(self, name: str, kind: type, wanted: str, default: Any) -> Any:
        value = self.value.get(name)
        if value is None:
            if default is None:
                raise fault("json_missing", name=name)
            return default
        if not isinstance(value, kind):
            raise self.body.mismatch((*self.path, name), wanted, value)
        return value


async def _raw_body(request: Request) -> Body:
    check_type(request, _JSON_TYPES)
    return Body(await request.body())


JsonText = Annotated[Body, Depends(_raw_body)]
"""A route's parameter: its JSON body. Raises SalesforceError for a body of another type."""


def place(raw: bytes, path: Path) -> tuple[int, int]:
    """The line and column of a value, its members' letter case ignored; of several the last."""
    text = raw.decode()
    folded = _folded(path)
    found = [offset for known, offset in _values(text) if _folded(known) == folded]
    # chosen: recorded columns are no recognizable place of the value; here its first character.
    return _line_and_column(text, found[-1] if found else 0)


def _values(text: str) -> Iterator[tuple[Path, int]]:
    """The path and the place of each value of a JSON text that is known to be one."""
    path: list[str | int] = []
    in_object: list[bool] = []
    awaits_key = False
    for match in _TOKEN.finditer(text):
        token, offset = match[1], match.start(1)
        if token in "]}":
            in_object.pop()
            path.pop()
        elif token == ",":
            awaits_key = in_object[-1]
            if isinstance(number := path[-1], int):
                path[-1] = number + 1
        elif token == ":":
            awaits_key = False
        elif awaits_key:
            path[-1] = orjson.loads(token)
        else:
            yield tuple(path), offset
            awaits_key = token == "{"
            if token in "[{":
                in_object.append(awaits_key)
                path.append("" if awaits_key else 0)


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MOST_LEVELS):
        containers = [one for one in level if isinstance(one, dict | list)]
        level = [inner for one in containers for inner in (one.values() if isinstance(one, dict) else one)]
        if not level:
            return False
    return True


def _folded(path: Path) -> Path:
    return tuple(part.lower() if isinstance(part, str) else part for part in path)


def _line_and_column(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def _unique(pairs: list[tuple[str, Any]]) -> None:
    if len({name for name, _ in pairs}) < len(pairs):
        raise _Duplicate
