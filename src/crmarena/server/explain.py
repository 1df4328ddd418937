"""`explain`: the plan of a query in Salesforce's shape, with the counts of this org."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crmarena.schema.fields import Field, FieldType
from crmarena.schema.objects import SObject
from crmarena.server.caller import Caller
from crmarena.soql import ast
from crmarena.soql.faults import fault
from crmarena.soql.run import parse_text

_SELECTIVE = 0.3
"""An index pays, Salesforce's guide says, while it leaves less than 30% of the records."""
_SCAN_COST = 2.0
"""The relative cost of reading all records. chosen: over 1, where an index does not pay."""
_DATES = frozenset({"CreatedDate", "LastModifiedDate", "SystemModstamp"})
_UNINDEXED = "Not considering filter for optimization because unindexed"


def plan(by: Caller, text: str) -> dict[str, Any]:
    """The one plan there is. Raises SalesforceError, as the query itself would."""
    found = by.query(text).total_size
    tree = parse_text(text, by.api_version)
    sobject = by.session.schema.object(tree.source[0].path.text)
    if sobject is None:
        raise fault("unknown_object", name=tree.source[0].path.text)
    every = by.query(f"SELECT COUNT() FROM {sobject.name}").total_size
    filtered = list(dict.fromkeys(_filtered(tree.where, sobject)))
    indexed = [field.name for field in filtered if _has_index(field, sobject)]
    others = [field.name for field in filtered if not _has_index(field, sobject)]
    cost = found / max(every * _SELECTIVE, 1) if indexed else _SCAN_COST
    note = {"description": _UNINDEXED, "fields": others, "tableEnumOrId": sobject.name}
    shown = {
        "cardinality": found,
        "fields": indexed,
        "leadingOperationType": "Index" if indexed else "TableScan",
        "notes": [note] if others else [],
        "relativeCost": round(cost, 3),
        "sobjectCardinality": every,
        "sobjectType": sobject.name,
    }
    return {"plans": [shown], "sourceQuery": text}


def _filtered(condition: ast.Condition | None, sobject: SObject) -> Iterator[Field]:
    """The fields of the object that must have certain values: those of alternatives are not among them."""
    if isinstance(condition, ast.And):
        for term in condition.terms:
            yield from _filtered(term, sobject)
    elif isinstance(condition, ast.Comparison | ast.Membership | ast.SemiJoin):
        parts = condition.left.parts if isinstance(condition.left, ast.Path) else ()
        field = sobject.field(parts[0]) if len(parts) == 1 else None
        if field is not None:
            yield field


def _has_index(field: Field, sobject: SObject) -> bool:
    """Whether Salesforce indexes a field of its own accord."""
    keyed = field.type in (FieldType.ID, FieldType.REFERENCE) or field.external_id or field.unique
    return keyed or field.name == sobject.name_field or field.name in _DATES
