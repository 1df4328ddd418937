from __future__ import annotations

from typing import Any

import pytest

from crmarena.cli.sheets import UNKNOWN, Cell, Columns, sheet

NOTHING = Cell.NOTHING
LEE, KIM = {"LastName": "Lee", "Cases": None}, {"LastName": "Kim", "Cases": [{"Id": "1"}, {"Id": "2"}]}


@pytest.mark.parametrize(
    ("records", "headings", "rows"),
    [
        ([], (), ()),
        ([{"Id": "1", "Name": None}], ("Id", "Name"), (("1", None),)),
        # A parent that is not there has null fields, in the columns of those that are.
        (
            [
                {"Id": "1", "Owner": None, "Z": 1},
                {"Id": "2", "Owner": {"Name": "Ines", "Manager": None}, "Z": 2},
            ],
            ("Id", "Owner.Name", "Owner.Manager", "Z"),
            (("1", None, None, 1), ("2", "Ines", None, 2)),
        ),
        ([{"Id": "1", "Owner": None}], ("Id", "Owner"), (("1", None),)),
        # A field of another object is not null: it is not there.
        (
            [{"What": {"Phone": "1"}}, {"What": {"Subject": "x"}}],
            ("What.Phone", "What.Subject"),
            (("1", NOTHING), (NOTHING, "x")),
        ),
        # Each child has a row; a parent without children has its own alone.
        (
            [{"Name": "Acme", "Contacts": [LEE, KIM], "Z": 1}, {"Name": "Zeta", "Contacts": None, "Z": None}],
            ("Name", "Contacts.LastName", "Contacts.Cases.Id", "Z"),
            (
                ("Acme", "Lee", NOTHING, 1),
                (NOTHING, "Kim", "1", NOTHING),
                (NOTHING, NOTHING, "2", NOTHING),
                ("Zeta", NOTHING, NOTHING, None),
            ),
        ),
    ],
    ids=["nothing", "null", "null parent", "parent always null", "two objects", "children"],
)
def test_records_as_a_table(
    records: list[dict[str, Any]], headings: tuple[str, ...], rows: tuple[tuple[Any, ...], ...]
) -> None:
    page = sheet(records, children=True)
    assert (page.headings, page.rows, page.records) == (headings, rows, len(records))


def test_children_as_one_cell() -> None:
    page = sheet([{"Name": "Acme", "Contacts": [LEE]}, {"Name": "Zeta", "Contacts": None}], children=False)
    assert page.headings == ("Name", "Contacts")
    assert page.rows == (("Acme", [LEE]), ("Zeta", None))


@pytest.mark.parametrize(
    ("children", "headings", "row"),
    [
        (
            True,
            ("Id", "Owner.Name", "Contacts.LastName", "Contacts.Cases.Id", "Z"),
            ("1", None, NOTHING, NOTHING, 2),
        ),
        (False, ("Id", "Owner.Name", "Contacts", "Z"), ("1", None, None, 2)),
    ],
)
def test_columns_that_are_known_are_there_without_a_value(
    children: bool, headings: tuple[str, ...], row: tuple[Any, ...]
) -> None:
    columns = Columns(
        ("Id", "Owner.Name", "Contacts.LastName", "Contacts.Cases.Id", "Z"),
        frozenset({"Contacts", "Contacts.Cases"}),
    )
    page = sheet([{"Id": "1", "Owner": None, "Contacts": None, "Z": 2}], children=children, columns=columns)
    assert (page.headings, page.rows) == (headings, (row,))
    assert sheet([], children=children, columns=columns).headings == headings
    assert sheet([], children=children, columns=UNKNOWN).headings == ()
