"""sObject trees: records with their children, created level by level, all or none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from crmarena.errors import SalesforceError
from crmarena.org.rules import ATTRIBUTES
from crmarena.org.writable import WritableSession
from crmarena.schema.objects import Schema, SObject
from crmarena.server import references
from crmarena.server.faults import fault
from crmarena.server.json_text import Body, Members, Path

MOST_RECORDS, MOST_LEVELS = 200, 5


@dataclass
class _Record:
    """A record of a tree."""

    sobject: SObject
    reference: str
    values: dict[str, Any]
    path: Path
    parent: _Record | None = None
    parent_field: str = ""
    children: list[_Record] = field(default_factory=list)
    id: str | None = None


class TreeFailed(Exception):
    """Records that could not be created, by their reference ids."""

    def __init__(self, errors: list[tuple[str, SalesforceError]]) -> None:
        super().__init__(str(errors))
        self.errors = errors


def plant(session: WritableSession, object_name: str, given: Body) -> dict[str, str]:
    """Create the records of a body; gives their Ids by reference id, each level after the one above it.

    Raises SalesforceError for a body that is none of trees, TreeFailed for records that are refused.
    """
    sobject = session.schema.object(object_name)
    if sobject is None:
        raise fault("no_resource")
    reader = _Reader(session.schema, given)
    roots = reader.records(given.members("records"), sobject, None, 1)
    levels = list(_levels(roots))
    if sum(map(len, levels)) > MOST_RECORDS:
        raise fault("too_many_records", limit=MOST_RECORDS)
    made: dict[str, str] = {}
    for record in (record for level in levels for record in level):
        references.check_name(record.reference, made)
        made[record.reference] = ""
    with session.atomic():
        for level in levels:
            _create(session, given, level, made)
    return made


def _create(session: WritableSession, given: Body, level: list[_Record], made: dict[str, str]) -> None:
    failed: list[tuple[str, SalesforceError]] = []
    for record in level:
        values = record.values
        if record.parent is not None:
            values = {**values, record.parent_field: record.parent.id}
        try:
            with given.placing(*record.path):
                record.id = made[record.reference] = session.insert(record.sobject.name, values)
        except SalesforceError as error:
            failed.append((record.reference, error))
    if failed:
        raise TreeFailed(failed)


def _levels(roots: list[_Record]) -> Iterator[list[_Record]]:
    """The records from the roots down."""
    level = roots
    while level:
        yield level
        level = [child for record in level for child in record.children]


class _Reader:
    """Reads the records of a body, each with its own."""

    def __init__(self, schema: Schema, given: Body) -> None:
        self._schema = schema
        self._given = given

    def records(
        self, members: Members, sobject: SObject, parent: _Record | None, depth: int
    ) -> list[_Record]:
        """The records of a list, which is the member `records` of an object."""
        if depth > MOST_LEVELS:
            raise fault("tree_depth", limit=MOST_LEVELS)
        listed = enumerate(members.objects("records"))
        places = [Members(self._given, one, (*members.path, "records", number)) for number, one in listed]
        return [self._record(place, sobject, parent, depth) for place in places]

    def _record(self, members: Members, sobject: SObject, parent: _Record | None, depth: int) -> _Record:
        attributes = Members(self._given, members.value.get(ATTRIBUTES), (*members.path, ATTRIBUTES))
        kind = attributes.text("type")
        if kind.lower() != sobject.name.lower():
            raise fault("tree_type", wanted=sobject.name, found=kind)
        record = _Record(sobject, attributes.text("referenceId"), {}, members.path, parent)
        for name, value in members.value.items():
            # A parent may stand in a record by its key, but a list of records is of children.
            if isinstance(value, dict) and "records" in value:
                record.children += self._children(members, name, record, depth)
            elif name != ATTRIBUTES:
                record.values[name] = value
        return record

    def _children(self, members: Members, name: str, parent: _Record, depth: int) -> list[_Record]:
        relationship = parent.sobject.children(name)
        if relationship is None:
            raise fault("tree_relationship", name=name, object=parent.sobject.name)
        nested = Members(self._given, members.value[name], (*members.path, name)).only(("records",))
        sobject = self._schema.objects[relationship.child]
        children = self.records(nested, sobject, parent, depth + 1)
        for child in children:
            child.parent_field = relationship.field
        return children
