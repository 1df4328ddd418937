"""What may stand at the cursor of a statement: objects, fields, values, functions, keywords."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crmarena.cli.shell import conditions, offers
from crmarena.cli.shell.frames import Cursor, Frame, Item, clause, clauses, locate, word
from crmarena.cli.shell.lexemes import Kind, Lexeme
from crmarena.cli.shell.names import Subject, is_child, owner_of_children, subject_of
from crmarena.cli.shell.offers import Offer, words
from crmarena.cli.shell.statements import bounds
from crmarena.schema.objects import Schema

_TYPEOF = frozenset({"TYPEOF", "WHEN", "THEN", "ELSE"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text that may replace what stands from `start` to the cursor."""

    text: str
    start: int
    kind: str
    """object, field, parent, children, value, literal, function or keyword."""
    note: str = ""
    """What a person should know of it: a field's type, what a reference points to."""


def complete(schema: Schema, text: str, position: int) -> list[Candidate]:
    """The candidates at a cursor that go on from what is typed there, the likeliest kind first."""
    try:
        return _complete(schema, text, position)
    except RecursionError:
        # No query nests so deep: there is nothing to offer in it.
        return []


def _complete(schema: Schema, text: str, position: int) -> list[Candidate]:
    start, end = bounds(text, position)
    cursor = locate(text[start:end], position - start)
    subject = subject_of(schema, cursor.frame.query)
    if cursor.literal is not None:
        return list(_values(subject, cursor, start))
    typed = cursor.word.lower()
    found = dict.fromkeys(offer for offer in _offers(schema, subject, cursor) if _goes_on(offer, typed))
    return [Candidate(text, start + cursor.start, kind, note) for text, kind, note in found]


def _goes_on(offer: Offer, typed: str) -> bool:
    text = offer[0].lower()
    # A value is written in quotes, whether they are typed yet or not.
    return text != typed and text.startswith(typed)


def _values(subject: Subject | None, cursor: Cursor, before: int) -> Iterator[Candidate]:
    """The picklist values that go on from an open literal."""
    literal = cursor.literal
    if literal is None or literal.kind is not Kind.STRING:
        return
    known, several = conditions.choices(subject, cursor.frame, cursor.items)
    typed = cursor.word.rpartition(";")[2] if several else cursor.word
    start = before + cursor.start + len(cursor.word) - len(typed)
    quote = "'" if literal.open and not several else ""
    for value in known:
        text = offers.escaped(value)
        if text.lower().startswith(typed.lower()):
            yield Candidate(text + quote, start, "value")


def _offers(schema: Schema, subject: Subject | None, cursor: Cursor) -> Iterator[Offer]:
    frame, items, query = cursor.frame, cursor.items, cursor.frame.query
    if query.is_search and frame is query:
        yield from _in_search(schema, items)
    elif frame is query and (query.is_query or query.is_returning):
        yield from _in_query(schema, subject, cursor)
    elif frame.opener in conditions.LIST_WORDS:
        yield from conditions.in_list(subject, frame)
    elif frame is not query and query.is_query:
        yield from _in_parentheses(subject, cursor)
    elif not items:
        yield from offers.keywords(["SELECT", "FIND"] if frame.parent is None else ["SELECT"])


def _in_query(schema: Schema, subject: Subject | None, cursor: Cursor) -> Iterator[Offer]:
    """What may stand at the level of a query's clauses."""
    name, after = clause(cursor.items)
    query, item = cursor.frame, _item(after)
    if name in {"SELECT", ""}:
        ends = ["FROM"] if query.is_query else ["WHERE", "ORDER BY", "LIMIT", "OFFSET"]
        yield from _selected(subject, cursor.word, after, ends)
        if subject is None and not item:
            yield from offers.any_fields(schema, cursor.word)
    elif name == "FROM":
        yield from _from(schema, subject, cursor, after)
    elif name in {"WHERE", "HAVING"}:
        yield from conditions.condition(
            subject, after, cursor.word, having=name == "HAVING", ends=_next(name, query)
        )
    elif name in {"GROUP BY", "ORDER BY"} and not item:
        yield from _sorted_or_grouped(subject, cursor.word, name, query)
    elif name == "ORDER BY":
        yield from _after_sorted(item, query)
    elif not after and name in words()["after"]:
        yield from offers.keywords(words()["after"][name])
    elif after:
        yield from offers.keywords(_next(name, query))


def _selected(
    subject: Subject | None, typed: str, after: Sequence[Item], ends: Sequence[str]
) -> Iterator[Offer]:
    """What may stand in the list of SELECT, or of what RETURNING wants of an object."""
    choice = _open_typeof(after)
    if choice:
        yield from _in_typeof(subject, typed, choice)
    elif _item(after):
        yield from offers.keywords(ends)
    else:
        yield from offers.fields(subject, typed, lambda field: True)
        yield from offers.functions([*words()["aggregates"], *words()["field_functions"]])
        yield from offers.functions([*words()["date_functions"], "GROUPING"])
        yield from offers.keywords(["TYPEOF", "(SELECT", *words()["field_sets"]])


def _from(schema: Schema, subject: Subject | None, cursor: Cursor, after: Sequence[Item]) -> Iterator[Offer]:
    query = cursor.frame
    if _item(after):
        yield from offers.keywords(_next("FROM", query))
    elif after:
        yield from offers.parents(subject, cursor.word, "")
    elif is_child(query):
        yield from offers.relationships(schema, owner_of_children(schema, query))
    else:
        yield from offers.objects(schema)


def _sorted_or_grouped(subject: Subject | None, typed: str, name: str, query: Frame) -> Iterator[Offer]:
    grouping = name == "GROUP BY"
    yield from offers.fields(subject, typed, lambda field: field.groupable if grouping else field.sortable)
    if grouping or "GROUP BY" in dict(clauses(query.items)):
        yield from offers.functions(words()["date_functions"])
        yield from offers.functions(["ROLLUP", "CUBE"] if grouping else words()["aggregates"])


def _after_sorted(item: Sequence[Item], query: Frame) -> Iterator[Offer]:
    last = word(item[-1])
    if last == "NULLS":
        yield from offers.keywords(words()["after"]["NULLS"])
        return
    if last not in {"ASC", "DESC", "FIRST", "LAST"}:
        yield from offers.keywords(["ASC", "DESC"])
    if last not in {"FIRST", "LAST"}:
        yield from offers.keywords(["NULLS FIRST", "NULLS LAST"])
    yield from offers.keywords(_next("ORDER BY", query))


def _in_parentheses(subject: Subject | None, cursor: Cursor) -> Iterator[Offer]:
    """What may stand in a function's parentheses, or in those around a condition."""
    frame = cursor.frame
    name = _clause_around(frame)
    if frame.opener not in {"", "AND", "OR", "NOT", name}:
        if frame.opener == "FIELDS":
            yield from offers.keywords(["ALL", "STANDARD", "CUSTOM"])
        elif not _item(cursor.items):
            yield from offers.fields(subject, cursor.word, offers.argument(frame.opener))
    elif name in {"WHERE", "HAVING"}:
        yield from conditions.condition(subject, cursor.items, cursor.word, having=name == "HAVING", ends=())
    elif not cursor.items:
        yield from offers.keywords(["SELECT"])


def _in_typeof(subject: Subject | None, typed: str, items: Sequence[Item]) -> Iterator[Offer]:
    """What may follow the items of a TYPEOF that has no END yet."""
    place = max(index for index, item in enumerate(items) if word(item) in _TYPEOF)
    last, after = word(items[place]), _item(items[place + 1 :])
    following = {"TYPEOF": ["WHEN"], "WHEN": ["THEN"], "THEN": ["WHEN", "ELSE", "END"], "ELSE": ["END"]}
    reference = subject.several(_text(items[1])) if subject and len(items) > 1 else None
    if after:
        yield from offers.keywords(following[last])
    elif last == "TYPEOF" and subject is not None:
        for field in subject.sobject.fields.values():
            if field.polymorphic:
                yield field.relationship_name or field.name, "parent", offers.note(field)
    elif last == "WHEN" and reference is not None:
        yield from ((name, "object", "") for name in reference.reference_to)
    elif last == "THEN" and subject is not None:
        branch = subject.schema.object(_text(items[place - 1]))
        inner = Subject(subject.schema, branch) if branch else None
        yield from offers.fields(inner, typed, lambda field: True)
    elif last == "ELSE":
        yield from offers.name_fields()


def _in_search(schema: Schema, items: Sequence[Item]) -> Iterator[Offer]:
    """What may stand at the level of a search's clauses."""
    name, after = clause(items)
    item = _item(after)
    if name == "IN" and not after:
        yield from offers.keywords(words()["search_groups"])
    elif name == "IN" and word(after[-1]) != "FIELDS":
        yield from offers.keywords(["FIELDS"])
    elif name == "RETURNING" and not item:
        yield from offers.objects(schema, searchable=True)
    elif name and (after or name == "RETURNING"):
        order = words()["search_clauses"]
        yield from offers.keywords(order[order.index(name) + 1 :] if name in order else order)


def _next(name: str, query: Frame) -> list[str]:
    """The clauses that may follow one."""
    order = words()["clauses"]
    later = order[order.index(name) + 1 :] if name in order else order
    grouped = "GROUP BY" in dict(clauses(query.items))
    return [other for other in later if other != "HAVING" or grouped]


def _clause_around(frame: Frame) -> str:
    """The clause of its query that a frame stands in."""
    query = frame.query
    while frame.parent is not None and frame.parent is not query:
        frame = frame.parent
    return clause(query.items[: frame.place])[0]


def _open_typeof(items: Sequence[Item]) -> Sequence[Item]:
    """The items from a TYPEOF on that has no END."""
    for index in range(len(items) - 1, -1, -1):
        if word(items[index]) == "END":
            return ()
        if word(items[index]) == "TYPEOF":
            return items[index:]
    return ()


def _item(items: Sequence[Item]) -> Sequence[Item]:
    """The items since the last comma."""
    commas = (index for index in range(len(items) - 1, -1, -1) if _text(items[index]) == ",")
    return items[next(commas, -1) + 1 :]


def _text(item: Item) -> str:
    return item.text if isinstance(item, Lexeme) else ""
