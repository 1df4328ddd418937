"""A query whose names are bound to the schema and whose values are checked: what is compiled."""

from __future__ import annotations

from dataclasses import dataclass, field

from crmarena.schema.fields import Field, FieldType
from crmarena.schema.objects import Schema, SObject
from crmarena.soql.ast import Relative
from crmarena.soql.late import Late
from crmarena.soql.node import node

Value = str | int | float | Relative | Late | None


@node
class Join:
    """A parent's table, joined through a reference field of another table of the statement."""

    alias: str
    object_name: str
    on_alias: str
    on_field: str


@node
class Step:
    """One relationship of a path, and the tables it may lead to."""

    relationship: str
    joins: tuple[Join, ...]
    nillable: bool = True
    """Whether a record may do without this parent."""


@node
class Column:
    """A field of the driving object or, at the end of some steps, of a parent."""

    field: Field
    alias: str
    steps: tuple[Step, ...]
    key: str
    """The canonical path: the same for every spelling of the same field."""

    @property
    def type(self) -> FieldType:
        """The field's type."""
        return self.field.type


@node
class NameColumn:
    """A field of whatever record a polymorphic reference points to."""

    field: Field
    sources: tuple[tuple[str, str], ...]
    """Table alias and field name in each target that has the field; for `Type` alias and object name."""
    steps: tuple[Step, ...]
    key: str

    @property
    def type(self) -> FieldType:
        """The field's type."""
        return self.field.type


FieldColumn = Column | NameColumn


@node
class AddressColumn:
    """A compound address: read from its parts, never a column of its own."""

    field: Field
    alias: str
    steps: tuple[Step, ...]
    key: str
    parts: tuple[tuple[str, str], ...]
    """For each part its name in the address (`postalCode`) and its field (`BillingPostalCode`)."""

    @property
    def type(self) -> FieldType:
        """An address."""
        return self.field.type


@node
class DateCall:
    """A date function over a date or datetime."""

    function: str
    argument: FieldColumn
    key: str
    local: bool = False
    """Whether convertTimezone stands around the argument: in the viewer's zone, not in UTC."""

    @property
    def type(self) -> FieldType:
        """A day for DAY_ONLY, a number for the rest."""
        return FieldType.DATE if self.function == "DAY_ONLY" else FieldType.INT


@node
class Aggregate:
    """An aggregate function; COUNT counts rows where the argument is the driving object's Id."""

    function: str
    argument: FieldColumn
    key: str

    @property
    def type(self) -> FieldType:
        """A count, an average, or what the argument is."""
        if self.function in {"COUNT", "COUNT_DISTINCT"}:
            return FieldType.INT
        return FieldType.DOUBLE if self.function == "AVG" else self.argument.type


@node
class Grouping:
    """`GROUPING(field)`: 1 on a subtotal row over the field, else 0."""

    argument: FieldColumn | DateCall
    key: str

    @property
    def type(self) -> FieldType:
        """A number."""
        return FieldType.INT


@node
class Distance:
    """`DISTANCE(address, GEOLOCATION(...), unit)`."""

    address: AddressColumn
    latitude: float
    longitude: float
    radius: float
    """Of the Earth, in the unit asked for."""
    key: str

    @property
    def type(self) -> FieldType:
        """A number."""
        return FieldType.DOUBLE


@node
class Formatted:
    """`FORMAT(...)`: a number or date as the viewer's locale writes it."""

    argument: FieldColumn | Aggregate
    key: str

    @property
    def type(self) -> FieldType:
        """A text."""
        return FieldType.STRING

    @property
    def style(self) -> FieldType:
        """The type as which the value is written: the average of amounts is an amount."""
        argument = self.argument
        if isinstance(argument, Aggregate) and argument.function == "AVG":
            return FieldType.CURRENCY if argument.argument.type is FieldType.CURRENCY else FieldType.DOUBLE
        return argument.type


Expression = Column | NameColumn | AddressColumn | DateCall | Aggregate | Grouping | Distance | Formatted
Comparable = Column | NameColumn | DateCall | Aggregate | Grouping | Distance
"""What may stand on the left of an operator, be grouped or sort."""


@node
class Test:
    """`expression operator values`, values checked against the type: Ids of 18 characters, 0 and 1."""

    expression: Comparable
    operator: str
    """`=`, `!=`, `<`, `<=`, `>`, `>=`, `LIKE`, `IN`, `NOT IN`, `INCLUDES`, `EXCLUDES`."""
    values: tuple[Value, ...]


@node
class Semi:
    """`column [NOT] IN (query)`."""

    column: Column
    negated: bool
    query: BoundQuery
    selected: Column


@node
class Negation:
    """Neither false nor unknown: the opposite of a condition, in two-valued logic."""

    term: Condition


@node
class Junction:
    """Conditions joined by AND or OR."""

    operator: str
    terms: tuple[Condition, ...]


Condition = Test | Semi | Negation | Junction


@node
class Output:
    """A selected value. Without an alias its key is the field's name, below its relationships."""

    expression: Expression
    alias: str | None = None


@node
class Branches:
    """A TYPEOF: for each named type its outputs, and those for any other."""

    step: Step
    branches: tuple[tuple[Join, tuple[Output, ...]], ...]
    otherwise: tuple[Output, ...]


@node
class Children:
    """A child query: the relationship, the reference field in the child, its own bound query."""

    relationship: str
    field: str
    query: BoundQuery


Selected = Output | Branches | Children


@node
class Order:
    """One sort key."""

    expression: Comparable
    descending: bool
    nulls_first: bool | None


@dataclass(slots=True)
class BoundQuery:
    """A bound query. `kind` is `records`, `count` (for COUNT()) or `aggregate`."""

    schema: Schema
    sobject: SObject
    alias: str
    joins: list[Join]
    kind: str = "records"
    select: tuple[Selected, ...] = ()
    where: Condition | None = None
    group_by: tuple[FieldColumn | DateCall, ...] = ()
    grouping: str | None = None
    having: Condition | None = None
    order_by: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int | None = None
    grouped: bool = field(default=False)
    """Whether there is a GROUP BY; an aggregate query without one has exactly one row."""
