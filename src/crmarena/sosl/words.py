"""A term's words: which it asks for, in which forms, in which order."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from crmarena import resources
from crmarena.sosl.ast import AllOf, AnyOf, Expression, Term, Without
from crmarena.sosl.inflection import inflected_forms
from crmarena.sosl.terms import unescaped
from crmarena.storage import search_text

_ESCAPED = re.compile(r"\\.", re.DOTALL)
# Full-width wildcards are marks like any other, which folding would make plain ones.
_WIDE_MARKS = {ord(mark): " " for mark in "\uff0a\uff1f\ufe56\ufe61"}
# Wildcards belong to the letters or the digits before them.
_PIECE = re.compile(r"[*?]*[^\W\d_][^\W\d_*?]*(?:[*?]+[^\W\d_]*)*|[*?]*\d[\d*?]*|[*?]+")


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a term, folded, with their wildcards."""

    tokens: tuple[str, ...]
    exact: bool
    """Whether they must stand as written, side by side; a word alone may be any of its forms."""
    hopeless: bool = False
    """Whether nothing can match: there is a plus sign that was not escaped."""

    @property
    def wild(self) -> bool:
        """Whether a wildcard is among them."""
        return any(has_wildcard(token) for token in self.tokens)

    @property
    def forms(self) -> frozenset[str]:
        """The forms of the one word."""
        return frozenset(self.tokens) if self.exact else inflected_forms(self.tokens[0])


@functools.lru_cache(maxsize=4_096)
def words_of(term: Term) -> Words:
    """The words that a term asks for; none for a stop word alone, which asks for nothing."""
    text = unescaped(term.text)
    tokens = tuple(_tokens(text))
    if not term.phrase and text.casefold() in stop_words():
        tokens = ()
    hopeless = "+" in _ESCAPED.sub("", term.text)
    return Words(tokens, exact=term.phrase or len(tokens) != 1, hopeless=hopeless)


def wanted_terms(expression: Expression | None) -> Iterator[Term]:
    """The terms of an expression, those left out that must not be found."""
    match expression:
        case Term():
            yield expression
        case AllOf(terms) | AnyOf(terms):
            for term in terms:
                yield from wanted_terms(term)
        case Without(wanted, _):
            yield from wanted_terms(wanted)


def has_wildcard(token: str) -> bool:
    """Whether a token holds a wildcard."""
    return "*" in token or "?" in token


@functools.cache
def stop_words() -> frozenset[str]:
    """English words that no search asks for."""
    return frozenset(resources.read_text("sosl/stop_words.txt").split())


def _tokens(text: str) -> Iterator[str]:
    for piece in _PIECE.findall(search_text.fold(text.translate(_WIDE_MARKS))):
        if not has_wildcard(piece):
            yield from search_text.words(piece)
        elif piece.isascii():
            yield piece
        else:
            yield from _unspaced_tokens(piece)


def _unspaced_tokens(piece: str) -> Iterator[str]:
    """Each sign of a script without blanks is a word, so that a wildcard behind it says nothing."""
    rest = ""
    for mark in piece:
        if search_text.is_unspaced(mark):
            yield from (token for token in (rest, mark) if token.strip("*?"))
            rest = ""
        else:
            rest += mark
    if rest.strip("*?"):
        yield rest
