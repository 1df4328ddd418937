"""What a live org fills in by itself when a record is written: names, marks, closing times, line prices.

chosen: the totals of an order, a quote or an opportunity do not follow their lines, a new
person account gets no contact, and an opportunity's stages tell closed from open only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from crmarena.clock import add_months
from crmarena.schema.objects import SObject

Record = dict[str, Any]

_CLOSED = "Closed"
_STATUS_CODES = {"In Approval Process": "InApproval"}


@dataclass(frozen=True, slots=True)
class Context:
    """When and by whom a record is written, and its parents."""

    now: str
    user_id: str | None
    parent: Callable[[str, str | None], Mapping[str, Any] | None]
    """The record of an object and an Id, if it is there."""


def complete(sobject: SObject, record: Record, before: Mapping[str, Any] | None, context: Context) -> None:
    """Fill in a record that is about to be written; `before` is None for a new one."""
    changed = frozenset(record) if before is None else _differing(record, before)
    _person_name(sobject, record, changed)
    rule = _RULES.get(sobject.name)
    if rule is not None:
        rule(record, changed, before is None, context)


def _differing(record: Record, before: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(name for name, value in record.items() if before[name] != value)


def _person_name(sobject: SObject, record: Record, changed: frozenset[str]) -> None:
    if "FirstName" not in sobject.fields or not changed & {"FirstName", "LastName"}:
        return
    if sobject.name == "Account":
        if record["LastName"] is None:
            return
        record["IsPersonAccount"] = True
    record["Name"] = " ".join(part for part in (record["FirstName"], record["LastName"]) if part)


def _case(record: Record, changed: frozenset[str], new: bool, context: Context) -> None:
    if "Status" in changed:
        was_closed, record["IsClosed"] = record["IsClosed"], record["Status"] == _CLOSED
        if not record["IsClosed"]:
            record["ClosedDate"] = None
        elif not was_closed or record["ClosedDate"] is None:
            record["ClosedDate"] = context.now
    if new and record["AccountId"] is None:
        contact = context.parent("Contact", record["ContactId"])
        record["AccountId"] = contact["AccountId"] if contact else None


def _opportunity(record: Record, changed: frozenset[str], new: bool, context: Context) -> None:
    if "StageName" in changed:
        record["IsClosed"] = record["StageName"] == _CLOSED
        if not new:
            record["LastStageChangeDate"] = context.now
    if changed & {"Amount", "Probability"}:
        known = record["Amount"] is not None and record["Probability"] is not None
        record["ExpectedRevenue"] = (
            round(record["Amount"] * record["Probability"] / 100, 2) if known else None
        )


def _task(record: Record, changed: frozenset[str], new: bool, context: Context) -> None:
    record["IsHighPriority"] = record["Priority"] == "High"
    if "Status" in changed:
        record["IsClosed"] = record["Status"] == "Completed"
        record["CompletedDateTime"] = context.now if record["IsClosed"] else None


def _order(record: Record, changed: frozenset[str], new: bool, context: Context) -> None:
    if "Status" in changed:
        _activate(record, context)
        record["ActivatedById"] = context.user_id if record["ActivatedDate"] else None


def _contract(record: Record, changed: frozenset[str], new: bool, context: Context) -> None:
    if "Status" in changed:
        _activate(record, context)
    if changed & {"StartDate", "ContractTerm"}:
        known = record["StartDate"] is not None and record["ContractTerm"] is not None
        record["EndDate"] = _end_date(record["StartDate"], record["ContractTerm"]) if known else None


def _activate(record: Record, context: Context) -> None:
    record["StatusCode"] = _STATUS_CODES.get(record["Status"], record["Status"])
    record["ActivatedDate"] = context.now if record["Status"] == "Activated" else None


def _end_date(start: str, months: int) -> str | None:
    """The last day of a term that begins on a day."""
    try:
        return (add_months(date.fromisoformat(start), months) - timedelta(days=1)).isoformat()
    except (ValueError, OverflowError):
        return None


def _line(record: Record, changed: frozenset[str], new: bool, context: Context) -> None:
    if "PricebookEntryId" in changed:
        entry = context.parent("PricebookEntry", record["PricebookEntryId"])
        if entry:
            record["Product2Id"] = entry["Product2Id"]
            record["ListPrice"] = entry["UnitPrice"]
            if record["UnitPrice"] is None and record["TotalPrice"] is None:
                record["UnitPrice"] = entry["UnitPrice"]
    _price(record, changed)


def _opportunity_line(record: Record, changed: frozenset[str], new: bool, context: Context) -> None:
    _line(record, changed, new, context)
    if changed & {"PricebookEntryId", "Product2Id", "OpportunityId"}:
        product = context.parent("Product2", record["Product2Id"])
        opportunity = context.parent("Opportunity", record["OpportunityId"])
        if product and opportunity:
            record["Name"] = f"{opportunity['Name']} {product['Name']}"
            record["ProductCode"] = product["ProductCode"]


def _price(record: Record, changed: frozenset[str]) -> None:
    quantity, price = record["Quantity"], record["UnitPrice"]
    if quantity is None or not changed & {"Quantity", "UnitPrice", "Discount", "PricebookEntryId"}:
        return
    if price is not None:
        record["TotalPrice"] = round(quantity * price * (1 - (record.get("Discount") or 0.0) / 100), 2)
    elif record["TotalPrice"] is not None and quantity:
        record["UnitPrice"] = round(record["TotalPrice"] / quantity, 2)


def _pricebook_entry(record: Record, changed: frozenset[str], new: bool, context: Context) -> None:
    product = context.parent("Product2", record["Product2Id"]) if "Product2Id" in changed else None
    if product:
        record["Name"], record["ProductCode"] = product["Name"], product["ProductCode"]


_RULES: dict[str, Callable[[Record, frozenset[str], bool, Context], None]] = {
    "Case": _case,
    "Contract": _contract,
    "Opportunity": _opportunity,
    "OpportunityLineItem": _opportunity_line,
    "Order": _order,
    "OrderItem": _line,
    "PricebookEntry": _pricebook_entry,
    "QuoteLineItem": _line,
    "Task": _task,
}
