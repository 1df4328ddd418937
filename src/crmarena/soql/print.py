"""A syntax tree back into SOQL text, which parses to the same tree."""

from __future__ import annotations

from decimal import Decimal

from crmarena.soql import ast
from crmarena.soql.ast import LiteralKind

_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f", "'": "\\'"}


def to_text(query: ast.Query) -> str:
    """The text of a query on one line."""
    clauses = [
        f"SELECT {', '.join(_select_item(item) for item in query.select)}",
        f"FROM {', '.join(_aliased(item.path.text, item.alias) for item in query.source)}",
    ]
    if query.scope is not None:
        clauses.append(f"USING SCOPE {query.scope}")
    if query.where is not None:
        clauses.append(f"WHERE {condition(query.where)}")
    clauses.extend(_with(query))
    if query.group_by:
        clauses.append(f"GROUP BY {_groups(query)}")
    if query.having is not None:
        clauses.append(f"HAVING {condition(query.having)}")
    if query.order_by:
        clauses.append(f"ORDER BY {', '.join(_order_item(item) for item in query.order_by)}")
    for keyword, number in (("LIMIT", query.limit), ("OFFSET", query.offset)):
        if number is not None:
            clauses.append(f"{keyword} {number}")
    return " ".join([*clauses, *_tail(query.tail)])


def _tail(clauses: tuple[str, ...]) -> list[str]:
    statistics = [clause.removeprefix("UPDATE ") for clause in clauses if clause.startswith("UPDATE ")]
    update = [f"UPDATE {', '.join(statistics)}"] if statistics else []
    viewed = [clause for clause in clauses if clause in {"FOR VIEW", "FOR REFERENCE"}]
    return [*viewed, *update, *(clause for clause in clauses if clause == "FOR UPDATE")]


def _with(query: ast.Query) -> list[str]:
    if query.security is not None:
        return [f"WITH {query.security}"]
    if query.categories:
        return [f"WITH DATA CATEGORY {' AND '.join(map(_category, query.categories))}"]
    if query.visibility is not None:
        settings = ", ".join(f"{name} = {literal(value)}" for name, value in query.visibility)
        return [f"WITH RecordVisibilityContext ({settings})"]
    return [] if query.user_id is None else [f"WITH UserId = {literal(query.user_id)}"]


def _category(node: ast.CategoryFilter) -> str:
    names = ", ".join(node.categories)
    return f"{node.group} {node.selector} {f'({names})' if len(node.categories) > 1 else names}"


def condition(node: ast.Condition) -> str:
    """The text of a condition."""
    if isinstance(node, ast.And | ast.Or):
        operator = " AND " if isinstance(node, ast.And) else " OR "
        return operator.join(_term(term) for term in node.terms)
    if isinstance(node, ast.Not):
        return f"NOT {_term(node.term)}"
    left = operand(node.left)
    if isinstance(node, ast.SemiJoin):
        return f"{left} {'NOT IN' if node.negated else 'IN'} ({to_text(node.query)})"
    if isinstance(node, ast.Membership):
        return f"{left} {node.operator} ({', '.join(literal(value) for value in node.values)})"
    return f"{left} {node.operator} {literal(node.value)}"


def operand(node: ast.Operand) -> str:
    """The text of a field or function."""
    if isinstance(node, ast.Path):
        return node.text
    if isinstance(node, ast.Distance):
        place = f"GEOLOCATION({_number(node.latitude)}, {_number(node.longitude)})"
        return f"DISTANCE({node.place.text}, {place}, '{node.unit}')"
    return f"{node.function}({'' if node.argument is None else operand(node.argument)})"


def literal(node: ast.Literal) -> str:
    """The text of a value."""
    value = node.value
    if isinstance(value, ast.Relative):
        return value.name if value.count is None else f"{value.name}:{value.count}"
    if node.kind is LiteralKind.STRING:
        return _quoted(str(value).replace("\\", "\\\\"))
    if node.kind is LiteralKind.PATTERN:
        return _quoted(str(value))
    if value is None or isinstance(value, bool):
        return {None: "NULL", True: "TRUE", False: "FALSE"}[value]
    if isinstance(value, ast.Money):
        return f"{value.code}{_number(value.amount)}"
    return value if isinstance(value, str) else _number(value)


def _number(value: int | float) -> str:
    return format(Decimal(repr(value)), "f") if isinstance(value, float) else str(value)


def _quoted(text: str) -> str:
    return "'" + "".join(_ESCAPES.get(character, character) for character in text) + "'"


def _term(node: ast.Condition) -> str:
    return f"({condition(node)})" if isinstance(node, ast.And | ast.Or | ast.Not) else condition(node)


def _select_item(item: ast.SelectItem) -> str:
    expression = item.expression
    if isinstance(expression, ast.Query):
        return f"({to_text(expression)})"
    if isinstance(expression, ast.FieldsCall):
        return f"FIELDS({expression.group})"
    if isinstance(expression, ast.TypeOf):
        return _typeof(expression)
    return _aliased(operand(expression), item.alias)


def _typeof(node: ast.TypeOf) -> str:
    branches = [f"WHEN {one.object_name} THEN {_paths(one.fields)}" for one in node.branches]
    otherwise = [f"ELSE {_paths(node.otherwise)}"] if node.otherwise else []
    return " ".join(["TYPEOF", node.relationship.text, *branches, *otherwise, "END"])


def _paths(paths: tuple[ast.Path, ...]) -> str:
    return ", ".join(path.text for path in paths)


def _aliased(text: str, alias: str | None) -> str:
    return text if alias is None else f"{text} {alias}"


def _groups(query: ast.Query) -> str:
    fields = ", ".join(operand(field) for field in query.group_by)
    return fields if query.grouping is None else f"{query.grouping}({fields})"


def _order_item(item: ast.OrderItem) -> str:
    nulls = {None: "", True: " NULLS FIRST", False: " NULLS LAST"}[item.nulls_first]
    return f"{operand(item.expression)}{' DESC' if item.descending else ''}{nulls}"
