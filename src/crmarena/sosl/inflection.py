"""The inflected forms of an English word: plurals, -ed, -ing, and the irregular ones of a list.

Narrower than a stemmer: `acm` is no form of `acme`, and `university` none of `universe`.
"""

from __future__ import annotations

import functools
import re

from crmarena import resources

_SHORTEST = 3
_VOWEL = re.compile(r"[aeiouy]")
_DOUBLED = re.compile(r"([bdfgklmnprtvz])\1\Z")
_CLOSED = re.compile(r"(?:^|[^aeiou])[aeiouy][bdfgklmnprtvz]\Z")
_HISSING = ("s", "x", "z", "ch", "sh", "o")


def inflected_forms(word: str) -> frozenset[str]:
    """A word in small letters, and the forms that share a base form with it."""
    if len(word) < _SHORTEST or not (word.isascii() and word.isalpha()):
        return frozenset({word})
    found = {word}
    for base in _bases(word):
        found |= _regular(base) | _irregular().get(base, frozenset())
    return frozenset(found)


def _bases(word: str) -> set[str]:
    """What a word may be a form of, itself included."""
    found = {word}
    found |= {base for base, forms in _irregular().items() if word in forms}
    if word.endswith(("ies", "ied")):
        found.add(word[:-3] + "y")
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        found.add(word[:-1])
        if word[:-2].endswith(_HISSING) and word.endswith("es"):
            found.add(word[:-2])
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            found |= _unended(word.removesuffix(ending))
    return {base for base in found if len(base) >= _SHORTEST or base == word}


def _unended(rest: str) -> set[str]:
    """The verbs that `rest` with -ed or -ing may be of."""
    if not _VOWEL.search(rest):
        return set()
    return {rest, rest + "e", rest[:-1] if _DOUBLED.search(rest) else rest}


def _regular(base: str) -> set[str]:
    root = base[:-1]
    if base.endswith("y") and root[-1:] not in "aeiou":
        return {base, root + "ies", root + "ied", base + "ing"}
    plural = base + "es" if base.endswith(_HISSING) else base + "s"
    if base.endswith("e"):
        return {base, plural, base + "d", root + "ing"}
    found = {base, plural, base + "s", base + "ed", base + "ing"}
    if _CLOSED.search(base):
        found |= {base + base[-1] + "ed", base + base[-1] + "ing"}
    return found


@functools.cache
def _irregular() -> dict[str, frozenset[str]]:
    """Base form to its irregular forms."""
    lines = (line.split() for line in resources.read_text("sosl/irregular.txt").splitlines())
    return {words[0]: frozenset(words[1:]) for words in lines if words}
