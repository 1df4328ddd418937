"""A grader model, asked only where the rules are unsure; its word is read by the same rules."""

from __future__ import annotations

from collections.abc import Callable
from string import Template

from crmarena import resources
from crmarena.episode.ports import Chat
from crmarena.scoring import text as reading
from crmarena.scoring.extract import Extraction, Kind, extract
from crmarena.tasks.family import find_family
from crmarena.tasks.instance import Task


class Unreachable(Exception):
    """The grader model gave no reply."""


async def extraction(make_chat: Callable[[], Chat], task: Task, answer: str) -> Extraction | None:
    """The values that a model reads out of an answer; None where its reply is no usable list.

    Raises Unreachable when the model cannot be reached.
    """
    answer_type = find_family(task.family).answer_type
    reply = await _ask(make_chat, "extract", kind=answer_type.value, query=task.query, answer=answer)
    if reading.data_values(reply) is None:
        return None
    found = extract(reply, answer_type)
    return None if found.kind is Kind.REFUSAL else found


async def declined(make_chat: Callable[[], Chat], task: Task, answer: str) -> bool | None:
    """Whether a model finds that an answer declines; None where its reply is neither yes nor no."""
    reply = await _ask(make_chat, "declined", query=task.query, answer=answer)
    word = reading.plain(reply).strip(" .!\"'").lower()
    return True if word.startswith("yes") else False if word.startswith("no") else None


async def _ask(make_chat: Callable[[], Chat], prompt: str, **values: str) -> str:
    try:
        chat = make_chat()
        chat.system(resources.read_text(f"scoring/prompts/{prompt}_system.md").strip())
        chat.user(Template(resources.read_text(f"scoring/prompts/{prompt}.md")).substitute(values).strip())
        return await chat.reply()
    except Exception as error:
        # Whatever a provider raises: the answer stands, the judge is what failed.
        raise Unreachable(str(error) or type(error).__name__) from error
