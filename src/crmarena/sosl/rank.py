"""The rows of an object that match, in order of relevance, as SQL.

A record is the more relevant the more often, and in the weightier fields, it holds words that few
records hold; those side by side count once more. Among equals the older record comes first.
"""

from __future__ import annotations

from crmarena.schema.objects import SObject
from crmarena.soql import ast as soql
from crmarena.soql.compile import Given
from crmarena.sosl.groups import weights
from crmarena.storage import ddl

_PRICED = 'SELECT rowid FROM "Product2" WHERE Id IN (SELECT Product2Id FROM "PricebookEntry" WHERE'


def matches(sobject: SObject, query: soql.Query, pricebooks: int) -> Given:
    """The rows that match.

    The parameters are the full-text query, whether to rank, and for products the price books
    that they must all be in. Where all that is found counts alike, the best are enough.
    """
    texts = ddl.quote(ddl.search_table(sobject))
    worth = weights(sobject.name, ddl.search_fields(sobject), sobject.name_field)
    rank = f"CASE WHEN ?2 THEN bm25({texts}, {worth}) ELSE 0 END"
    pricebooks = pricebooks if sobject.name == "Product2" else 0
    priced = "".join(f" AND rowid IN ({_PRICED} Pricebook2Id = ?{3 + place}))" for place in range(pricebooks))
    found = f"FROM {texts} WHERE {texts} MATCH ?1{priced}"
    if query.order_by:
        table = f"(SELECT rowid AS value, 0 AS key {found})"
    elif query.where is not None:
        table = f"(SELECT rowid AS value, {rank} AS key {found})"
    else:
        best = (query.limit or 0) + (query.offset or 0)
        table = f"(SELECT rowid AS value, {rank} AS key {found} ORDER BY key, rowid LIMIT {best})"
    return Given(table, 2 + pricebooks, "rowid")
