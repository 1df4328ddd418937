"""Where a statement ends: at a semicolon, at an empty line once it is whole, at two whatever it is."""

from __future__ import annotations

from collections.abc import Iterator

from crmarena.cli.shell.lexemes import Kind, Lexeme, lexemes

END = ";"
PLAIN_COMMANDS = {"exit": ".quit", "quit": ".quit", "help": ".help"}
"""What people type to leave a shell, or when lost in it."""


class Statements:
    """The statements of lines that come one by one; a line that starts with a dot is one of its own."""

    def __init__(self) -> None:
        self._text = ""

    @property
    def started(self) -> bool:
        """Whether a statement is begun and not ended."""
        return bool(self._text.strip())

    def add(self, line: str) -> Iterator[str]:
        """The statements that a line ends, without their semicolons."""
        if not self.started and is_command(line):
            self._text = ""
            yield PLAIN_COMMANDS.get(line.strip().lower(), line.strip())
        elif not line.strip() and ends_at_empty_line(self._text):
            yield from self.end()
        else:
            self._text += line if line.endswith("\n") else f"{line}\n"
            if END in line:
                yield from self._split()

    def end(self) -> Iterator[str]:
        """What is left when no more lines come."""
        text, self._text = self._text.strip(), ""
        if text:
            yield text

    def _split(self) -> Iterator[str]:
        start = 0
        for mark in _ends(self._text):
            statement = self._text[start : mark.start].strip()
            start = mark.end
            if statement:
                yield statement
        self._text = self._text[start:]


def is_command(text: str) -> bool:
    """Whether a text is a command of the shell."""
    return text.lstrip().startswith(".") or text.strip().lower() in PLAIN_COMMANDS


def ends_at_empty_line(text: str) -> bool:
    """Whether a text that an empty line follows ends with it."""
    return is_whole(text) or (bool(text.strip()) and text.endswith("\n\n"))


def is_ended(text: str) -> bool:
    """Whether a text ends in a semicolon that is not part of a literal."""
    last = None
    for lexeme in lexemes(text):
        last = lexeme
    return last is not None and last.text == END


def is_whole(text: str) -> bool:
    """Whether a text could be run as it stands: it says what from, and nothing in it is left open."""
    depth, kinds, names = 0, set(), set()
    for lexeme in lexemes(text):
        depth += {"(": 1, ")": -1}.get(lexeme.text, 0)
        kinds.add(lexeme.kind)
        names.add(lexeme.upper)
        if lexeme.open:
            return False
    return depth <= 0 and ("FROM" in names or Kind.SEARCH in kinds)


def bounds(text: str, position: int) -> tuple[int, int]:
    """The statement around a position, [start, end), of a text that may hold several."""
    start, end = 0, len(text)
    for mark in _ends(text):
        if mark.start >= position:
            return start, mark.start
        start = mark.end
    return start, end


def _ends(text: str) -> Iterator[Lexeme]:
    return (lexeme for lexeme in lexemes(text) if lexeme.text == END)
