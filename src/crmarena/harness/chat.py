"""A language model behind `episode.ports.Chat`, called through Inspect."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    Model,
    ModelOutput,
)
from inspect_ai.util import LimitExceededError

from crmarena.episode.ports import Chat
from crmarena.errors import CRMArenaError
from crmarena.harness.models import make_model

_TOO_LONG = re.compile(
    r"context.{0,20}(length|size|window)|maximum context|prompt is too long", re.IGNORECASE
)
_TOO_LONG_STATUS = (400, 413)
_SURROGATE = re.compile("[\ud800-\udfff]")


class ModelChat:
    """A conversation with one model; its messages may be a sample's own, so that the log holds them."""

    def __init__(
        self, model: Model, messages: list[ChatMessage] | None = None, *, context_is_limit: bool = False
    ) -> None:
        self._model = model
        self._context_is_limit = context_is_limit
        self.messages: list[ChatMessage] = [] if messages is None else messages
        self.output: ModelOutput | None = None
        """The model's latest output."""

    def system(self, text: str) -> None:
        """Add a system message."""
        self.messages.append(ChatMessageSystem(content=text))

    def user(self, text: str) -> None:
        """Add a user message."""
        self.messages.append(ChatMessageUser(content=text))

    def assistant(self, text: str) -> None:
        """Add a message in the model's name."""
        self.messages.append(ChatMessageAssistant(content=text))

    async def reply(self) -> str:
        """The model's next message, which is added too.

        An agent whose conversation has outgrown its model's context has run into a limit; for any
        other role that is a failure of the infrastructure, as every error of a provider is.
        """
        try:
            output = await self._model.generate(self.messages)
        except LimitExceededError:
            raise
        except Exception as error:
            cause = _cause(error)
            if self._context_is_limit and _is_too_long(cause):
                raise _context_limit(self._model) from error
            raise CRMArenaError(f"The model {self._model} failed: {type(cause).__name__}: {cause}") from error
        if output.stop_reason == "model_length" and not output.completion.strip():
            if self._context_is_limit:
                raise _context_limit(self._model)
            raise CRMArenaError(f"The model {self._model} failed: its context is full.")
        _mend(output)
        self.output = output
        self.messages.append(output.message)
        return output.completion


def chat_factory(model: str, *, role: str) -> Callable[[], Chat]:
    """What starts a fresh conversation with a model named as Inspect names it."""
    return partial(ModelChat, make_model(model, role))


def _cause(error: Exception) -> BaseException:
    """What failed at the last attempt, which the error of the retries hides."""
    last = getattr(error, "last_attempt", None)
    return (last.exception() or error) if last is not None else error


def _is_too_long(cause: BaseException) -> bool:
    """Whether a provider refused a request for its length; throttling speaks of tokens too."""
    status = getattr(cause, "status_code", None)
    return status in (None, *_TOO_LONG_STATUS) and _TOO_LONG.search(str(cause)) is not None


def _mend(output: ModelOutput) -> None:
    """Put a replacement character for halves of surrogate pairs, which no log and no provider takes."""
    if output.choices and _SURROGATE.search(output.completion):
        output.choices[0].message.content = _SURROGATE.sub("\ufffd", output.completion)
        output.completion = output.choices[0].message.text


def _context_limit(model: Model) -> LimitExceededError:
    return LimitExceededError("custom", value=1, limit=1, message=f"the context of {model} is full")
