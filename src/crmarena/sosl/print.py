"""A syntax tree back into SOSL text, which parses to the same tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from crmarena.soql import ast as soql
from crmarena.soql import print as soql_print
from crmarena.sosl.ast import AllOf, AnyOf, Expression, FieldGroup, Returning, Search, Term, With, Without


def to_text(search: Search) -> str:
    """The text of a search on one line. The search must have a term."""
    if search.expression is None:
        raise ValueError("a search too long to be run has no text")
    clauses = [f"FIND {{{expression(search.expression)}}}"]
    if search.group is not FieldGroup.ALL:
        clauses.append(f"IN {search.group} FIELDS")
    if search.returning:
        clauses.append(f"RETURNING {', '.join(_returning(entry) for entry in search.returning)}")
    clauses += [f"WITH {clause}" for clause in _with(search.options)]
    if search.limit is not None:
        clauses.append(f"LIMIT {search.limit}")
    if search.updates:
        clauses.append(f"UPDATE {', '.join(search.updates)}")
    return " ".join(clauses)


def expression(node: Expression) -> str:
    """The text of a search expression."""
    match node:
        case Term(text, phrase):
            return f'"{text}"' if phrase else text
        case AllOf(terms):
            # A small "not" behind AND would be half of an operator.
            return " ".join(_inner(term, AllOf, AnyOf, Without) for term in terms)
        case AnyOf(terms):
            return " OR ".join(_inner(term, AnyOf) for term in terms)
        case Without(wanted, unwanted):
            return f"{_inner(wanted, AnyOf, Without)} AND NOT {_inner(unwanted, AnyOf)}"


def _inner(node: Expression, *bracketed: type) -> str:
    text = expression(node)
    return f"({text})" if isinstance(node, bracketed) else text


def _returning(entry: Returning) -> str:
    query, name = entry.query, entry.object_name
    if not entry.listed:
        return name
    head = soql_print.to_text(soql.Query(query.select, query.source))
    parts = [head.removeprefix("SELECT ").removesuffix(f" FROM {name}")]
    if query.where is not None:
        parts.append(f"WHERE {soql_print.condition(query.where)}")
    if entry.list_view is not None:
        parts.append(f"USING ListView = {entry.list_view}")
    tail = soql_print.to_text(replace(query, where=None)).removeprefix(head).strip()
    return f"{name}({' '.join([*parts, tail] if tail else parts)})"


def _with(options: With) -> Iterator[str]:
    if options.division is not None:
        yield f"DIVISION = {_quoted(options.division)}"
    if options.categories:
        yield f"DATA CATEGORY {' AND '.join(_category(node) for node in options.categories)}"
    if options.highlight:
        yield "HIGHLIGHT"
    if options.snippet:
        length = options.target_length
        yield "SNIPPET" if length is None else f"SNIPPET(target_length={length})"
    if len(options.networks) == 1:
        yield f"NETWORK = {_quoted(options.networks[0])}"
    elif options.networks:
        yield f"NETWORK IN ({', '.join(map(_quoted, options.networks))})"
    for pricebook in options.pricebooks:
        yield f"PricebookId = {_quoted(pricebook)}"
    if options.labels:
        yield "METADATA = 'LABELS'"
    if options.spell_correction is not None:
        yield f"SPELL_CORRECTION = {str(options.spell_correction).lower()}"


def _category(node: soql.CategoryFilter) -> str:
    names = ", ".join(node.categories)
    return f"{node.group} {node.selector} {f'({names})' if len(node.categories) > 1 else names}"


def _quoted(text: str) -> str:
    return soql_print.literal(soql.Literal(soql.LiteralKind.STRING, text))
