"""A reader of the grammar files in docs/, a drawer of sentences from them, and a recogniser.

Notation: W3C EBNF (`name ::= ...`, `|`, `?`, `*`, `+`, `-`, quoted text, character classes).
Rules in capitals are tokens, made of characters; the others are made of tokens.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st

DOCS = Path(__file__).parents[2] / "docs"

_MARK = re.compile(
    r"\s+|/\*.*?\*/|(?P<name>\w+)(?P<rule>\s*::=)?|'(?P<text>[^']*)'|\"(?P<quoted>[^\"]*)\""
    r"|\[(?P<class>[^\]]+)\]|(?P<sign>[()|?*+-])",
    re.DOTALL,
)
_BLANKS = " \t\n\r\f\v"
_MANY = 3
"""How often a drawn sentence repeats what may be repeated, at most."""
_UNUSUAL = 'aZ9 _-.,;:()=<>"%{}*\u00e9\u00df\u03c2\u4e2d\U0001f600\u202e'
"""Characters to draw from where a class only says which may not stand."""


@dataclass(frozen=True)
class Ref:
    """Another rule."""

    name: str


@dataclass(frozen=True)
class Text:
    """Quoted text: between double quotes as it is written, between single ones in any letter case."""

    text: str
    exact: bool = False


@dataclass(frozen=True)
class Class:
    """A character class, as a regular expression."""

    pattern: str


@dataclass(frozen=True)
class Row:
    """One after the other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Either:
    """One of several."""

    choices: tuple[Node, ...]


@dataclass(frozen=True)
class Again:
    """Some number of times."""

    part: Node
    least: int
    once: bool


@dataclass(frozen=True)
class Except:
    """What the first gives and the second does not."""

    part: Node
    without: Node


Node = Ref | Text | Class | Row | Either | Again | Except


class _Reader:
    """Reads the notation."""

    def __init__(self, text: str) -> None:
        self.marks = [match for match in _MARK.finditer(text) if match.lastgroup]
        if "".join(_MARK.sub("", text).split()):
            raise ValueError(f"no EBNF: {_MARK.sub('', text).split()[0]!r}")
        self.place = 0

    def rules(self) -> Iterator[tuple[str, Node]]:
        while self.place < len(self.marks):
            name = self.marks[self.place]["name"]
            assert self.marks[self.place]["rule"], f"a rule should start at {name}"
            self.place += 1
            yield name, self._either()

    def _sign(self) -> str | None:
        return self.marks[self.place]["sign"] if self.place < len(self.marks) else None

    def _either(self) -> Node:
        choices = [self._row()]
        while self._sign() == "|":
            self.place += 1
            choices.append(self._row())
        return choices[0] if len(choices) == 1 else Either(tuple(choices))

    def _row(self) -> Node:
        parts: list[Node] = []
        while self.place < len(self.marks) and not self._ends():
            part = self._repeated()
            if self._sign() == "-":
                self.place += 1
                part = Except(part, self._repeated())
            parts.append(part)
        return parts[0] if len(parts) == 1 else Row(tuple(parts))

    def _ends(self) -> bool:
        return self._sign() in {"|", ")"} or bool(self.marks[self.place]["rule"])

    def _repeated(self) -> Node:
        part = self._one()
        while (sign := self._sign()) in {"?", "*", "+"}:
            self.place += 1
            part = Again(part, 1 if sign == "+" else 0, sign == "?")
        return part

    def _one(self) -> Node:
        mark = self.marks[self.place]
        self.place += 1
        if mark["sign"] == "(":
            inner = self._either()
            self.place += 1
            return inner
        if mark["class"] is not None:
            return Class(_class(mark["class"]))
        if mark["name"] is not None:
            return Ref(mark["name"])
        return Text(mark["quoted"], exact=True) if mark["text"] is None else Text(mark["text"])


def _class(text: str) -> str:
    """A character class as a regular expression; `#x5D` is a character by its number."""
    escaped = text.replace("\\", r"\\").replace("[", r"\[")
    numbered = re.sub("#x([0-9A-F]+)", lambda code: rf"\U{int(code[1], 16):08x}", escaped)
    return f"[{numbered}]"


class Grammar:
    """The rules of some files."""

    def __init__(self, *names: str) -> None:
        text = "\n".join((DOCS / name).read_text(encoding="utf-8") for name in names)
        self.rules = dict(_Reader(text).rules())
        self.patterns = {
            name: re.compile(self._pattern(node), re.DOTALL)
            for name, node in self.rules.items()
            if name.isupper()
        }
        signs = {text for text in self.words() if not text[0].isalpha()}
        ordered = sorted(signs, key=len, reverse=True)
        tokens = [*self.patterns.values(), *(re.compile(re.escape(sign)) for sign in ordered)]
        self._tokens = tokens
        self._heights = self._measure()

    def words(self) -> set[str]:
        """The quoted texts in the rules of tokens."""
        return {
            node.text
            for name, rule in self.rules.items()
            if not name.isupper()
            for node in walk(rule)
            if isinstance(node, Text)
        }

    def named(self) -> set[str]:
        """The rules that other rules name."""
        return {node.name for rule in self.rules.values() for node in walk(rule) if isinstance(node, Ref)}

    def scan(self, text: str, place: int = 0) -> list[str] | None:
        """The tokens of a text, each the longest there is; None where a character starts none."""
        found = []
        while place < len(text):
            if text[place] in _BLANKS:
                place += 1
                continue
            longest = max(
                (match.group() for token in self._tokens if (match := token.match(text, place))),
                key=len,
                default="",
            )
            if not longest:
                return None
            found.append(longest)
            place += len(longest)
        return found

    def derives(self, rule: str, tokens: Sequence[str]) -> bool:
        """Whether a rule gives a run of tokens."""
        return len(tokens) in _Recogniser(self, tokens).ends(self.rules[rule], 0)

    def sentences(self, rule: str, budget: int = 9) -> st.SearchStrategy[list[str]]:
        """Runs of tokens that a rule gives, not much deeper than `budget`."""

        @st.composite
        def drawn(draw: st.DrawFn) -> list[str]:
            return self._draw(draw, self.rules[rule], budget)

        return drawn()

    def shortest(self, node: Node) -> list[str]:
        """A sentence of a node, short and always the same."""
        if isinstance(node, Text):
            return [node.text]
        if isinstance(node, Class):
            return [_first(node.pattern)]
        if isinstance(node, Ref):
            found = self.shortest(self.rules[node.name])
            return ["".join(found)] if node.name.isupper() else found
        if isinstance(node, Either):
            return self.shortest(min(node.choices, key=self._height))
        if isinstance(node, Again):
            return self.shortest(node.part) if node.least else []
        if isinstance(node, Except):
            return self.shortest(node.part)
        return [token for part in node.parts for token in self.shortest(part)]

    def through(self, start: str) -> Iterator[tuple[str, list[str]]]:
        """For every choice and every option of every rule, a sentence that takes it, from a start rule."""
        around = self._surroundings(start)
        for name, (before, after) in around.items():
            rule = self.rules[name]
            for node in walk(rule, excepted=False):
                if isinstance(node, Either | Again):
                    for part in node.choices if isinstance(node, Either) else (node.part,):
                        inner = self._passing(rule, part, self.shortest(part))
                        yield name, [*before, *(inner or []), *after]

    def _surroundings(self, start: str) -> dict[str, tuple[list[str], list[str]]]:
        """What stands before and behind each rule in a short sentence of the start rule."""
        found: dict[str, tuple[list[str], list[str]]] = {start: ([], [])}
        queue = [start]
        for name in queue:
            for node in walk(self.rules[name], excepted=False):
                if isinstance(node, Ref) and node.name not in found and not node.name.isupper():
                    row = self._passing(self.rules[name], node, ["\0"]) or []
                    place = row.index("\0")
                    before, after = found[name]
                    found[node.name] = [*before, *row[:place]], [*row[place + 1 :], *after]
                    queue.append(node.name)
        return found

    def _passing(self, node: Node, target: Node, tokens: list[str]) -> list[str] | None:
        """A short sentence of a node in which a node below it gives some tokens; None if it is not below."""
        if node is target:
            return tokens
        if isinstance(node, Row):
            for place, part in enumerate(node.parts):
                inner = self._passing(part, target, tokens)
                if inner is not None:
                    row = [*map(self.shortest, node.parts)]
                    row[place] = inner
                    return [token for one in row for token in one]
            return None
        below = node.choices if isinstance(node, Either) else ()
        if isinstance(node, Again | Except):
            below = (node.part,)
        return next((one for part in below if (one := self._passing(part, target, tokens)) is not None), None)

    def _draw(self, draw: st.DrawFn, node: Node, budget: int) -> list[str]:
        if isinstance(node, Text):
            return [node.text]
        if isinstance(node, Class):
            return [draw(_characters(node.pattern))]
        if isinstance(node, Ref):
            found = self._draw(draw, self.rules[node.name], budget - 1)
            return ["".join(found)] if node.name.isupper() else found
        if isinstance(node, Row):
            return [token for part in node.parts for token in self._draw(draw, part, budget)]
        if isinstance(node, Either):
            return self._draw(draw, draw(st.sampled_from(self._within(node.choices, budget))), budget)
        if isinstance(node, Again):
            most = node.least if self._height(node.part) >= budget else 1 if node.once else _MANY
            times = draw(st.integers(node.least, max(most, node.least)))
            return [token for _ in range(times) for token in self._draw(draw, node.part, budget)]
        found = self._draw(draw, node.part, budget)
        return found if self._allowed(node, found) else self._draw(draw, node, budget)

    def _allowed(self, node: Except, tokens: list[str]) -> bool:
        return len(tokens) not in _Recogniser(self, tokens).ends(node.without, 0)

    def _within(self, choices: tuple[Node, ...], budget: int) -> list[Node]:
        least = min(map(self._height, choices))
        return [choice for choice in choices if self._height(choice) <= max(budget, least)]

    def _measure(self) -> dict[str, int]:
        """How deep the shallowest sentence of each rule is."""
        self._heights = dict.fromkeys(self.rules, 1_000)
        for _ in self.rules:
            self._heights = {name: 1 + self._height(node) for name, node in self.rules.items()}
        return self._heights

    def _height(self, node: Node) -> int:
        if isinstance(node, Ref):
            return 0 if node.name.isupper() else self._heights[node.name]
        if isinstance(node, Row):
            return max(map(self._height, node.parts))
        if isinstance(node, Either):
            return min(map(self._height, node.choices))
        if isinstance(node, Again):
            return self._height(node.part) if node.least else 0
        return self._height(node.part) if isinstance(node, Except) else 0

    def _pattern(self, node: Node) -> str:
        """A rule of characters as a regular expression."""
        if isinstance(node, Ref):
            return f"(?:{self._pattern(self.rules[node.name])})"
        if isinstance(node, Text):
            return re.escape(node.text) if node.exact else f"(?i:{re.escape(node.text)})"
        if isinstance(node, Class):
            return node.pattern
        if isinstance(node, Row):
            return "".join(map(self._pattern, node.parts))
        if isinstance(node, Either):
            return f"(?:{'|'.join(map(self._pattern, node.choices))})"
        if isinstance(node, Again):
            sign = "?" if node.once else "+" if node.least else "*"
            return f"(?:{self._pattern(node.part)}){sign}"
        raise TypeError("a token takes no exception")


class _Recogniser:
    """Finds where a node may end that starts at a token."""

    def __init__(self, grammar: Grammar, tokens: Sequence[str]) -> None:
        self.grammar = grammar
        self.tokens = tokens
        self.known: dict[tuple[int, int], frozenset[int]] = {}

    def ends(self, node: Node, start: int) -> frozenset[int]:
        key = id(node), start
        if key not in self.known:
            self.known[key] = self._ends(node, start)
        return self.known[key]

    def _ends(self, node: Node, start: int) -> frozenset[int]:
        if isinstance(node, Text):
            token = self.tokens[start] if start < len(self.tokens) else ""
            here = token == node.text or (not node.exact and token.upper() == node.text.upper())
            return frozenset({start + 1} if here else ())
        if isinstance(node, Ref):
            return self._rule(node.name, start)
        if isinstance(node, Row):
            places = frozenset({start})
            for part in node.parts:
                places = frozenset(end for place in places for end in self.ends(part, place))
            return places
        if isinstance(node, Either):
            return frozenset(end for choice in node.choices for end in self.ends(choice, start))
        if isinstance(node, Again):
            return self._again(node, start)
        if isinstance(node, Except):
            return self.ends(node.part, start) - self.ends(node.without, start)
        raise TypeError("a character class outside of a token")

    def _rule(self, name: str, start: int) -> frozenset[int]:
        pattern = self.grammar.patterns.get(name)
        if pattern is None:
            return self.ends(self.grammar.rules[name], start)
        fits = start < len(self.tokens) and pattern.fullmatch(self.tokens[start])
        return frozenset({start + 1} if fits else ())

    def _again(self, node: Again, start: int) -> frozenset[int]:
        found = frozenset() if node.least else frozenset({start})
        fresh = self.ends(node.part, start) - found
        while fresh:
            found |= fresh
            more = (end for place in fresh for end in self.ends(node.part, place))
            fresh = frozenset() if node.once else frozenset(more) - found
        return found


def walk(node: Node, *, excepted: bool = True) -> Iterator[Node]:
    """A node and all below it, other rules left out; what is excepted too, or not."""
    yield node
    below: tuple[Node, ...] = ()
    if isinstance(node, Row):
        below = node.parts
    elif isinstance(node, Either):
        below = node.choices
    elif isinstance(node, Again):
        below = (node.part,)
    elif isinstance(node, Except):
        below = (node.part, node.without) if excepted else (node.part,)
    for part in below:
        yield from walk(part, excepted=excepted)


def _first(pattern: str) -> str:
    fits = re.compile(pattern)
    return next(chr(code) for code in range(48, 127) if fits.fullmatch(chr(code)))


@functools.cache
def _characters(pattern: str) -> st.SearchStrategy[str]:
    """The characters of a class."""
    fits = re.compile(pattern)
    plain = [chr(code) for code in range(32, 127) if fits.fullmatch(chr(code))]
    return st.sampled_from(plain + [mark for mark in _UNUSUAL if fits.fullmatch(mark) and mark not in plain])
