"""sObjects, the relationships between them, and the schema of an org type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from crmarena.schema.fields import Field


@dataclass(frozen=True)
class ChildRelationship:
    """A reference seen from the record it points to."""

    name: str
    """As a child subquery names it (`Contacts`, `Visits__r`)."""
    child: str
    """The sObject that holds the reference."""
    field: str
    """The reference field there."""


@dataclass(frozen=True)
class SObject:
    """One object: its fields in order, and who points to it."""

    name: str
    label: str
    label_plural: str
    key_prefix: str
    fields: Mapping[str, Field]
    child_relationships: tuple[ChildRelationship, ...]
    name_field: str | None
    searchable: bool
    published: bool = True
    """False for objects that a live org has and no published table holds."""
    createable: bool = True
    """Whether records of it may be inserted."""
    updateable: bool = True
    deletable: bool = True

    def field(self, name: str) -> Field | None:
        """The field of a name, letter case ignored."""
        return self._by_lower.get(name.lower())

    def parent(self, relationship: str) -> Field | None:
        """The reference field behind a parent relationship name, letter case ignored."""
        return self._parents.get(relationship.lower())

    def children(self, relationship: str) -> ChildRelationship | None:
        """The child relationship of a name, letter case ignored."""
        return self._children.get(relationship.lower())

    @cached_property
    def columns(self) -> tuple[Field, ...]:
        """The fields that are stored, in order."""
        return tuple(field for field in self.fields.values() if field.stored)

    @property
    def custom(self) -> bool:
        """Whether the name ends in `__c`."""
        return self.name.endswith("__c")

    @cached_property
    def _by_lower(self) -> dict[str, Field]:
        return {name.lower(): field for name, field in self.fields.items()}

    @cached_property
    def _parents(self) -> dict[str, Field]:
        return {f.relationship_name.lower(): f for f in self.fields.values() if f.relationship_name}

    @cached_property
    def _children(self) -> dict[str, ChildRelationship]:
        return {child.name.lower(): child for child in self.child_relationships}


@dataclass(frozen=True)
class Schema:
    """All objects of an org type (`original`, `b2b`, `b2c`)."""

    org_type: str
    objects: Mapping[str, SObject]

    def object(self, name: str) -> SObject | None:
        """The object of a name, letter case ignored."""
        return self._by_lower.get(name.lower())

    def object_of_id(self, record_id: str) -> SObject | None:
        """The object an Id belongs to, by its key prefix."""
        return self._by_prefix.get(record_id[:3])

    @cached_property
    def _by_lower(self) -> dict[str, SObject]:
        return {name.lower(): sobject for name, sobject in self.objects.items()}

    @cached_property
    def _by_prefix(self) -> dict[str, SObject]:
        return {sobject.key_prefix: sobject for sobject in self.objects.values()}
