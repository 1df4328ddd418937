"""Record Ids of 15 and 18 characters. Checksum: Salesforce, "how the 18 character Id is made"."""

from __future__ import annotations

import re

_SUFFIX = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
# Which of five characters are capitals, leftmost first, to the character that tells it.
_MARKS = {format(place, "05b")[::-1]: mark for place, mark in enumerate(_SUFFIX)}
_CAPITALS = {ord(c): "1" if c.isupper() else "0" for c in _DIGITS}
_SHAPE = re.compile(r"[0-9A-Za-z]{15}(?:[0-9A-Za-z]{3})?\Z")


def checksum(short: str) -> str:
    """The three characters that tell the letter case of a 15-character Id."""
    capitals = short.translate(_CAPITALS)
    return _MARKS[capitals[:5]] + _MARKS[capitals[5:10]] + _MARKS[capitals[10:15]]


def to_18(record_id: str) -> str | None:
    """The 18-character form of an Id of either length; None for what is no Id.

    An 18-character Id whose letter case was lost is restored from its suffix;
    one whose suffix cannot belong to its letters is no Id.
    """
    if not _SHAPE.match(record_id):
        return None
    if len(record_id) == 15:
        return record_id + checksum(record_id)
    if record_id[15:] == checksum(record_id[:15]):
        return record_id
    short = _restore_case(record_id[:15], record_id[15:].upper())
    return None if short is None else short + checksum(short)


def make_id(prefix: str, pod: str, number: int) -> str:
    """The 18-character Id of a record: key prefix, a pod mark (1 to 6 characters), a counter in base 62."""
    width = 15 - len(prefix) - len(pod)
    digits = ""
    while number:
        number, digit = divmod(number, 62)
        digits = _DIGITS[digit] + digits
    short = prefix + pod + digits.rjust(width, "0")
    return short + checksum(short)


def _restore_case(short: str, suffix: str) -> str | None:
    if any(mark not in _SUFFIX for mark in suffix):
        return None
    restored = []
    for place, character in enumerate(short):
        upper = _SUFFIX.index(suffix[place // 5]) >> (place % 5) & 1
        if upper and not character.isalpha():
            return None
        restored.append(character.upper() if upper else character.lower())
    return "".join(restored)
