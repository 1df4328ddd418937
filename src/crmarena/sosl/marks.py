"""Where a search matched: `WITH HIGHLIGHT` and `WITH SNIPPET`.

Both set <mark> tags around the matching words, in any of their forms; terms with wildcards are
not marked. A highlight is a whole field, a snippet a window or several of the record's texts.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from crmarena.schema.fields import Field, FieldType
from crmarena.schema.objects import SObject
from crmarena.soql import ast as soql
from crmarena.soql.fetch import fetch
from crmarena.soql.shape import QueryResult
from crmarena.sosl.ast import Expression, Returning, Search
from crmarena.sosl.groups import ARTICLES, searched_fields
from crmarena.sosl.parse_with import snippet_length
from crmarena.sosl.words import Words, wanted_terms, words_of
from crmarena.storage import ddl, search_text
from crmarena.storage.database import Database

MAX_MARKED = 25
"""The most records of an object whose values are highlighted."""

_HIGHLIGHTED = frozenset({"Account", "Contact", "Lead", "Opportunity", "Quote", "User"})
_SNIPPETED = ARTICLES | {"Case"}
_TYPES = frozenset({FieldType.STRING, FieldType.TEXTAREA, FieldType.EMAIL, FieldType.COMBOBOX})
_GAP = "... "
_SCRAP = 20
"""So many characters are too few for one fragment more."""

Spans = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Marker:
    """What is to be marked in the records of one object."""

    table: str
    words: tuple[Words, ...]
    highlighted: tuple[Field, ...]
    """The fields whose whole values are given."""
    quoted: tuple[Field, ...] = ()
    """The fields that a snippet is taken from, in this order."""
    length: int = 0

    @property
    def fields(self) -> tuple[Field, ...]:
        """All fields that are read."""
        return (*self.highlighted, *self.quoted)

    def of(self, database: Database, result: QueryResult, count: int) -> list[dict[str, str]]:
        """What is added to each of a result's first records."""
        ids = [
            str(record["attributes"]["url"]).rpartition("/")[2] for record in result.rest_records(0, count)
        ]
        columns = ", ".join(ddl.quote(field.name) for field in self.fields)
        if not columns:
            return []
        statement = f"SELECT {columns} FROM {ddl.quote(self.table)} WHERE Id = ?"
        found = [fetch(database, statement, (record_id,))[0] for record_id in ids[:MAX_MARKED]]
        return [self.marks(values) for values in found] + [{} for _ in ids[MAX_MARKED:]]

    def marks(self, values: Sequence[str | None]) -> dict[str, str]:
        """What is added to a record with these values of the fields."""
        found: dict[str, str] = {}
        if self.quoted:
            snippet = self._snippet(values[len(self.highlighted) :])
            found |= {"snippet.text": snippet} if snippet else {}
        for field, value in zip(self.highlighted, values, strict=False):
            text = _plain(field, value)
            if places := self._places(text):
                through = _escaped if field.rich_text else str
                found[f"highlight.{field.name}"] = marked(text, places, through)
        return found

    def _places(self, text: str) -> Spans:
        """The words of a text that match."""
        spans = search_text.spans(text)
        held = [word for _, _, word in spans]
        places: set[int] = set()
        for words in self.words:
            places |= _matching(held, words)
        return [spans[place][:2] for place in sorted(places)]

    def _snippet(self, values: Sequence[str | None]) -> str:
        fragments = []
        room = self.length
        for field, value in zip(self.quoted, values, strict=True):
            text = " ".join(_plain(field, value).split())
            while room > _SCRAP and (places := self._places(text)):
                start, end = window(text, places[0], room)
                inside = [(first - start, last - start) for first, last in places if last <= end]
                fragments.append(marked(text[start:end], inside, _escaped))
                room -= end - start
                text = text[end:]
        return _GAP.join(fragments)


def marker(search: Search, entry: Returning, sobject: SObject) -> Marker | None:
    """What a search marks in the records of an object; None for nothing."""
    options = search.options
    snippet = options.snippet and sobject.name in _SNIPPETED
    highlight = snippet or (options.highlight and (sobject.custom or sobject.name in _HIGHLIGHTED))
    words = _marked_words(search.expression)
    if not highlight or not words:
        return None
    fields = [field for field in searched_fields(sobject, search.group) if field.type in _TYPES]
    listed = _listed(entry, sobject)
    highlighted = tuple(
        field for field in fields if field.name in listed and _whole(sobject, field, rich=snippet)
    )
    if not snippet:
        return Marker(sobject.name, words, highlighted)
    # chosen: titles and names are highlighted, a snippet is of what is too long for that
    quoted = [field for field in fields if field.type is FieldType.TEXTAREA]
    quoted.sort(key=lambda field: not field.long_text)
    return Marker(sobject.name, words, highlighted, tuple(quoted), snippet_length(options.target_length))


def marked(text: str, places: Spans, through: Callable[[str], str] = str) -> str:
    """A text with <mark> tags around some places, its characters escaped by `through`."""
    shown = []
    end = 0
    for start, stop in places:
        shown += [through(text[end:start]), f"<mark>{through(text[start:stop])}</mark>"]
        end = stop
    return "".join([*shown, through(text[end:])])


def window(text: str, place: tuple[int, int], length: int) -> tuple[int, int]:
    """Some `length` characters of a text around a place, cut at blanks."""
    first, last = place
    start = max(min(first - length // 3, len(text) - length), 0)
    if start:
        start = min(text.find(" ", start) + 1 or first, first)
    end = max(start + length, last)
    if end >= len(text):
        return start, len(text)
    return start, max(text.rfind(" ", last, end + 1), last)


def _marked_words(expression: Expression | None) -> tuple[Words, ...]:
    found = [words_of(term) for term in wanted_terms(expression)]
    return tuple(words for words in found if words.tokens and not words.wild and not words.hopeless)


def _matching(held: Sequence[str], words: Words) -> set[int]:
    """The places of a text's words that a term matches."""
    if not words.exact:
        return {place for place, word in enumerate(held) if word in words.forms}
    size = len(words.tokens)
    starts = (place for place in range(len(held) - size + 1) if held[place] == words.tokens[0])
    found = [
        range(place, place + size) for place in starts if tuple(held[place : place + size]) == words.tokens
    ]
    return {place for places in found for place in places}


def _listed(entry: Returning, sobject: SObject) -> set[str]:
    paths = [item.expression for item in entry.query.select if isinstance(item.expression, soql.Path)]
    found = (sobject.field(path.parts[-1]) for path in paths if len(path.parts) == 1)
    return {field.name for field in found if field is not None}


def _whole(sobject: SObject, field: Field, *, rich: bool) -> bool:
    """Whether a field is highlighted: no rich text, no person's compound name."""
    compound = field.name == "Name" and "FirstName" in sobject.fields
    return not compound and (rich or not field.rich_text)


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)


def _plain(field: Field, value: str | None) -> str:
    text = value or ""
    return search_text.plain(text) if field.rich_text else text
