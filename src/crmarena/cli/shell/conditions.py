"""What may stand in a condition: a field, an operator, a value, AND."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crmarena.cli.shell import offers
from crmarena.cli.shell.frames import Frame, Item, clause, word
from crmarena.cli.shell.lexemes import Kind, Lexeme
from crmarena.cli.shell.names import Subject
from crmarena.cli.shell.offers import Offer
from crmarena.schema.fields import ID_TYPES, Field, FieldType

LIST_WORDS = frozenset({"IN", "INCLUDES", "EXCLUDES"})
_OPERATORS = frozenset({"=", "!=", "<>", "<", "<=", ">", ">=", "LIKE"}) | LIST_WORDS


def condition(
    subject: Subject | None, items: Sequence[Item], typed: str, *, having: bool, ends: Sequence[str]
) -> Iterator[Offer]:
    """What may follow the items of a condition; `ends` are the clauses that may follow it when whole."""
    tail = _tail(items)
    if not tail:
        yield from _start(subject, typed, having=having)
        return
    compared, rest = _split(subject, tail)
    if isinstance(tail[0], Frame) or (rest and _operator(rest[-1]) is None and word(rest[-1]) != "NOT"):
        yield from offers.keywords(["AND", "OR", *ends])
    elif not rest:
        yield from offers.operators(compared)
    elif word(rest[-1]) == "NOT":
        yield from offers.keywords(["IN"])
    else:
        yield from _right_side(subject, tail, compared, rest[-1])


def in_list(subject: Subject | None, frame: Frame) -> Iterator[Offer]:
    """What may stand in the list of IN, INCLUDES or EXCLUDES."""
    compared = _of_list(subject, frame)
    if not frame.items and (compared is None or compared.type in ID_TYPES):
        yield from offers.keywords(["SELECT"])
    yield from offers.literals(compared)


def choices(subject: Subject | None, frame: Frame, items: Sequence[Item]) -> tuple[Sequence[str], bool]:
    """The values that a literal at the end of the items may have, and whether it may hold several of them."""
    if frame.opener in LIST_WORDS:
        field, operator = _of_list(subject, frame), frame.opener
    else:
        tail = _tail(_of_clause(frame, items))
        if not tail or _operator(tail[-1]) is None:
            return (), False
        field, operator = _split(subject, tail)[0], ""
    several = field is not None and field.type is FieldType.MULTIPICKLIST and operator != "IN"
    return field.picklist if field is not None else (), several


def _start(subject: Subject | None, typed: str, *, having: bool) -> Iterator[Offer]:
    if having:
        yield from offers.functions(offers.words()["aggregates"])
        yield from offers.fields(subject, typed, lambda field: field.groupable)
    else:
        yield from offers.fields(subject, typed, lambda field: field.filterable)
    yield from offers.keywords(["NOT"])
    yield from offers.functions([*offers.words()["date_functions"], "DISTANCE", "toLabel"])


def _right_side(
    subject: Subject | None, tail: Sequence[Item], compared: Field | None, operator: Item
) -> Iterator[Offer]:
    if word(operator) not in LIST_WORDS:
        yield from offers.literals(compared)
    elif compared is None or compared.type in ID_TYPES:
        yield from offers.keywords(["(SELECT"])


def _of_list(subject: Subject | None, frame: Frame) -> Field | None:
    """The field that the list in a frame is compared with."""
    if frame.parent is None:
        return None
    before = _of_clause(frame.parent, frame.parent.items[: frame.place])
    return _split(subject, _tail(before))[0]


def _of_clause(frame: Frame, items: Sequence[Item]) -> Sequence[Item]:
    """The items of the clause that the end of a frame's items belongs to."""
    return clause(items)[1] if frame is frame.query else items


def _tail(items: Sequence[Item]) -> Sequence[Item]:
    """The items of the last comparison."""
    start = 0
    for index, item in enumerate(items):
        # NOT before IN is part of a comparison, before anything else it starts one.
        if word(item) in {"AND", "OR"} or (word(item) == "NOT" and index == start):
            start = index + 1
    return items[start:]


def _split(subject: Subject | None, tail: Sequence[Item]) -> tuple[Field | None, Sequence[Item]]:
    """The field of a comparison's left side, if there is one, and what follows that side."""
    first = tail[0] if tail else None
    if len(tail) > 1 and isinstance(tail[1], Frame):
        return _of_call(subject, word(tail[0]), tail[1]), tail[2:]
    known = subject is not None and isinstance(first, Lexeme) and first.kind is Kind.WORD
    return (subject.field(first.text) if known and subject and isinstance(first, Lexeme) else None), tail[1:]


def _of_call(subject: Subject | None, function: str, arguments: Frame) -> Field | None:
    """What a function's result may be compared with, as the field that has such values."""
    inner = arguments.items[0] if arguments.items else None
    if subject is None or not isinstance(inner, Lexeme):
        return None
    field = subject.field(inner.text)
    if function in {"TOLABEL", "MIN", "MAX"} or field is None:
        return field
    return Field(function, function, FieldType.DATE if function == "DAY_ONLY" else FieldType.INT)


def _operator(item: Item) -> str | None:
    text = item.upper if isinstance(item, Lexeme) else ""
    return text if text in _OPERATORS else None
