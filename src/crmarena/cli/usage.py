"""A command line that was typed wrong, as one line."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterable
from typing import Any

import typer

# Typer keeps its own copy of Click from 0.26 on, and Click itself before: this base is public in both.
Mistyped: type[Exception] = typer.BadParameter.__mro__[1]
"""The base of every error in how the command was typed."""

_CLOSE = 0.5
_OPTION = re.compile(r"^No such option: (?P<name>\S+)")
_COMMAND = re.compile(r"^No such command '(?P<name>[^']*)'")
_NUMBER = re.compile(r"is not a valid (?:float|int(?:eger)?)(?: range)?\.?$")


def explain(error: Any, commands: Iterable[str]) -> str:
    """What was typed wrong and where to read more; for a command given nothing at all, its help."""
    if type(error).__name__ == "NoArgsIsHelpError":
        return str(error)
    return f"crmarena: {_sentence(error)}; see {_place(error, commands)} --help."


def _sentence(error: Any) -> str:
    text = " ".join(error.format_message().split())
    option, command = _OPTION.match(text), _COMMAND.match(text)
    if option:
        return f"no option {option['name']}{_nearest(option['name'], _options(error))}"
    if command:
        return f"no command {command['name']!r}{_nearest(command['name'], error.ctx.command.commands)}"
    return _NUMBER.sub("is not a number", text[:1].lower() + text[1:]).rstrip(".")


def _place(error: Any, commands: Iterable[str]) -> str:
    """The command that was meant; an option without its value comes without its context."""
    if error.ctx is not None:
        return str(error.ctx.command_path)
    known = set(commands)
    return " ".join(["crmarena", *[word for word in sys.argv[1:] if word in known][:1]])


def _options(error: Any) -> list[str]:
    params = error.ctx.command.params if error.ctx is not None else ()
    return [name for param in params for name in param.opts if name.startswith("--")]


def _nearest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=_CLOSE)
    return f", did you mean {near[0]}?" if near else ""
