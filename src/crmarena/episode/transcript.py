"""What happened in an episode, in order, as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class EventKind(StrEnum):
    """Who did what."""

    EXECUTE = "execute"
    OBSERVATION = "observation"
    RESPOND = "respond"
    USER = "user"
    REMINDER = "reminder"


@dataclass(frozen=True)
class Event:
    """One thing said or done."""

    kind: EventKind
    turn: int
    """The agent turn it belongs to, counted from 1 over the whole episode; 0 before the first."""
    text: str
    """The words as they were said or shown."""


class Transcript:
    """The events of an episode; iterable."""

    def __init__(self) -> None:
        self._events: list[Event] = []

    def add(self, kind: EventKind, turn: int, text: str) -> None:
        """Append an event."""
        self._events.append(Event(kind, turn, text))

    def texts(self, kind: EventKind) -> tuple[str, ...]:
        """The words of every event of a kind."""
        return tuple(event.text for event in self._events if event.kind is kind)

    @property
    def said(self) -> tuple[str, ...]:
        """Everything the agent told the user."""
        return self.texts(EventKind.RESPOND)

    @property
    def queries(self) -> tuple[str, ...]:
        """Everything the agent asked of the org."""
        return self.texts(EventKind.EXECUTE)

    def to_json(self) -> list[dict[str, Any]]:
        """The events as JSON values."""
        return [{"kind": str(event.kind), "turn": event.turn, "text": event.text} for event in self._events]

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events)

    def __len__(self) -> int:
        return len(self._events)
