"""Parameters whose value is known only when a plan is run: by the day, the viewer, the org's fiscal year."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from crmarena.soql.ast import Relative
from crmarena.soql.literals import span
from crmarena.soql.viewer import NOBODY, Viewer
from crmarena.storage.functions import time_zone, whole


@dataclass(frozen=True, slots=True)
class FiscalYear:
    """When the org's fiscal year starts, and by which calendar year it is named."""

    month: int = 1
    named_by_start: bool = False

    @property
    def later_year(self) -> int:
        """What is added to the calendar year in the months from the start on."""
        return 0 if self.month == 1 or self.named_by_start else 1


CALENDAR = FiscalYear()
"""The fiscal year that is the calendar year."""


@dataclass(frozen=True, slots=True)
class Moment:
    """All that a plan is run with."""

    today: date
    viewer: Viewer = NOBODY
    fiscal: FiscalYear = CALENDAR


class Late:
    """A parameter that is bound anew at each run."""

    __slots__ = ()

    fiscal: ClassVar[bool] = False
    """Whether the org's fiscal year decides it."""

    def at(self, moment: Moment) -> str | int | None:
        """The value at a moment."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Edge(Late):
    """One end of a relative literal's range."""

    literal: Relative
    end: bool
    instant: bool
    """Whether the column holds datetimes."""

    def at(self, moment: Moment) -> str:
        """The first day of the range, or the first behind it, as the column stores it."""
        day = span(self.literal, moment.today, moment.fiscal.month)[self.end]
        return moment.viewer.midnight(day) if self.instant else day.isoformat()


class FiscalEdge(Edge):
    """One end of a fiscal literal's range."""

    __slots__ = ()

    fiscal = True


class FiscalMonth(Late):
    """The month in which the org's fiscal year starts."""

    __slots__ = ()

    fiscal = True

    def at(self, moment: Moment) -> int:
        """1 to 12."""
        return moment.fiscal.month


class LaterFiscalYear(Late):
    """What a fiscal year adds to the calendar year from its first month on."""

    __slots__ = ()

    fiscal = True

    def at(self, moment: Moment) -> int:
        """0 or 1."""
        return moment.fiscal.later_year


class Zone(Late):
    """The viewer's zone."""

    __slots__ = ()

    def at(self, moment: Moment) -> str:
        """The IANA name. Raises UsageError for an unknown zone."""
        time_zone(moment.viewer.zone)
        return moment.viewer.zone


class Runner(Late):
    """The viewer's Id."""

    __slots__ = ()

    def at(self, moment: Moment) -> str | None:
        """The Id; None for nobody."""
        user = moment.viewer.user_id
        return None if user is None else whole(user)
