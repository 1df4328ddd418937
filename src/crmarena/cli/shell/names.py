"""What the names of a statement mean: the object of a query, the field or parent of a path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from crmarena.cli.shell.frames import Frame, Item, clause, clauses, word
from crmarena.cli.shell.lexemes import Kind, Lexeme
from crmarena.schema.fields import Field, FieldType
from crmarena.schema.objects import Schema, SObject

MAX_LEVELS = 5


@dataclass(frozen=True)
class Subject:
    """What a query is about: its object, and the aliases that FROM gives to paths from it."""

    schema: Schema
    sobject: SObject
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def owner(self, path: str) -> SObject | None:
        """The object that a dotted path of parents leads to."""
        reference = self._last(path)
        if reference is None:
            return self.sobject if not self._expand(path) else None
        return None if reference.polymorphic else self.schema.objects[reference.reference_to[0]]

    def several(self, path: str) -> Field | None:
        """The reference to several objects that a path of parents ends in."""
        reference = self._last(path)
        return reference if reference is not None and reference.polymorphic else None

    def field(self, path: str) -> Field | None:
        """The field that a path leads to; for `What.Type`, the objects that What may be as its choices."""
        parents, _, name = path.rpartition(".")
        reference = self.several(parents) if parents else None
        if reference is not None and name.lower() == "type":
            return Field("Type", "Type", FieldType.PICKLIST, picklist=reference.reference_to)
        owner = self.owner(parents)
        return owner.field(name) if owner is not None else None

    def _last(self, path: str) -> Field | None:
        """The last reference of a path of parents; None where a part of it is not known."""
        sobject: SObject | None = self.sobject
        reference = None
        for part in self._expand(path):
            reference = sobject.parent(part) if sobject is not None else None
            if reference is None:
                return None
            sobject = None if reference.polymorphic else self.schema.objects[reference.reference_to[0]]
        return reference

    def _expand(self, path: str) -> tuple[str, ...]:
        parts = tuple(path.split(".")) if path else ()
        first = parts[0].lower() if parts else ""
        if first in self.aliases:
            return self.aliases[first] + parts[1:]
        itself = first == self.sobject.name.lower() and self.sobject.parent(first) is None
        return parts[1:] if itself else parts


def subject_of(schema: Schema, frame: Frame) -> Subject | None:
    """What a query is about; None while its FROM is missing or unknown."""
    if frame.is_returning:
        found = schema.object(frame.opener)
        return Subject(schema, found) if found else None
    entries = _from(frame.items)
    if not entries:
        return None
    sobject = _object(schema, frame, entries[0][0])
    return Subject(schema, sobject, _aliases(entries)) if sobject else None


def is_child(frame: Frame) -> bool:
    """Whether a query stands in another's list of SELECT: its FROM names a child relationship."""
    if frame.parent is None or not frame.is_query or not frame.parent.is_query:
        return False
    return clause(frame.parent.items[: frame.place])[0] == "SELECT"


def owner_of_children(schema: Schema, frame: Frame) -> Subject | None:
    """What the query around a child query is about."""
    return subject_of(schema, frame.parent) if frame.parent is not None and is_child(frame) else None


def _object(schema: Schema, frame: Frame, name: str) -> SObject | None:
    if not is_child(frame):
        return schema.object(name)
    outer = owner_of_children(schema, frame)
    # A child query may say whose children it means: FROM Account.Contacts.
    relationship = outer.sobject.children(name.rpartition(".")[2]) if outer else None
    return schema.objects.get(relationship.child) if relationship else None


def _from(items: Sequence[Item]) -> list[tuple[str, str]]:
    """The names of FROM, each with its alias or nothing."""
    found = dict(clauses(items)).get("FROM")
    return list(_entries(found)) if found else []


def _entries(items: Sequence[Item]) -> Iterator[tuple[str, str]]:
    words: list[str] = []
    for item in [*items, Lexeme(Kind.MARK, ",", 0, 0)]:
        if word(item) and word(item) != "AS":
            words.append(item.text if isinstance(item, Lexeme) else "")
        elif words:
            yield words[0], words[1] if len(words) > 1 else ""
            words = []


def _aliases(entries: list[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """The path from the driving object that each alias stands for."""
    aliases: dict[str, tuple[str, ...]] = {}
    for place, (name, alias) in enumerate(entries):
        parts = tuple(name.split("."))
        path = aliases.get(parts[0].lower(), ()) + parts[1:] if place else ()
        if alias:
            aliases[alias.lower()] = path
    return aliases
