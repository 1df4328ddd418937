"""A search expression held against a record by plain Python: no index, no SQL, a reading of its own."""

from __future__ import annotations

import re
import unicodedata

from crmarena.sosl.ast import AllOf, AnyOf, Expression, Term, Without

Texts = list[list[str]]
"""The words of each text of a record."""


def split(text: str, kept: str = "") -> list[str]:
    """The words of a text: runs of letters or of digits, without accents, in small letters."""
    bare = "".join(
        mark for mark in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(mark)
    )
    found: list[str] = []
    last = ""
    for mark in bare:
        kind = "letter" if mark.isalpha() else "digit" if mark.isdigit() else ""
        if mark in kept and mark:
            kind = last or "wild"
        if not kind:
            last = ""
            continue
        if found and last == kind:
            found[-1] += mark
        else:
            found.append(mark)
        last = kind
    return found


def holds(
    texts: Texts, expression: Expression, forms: dict[str, set[str]], stop_words: set[str]
) -> bool | None:
    """Whether a record's texts match; None for an expression that asks for nothing."""
    match expression:
        case Term():
            return _term(texts, expression, forms, stop_words)
        case AllOf(terms):
            found = [holds(texts, term, forms, stop_words) for term in terms]
            asked = [one for one in found if one is not None]
            return all(asked) if asked else None
        case AnyOf(terms):
            found = [holds(texts, term, forms, stop_words) for term in terms]
            asked = [one for one in found if one is not None]
            return any(asked) if asked else None
        case Without(wanted, unwanted):
            one, other = (holds(texts, inner, forms, stop_words) for inner in (wanted, unwanted))
            return one if one is None else one and not other


def _term(texts: Texts, term: Term, forms: dict[str, set[str]], stop_words: set[str]) -> bool | None:
    if not term.phrase and term.text.lower() in stop_words:
        return None
    words = split(term.text, kept="*?")
    if not words:
        return None
    if len(words) == 1 and not term.phrase and not set("*?") & set(words[0]):
        return any(word in forms.get(words[0], {words[0]}) for text in texts for word in text)
    patterns = [
        re.compile("".join({"*": ".*", "?": "."}.get(mark, re.escape(mark)) for mark in word))
        for word in words
    ]
    return any(
        all(pattern.fullmatch(text[start + place]) for place, pattern in enumerate(patterns))
        for text in texts
        for start in range(len(text) - len(patterns) + 1)
    )
