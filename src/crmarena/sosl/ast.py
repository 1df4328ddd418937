"""The syntax tree of a SOSL search."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from crmarena.soql.ast import Query


class FieldGroup(StrEnum):
    """The fields that a search looks in."""

    ALL = "ALL"
    NAME = "NAME"
    EMAIL = "EMAIL"
    PHONE = "PHONE"
    SIDEBAR = "SIDEBAR"


@dataclass(frozen=True, slots=True)
class Term:
    """A word or a phrase, `*` and `?` standing for letters; marks that were escaped are blanks."""

    text: str
    phrase: bool = False
    hopeless: bool = False
    """Whether it can match nothing: it holds a plus sign that was not escaped."""


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
    row: int
    column: int

    @property
    def object_name(self) -> str:
        """The object's name as written."""
        return self.query.source[0].path.text


@dataclass(frozen=True, slots=True)
class Search:
    """A whole search."""

    expression: Expression | None
    """None where the search text is longer than Salesforce searches."""
    group: FieldGroup = FieldGroup.ALL
    returning: tuple[Returning, ...] = ()
    limit: int | None = None
