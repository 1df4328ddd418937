"""The syntax tree of a SOQL query. Equality ignores places, so that a printed tree parses to its equal."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from crmarena.soql.node import node


class LiteralKind(StrEnum):
    """What a literal was written as."""

    STRING = "string"
    PATTERN = "pattern"
    """The right side of LIKE: `\\%`, `\\_` and `\\\\` stay escaped."""
    NUMBER = "number"
    BOOLEAN = "boolean"
    NULL = "null"
    DATE = "date"
    DATETIME = "datetime"
    RELATIVE = "relative"
    CURRENCY = "currency"


@node
class Relative:
    """A relative date literal: `TODAY`, `LAST_N_DAYS:7`."""

    name: str
    count: int | None = None


@node
class Money:
    """An amount in a currency: `USD5000`, `EUR-12.5`."""

    code: str
    """In upper case."""
    amount: int | float


LiteralValue = str | int | float | bool | Relative | Money | None


@node
class Literal:
    """A value; dates and datetimes in their stored form."""

    kind: LiteralKind
    value: LiteralValue
    row: int = field(default=1, compare=False)
    column: int = field(default=1, compare=False)


@node
class Path:
    """A field, with the relationships that lead to it: `Account.Owner.Name`."""

    parts: tuple[str, ...]
    row: int = field(default=1, compare=False)
    column: int = field(default=1, compare=False)

    @property
    def text(self) -> str:
        """The path as written."""
        return ".".join(self.parts)


@node
class Call:
    """A function over at most one field: `COUNT()`, `MAX(Amount)`, `HOUR_IN_DAY(convertTimezone(f))`."""

    function: str
    """In upper case."""
    argument: Path | Call | None
    row: int = field(default=1, compare=False)
    column: int = field(default=1, compare=False)


@node
class Distance:
    """`DISTANCE(BillingAddress, GEOLOCATION(37.7, -122.4), 'mi')`."""

    place: Path
    latitude: int | float
    longitude: int | float
    unit: str
    row: int = field(default=1, compare=False)
    column: int = field(default=1, compare=False)


@node
class FieldsCall:
    """`FIELDS(ALL)`, `FIELDS(STANDARD)` or `FIELDS(CUSTOM)`."""

    group: str
    row: int = field(default=1, compare=False)
    column: int = field(default=1, compare=False)


@node
class TypeBranch:
    """`WHEN Account THEN Phone, Industry`."""

    object_name: str
    fields: tuple[Path, ...]
    row: int = field(default=1, compare=False)
    column: int = field(default=1, compare=False)


@node
class TypeOf:
    """`TYPEOF What WHEN ... THEN ... ELSE ... END`."""

    relationship: Path
    branches: tuple[TypeBranch, ...]
    otherwise: tuple[Path, ...]
    row: int = field(default=1, compare=False)
    column: int = field(default=1, compare=False)


Operand = Path | Call | Distance


@node
class SelectItem:
    """One entry of the SELECT list."""

    expression: Operand | FieldsCall | TypeOf | Query
    alias: str | None = None


@node
class Comparison:
    """`field operator literal`; the operator one of `= != < <= > >= LIKE`."""

    left: Operand
    operator: str
    value: Literal


@node
class Membership:
    """`field operator (literal, ...)`; the operator one of `IN`, `NOT IN`, `INCLUDES`, `EXCLUDES`."""

    left: Operand
    operator: str
    values: tuple[Literal, ...]


@node
class SemiJoin:
    """`field [NOT] IN (SELECT ...)`."""

    left: Operand
    negated: bool
    query: Query


@node
class Not:
    """`NOT condition`."""

    term: Condition


@node
class And:
    """Two or more conditions that must all hold."""

    terms: tuple[Condition, ...]


@node
class Or:
    """Two or more conditions of which one must hold."""

    terms: tuple[Condition, ...]


Condition = Comparison | Membership | SemiJoin | Not | And | Or


@node
class OrderItem:
    """One entry of ORDER BY; `nulls_first` is None where the query does not say."""

    expression: Operand
    descending: bool = False
    nulls_first: bool | None = None


@node
class FromItem:
    """One entry of FROM: an object, a child relationship, or a path from the first entry."""

    path: Path
    alias: str | None = None


@node
class CategoryFilter:
    """One condition of `WITH DATA CATEGORY`: `Geography__c AT (usa__c, uk__c)`."""

    group: str
    selector: str
    """`AT`, `ABOVE`, `BELOW` or `ABOVE_OR_BELOW`."""
    categories: tuple[str, ...]
    row: int = field(default=1, compare=False)
    column: int = field(default=1, compare=False)


@node
class Query:
    """A whole query, a child query or a semi-join's query."""

    select: tuple[SelectItem, ...]
    source: tuple[FromItem, ...]
    scope: str | None = None
    where: Condition | None = None
    security: str | None = None
    """`SECURITY_ENFORCED`, `USER_MODE` or `SYSTEM_MODE`: accepted, without effect."""
    categories: tuple[CategoryFilter, ...] = ()
    visibility: tuple[tuple[str, Literal], ...] | None = None
    """`RecordVisibilityContext(...)`: accepted, without effect."""
    user_id: Literal | None = None
    """`WITH UserId = '005...'`: accepted, without effect."""
    group_by: tuple[Operand, ...] = ()
    grouping: str | None = None
    """`ROLLUP` or `CUBE`."""
    having: Condition | None = None
    order_by: tuple[OrderItem, ...] = ()
    limit: int | None = None
    offset: int | None = None
    tail: tuple[str, ...] = ()
    """`FOR VIEW`, `FOR REFERENCE`, `FOR UPDATE`, `UPDATE TRACKING`, `UPDATE VIEWSTAT`."""
    row: int = field(default=1, compare=False)
    column: int = field(default=1, compare=False)
