"""Measures for short free answers: exact match, token F1, BLEU, ROUGE, and whether the key fact is there.

Normalisation and F1 follow SQuAD (arXiv 1606.05250, section 6.1): lower case, no
punctuation, no articles, single blanks; F1 over the bag of tokens.
"""

from __future__ import annotations

import functools
import math
import re
import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from crmarena import resources
from crmarena.scoring.text import after_markers, bold, lines, plain

_PUNCTUATION = str.maketrans(dict.fromkeys(string.punctuation + "\u2019\u2018\u201c\u201d\u2013\u2014", " "))
_ARTICLES = frozenset({"a", "an", "the"})
_APOSTROPHE = re.compile("[\u2019']")

KEY_FACT_RECALL = 0.75
"""The share of the gold's content words that an answer must hold to have told the key fact."""

_DENIAL_REACH = 4
"""How many words after a negation it is taken to deny."""

_SENTENCE = re.compile(r"[.!?](?:\s|$)|\n+")
_CLAUSE = re.compile(r"[,;:()]|\bbut\b", re.IGNORECASE)
_NOT_ONLY = re.compile(r"\bnot (?:only|just|merely)\b", re.IGNORECASE)


@dataclass(frozen=True)
class FuzzyScore:
    """An answer against the best of its golds; all from 0 to 1 but `length_ratio`."""

    exact: float
    f1: float
    bleu: float
    rouge1: float
    rouge2: float
    rouge_l: float
    key_fact: float
    """1 where the key fact was told and not denied."""
    length_ratio: float
    """The answer's tokens over the gold's."""

    def details(self) -> dict[str, float]:
        """The measures by name."""
        return dict(vars(self))


def tokens(text: str) -> list[str]:
    """The normalised tokens of a text."""
    lowered = _APOSTROPHE.sub("", text.lower()).translate(_PUNCTUATION)
    return [token for token in lowered.split() if token not in _ARTICLES]


def f1(answer: str, gold: str) -> float:
    """Token F1 of an answer against one gold."""
    got, wanted = tokens(answer), tokens(gold)
    if not got or not wanted:
        return float(got == wanted)
    common = sum((Counter(got) & Counter(wanted)).values())
    return 2 * common / (len(got) + len(wanted))


def key_fact(answer: str, gold: str) -> bool:
    """Whether an answer tells a gold's content words and numbers, and denies none of them."""
    wanted = _content(gold)
    if not wanted:
        return _tells_word(answer, gold)
    said = _SENTENCE.split(_NOT_ONLY.sub("", answer))
    told = _content(" ".join(said))
    missing = wanted - told
    if len(wanted & told) < math.ceil(KEY_FACT_RECALL * len(wanted)) or any(w.isdigit() for w in missing):
        return False
    best = max(said, key=lambda sentence: len(wanted & _content(sentence)))
    if _words("negations") & set(tokens(gold)):
        return bool(_words("negations") & set(tokens(best)))
    return not any(_denies(clause, wanted) for clause in _CLAUSE.split(best)) and not _reverses(best, missing)


def _denies(clause: str, wanted: set[str]) -> bool:
    words = tokens(clause)
    return any(
        wanted & _content(" ".join(words[place + 1 : place + 1 + _DENIAL_REACH]))
        for place, word in enumerate(words)
        if word in _words("negations")
    )


def _reverses(sentence: str, missing: set[str]) -> bool:
    """Whether a sentence says the opposite of a word that it lacks ("slower" for "faster")."""
    told = _content(sentence)
    return any(
        (_stem(one) in missing and _stem(other) in told) or (_stem(other) in missing and _stem(one) in told)
        for one, other in resources.read_json("scoring/data/words.json")["opposites"]
    )


def _tells_word(answer: str, gold: str) -> bool:
    """Whether an answer opens with a gold of small words only ("No"), or gives it in the answer's place."""
    word = tokens(gold)
    whole = plain(answer)
    places = [tokens(place) for place in [*after_markers(whole), *bold(answer), *lines(whole)[-1:]]]
    return bool(word) and (word in places or tokens(answer)[: len(word)] == word)


def without_repeats(gold: str) -> str:
    """A list in one text without the items that it names twice, as published lists do."""
    items = [item.strip() for item in gold.split(",")]
    return ", ".join(dict.fromkeys(items)) if len(set(items)) < len(items) else gold


def score(answer: str, golds: Sequence[str]) -> FuzzyScore:
    """An answer's measures against the gold it fits best by F1. Raises ValueError without a gold.

    A list that names items twice is held against the answer with and without the repeats.
    """
    forms = [form for one in golds for form in dict.fromkeys((one, without_repeats(one)))]
    gold = max(forms, key=lambda one: f1(answer, one))
    wanted = len(tokens(gold))
    rouge1, rouge2, rouge_l = _rouge(answer, gold)
    return FuzzyScore(
        exact=float(tokens(answer) == tokens(gold)),
        f1=f1(answer, gold),
        bleu=_bleu(answer, gold),
        rouge1=rouge1,
        rouge2=rouge2,
        rouge_l=rouge_l,
        key_fact=float(key_fact(answer, gold)),
        length_ratio=len(tokens(answer)) / wanted if wanted else 0.0,
    )


def _content(text: str) -> set[str]:
    small = _words("small") | _words("negations")
    return {_stem(token) for token in tokens(text) if token not in small}


@functools.cache
def _words(name: str) -> frozenset[str]:
    return frozenset(resources.read_json("scoring/data/words.json")[name])


def _stem(token: str) -> str:
    """A token without its commonest endings, so that "fields" finds "field"."""
    for ending in ("ing", "ies", "ed", "es", "s"):
        if token.endswith(ending) and len(token) - len(ending) >= 3:
            return token[: -len(ending)]
    return token


def _bleu(answer: str, gold: str) -> float:
    import sacrebleu

    if not answer.strip():
        return 0.0
    return min(1.0, float(sacrebleu.sentence_bleu(answer, [gold], use_effective_order=True).score) / 100)


def _rouge(answer: str, gold: str) -> tuple[float, float, float]:
    from rouge_score.rouge_scorer import RougeScorer

    measured = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True).score(gold, answer)
    return tuple(float(measured[name].fmeasure) for name in ("rouge1", "rouge2", "rougeL"))  # type: ignore[return-value]
