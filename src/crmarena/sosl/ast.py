"""The syntax tree of a SOSL search. Equality ignores places, so that a printed tree parses to its equal."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from crmarena.soql.ast import CategoryFilter, Query


class FieldGroup(StrEnum):
    """The fields that a search looks in."""

    ALL = "ALL"
    NAME = "NAME"
    EMAIL = "EMAIL"
    PHONE = "PHONE"
    SIDEBAR = "SIDEBAR"


@dataclass(frozen=True, slots=True)
class Term:
    """A word or a phrase as written: `*` and `?` stand for letters, a backslash takes a mark's meaning."""

    text: str
    phrase: bool = False


@dataclass(frozen=True, slots=True)
class AllOf:
    """Expressions that must all be found."""

    terms: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Expressions of which one must be found."""

    terms: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Without:
    """An expression that must be found and one that must not."""

    wanted: Expression
    unwanted: Expression


Expression = Term | AllOf | AnyOf | Without


@dataclass(frozen=True, slots=True)
class Returning:
    """One object of RETURNING; its clauses are those of a SOQL query over what was found."""

    query: Query
    listed: bool = True
    """Whether fields were listed; otherwise the search gives Ids."""
    list_view: str | None = None
    row: int = field(default=1, compare=False)
    column: int = field(default=1, compare=False)

    @property
    def object_name(self) -> str:
        """The object's name as written."""
        return self.query.source[0].path.text


@dataclass(frozen=True, slots=True)
class With:
    """What the WITH clauses say."""

    division: str | None = None
    categories: tuple[CategoryFilter, ...] = ()
    highlight: bool = False
    snippet: bool = False
    target_length: int | None = None
    """The length of a snippet; None where the search does not say."""
    networks: tuple[str, ...] = ()
    pricebooks: tuple[str, ...] = ()
    labels: bool = False
    """`METADATA = 'LABELS'`."""
    spell_correction: bool | None = None


PLAIN = With()
"""A search without WITH."""


@dataclass(frozen=True, slots=True)
class Search:
    """A whole search."""

    expression: Expression | None
    """None where the search text is longer than Salesforce searches."""
    group: FieldGroup = FieldGroup.ALL
    returning: tuple[Returning, ...] = ()
    options: With = PLAIN
    limit: int | None = None
    updates: tuple[str, ...] = ()
    """`TRACKING`, `VIEWSTAT`: statistics that change no result."""
