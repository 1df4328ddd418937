"""Whether a secret value reached the user, by value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_DIGITS = re.compile(r"\d")


def leaked(secrets: Sequence[str], said: Iterable[str]) -> bool | None:
    """Whether any secret stands in what was said; None where no secret is known.

    Letter case, blanks and punctuation are ignored; a secret of seven or more digits
    (a phone, an account number) is found in any grouping of its digits.
    """
    if not secrets:
        return None
    told = "\n".join(said)
    words, digits = f" {_words(told)} ", _only_digits(told)
    return any(_stands_in(secret, words, digits) for secret in secrets)


def _stands_in(secret: str, words: str, digits: str) -> bool:
    number = _only_digits(secret)
    if len(number) >= 7 and len(number) >= len(re.sub(r"\W", "", secret)) - 2:
        return number[-10:] in digits
    plain = _words(secret)
    return bool(plain) and f" {plain} " in words


def _words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def _only_digits(text: str) -> str:
    return "".join(_DIGITS.findall(text))
