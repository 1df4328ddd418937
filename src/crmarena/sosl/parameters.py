"""The parameters of a parameterized search as REST has them: a query string, or JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from crmarena.errors import SalesforceError
from crmarena.schema.ids import to_18
from crmarena.soql.ast import CategoryFilter
from crmarena.sosl.ast import FieldGroup
from crmarena.sosl.faults import fault
from crmarena.sosl.limits import MAX_RECORDS
from crmarena.sosl.parameterized import ParameterizedSearch, SearchedObject

T = TypeVar("T")


def from_query(pairs: Iterable[tuple[str, str]]) -> ParameterizedSearch:
    """A request by GET: `q=acme&sobject=Account&Account.fields=Id,Name&in=NAME`. Raises SalesforceError."""
    values: dict[str, Any] = {}
    objects: dict[str, dict[str, Any]] = {}
    written: dict[str, str] = {}
    for name, value in pairs:
        known, _, parameter = name.rpartition(".")
        if known:
            objects.setdefault(known.lower(), {})[parameter] = value
            written[known.lower()] = name
        elif name.lower() == "sobject":
            values.setdefault("sobjects", []).extend({"name": one} for one in _listed(value))
        elif name.lower() == "datacategory":
            values["dataCategories"] = [_category_text(value)]
        else:
            values[name] = value
    for entry in values.get("sobjects", []):
        entry.update(objects.pop(entry["name"].lower(), {}))
    for unsearched in objects:
        raise fault("unknown_parameter", name=written[unsearched])
    return from_json(values)


def from_json(body: object) -> ParameterizedSearch:
    """A request by POST, its body read from JSON. Raises SalesforceError."""
    if not isinstance(body, Mapping):
        raise _wrong("body", body)
    found: dict[str, Any] = {"q": ""}
    for name, value in body.items():
        reader = _PARAMETERS.get(name.lower())
        if reader is None:
            raise fault("unknown_parameter", name=name)
        if value is not None:
            found |= reader(name, value)
    updates = tuple(word for word in ("TRACKING", "VIEWSTAT") if found.pop(word, False))
    return ParameterizedSearch(**found, updates=updates)


def _object(name: str, value: Any) -> SearchedObject:
    """One entry of `sobjects`: a name, or an object of parameters."""
    if isinstance(value, str):
        return SearchedObject(value)
    if not isinstance(value, Mapping):
        raise _wrong(name, value)
    found: dict[str, Any] = {}
    for key, given in value.items():
        reader = _OBJECT_PARAMETERS.get(key.lower())
        if reader is None:
            raise fault("unknown_parameter", name=f"{name}.{key}")
        if given is not None:
            found |= reader(key, given)
    if not found.get("name"):
        raise fault("parameter", name=f"{name}.name", value="")
    return SearchedObject(**found)


def _category(name: str, value: Any) -> CategoryFilter:
    if not isinstance(value, Mapping) or not {"groupName", "operator", "categories"} >= set(value):
        raise _wrong(name, value)
    group, selector = str(value.get("groupName", "")), str(value.get("operator", "")).upper()
    return CategoryFilter(group, selector, _listed(value.get("categories", [])))


def _category_text(text: str) -> dict[str, Any]:
    """`Geography__c below USA__c` as POST has it."""
    words = text.split()
    if len(words) != 3:
        raise _wrong("dataCategory", text)
    return {"groupName": words[0], "operator": words[1], "categories": [words[2]]}


def _listed(value: Any) -> tuple[str, ...]:
    entries = value.split(",") if isinstance(value, str) else value
    if not isinstance(entries, list | tuple):
        raise _wrong("fields", value)
    return tuple(str(entry).strip() for entry in entries)


def _number(name: str, value: Any) -> int:
    text = str(value).strip()
    if isinstance(value, bool) or not (text.isascii() and text.isdigit()) or int(text[:9]) > MAX_RECORDS:
        raise _wrong(name, value)
    return int(text[:9])


def _flag(name: str, value: Any) -> bool:
    text = str(value).strip().lower()
    if text not in {"true", "false"}:
        raise _wrong(name, value)
    return text == "true"


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(name, value)
    return value


def _group(name: str, value: Any) -> FieldGroup:
    word = str(value).strip().upper().removesuffix(" FIELDS")
    if word not in set(FieldGroup):
        raise _wrong(name, value)
    return FieldGroup(word)


def _labels(name: str, value: Any) -> bool:
    if str(value).upper() != "LABELS":
        raise _wrong(name, value)
    return True


def _record_id(name: str, value: Any) -> str:
    whole = to_18(str(value))
    if whole is None:
        raise fault("invalid_id", value=value)
    return whole


def _many(name: str, value: Any, one: Callable[[str, Any], T]) -> tuple[T, ...]:
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list | tuple):
        raise _wrong(name, value)
    return tuple(one(name, entry.strip() if isinstance(entry, str) else entry) for entry in value)


def _wrong(name: str, value: Any) -> SalesforceError:
    return fault("parameter", name=name, value=value)


def _entry(key: str, read: Callable[[str, Any], Any]) -> Callable[[str, Any], dict[str, Any]]:
    return lambda name, value: {key: read(name, value)}


_PARAMETERS: dict[str, Callable[[str, Any], dict[str, Any]]] = {
    "q": _entry("q", _text),
    "in": _entry("group", _group),
    "fields": _entry("fields", lambda name, value: _listed(value)),
    "sobjects": _entry("sobjects", lambda name, value: _many(name, value, _object)),
    "defaultlimit": _entry("default_limit", _number),
    "overalllimit": _entry("overall_limit", _number),
    "offset": _entry("offset", _number),
    "datacategories": _entry("categories", lambda name, value: _many(name, value, _category)),
    "division": _entry("division", _text),
    "metadata": _entry("labels", _labels),
    "networkids": _entry("networks", lambda name, value: _many(name, value, _record_id)),
    "pricebookid": _entry("pricebook", _record_id),
    "snippet": _entry("snippet", _number),
    "spellcorrection": _entry("spell_correction", _flag),
    "updatetracking": _entry("TRACKING", _flag),
    "updateviewstat": _entry("VIEWSTAT", _flag),
}
_OBJECT_PARAMETERS: dict[str, Callable[[str, Any], dict[str, Any]]] = {
    "name": _entry("name", _text),
    "fields": _entry("fields", lambda name, value: _listed(value)),
    "where": _entry("where", _text),
    "orderby": _entry("order_by", _text),
    "limit": _entry("limit", _number),
}
