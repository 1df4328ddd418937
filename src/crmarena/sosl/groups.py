"""The fields that a search looks in, and what a match in each is worth."""

from __future__ import annotations

import functools

from crmarena.schema.fields import Field, FieldType
from crmarena.schema.objects import SObject
from crmarena.sosl.ast import FieldGroup
from crmarena.storage import ddl

ALWAYS_ALL = frozenset({"Knowledge__kav", "Product2"})
"""Objects whose searches look in all fields, whatever the search says."""
MUST_BE_NAMED = ALWAYS_ALL
"""Objects that a search without RETURNING leaves out."""
ARTICLES = frozenset({"Knowledge__kav"})

# chosen: what counts most in the ranking of a live org is not published beyond "name fields first"
NAME_WEIGHT, LINE_WEIGHT, TEXT_WEIGHT = 8.0, 2.0, 1.0
"""What a match is worth in a name field, in another field of one line, in a long text."""

_NAMES = frozenset({"Name", "FirstName", "LastName"})
_MORE_NAMES: dict[str, frozenset[str]] = {
    "Account": frozenset({"Site", "Website"}),
    "Case": frozenset({"Subject", "SuppliedName", "SuppliedCompany"}),
    "Contact": frozenset({"AssistantName"}),
    "Event": frozenset({"Subject"}),
    "Lead": frozenset({"Company"}),
    "Task": frozenset({"Subject"}),
    "User": frozenset({"CommunityNickname"}),
}
_TYPES = {FieldGroup.EMAIL: FieldType.EMAIL, FieldGroup.PHONE: FieldType.PHONE}


def searched_fields(sobject: SObject, group: FieldGroup) -> tuple[Field, ...]:
    """The fields of an object that a field group means."""
    fields = ddl.search_fields(sobject)
    if group is FieldGroup.ALL or sobject.name in ALWAYS_ALL:
        return fields
    return tuple(field for field in fields if _in_group(sobject, field, group))


@functools.lru_cache(maxsize=256)
def weights(sobject_name: str, fields: tuple[Field, ...], name_field: str | None) -> str:
    """The weights of an object's full-text columns, as bm25() takes them."""
    return ", ".join(str(_weight(sobject_name, field, name_field)) for field in fields)


def _weight(sobject_name: str, field: Field, name_field: str | None) -> float:
    if field.name == name_field or field.name in _NAMES or field.name in _MORE_NAMES.get(sobject_name, ()):
        return NAME_WEIGHT
    return TEXT_WEIGHT if field.long_text else LINE_WEIGHT


def _in_group(sobject: SObject, field: Field, group: FieldGroup) -> bool:
    if group in _TYPES:
        return field.type is _TYPES[group]
    named = field.name in _NAMES or field.name == sobject.name_field
    if named or field.name in _MORE_NAMES.get(sobject.name, ()):
        return True
    return group is FieldGroup.SIDEBAR and field.type in _TYPES.values()
