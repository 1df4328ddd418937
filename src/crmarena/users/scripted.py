"""The simulated user that needs no model: it tells its facts a piece at a time, when asked."""

from __future__ import annotations

from typing import Any

from crmarena import resources
from crmarena.episode import speech
from crmarena.episode.ports import STOP
from crmarena.tasks.family import AnswerType
from crmarena.users import personas
from crmarena.users.facts import Fact, Facts, keywords

_AT_ONCE = 2
"""The most facts told in one message."""


class ScriptedUser:
    """Speaks by rule; the same words from the agent always get the same reply."""

    name = "scripted/1"

    def __init__(self, facts: Facts, expected: AnswerType, persona: str = "") -> None:
        self._facts = facts
        self._expected = expected
        self._wording = resources.read_json("users/wording.json")
        self._manner: dict[str, str] = self._wording["manners"][personas.manner(persona)]
        self._told: list[Fact] = []
        self._heard: set[str] = set()
        self._puzzled = False

    async def open(self) -> str:
        """The user's first words, which do not say what it wants in full."""
        return self._manner["greeting"] + self._facts.opening

    async def reply(self, text: str) -> str:
        """The user's answer to the agent; the bare stop once it has its own."""
        said = speech.sentences(text)
        if self._is_answered_by(text) or (self._said_before(text) and not any(map(speech.asks, said))):
            return STOP
        questions = [sentence for sentence in said if speech.is_question(sentence)]
        return self._reply_to(" ".join(questions)) if questions else self._reply_to_statement(text)

    def _is_answered_by(self, text: str) -> bool:
        # Free text could be anything before the question is out.
        asked = self._expected not in speech.FREE or bool(self._told) or not self._facts.facts
        return asked and speech.is_answer(text, self._expected)

    def _said_before(self, text: str) -> bool:
        key = " ".join(text.lower().split())
        before = key in self._heard
        self._heard.add(key)
        return before

    def _reply_to(self, question: str) -> str:
        asked = keywords(question)
        if self._has(question, "answer_form"):
            return str(self._wording["insist"][self._expected])
        fitting = self._fitting(self._untold(), asked)
        if fitting:
            return self._tell(fitting[: self._at_once()])
        known = self._fitting(self._told, asked)
        if known:
            return self._tell(known[:1])
        if self._is_vague(question) and self._untold():
            return self._tell(self._untold()[:1])
        if self._has(question, "confirm"):
            return self._manner["agreed"]
        return self._shrug(question)

    def _shrug(self, question: str) -> str:
        """Own to not knowing; asked in vain twice, add what there is to tell."""
        if self._is_vague(question):
            return self._manner["all_told"]
        puzzled, self._puzzled = self._puzzled, True
        if puzzled and self._untold():
            return f"{self._manner['unknown']} {self._tell(self._untold()[:1])}"
        return self._manner["unknown"]

    def _reply_to_statement(self, text: str) -> str:
        if speech.is_waiting(text):
            return self._manner["waiting"]
        if self._expected in speech.FREE or all(map(speech.is_small_talk, speech.sentences(text))):
            return self._tell(self._untold()[:1]) if self._untold() else self._manner["all_told"]
        return str(self._wording["insist"][self._expected])

    def _fitting(self, facts: list[Fact], asked: frozenset[str]) -> list[Fact]:
        scored = [(_fit(fact, asked), fact) for fact in facts]
        best = sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])
        return [fact for _, fact in best]

    def _tell(self, facts: list[Fact]) -> str:
        self._puzzled = False
        self._told += [fact for fact in facts if fact not in self._told]
        texts = [fact.text for fact in facts]
        return ("\n" if any("\n" in text for text in texts) else " ").join(texts)

    def _untold(self) -> list[Fact]:
        return [fact for fact in self._facts.facts if fact not in self._told]

    def _at_once(self) -> int:
        return max(1, min(_AT_ONCE, len(self._facts.facts) - 1))

    def _is_vague(self, question: str) -> bool:
        return self._has(question, "vague") or not keywords(question)

    def _has(self, text: str, name: str) -> bool:
        phrases: list[Any] = self._wording[name]
        return any(phrase in text.lower() for phrase in phrases)


def _fit(fact: Fact, asked: frozenset[str]) -> int:
    """How many of the words asked with lead to a fact."""
    return sum(any(_same(word, own) for own in fact.words) for word in asked)


def _same(one: str, other: str) -> bool:
    """Whether two words are forms of one: policy and policies, transfer and transferred."""
    if one == other:
        return True
    one, other = one.removesuffix("s"), other.removesuffix("s")
    shared = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    length = min(len(one), len(other)) if shared is None else shared
    return one == other or length >= max(5, min(len(one), len(other)) - 2)
