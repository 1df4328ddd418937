"""Standard fields that a published dump lacks and that published tools filter on or read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from crmarena.storage import ddl
from crmarena.storage.database import Database

# A published org shows no drafts and has no inactive users, prices or assignments; of
# an article it does not say whether customers see it.
_CONSTANTS: dict[str, dict[str, str | int]] = {
    "Knowledge__kav": {
        "PublishStatus": "Online",
        "Language": "en_US",
        "IsLatestVersion": 1,
        "IsVisibleInPkb": 1,
        "IsVisibleInCsp": 1,
    },
    "User": {"IsActive": 1},
    "PricebookEntry": {"IsActive": 1},
    "UserTerritory2Association": {"IsActive": 1},
}
_CONTRACT = "the only contract of the account that starts that day"
_OPPORTUNITY = "the only opportunity of its contract"
_RECIPIENTS = "the addresses of ToIds"

_ORDER_CONTRACT = """
UPDATE "Order" SET ContractId = (
    SELECT MIN(c.Id) FROM Contract c
    WHERE c.AccountId = "Order".AccountId AND c.StartDate = "Order".EffectiveDate
    HAVING COUNT(*) = 1)
WHERE (SELECT COUNT(*) FROM "Order" o
       WHERE o.AccountId = "Order".AccountId AND o.EffectiveDate = "Order".EffectiveDate) = 1
"""
_ORDER_OPPORTUNITY = """
UPDATE "Order" SET OpportunityId = (
    SELECT MIN(o.Id) FROM Opportunity o WHERE o.ContractID__c = "Order".ContractId HAVING COUNT(*) = 1)
WHERE ContractId IS NOT NULL
"""
_ID = re.compile(r"(?<![0-9A-Za-z])[0-9A-Za-z]{18}(?![0-9A-Za-z])")


@dataclass(frozen=True)
class Filled:
    """A field that was given a value, and in how many records."""

    field: str
    value: str
    """The value, or how it was found."""
    count: int


def fill(database: Database, given: Mapping[str, frozenset[str]]) -> tuple[Filled, ...]:
    """Fill what the dump does not give (`given`: the fields of each object that it does)."""
    return tuple(filled for filled in _steps(database, given) if filled.count)


def _steps(database: Database, given: Mapping[str, frozenset[str]]) -> Iterator[Filled]:
    for name, values in _CONSTANTS.items():
        for field, value in values.items():
            if name in given and field not in given[name]:
                yield _constant(database, name, field, value)
    if "ToAddress" not in given.get("EmailMessage", {"ToAddress"}):
        yield Filled("EmailMessage.ToAddress", _RECIPIENTS, _fill_recipients(database))
    order = given.get("Order", frozenset())
    if order >= {"AccountId", "EffectiveDate"} and "ContractId" not in order and "Contract" in given:
        # Without these indexes a large dump takes a time that grows with its square.
        _index(database, "Order", "AccountId", "EffectiveDate")
        _index(database, "Contract", "AccountId", "StartDate")
        database.connection.execute(_ORDER_CONTRACT)
        yield Filled("Order.ContractId", _CONTRACT, _count(database, "Order", "ContractId"))
    if order and "OpportunityId" not in order and "Opportunity" in given:
        _index(database, "Opportunity", "ContractID__c")
        database.connection.execute(_ORDER_OPPORTUNITY)
        yield Filled("Order.OpportunityId", _OPPORTUNITY, _count(database, "Order", "OpportunityId"))
    for name in ("filling.Order", "filling.Contract", "filling.Opportunity"):
        database.connection.execute(f"DROP INDEX IF EXISTS {ddl.quote(name)}")


def _constant(database: Database, name: str, field: str, value: str | int) -> Filled:
    done = database.connection.execute(f"UPDATE {ddl.quote(name)} SET {ddl.quote(field)} = ?", (value,))
    return Filled(f"{name}.{field}", value if isinstance(value, str) else "true", done.rowcount)


def _fill_recipients(database: Database) -> int:
    """Write the addresses of an e-mail's recipients where all of them are known."""
    addresses: dict[str, str] = {}
    for name in ("User", "Contact", "Lead"):
        if name in database.schema.objects:
            found = database.connection.execute(f'SELECT Id, Email FROM "{name}" WHERE Email IS NOT NULL')
            addresses |= dict(found.fetchall())
    emails = database.connection.execute("SELECT Id, ToIds FROM EmailMessage WHERE ToIds IS NOT NULL")
    updates = []
    for email, recipients in emails.fetchall():
        ids = _ID.findall(recipients)
        if ids and all(record_id in addresses for record_id in ids):
            updates.append(("; ".join(addresses[record_id] for record_id in ids), email))
    database.connection.executemany("UPDATE EmailMessage SET ToAddress = ? WHERE Id = ?", updates)
    return len(updates)


def _index(database: Database, table: str, *columns: str) -> None:
    listed = ", ".join(ddl.quote(column) for column in columns)
    database.connection.execute(
        f"CREATE INDEX {ddl.quote(f'filling.{table}')} ON {ddl.quote(table)} ({listed})"
    )


def _count(database: Database, table: str, column: str) -> int:
    statement = f"SELECT COUNT({ddl.quote(column)}) FROM {ddl.quote(table)}"
    count: int = database.connection.execute(statement).fetchone()[0]
    return count
