"""Names and paths of one query level against the schema; the joins that its paths need."""

from __future__ import annotations

from collections.abc import Iterator

from crmarena.schema.fields import Field, FieldType
from crmarena.schema.objects import Schema, SObject
from crmarena.soql import ast
from crmarena.soql.bound import AddressColumn, Column, FieldColumn, Join, NameColumn, Step
from crmarena.soql.faults import fault, fault_at
from crmarena.soql.tokens import Source

MAX_LEVELS = 5
MAX_RELATIONSHIPS = 55
MAX_TABLES = 64
"""SQLite joins no more tables than this; a polymorphic relationship needs one for each target."""

# What can be read through a polymorphic reference: the fields of Salesforce's Name object.
_NAME_FIELDS = {
    "id": Field("Id", "Record ID", FieldType.ID, length=18),
    "name": Field("Name", "Name", FieldType.STRING, length=255),
    "type": Field("Type", "Type", FieldType.STRING, length=40),
    "firstname": Field("FirstName", "First Name", FieldType.STRING, length=40),
    "lastname": Field("LastName", "Last Name", FieldType.STRING, length=80),
    "username": Field("Username", "Username", FieldType.STRING, length=80),
    "email": Field("Email", "Email", FieldType.EMAIL, length=80),
    "phone": Field("Phone", "Phone", FieldType.PHONE, length=40),
    "title": Field("Title", "Title", FieldType.STRING, length=80),
    "alias": Field("Alias", "Alias", FieldType.STRING, length=8),
    "isactive": Field("IsActive", "Active", FieldType.BOOLEAN, nillable=False),
    "profileid": Field("ProfileId", "Profile ID", FieldType.REFERENCE, length=18),
    "userroleid": Field("UserRoleId", "User Role ID", FieldType.REFERENCE, length=18),
}


class Scope:
    """The driving object of one query level, its aliases and its joins.

    `aliases` counts table aliases over the whole statement.
    """

    def __init__(
        self, schema: Schema, source: Source | None, sobject: SObject, aliases: Iterator[int]
    ) -> None:
        self.schema = schema
        self.source = source
        self.sobject = sobject
        self._aliases = aliases
        self.alias = self._next_alias()
        self.joins: list[Join] = []
        self._steps: dict[tuple[str, str], Step] = {}
        self._names: dict[str, tuple[str, ...]] = {}

    def name(self, alias: str, parts: tuple[str, ...]) -> None:
        """Let an alias of FROM stand for a path from the driving object."""
        self._names[alias.lower()] = parts

    def own_field(self, field: Field) -> Column | AddressColumn:
        """A field of the driving object."""
        return _column(self.sobject, field, self.alias, ())

    def column(self, path: ast.Path) -> FieldColumn | AddressColumn:
        """The field that a path leads to."""
        parts = self._expand(path.parts)
        if len(parts) == 1:
            return self._field(path, self.sobject, parts[0], self.alias, ())
        if len(parts) - 1 > MAX_LEVELS:
            raise fault_at(self.source, path, "too_many_levels", path=path.text)
        steps: list[Step] = []
        sobject, alias = self.sobject, self.alias
        for part in parts[:-1]:
            reference = self._reference(path, sobject, part)
            steps.append(self._step(alias, reference))
            if reference.polymorphic:
                return self._name_column(path, reference, parts[len(steps) :], tuple(steps))
            sobject = self.schema.objects[reference.reference_to[0]]
            alias = steps[-1].joins[0].alias
        return self._field(path, sobject, parts[-1], alias, tuple(steps))

    def relationship(self, path: ast.Path) -> tuple[Field, Step]:
        """The polymorphic reference that TYPEOF names, and the tables it leads to."""
        parts = self._expand(path.parts)
        reference = self._reference(path, self.sobject, parts[0])
        if len(parts) > 1 or not reference.polymorphic:
            raise fault_at(self.source, path, "typeof_target", name=path.text)
        return reference, self._step(self.alias, reference)

    def below(self, join: Join) -> Scope:
        """The scope of a joined table: its paths start there, its joins are this scope's."""
        inner = Scope.__new__(Scope)
        inner.__dict__.update(self.__dict__)
        inner.sobject = self.schema.objects[join.object_name]
        inner.alias = join.alias
        inner._names = {}
        return inner

    def inner(self, sobject: SObject) -> Scope:
        """The scope of a query inside this statement."""
        return Scope(self.schema, self.source, sobject, self._aliases)

    def _expand(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        if len(parts) == 1:
            return parts
        first = parts[0].lower()
        if first in self._names:
            return self._names[first] + parts[1:]
        if first == self.sobject.name.lower() and self.sobject.parent(first) is None:
            return parts[1:]
        return parts

    def _reference(self, path: ast.Path, sobject: SObject, part: str) -> Field:
        reference = sobject.parent(part)
        if reference is None:
            raise fault_at(self.source, path, "unknown_parent", name=part)
        return reference

    def _step(self, alias: str, reference: Field) -> Step:
        step = self._steps.get((alias, reference.name))
        if step is None:
            joins = tuple(
                Join(self._next_alias(), target, alias, reference.name) for target in reference.reference_to
            )
            step = Step(reference.relationship_name or "", joins, reference.nillable)
            self._steps[alias, reference.name] = step
            self.joins.extend(joins)
            if len(self._steps) > MAX_RELATIONSHIPS:
                raise fault("relationship_count", count=len(self._steps))
            if len(self.joins) >= MAX_TABLES:
                raise fault("too_complicated")
        return step

    def _field(
        self, path: ast.Path, sobject: SObject, name: str, alias: str, steps: tuple[Step, ...]
    ) -> Column | AddressColumn:
        field = sobject.field(name)
        if field is None:
            raise fault_at(self.source, path, "unknown_field", name=name, object=sobject.name)
        return _column(sobject, field, alias, steps)

    def _name_column(
        self, path: ast.Path, reference: Field, rest: tuple[str, ...], steps: tuple[Step, ...]
    ) -> NameColumn:
        if len(rest) > 1:
            raise fault_at(self.source, path, "unknown_parent", name=rest[0])
        field = _NAME_FIELDS.get(rest[0].lower())
        if field is None:
            raise fault_at(self.source, path, "unknown_field", name=rest[0], object="Name")
        key = ".".join([*(step.relationship for step in steps), field.name])
        return NameColumn(field, tuple(self._sources(steps[-1], field.name)), steps, key)

    def _sources(self, step: Step, name: str) -> Iterator[tuple[str, str]]:
        for join in step.joins:
            target = self.schema.objects[join.object_name]
            if name == "Type":
                yield join.alias, target.name
            elif name == "Name" and target.name_field:
                yield join.alias, target.name_field
            elif name in target.fields:
                yield join.alias, name

    def _next_alias(self) -> str:
        return f"t{next(self._aliases)}"


def _column(sobject: SObject, field: Field, alias: str, steps: tuple[Step, ...]) -> Column | AddressColumn:
    key = ".".join([*(step.relationship for step in steps), field.name]) if steps else field.name
    if field.stored:
        return Column(field, alias, steps, key)
    prefix = field.name.removesuffix("Address")
    parts = {
        _part_name(part.name.removeprefix(prefix)): part.name
        for part in sobject.columns
        if part.compound == field.name
    }
    return AddressColumn(field, alias, steps, key, tuple(sorted(parts.items())))


def _part_name(name: str) -> str:
    return name[0].lower() + name[1:]
