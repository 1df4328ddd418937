"""A search expression into the query of an object's full-text table.

A word alone stands for its inflected forms too (`running`, `ran` and `run`), one with
wildcards for all words of the object that it fits. A phrase, and what punctuation parts,
is matched word by word as written.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass

from crmarena import resources
from crmarena.schema.fields import Field, FieldType
from crmarena.schema.objects import SObject
from crmarena.soql.fetch import fetch
from crmarena.sosl.ast import AllOf, AnyOf, Expression, FieldGroup, Term, Without
from crmarena.sosl.faults import fault
from crmarena.sosl.inflection import inflected_forms
from crmarena.storage import ddl, search_text
from crmarena.storage.database import Database
from crmarena.storage.search_text import fold

MAX_PHRASES = 1_000
"""The most phrases that a phrase with wildcards may stand for."""

ALWAYS_ALL = frozenset({"Knowledge__kav", "Product2"})
"""Objects whose searches look in all fields, whatever the search says."""

_NAME_FIELDS = frozenset({"Name", "FirstName", "LastName"})
_MORE_NAME_FIELDS: dict[str, frozenset[str]] = {
    "Account": frozenset({"Site", "Website"}),
    "Case": frozenset({"Subject", "SuppliedName", "SuppliedCompany"}),
    "Event": frozenset({"Subject"}),
    "Lead": frozenset({"Company"}),
    "Task": frozenset({"Subject"}),
    "User": frozenset({"CommunityNickname"}),
}
_TYPES = {FieldGroup.EMAIL: FieldType.EMAIL, FieldGroup.PHONE: FieldType.PHONE}
# Wildcards are letters of a word; a change between letters and digits parts words around them too.
_TOKEN = re.compile(r"[*?]*(?:[^\W\d_][^\W\d_*?]*(?:[*?]+[^\W\d_]*)*|\d[\d*?]*)|[*?]+")
_NEVER = "never"
_ANYTHING = "anything"


@dataclass(frozen=True, slots=True)
class _Match:
    """A full-text query; or what matches nothing, or asks for nothing (a stop word alone)."""

    text: str
    kind: str = ""


def full_text_query(
    database: Database, sobject: SObject, expression: Expression, group: FieldGroup
) -> str | None:
    """The full-text query of an expression over an object; None where it can find nothing."""
    columns = searched_fields(sobject, group)
    match = _Matcher(database, sobject).match(expression)
    if match.kind or not columns:
        return None
    return f"{{{' '.join(ddl.quote(f.name) for f in columns)}}} : ({match.text})"


def searched_fields(sobject: SObject, group: FieldGroup) -> tuple[Field, ...]:
    """The fields of an object that a field group means."""
    fields = ddl.search_fields(sobject)
    if group is FieldGroup.ALL or sobject.name in ALWAYS_ALL:
        return fields
    return tuple(f for f in fields if _in_group(sobject, f, group))


def _in_group(sobject: SObject, field: Field, group: FieldGroup) -> bool:
    if group in _TYPES:
        return field.type is _TYPES[group]
    named = field.name in _NAME_FIELDS or field.name == sobject.name_field
    if named or field.name in _MORE_NAME_FIELDS.get(sobject.name, ()):
        return True
    return group is FieldGroup.SIDEBAR and field.type in _TYPES.values()


class _Matcher:
    """Translates expressions for one object."""

    def __init__(self, database: Database, sobject: SObject) -> None:
        self.database = database
        self.sobject = sobject

    def match(self, expression: Expression) -> _Match:
        """The full-text query of an expression."""
        match expression:
            case AllOf(terms):
                return _all_of([self.match(term) for term in terms])
            case AnyOf(terms):
                return _any_of([self.match(term) for term in terms])
            case Without(wanted, unwanted):
                return _without(self.match(wanted), self.match(unwanted))
            case Term():
                return self._term(expression)

    def _term(self, term: Term) -> _Match:
        if term.hopeless:
            return _Match("", _NEVER)
        tokens = _tokens(term.text)
        if not tokens or (not term.phrase and term.text.casefold() in stop_words()):
            return _Match("", _ANYTHING)
        if len(tokens) == 1 and not term.phrase and not _has_wildcard(tokens[0]):
            return _any_of(
                [_Match(_quoted(word)) for word in self._inflected(tokens[0])] or [_Match("", _NEVER)]
            )
        choices = [self._words(token) for token in tokens]
        phrases = list(itertools.islice(itertools.product(*choices), MAX_PHRASES + 1))
        if not phrases:
            return _Match("", _NEVER)
        if len(tokens) > 1 and len(phrases) > MAX_PHRASES:
            raise fault("too_broad", term=term.text)
        if len(tokens) == 1:
            phrases = [(word,) for word in choices[0]]
        return _any_of([_Match(_quoted(" ".join(phrase))) for phrase in phrases])

    def _words(self, token: str) -> list[str]:
        """The words that a token stands for."""
        if not _has_wildcard(token):
            return [token]
        prefix = re.split(r"[*?]", token, maxsplit=1)[0]
        return self._listed("word >= ? AND word < ? AND word GLOB ?", (prefix, prefix + "\U0010ffff", token))

    def _inflected(self, token: str) -> list[str]:
        """The forms of a word that the object holds."""
        forms = sorted(inflected_forms(token))
        return self._listed(f"word IN ({', '.join('?' for _ in forms)})", tuple(forms))

    def _listed(self, condition: str, values: tuple[str, ...]) -> list[str]:
        words = ddl.quote(ddl.words_table(self.sobject))
        found = fetch(self.database, f"SELECT word FROM {words} WHERE {condition}", values)
        return [word for (word,) in found]


@functools.cache
def stop_words() -> frozenset[str]:
    """English words that no search asks for."""
    return frozenset(resources.read_text("sosl/stop_words.txt").split())


def _has_wildcard(token: str) -> bool:
    return "*" in token or "?" in token


def _tokens(text: str) -> list[str]:
    """The words of a term, folded."""
    found: list[str] = []
    for token in _TOKEN.findall(fold(text)):
        found += [token] if _has_wildcard(token) else search_text.words(token)
    return found


def _quoted(phrase: str) -> str:
    return '"' + phrase.replace('"', '""') + '"'


def _all_of(matches: Iterable[_Match]) -> _Match:
    asked = [match for match in matches if match.kind != _ANYTHING]
    if any(match.kind == _NEVER for match in asked):
        return _Match("", _NEVER)
    return _combined(asked, " AND ")


def _any_of(matches: Iterable[_Match]) -> _Match:
    asked = [match for match in matches if match.kind != _ANYTHING]
    if asked and all(match.kind == _NEVER for match in asked):
        return _Match("", _NEVER)
    return _combined([match for match in asked if not match.kind], " OR ")


def _without(wanted: _Match, unwanted: _Match) -> _Match:
    if wanted.kind or unwanted.kind:
        return wanted
    return _Match(f"({wanted.text} NOT {unwanted.text})")


def _combined(matches: list[_Match], operator: str) -> _Match:
    if not matches:
        return _Match("", _ANYTHING)
    if len(matches) == 1:
        return matches[0]
    return _Match(f"({operator.join(match.text for match in matches)})")
