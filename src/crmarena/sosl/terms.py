"""The text between the braces of FIND, into a tree.

Words side by side must all be found. Parentheses bind first, then AND and AND NOT from
right to left, then OR.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from crmarena.soql.tokens import Source
from crmarena.sosl.ast import AllOf, AnyOf, Expression, Term, Without
from crmarena.sosl.faults import fault, rejected

MAX_OPERATORS = 4_000
"""A longer search text is searched without its operators."""
MAX_TEXT = 10_000
"""A longer search text finds nothing."""
MAX_DEPTH = 25

_RESERVED = frozenset("&|!{[]^~:'-")
_OPERATORS = frozenset({"AND", "OR", "NOT"})
_WILDCARDS = re.compile(r"[*?]")
_BARE_PLUS = "\x00"
_TERM = "term"

Item = Term | str
"""A term, or an operator or parenthesis by its name."""


def parse_terms(source: Source, start: int) -> tuple[Expression | None, int]:
    """The tree of the text from behind the opening brace on, and the place behind the closing one.

    The tree is None for a text too long to be searched.
    """
    scanner = _Scanner(source, start)
    items = scanner.items()
    if not items:
        raise fault("no_braces")
    length = scanner.place - start
    if length > MAX_TEXT:
        return None, scanner.place
    if length > MAX_OPERATORS:
        items = [item for item in items if isinstance(item, Term)]
    return _Parser(items).parse(), scanner.place


class _Scanner:
    """Reads the search text character by character."""

    def __init__(self, source: Source, place: int) -> None:
        self.source = source
        self.text = source.text
        self.place = place

    def items(self) -> list[Item]:
        """The items up to the closing brace, which is read too."""
        found: list[Item] = []
        while (mark := self._peek()) != "}":
            if mark in '()"' or mark.isspace():
                self.place += 1
            if mark in "()":
                found.append(mark)
            elif mark == '"':
                found.append(self._phrase())
            elif not mark.isspace():
                found.append(self._word(after_and=found[-1:] == ["AND"]))
        self.place += 1
        return found

    def _peek(self) -> str:
        if self.place >= len(self.text):
            raise rejected(self.source, self.place)
        return self.text[self.place]

    def _phrase(self) -> Term:
        start = self.place
        kept = []
        while (mark := self._peek()) != '"':
            kept.append(self._character(mark))
        self.place += 1
        return _checked("".join(kept), self.text[start : self.place - 1], phrase=True)

    def _word(self, *, after_and: bool) -> Item:
        start = self.place
        kept = []
        while (mark := self._peek()) not in '}()"' and not mark.isspace():
            kept.append(self._character(mark))
        written = self.text[start : self.place]
        # A small "not" is a word of the language more often than half of an operator.
        if written.upper() in _OPERATORS and (written != "not" or after_and):
            return written.upper()
        return _checked("".join(kept), written, phrase=False)

    def _character(self, mark: str) -> str:
        """A character as it is searched; what was escaped is a mark, and marks part words."""
        self.place += 1
        if mark == "\\":
            escaped = self._peek()
            self.place += 1
            return escaped if escaped.isalnum() else " "
        if mark in _RESERVED or mark in "{}()":
            raise rejected(self.source, self.place - 1)
        return _BARE_PLUS if mark == "+" else mark


def _checked(text: str, written: str, *, phrase: bool) -> Term:
    """A term that is long enough and does not start with a wildcard."""
    letters = _WILDCARDS.sub("", text).strip()
    if len(letters) == 1 and letters.isalnum():
        raise fault("too_short", term=written)
    if _WILDCARDS.match(text.lstrip()):
        raise fault("leading_wildcard", term=written)
    return Term(text.replace(_BARE_PLUS, " "), phrase, hopeless=_BARE_PLUS in text)


class _Parser:
    """Recursive descent over items."""

    def __init__(self, items: list[Item]) -> None:
        self.items = items
        self.index = 0
        self.depth = 0

    def parse(self) -> Expression:
        """All items."""
        expression = self._any_of()
        if self.index < len(self.items):
            raise fault("unexpected", found=self._name())
        return expression

    def _name(self) -> str:
        if self.index >= len(self.items):
            return "<EOF>"
        item = self.items[self.index]
        return item if isinstance(item, str) else _TERM

    def _accept(self, name: str) -> bool:
        if self._name() != name:
            return False
        self.index += 1
        return True

    def _any_of(self) -> Expression:
        terms = [self._all_of()]
        while self._accept("OR"):
            terms.append(self._all_of())
        return terms[0] if len(terms) == 1 else AnyOf(tuple(terms))

    def _all_of(self) -> Expression:
        """Terms joined by AND or by nothing; AND NOT takes all that follows it."""
        terms = [self._one()]
        while self._name() in {"AND", "(", _TERM}:
            if self._accept("AND") and self._accept("NOT"):
                return Without(_joined(terms), self._nested(self._all_of))
            terms.append(self._one())
        return _joined(terms)

    def _one(self) -> Expression:
        if self._accept("("):
            inner = self._nested(self._any_of)
            if not self._accept(")"):
                raise fault("unexpected", found=self._name())
            return inner
        item = self.items[self.index] if self.index < len(self.items) else "<EOF>"
        if isinstance(item, str):
            raise fault("unexpected", found=item)
        self.index += 1
        return item

    def _nested(self, production: Callable[[], Expression]) -> Expression:
        if self.depth >= MAX_DEPTH:
            raise fault("too_deep")
        self.depth += 1
        found = production()
        self.depth -= 1
        return found


def _joined(terms: list[Expression]) -> Expression:
    return terms[0] if len(terms) == 1 else AllOf(tuple(terms))
