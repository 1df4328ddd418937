"""Text into the words that the full-text tables hold; searches part their own text the same way.

Words end at blanks, punctuation and the borders between letters and digits (`Web2Case` is
three words). Letter case and accents do not tell words apart. Each sign of a script that
writes no blanks (Chinese, Japanese, Thai ...) is a word of its own.
"""

from __future__ import annotations

import re
import unicodedata

from crmarena.storage.functions import lower

_TAG = re.compile(r"<[^>]*>")
# Thai, Lao, Burmese, Khmer; Japanese kana; the ideographs with their extensions.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_UNSPACED += "\U00020000-\U0003ffff"
_WORD = re.compile(f"(?=[^\\W\\d_])[{_UNSPACED}]|[^\\W\\d_{_UNSPACED}]+|\\d+")
# A word as written: accents may be marks of their own behind their letters.
_WRITTEN = re.compile(f"(?=[^\\W\\d_])[{_UNSPACED}]|(?:[^\\W\\d_{_UNSPACED}][\u0300-\u036f]*)+|\\d+")
_ASCII_BORDER = re.compile(r"(?<=[a-zA-Z])(?=[0-9])|(?<=[0-9])(?=[a-zA-Z])")


def plain(text: str) -> str:
    """Rich text without its tags and entities."""
    import html  # 2 ms that most commands need not spend

    return html.unescape(_TAG.sub(" ", text))


def fold(text: str) -> str:
    """A text in small letters without accents; full-width letters and the like as the plain ones."""
    if text.isascii():
        return text.lower()
    parted = lower(unicodedata.normalize("NFKD", lower(text)))
    bare = "".join(mark for mark in parted if not unicodedata.combining(mark))
    # Put the parted syllables of Korean together again.
    return unicodedata.normalize("NFC", bare)


def words(text: str) -> list[str]:
    """The words of a text in their order, folded."""
    return _WORD.findall(fold(text))


def spaced(text: str) -> str:
    """A text that SQLite's own tokenizer parts into the same words."""
    # ASCII, which nearly all text is, SQLite folds and parts by itself but for these borders.
    return _ASCII_BORDER.sub(" ", text) if text.isascii() else " ".join(words(text))


def is_unspaced(text: str) -> bool:
    """Whether a text is one sign of a script that writes no blanks, and so a whole word."""
    return len(text) == 1 and re.match(f"(?=[^\\W\\d_])[{_UNSPACED}]", text) is not None


def spans(text: str) -> list[tuple[int, int, str]]:
    """The words of a text with the place where each begins and ends in it."""
    found = []
    for match in _WRITTEN.finditer(text):
        whole = words(match[0])
        # What folds into several words (a fraction, say) has no places for each.
        if len(whole) == 1:
            found.append((match.start(), match.end(), whole[0]))
    return found
