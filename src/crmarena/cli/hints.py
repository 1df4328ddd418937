"""Why a query may have found nothing: a line for people, never part of the answer."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from crmarena.cli.shell.frames import Frame, locate
from crmarena.cli.shell.lexemes import Kind, Lexeme
from crmarena.cli.shell.names import Subject, subject_of
from crmarena.org.session import Session


def nothing_found(session: Session, text: str) -> str:
    """What to say where nothing was found: how many records there are, and values no record can have."""
    root = locate(text, len(text)).frame.query
    subject = subject_of(session.schema, root)
    if subject is None or not root.is_query:
        return "No records found."
    name = subject.sobject.name
    total = session.query(f"SELECT COUNT() FROM {name}").total_size
    return " ".join([f"No records found; {name} holds {total:,}.", *_strangers(subject, root)])


def _strangers(subject: Subject, frame: Frame) -> Iterator[str]:
    """The values that a picklist is compared with and does not list."""
    items = frame.items
    for place, item in enumerate(items):
        if isinstance(item, Frame):
            if not item.is_query:
                yield from _strangers(subject, item)
        elif item.kind is Kind.STRING and place >= 2 and isinstance(items[place - 2], Lexeme):
            yield from _stranger(subject, items[place - 2], items[place - 1], item)


def _stranger(subject: Subject, left: object, operator: object, value: Lexeme) -> Iterator[str]:
    if not (isinstance(left, Lexeme) and isinstance(operator, Lexeme) and operator.text == "="):
        return
    field = subject.field(left.text) if left.kind is Kind.WORD else None
    known = {choice.lower(): choice for choice in field.picklist} if field is not None else {}
    wanted = value.text.strip("'")
    if known and wanted.lower() not in known:
        near = difflib.get_close_matches(wanted.lower(), known, n=1) or list(known)[:1]
        yield f"{left.text} lists no {wanted!r}; did you mean {known[near[0]]!r}?"
