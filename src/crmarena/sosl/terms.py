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
from crmarena.storage.search_text import is_unspaced

MAX_OPERATORS = 4_000
"""A longer search text is searched without its operators: any of its terms will do."""
MAX_TEXT = 10_000
"""A longer search text finds nothing."""
MAX_DEPTH = 25
RESERVED = "?&|!{}[]()^~*:\\\"'+-"
"""The characters that a backslash takes their meaning from."""

# A plus sign is let through and then found nowhere, as live orgs do.
_REJECTED = frozenset("&|!{[]^~:'-")
_OPERATORS = frozenset({"AND", "OR", "NOT"})
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_WILDCARDS = re.compile(r"[*?]")
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
        raise fault("too_short", term="")
    length = scanner.place - 1 - start
    if length > MAX_TEXT:
        return None, scanner.place
    if length > MAX_OPERATORS:
        terms = tuple(item for item in items if isinstance(item, Term))
        return joined(AnyOf, terms) if terms else None, scanner.place
    return _Parser(items).parse(), scanner.place


def joined(kind: type[AllOf] | type[AnyOf], terms: tuple[Expression, ...]) -> Expression:
    """Some expressions as one."""
    return terms[0] if len(terms) == 1 else kind(terms)


def unescaped(written: str) -> str:
    """A term's text with a blank for each escaped mark: marks part words and are not searched."""
    return _ESCAPE.sub(lambda match: match[1] if match[1].isalnum() else " ", written)


def escaped(text: str) -> str:
    """A plain text as a term: each mark that means something escaped."""
    return "".join(f"\\{mark}" if mark in RESERVED else mark for mark in text)


def check_length(written: str, phrase: bool = False) -> None:
    """Raise SalesforceError for a term of one character beside wildcards, or with a wildcard in front."""
    text = unescaped(written)
    if phrase and not text.strip() and "\\" not in written:
        raise fault("too_short", term="")
    letters = _WILDCARDS.sub("", text).strip()
    has_wildcard = letters != text.strip()
    if (not letters and has_wildcard) or (
        len(letters) == 1 and letters.isalnum() and not is_unspaced(letters)
    ):
        raise fault("too_short", term=written)
    if _WILDCARDS.match(text.lstrip()):
        raise fault("leading_wildcard", term=written)


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
        while (mark := self._peek()) != '"':
            if mark in "}()":
                raise rejected(self.source, self.place)
            self._pass_character(mark)
        self.place += 1
        written = self.text[start : self.place - 1]
        check_length(written, phrase=True)
        return Term(written, phrase=True)

    def _word(self, *, after_and: bool) -> Item:
        start = self.place
        while (mark := self._peek()) not in '}()"' and not mark.isspace():
            self._pass_character(mark)
        written = self.text[start : self.place]
        # A small "not" is a word of the language more often than half of an operator.
        if written.upper() in _OPERATORS and (written != "not" or after_and):
            return written.upper()
        check_length(written)
        return Term(written)

    def _pass_character(self, mark: str) -> None:
        if mark in _REJECTED:
            raise rejected(self.source, self.place)
        self.place += 1
        if mark == "\\":
            self._peek()
            self.place += 1


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
        return joined(AnyOf, tuple(terms))

    def _all_of(self) -> Expression:
        """Terms joined by AND or by nothing; AND NOT takes all that follows it."""
        terms = [self._one()]
        while self._name() in {"AND", "(", _TERM}:
            if self._accept("AND") and self._accept("NOT"):
                return Without(joined(AllOf, tuple(terms)), self._nested(self._all_of))
            terms.append(self._one())
        return joined(AllOf, tuple(terms))

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
