"""What writes answer."""

from __future__ import annotations

from dataclasses import dataclass

from crmarena.errors import SalesforceError


@dataclass(frozen=True, slots=True)
class Upserted:
    """A record that an upsert wrote."""

    id: str
    created: bool


@dataclass(frozen=True, slots=True)
class SaveResult:
    """What became of one record of a call with several."""

    id: str | None
    """The record; None where there is none to name."""
    success: bool
    created: bool = False
    errors: tuple[SalesforceError, ...] = ()
