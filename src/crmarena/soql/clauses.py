"""The rules of USING SCOPE, WITH and the clauses at the end of a query."""

from __future__ import annotations

from crmarena.schema import ids
from crmarena.schema.objects import SObject
from crmarena.schema.scopes import SCOPES, supported_scopes
from crmarena.soql import ast
from crmarena.soql.ast import LiteralKind
from crmarena.soql.bound import Column, Condition, Junction, Test, Value
from crmarena.soql.faults import fault, fault_at
from crmarena.soql.late import Runner
from crmarena.soql.scope import Scope
from crmarena.soql.tokens import Source

ARTICLE_SUFFIX = "__kav"
"""What the name of an object of knowledge articles ends in: only they have statistics and categories."""


def scope_condition(name: str | None, scope: Scope) -> Condition | None:
    """What a filter scope leaves of an object's records; None for all of them."""
    if name is None:
        return None
    word = SCOPES[name.lower()]
    sobject = scope.sobject
    if word not in supported_scopes(sobject):
        raise fault("scope", scope=word, object=sobject.name)
    if word == "mine":
        return _test(scope, "OwnerId", "=", Runner())
    if word == "delegated":
        # Tasks that the viewer made and gave to somebody else.
        made, kept = _test(scope, "CreatedById", "=", Runner()), _test(scope, "OwnerId", "!=", Runner())
        return Junction("AND", (made, kept))
    if word == "MRU":
        # chosen: an org offline remembers no looks at a record, so nothing was looked at.
        return _test(scope, "Id", "=", None)
    # chosen: an org without scoping rules shows everything under `scopingRule`.
    return None


def _test(scope: Scope, field: str, operator: str, value: Value) -> Test:
    column = scope.own_field(scope.sobject.fields[field])
    if not isinstance(column, Column):
        raise TypeError(f"{field} is no column")
    return Test(column, operator, (value,))


def check_context(query: ast.Query, sobject: SObject, source: Source | None) -> None:
    """What WITH says of a category or a user; the rest of it changes nothing here."""
    for category in query.categories:
        if not sobject.name.endswith(ARTICLE_SUFFIX):
            raise fault_at(source, category, "category_object", object=sobject.name)
        # The org has no category groups.
        raise fault_at(source, category, "category_group", name=category.group)
    user = query.user_id
    if user is not None and user.kind is LiteralKind.STRING and ids.to_18(str(user.value)) is None:
        raise fault_at(source, user, "invalid_id", value=user.value)


def check_tail(query: ast.Query, sobject: SObject, kind: str) -> None:
    """FOR VIEW and FOR REFERENCE change nothing here; a lock and statistics have their rules."""
    for clause in query.tail:
        if clause.startswith("UPDATE") and not sobject.name.endswith(ARTICLE_SUFFIX):
            raise fault("statistics", clause=clause, object=sobject.name)
    if "FOR UPDATE" in query.tail:
        if kind != "records":
            raise fault("lock_aggregate")
        if query.order_by:
            raise fault("lock_order")
