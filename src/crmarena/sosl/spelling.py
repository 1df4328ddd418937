"""`WITH SPELL_CORRECTION = true`: a word that the org does not know becomes the nearest one that it knows.

A search that says nothing of it is not corrected: what is near enough is Salesforce's secret, and a
search for what is not there should find nothing.
"""

from __future__ import annotations

import string
from collections.abc import Iterable
from dataclasses import replace

from crmarena.schema.objects import SObject
from crmarena.soql.fetch import fetch
from crmarena.sosl.ast import AllOf, AnyOf, Expression, Term, Without
from crmarena.sosl.words import stop_words
from crmarena.storage import ddl, search_text
from crmarena.storage.database import Database

SHORTEST = 4
"""The fewest letters of a word that is corrected."""


def corrected(database: Database, sobjects: Iterable[SObject], expression: Expression) -> Expression:
    """An expression with its unknown words mended; the same one where nothing is near."""
    return _Speller(database, tuple(sobjects)).mend(expression)


def one_edit(word: str) -> set[str]:
    """All that one letter more, less, other or in its neighbour's place makes of a word."""
    halves = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    found = {left + right[1:] for left, right in halves if right}
    found |= {left + right[1] + right[0] + right[2:] for left, right in halves if len(right) > 1}
    for letter in string.ascii_lowercase:
        found |= {left + letter + right for left, right in halves}
        found |= {left + letter + right[1:] for left, right in halves if right}
    return found - {word}


class _Speller:
    def __init__(self, database: Database, sobjects: tuple[SObject, ...]) -> None:
        self.database = database
        self.tables = [ddl.quote(ddl.words_table(sobject)) for sobject in sobjects]

    def mend(self, expression: Expression) -> Expression:
        """An expression with its unknown words mended."""
        match expression:
            case Term():
                return self._term(expression)
            case AllOf(terms) | AnyOf(terms):
                return replace(expression, terms=tuple(self.mend(term) for term in terms))
            case Without(wanted, unwanted):
                return Without(self.mend(wanted), unwanted)

    def _term(self, term: Term) -> Term:
        word = search_text.fold(term.text)
        if term.phrase or len(word) < SHORTEST or not (word.isascii() and word.isalpha()):
            return term
        if word in stop_words() or self._known([word]):
            return term
        near = self._known(sorted(one_edit(word)))
        # The first letter is seldom wrong.
        near.sort(key=lambda known: (known[0] != word[0], known))
        return Term(near[0]) if near else term

    def _known(self, words: list[str]) -> list[str]:
        """Those of some words that an object holds."""
        marks = ", ".join("?" for _ in words)
        found: set[str] = set()
        for table in self.tables:
            rows = fetch(self.database, f"SELECT word FROM {table} WHERE word IN ({marks})", words)
            found |= {word for (word,) in rows}
        return sorted(found)
