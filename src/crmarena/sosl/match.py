"""A search expression into the query of an object's full-text table.

A word alone stands for its inflected forms too (`running`, `ran` and `run`), one with
wildcards for all words of the object that it fits. A phrase, and what punctuation parts,
is matched word by word as written.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from crmarena.schema.objects import SObject
from crmarena.soql.fetch import fetch
from crmarena.sosl.ast import AllOf, AnyOf, Expression, FieldGroup, Term, Without
from crmarena.sosl.faults import fault
from crmarena.sosl.groups import searched_fields
from crmarena.sosl.words import Words, has_wildcard, stop_words, words_of
from crmarena.storage import ddl
from crmarena.storage.database import Database

MAX_PHRASES = 1_000
"""The most phrases that a phrase with wildcards may stand for."""
MAX_RANKED = 200
"""The most phrases whose frequency is reckoned with; beyond, records come in their own order."""

_NEVER = "never"
_ANYTHING = "anything"


@dataclass(frozen=True, slots=True)
class Match:
    """The query of a full-text table."""

    text: str
    phrases: int
    """How many phrases it holds."""

    @property
    def ranked(self) -> bool:
        """Whether matches can be put in order of relevance in reasonable time."""
        return self.phrases <= MAX_RANKED


@dataclass(frozen=True, slots=True)
class _Part:
    """A full-text query; or what matches nothing, or asks for nothing (a stop word alone)."""

    text: str
    kind: str = ""
    phrases: int = 1


_NOTHING = _Part("", _NEVER)
_ALL = _Part("", _ANYTHING)


def full_text_query(
    database: Database, sobject: SObject, expression: Expression, group: FieldGroup
) -> Match | None:
    """The full-text query of an expression over an object; None where it can find nothing."""
    columns = searched_fields(sobject, group)
    if not columns:
        return None
    part = _Matcher(database, sobject).part(expression)
    if part.kind:
        return None
    if len(columns) == len(ddl.search_fields(sobject)):
        return Match(part.text, part.phrases)
    names = " ".join(ddl.quote(field.name) for field in columns)
    return Match(f"{{{names}}} : ({part.text})", part.phrases)


class _Matcher:
    """Translates expressions for one object."""

    def __init__(self, database: Database, sobject: SObject) -> None:
        self.database = database
        self.sobject = sobject

    def part(self, expression: Expression) -> _Part:
        """The full-text query of an expression."""
        match expression:
            case AllOf(terms):
                found = _all_of([self.part(term) for term in terms])
                return found if found.kind else _nearer(found, terms)
            case AnyOf(terms):
                return _any_of([self.part(term) for term in terms])
            case Without(wanted, unwanted):
                return _without(self.part(wanted), self.part(unwanted))
            case Term():
                return self._term(expression)

    def _term(self, term: Term) -> _Part:
        words = words_of(term)
        if words.hopeless:
            return _NOTHING
        if not words.tokens:
            return _ALL
        if not words.wild:
            return _phrases([words.tokens] if words.exact else [(form,) for form in self._held(words.forms)])
        *before, last = words.tokens
        if not has_wildcard(last.rstrip("*")) and last.rstrip("*") and not any(map(has_wildcard, before)):
            return _Part(f"{_quoted([*before, last.rstrip('*')])} *")
        return self._spelled_out(term, words)

    def _spelled_out(self, term: Term, words: Words) -> _Part:
        """Wildcards by the words of the object that they stand for."""
        choices = [self._fitting(token) for token in words.tokens]
        phrases = list(itertools.islice(itertools.product(*choices), MAX_PHRASES + 1))
        if len(choices) == 1:
            phrases = [(word,) for word in choices[0]]
        elif len(phrases) > MAX_PHRASES:
            raise fault("too_broad", term=term.text)
        return _phrases(phrases)

    def _held(self, forms: frozenset[str]) -> list[str]:
        """The forms of a word that the object holds: each form more costs FTS5 time."""
        marks = ", ".join("?" for _ in forms)
        return self._words(f"word IN ({marks})", tuple(forms))

    def _fitting(self, token: str) -> list[str]:
        """The words of the object that a token stands for."""
        if not has_wildcard(token):
            return [token]
        prefix = re.split(r"[*?]", token, maxsplit=1)[0]
        return self._words("word >= ? AND word < ? AND word GLOB ?", (prefix, prefix + "\U0010ffff", token))

    def _words(self, condition: str, values: tuple[str, ...]) -> list[str]:
        table = ddl.quote(ddl.words_table(self.sobject))
        found = fetch(self.database, f"SELECT word FROM {table} WHERE {condition}", values)
        return [word for (word,) in found]


def _phrases(phrases: Sequence[Sequence[str]]) -> _Part:
    texts = [_quoted(phrase) for phrase in phrases]
    if len(texts) < 2:
        return _Part(texts[0]) if texts else _NOTHING
    return _Part(f"({' OR '.join(texts)})", phrases=len(texts))


def _quoted(words: Sequence[str]) -> str:
    return f'"{" ".join(words)}"'


def _all_of(parts: Sequence[_Part]) -> _Part:
    asked = [part for part in parts if part.kind != _ANYTHING]
    if any(part.kind == _NEVER for part in asked):
        return _NOTHING
    return _combined(asked, " AND ")


def _nearer(found: _Part, terms: Sequence[Expression]) -> _Part:
    """Plain words that also stand side by side in a record count as one match more."""
    tokens: list[str] = []
    for term in terms:
        if not isinstance(term, Term) or words_of(term).wild:
            return found
        tokens += words_of(term).tokens or stop_words() & {term.text.lower()}
    return _Part(f"({found.text} OR {_quoted(tokens)})", phrases=found.phrases + 1)


def _any_of(parts: Sequence[_Part]) -> _Part:
    asked = [part for part in parts if part.kind != _ANYTHING]
    if asked and all(part.kind == _NEVER for part in asked):
        return _NOTHING
    return _combined([part for part in asked if not part.kind], " OR ")


def _without(wanted: _Part, unwanted: _Part) -> _Part:
    if wanted.kind or unwanted.kind:
        return wanted
    return _Part(f"({wanted.text} NOT {unwanted.text})", phrases=wanted.phrases + unwanted.phrases)


def _combined(parts: Sequence[_Part], operator: str) -> _Part:
    if not parts:
        return _ALL
    if len(parts) == 1:
        return parts[0]
    phrases = sum(part.phrases for part in parts)
    return _Part(f"({operator.join(part.text for part in parts)})", phrases=phrases)
