"""Whether a filter leaves few records, so that its index serves better than that of the order."""

from __future__ import annotations

from crmarena.schema.fields import DATE_TYPES, ID_TYPES
from crmarena.soql.bound import Column, Condition, Junction, Semi, Test


def is_selective(condition: Condition | None) -> bool:
    """Whether some part of a filter is likely to leave few rows that an index finds, out of their order."""
    if condition is None:
        return False
    if isinstance(condition, Junction):
        return condition.operator == "AND" and any(map(_selects, condition.terms))
    return _selects(condition)


def _selects(term: Condition) -> bool:
    if isinstance(term, Semi):
        return not term.negated
    if not isinstance(term, Test) or not isinstance(term.expression, Column):
        return False
    if term.expression.steps:
        return term.operator in {"=", "IN"}
    kind = term.expression.type
    return (kind in DATE_TYPES and term.operator != "!=") or (kind in ID_TYPES and term.operator == "IN")
