"""Field types, and what may be done with a field of each.

The rules follow the SOQL reference: field types and describe flags.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FieldType(StrEnum):
    """The field types of the describe call that the org uses."""

    ID = "id"
    STRING = "string"
    TEXTAREA = "textarea"
    PICKLIST = "picklist"
    MULTIPICKLIST = "multipicklist"
    COMBOBOX = "combobox"
    EMAIL = "email"
    PHONE = "phone"
    URL = "url"
    REFERENCE = "reference"
    BOOLEAN = "boolean"
    INT = "int"
    DOUBLE = "double"
    CURRENCY = "currency"
    PERCENT = "percent"
    DATE = "date"
    DATETIME = "datetime"
    ADDRESS = "address"


TEXT_TYPES = frozenset(
    {
        FieldType.STRING,
        FieldType.TEXTAREA,
        FieldType.PICKLIST,
        FieldType.MULTIPICKLIST,
        FieldType.COMBOBOX,
        FieldType.EMAIL,
        FieldType.PHONE,
        FieldType.URL,
    }
)
ID_TYPES = frozenset({FieldType.ID, FieldType.REFERENCE})
NUMBER_TYPES = frozenset({FieldType.INT, FieldType.DOUBLE, FieldType.CURRENCY, FieldType.PERCENT})
DATE_TYPES = frozenset({FieldType.DATE, FieldType.DATETIME})
COMPOUND_TYPES = frozenset({FieldType.ADDRESS})
"""Types whose value is put together from other fields of the record."""


_UNGROUPABLE = COMPOUND_TYPES | {
    FieldType.DOUBLE,
    FieldType.CURRENCY,
    FieldType.PERCENT,
    FieldType.DATETIME,
    FieldType.MULTIPICKLIST,
}

_UNAGGREGATABLE = COMPOUND_TYPES | {FieldType.BOOLEAN, FieldType.MULTIPICKLIST}


@dataclass(frozen=True)
class Field:
    """One field of an sObject."""

    name: str
    label: str
    type: FieldType
    length: int = 0
    """Longest text in characters; 0 for types without one."""
    reference_to: tuple[str, ...] = ()
    """The sObjects a reference may point to; several make it polymorphic."""
    relationship_name: str | None = None
    """What a path calls the parent (`Account` for `AccountId`)."""
    child_relationship_name: str | None = None
    """What the parent calls its children through this field (`Contacts`)."""
    picklist: tuple[str, ...] = ()
    restricted: bool = False
    """Whether a picklist takes its listed values only."""
    compound: str | None = None
    """The compound field this one is a part of: `BillingAddress` for `BillingCity`."""
    external_id: bool = False
    """Whether upsert may find records by it."""
    unique: bool = False
    """Whether two records may not share a value."""
    default: str | int | float | bool | None = None
    """What an insert without a value writes."""
    cascade_delete: bool = False
    """Whether the record goes with the one it refers to."""
    restricted_delete: bool = False
    """Whether the record keeps the one it refers to from being deleted."""
    long_text: bool = False
    """Long or rich text: not filterable, sortable or groupable."""
    rich_text: bool = False
    """HTML; searched as plain text."""
    auto_number: bool = False
    custom: bool = False
    nillable: bool = True
    createable: bool = True
    updateable: bool = True
    searchable: bool = False
    """Whether SOSL looks in it."""
    published: bool = False
    """Whether the published org has it; the rest are a live org's standard fields."""

    @property
    def filterable(self) -> bool:
        """Whether WHERE may name it."""
        return not self.long_text and self.stored

    @property
    def sortable(self) -> bool:
        """Whether ORDER BY may name it."""
        return not self.long_text and self.stored and self.type is not FieldType.MULTIPICKLIST

    @property
    def groupable(self) -> bool:
        """Whether GROUP BY may name it bare."""
        return not self.long_text and not self.auto_number and self.type not in _UNGROUPABLE

    @property
    def aggregatable(self) -> bool:
        """Whether COUNT, MIN and MAX take it."""
        return not self.long_text and self.type not in _UNAGGREGATABLE

    @property
    def stored(self) -> bool:
        """Whether it is a column of its own; a compound field is read from its parts."""
        return self.type not in COMPOUND_TYPES

    @property
    def id_lookup(self) -> bool:
        """Whether a record may be named by its value: an Id, an external id, an e-mail address."""
        return self.external_id or self.type in (FieldType.ID, FieldType.EMAIL)

    @property
    def polymorphic(self) -> bool:
        """Whether it may point to several sObjects."""
        return len(self.reference_to) > 1
