"""A statement that may not be finished as nested parentheses, and the place of the cursor in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from crmarena.cli.shell.lexemes import Kind, Lexeme, lexemes


@dataclass(eq=False, slots=True)
class Frame:
    """What stands between two parentheses, or the whole statement."""

    start: int
    end: int
    parent: Frame | None = None
    place: int = 0
    """How many items of the parent stand before it."""
    items: list[Item] = field(default_factory=list)

    @property
    def opener(self) -> str:
        """The word before the parenthesis, in upper case: a function, IN, a returned object."""
        return word(self.parent.items[self.place - 1]) if self.parent and self.place else ""

    @property
    def is_query(self) -> bool:
        """Whether it is a query: the statement's or one in parentheses."""
        return bool(self.items) and word(self.items[0]) == "SELECT"

    @property
    def is_search(self) -> bool:
        """Whether it is a SOSL statement."""
        return self.parent is None and bool(self.items) and word(self.items[0]) == "FIND"

    @property
    def is_returning(self) -> bool:
        """Whether it holds what RETURNING wants of one object."""
        if self.parent is None or not self.parent.is_search:
            return False
        return clause(self.parent.items[: self.place])[0] == "RETURNING"

    @property
    def query(self) -> Frame:
        """The query that it is or belongs to; the statement where there is none."""
        frame = self
        while frame.parent is not None and not (frame.is_query or frame.is_returning):
            frame = frame.parent
        return frame


Item = Lexeme | Frame


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where the cursor is: the innermost frame, what of it comes before, and the word being typed."""

    frame: Frame
    items: Sequence[Item]
    """The items of the frame that are whole before the cursor."""
    word: str
    start: int
    """Where the word, or the text of the literal, starts."""
    literal: Lexeme | None = None
    """The string or search text that the cursor is in."""


_CLAUSES = frozenset(
    {"SELECT", "FROM", "USING", "WHERE", "WITH", "HAVING", "LIMIT", "OFFSET", "FOR", "UPDATE"}
)
_SEARCH_CLAUSES = frozenset({"FIND", "IN", "RETURNING", "WITH", "LIMIT", "UPDATE"})


def word(item: Item) -> str:
    """A word in upper case; nothing for any other item."""
    return item.upper if isinstance(item, Lexeme) and item.kind is Kind.WORD else ""


def clauses(items: Sequence[Item]) -> list[tuple[str, Sequence[Item]]]:
    """The clauses of a query or search in order, each with its items after the keyword."""
    starts = [("", 0, 0)]
    search = bool(items) and word(items[0]) == "FIND"
    for index in range(len(items)):
        name, length = _keyword(items, index, search)
        # An object may be called as a keyword is, and FOR UPDATE is one clause.
        if name and not (index and word(items[index - 1]) in {"FROM", "FOR"}):
            starts.append((name, index, index + length))
    ends = [start for _, start, _ in starts[1:]] + [len(items)]
    return [(name, items[after:end]) for (name, _, after), end in zip(starts, ends, strict=True)]


def clause(items: Sequence[Item]) -> tuple[str, Sequence[Item]]:
    """The clause that the end of a query's items belongs to, and its items after the keyword."""
    return clauses(items)[-1]


def _keyword(items: Sequence[Item], index: int, search: bool) -> tuple[str, int]:
    """The clause that starts at an item, and how many words its keyword has."""
    first = word(items[index])
    if first in (_SEARCH_CLAUSES if search else _CLAUSES):
        second = word(items[index + 1]) if index + 1 < len(items) else ""
        if first == "USING" and second == "SCOPE":
            return "USING SCOPE", 2
        return first, 1
    # Group and Order are objects too: they are keywords before BY, or at the end of what is typed.
    if first in {"GROUP", "ORDER"} and not search:
        if index + 1 == len(items):
            return first, 1
        if word(items[index + 1]) == "BY":
            return f"{first} BY", 2
    return "", 0


def locate(text: str, position: int) -> Cursor:
    """The place of a cursor in a text."""
    current = inner = Frame(0, len(text))
    literal, typed = None, None
    for lexeme in lexemes(text):
        if lexeme.start < position <= lexeme.end and lexeme.kind in {Kind.WORD, Kind.NUMBER}:
            typed = lexeme
        if lexeme.start < position and _holds(lexeme, position):
            literal = lexeme
        current = _add(current, lexeme, len(text))
        if lexeme.end <= position or lexeme in (typed, literal):
            inner = current
    start = literal.start + 1 if literal else typed.start if typed else position
    items = [item for item in inner.items if item.end <= position and item not in (typed, literal)]
    return Cursor(inner, items, text[start:position], start, literal)


def _add(current: Frame, lexeme: Lexeme, length: int) -> Frame:
    """Put a lexeme where it belongs; the frame that the next one belongs to."""
    if lexeme.text == "(":
        inner = Frame(lexeme.end, length, current, len(current.items))
        current.items.append(inner)
        return inner
    if lexeme.text == ")" and current.parent is not None:
        current.end = lexeme.start
        return current.parent
    if lexeme.upper == "FROM":
        current = _owner_of_from(current, lexeme.start)
    current.items.append(lexeme)
    return current


def _owner_of_from(frame: Frame, start: int) -> Frame:
    """The query that a FROM belongs to: parentheses that are not closed yet end before it."""
    around: Frame | None = frame
    while around is not None and not (around.is_query and not any(word(i) == "FROM" for i in around.items)):
        around = around.parent
    while around is not None and frame is not around and frame.parent is not None:
        frame.end = start
        frame = frame.parent
    return frame


def _holds(lexeme: Lexeme, position: int) -> bool:
    if lexeme.kind not in {Kind.STRING, Kind.SEARCH}:
        return False
    return position < lexeme.end or lexeme.open
