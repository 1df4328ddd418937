"""The prompt on a terminal: history, completion by Tab, colours, statements of several lines."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import platformdirs
from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import Lexer
from prompt_toolkit.output import Output
from prompt_toolkit.styles import Style

from crmarena.cli.shell import dots, script
from crmarena.cli.shell.completion import complete
from crmarena.cli.shell.desk import Desk
from crmarena.cli.shell.lexemes import Kind, Lexeme, lexemes
from crmarena.cli.shell.offers import words
from crmarena.cli.shell.statements import ends_at_empty_line, is_command, is_ended

_HISTORY = "shell_history"
_STYLE = Style.from_dict(
    {"keyword": "bold ansiblue", "string": "ansigreen", "number": "ansicyan", "dot": "ansimagenta"}
)
_STYLES = {Kind.STRING: "class:string", Kind.SEARCH: "class:string", Kind.NUMBER: "class:number"}


def converse(desk: Desk, *, input: Input | None = None, output: Output | None = None) -> None:
    """Ask for statements and run them until the person leaves."""
    session: PromptSession[str] = PromptSession(
        history=history(),
        completer=ShellCompleter(desk),
        lexer=StatementLexer(),
        style=_STYLE,
        key_bindings=bindings(),
        auto_suggest=AutoSuggestFromHistory(),
        complete_while_typing=False,
        multiline=True,
        prompt_continuation=lambda width, number, wrapped: "." * (width - 2) + "> ",
        input=input,
        output=output,
    )
    while not desk.done:
        try:
            text = session.prompt(prompt_of(desk))
        except KeyboardInterrupt:
            continue
        except EOFError:
            break
        _run(desk, text)
    lost = desk.pending
    if lost:
        print(f"Not committed and given up: {lost} changed record{'s' * (lost > 1)}.", file=sys.stderr)


def _run(desk: Desk, text: str) -> None:
    try:
        script.run_lines(desk, text.splitlines(keepends=True))
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)


def prompt_of(desk: Desk) -> str:
    """The org's type, the day if it is set, and a sign that records may be changed."""
    parts = [desk.session.schema.org_type, *([desk.today] if desk.today else [])]
    return f"{' '.join(parts)}{'*' if desk.writable else ''}> "


def history() -> History:
    """What was typed before, kept in the user's data folder; for this shell alone where that cannot be."""
    given = os.environ.get("CRMARENA_DATA_DIR")
    path = Path(given) if given else Path(platformdirs.user_data_dir("crmarena"))
    try:
        path.mkdir(parents=True, exist_ok=True)
        place = path / _HISTORY
        place.touch(mode=0o600)
        place.open("ab").close()
    except OSError as error:
        print(f"crmarena: history is not kept: {path}: {error.strerror}.", file=sys.stderr)
        return InMemoryHistory()
    return FileHistory(str(place))


def bindings() -> KeyBindings:
    """Enter runs what is ended and else starts a new line."""
    keys = KeyBindings()

    @keys.add("enter")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.complete_state is not None and buffer.complete_state.current_completion is not None:
            buffer.complete_state = None
        elif is_ready(buffer.document):
            buffer.validate_and_handle()
        else:
            buffer.newline()

    return keys


def is_ready(document: Document) -> bool:
    """Whether Enter runs a text: nothing, a command, what a semicolon or empty lines end."""
    text = document.text
    if not text.strip() or is_command(text) or is_ended(text):
        return True
    on_empty_line = document.is_cursor_at_the_end and not document.current_line.strip()
    return on_empty_line and ends_at_empty_line(text)


class ShellCompleter(Completer):
    """Completion of commands and statements, as prompt_toolkit asks for it."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """The candidates at the cursor."""
        offer = dots.complete(self._desk, document.text_before_cursor)
        if offer is None:
            offer = complete(self._desk.session.schema, document.text, document.cursor_position)
        for found in offer:
            yield Completion(
                found.text, found.start - document.cursor_position, display_meta=found.note or found.kind
            )


class StatementLexer(Lexer):
    """Colours for keywords, literals and numbers."""

    def lex_document(self, document: Document) -> LineStyles:
        """The styled pieces of each line."""
        return LineStyles(document)


class LineStyles:
    """The styled pieces of a document's lines, worked out once."""

    def __init__(self, document: Document) -> None:
        self._lines: list[StyleAndTextTuples] = [[]]
        for style, text in _pieces(document.text):
            first, *more = text.split("\n")
            self._lines[-1].append((style, first))
            self._lines.extend([[(style, line)] for line in more])

    def __call__(self, number: int) -> StyleAndTextTuples:
        """The pieces of a line, by its number from 0."""
        return self._lines[number] if number < len(self._lines) else []


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    if is_command(text):
        yield "class:dot", text
        return
    end = 0
    for lexeme in lexemes(text):
        yield "", text[end : lexeme.start]
        yield _style(lexeme), lexeme.text
        end = lexeme.end
    yield "", text[end:]


def _style(lexeme: Lexeme) -> str:
    if lexeme.kind is Kind.WORD and lexeme.upper in words()["keywords"]:
        return "class:keyword"
    return _STYLES.get(lexeme.kind, "")
