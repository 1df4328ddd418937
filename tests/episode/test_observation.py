"""Results as an agent reads them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from crmarena.episode.observation import render

Records = list[dict[str, Any]]


@pytest.mark.parametrize(
    ("records", "shown"),
    [
        ([], []),
        ([{"Id": "a", "Name": None}], [{"Id": "a"}]),
        (
            [{"Id": "a", "Name": None}, {"Id": "b", "Name": "B"}],
            [{"Id": "a", "Name": None}, {"Id": "b", "Name": "B"}],
        ),
        ([{"Id": "a", "Account": {"Name": "Zoë"}}], [{"Id": "a", "Account": {"Name": "Zoë"}}]),
        ([{"Id": "a", "Cases": None}], [{"Id": "a"}]),
        ([{"Closed": False, "Amount": 0}], [{"Closed": False, "Amount": 0}]),
    ],
    ids=["nothing", "null", "partly null", "parent", "no children", "false and zero"],
)
def test_records_are_a_json_list(records: Records, shown: Records) -> None:
    assert json.loads(render(records, 1000)) == shown


def test_letters_are_shown_as_they_are() -> None:
    assert render([{"Name": "Zoë"}], 1000) == '[{"Name": "Zoë"}]'


def test_what_does_not_fit_is_left_out_by_whole_records_and_said() -> None:
    records = [{"Id": f"{n:03d}"} for n in range(100)]
    text = render(records, 200)
    listed, note = text.split("\n")
    assert json.loads(listed) == records[:15]
    assert note.startswith("... 15 of 100 records are shown")
    assert len(listed) <= 200 + 2 * 15 + 2


def test_of_one_long_record_the_beginning_is_shown() -> None:
    text = render([{"Body": "x" * 5000}, {"Body": "y"}], 300)
    assert text.startswith('[{"Body": "xxx')
    assert "cut here after 300 characters, in the first of 2 records" in text
    assert len(text) < 500


def test_what_fits_exactly_is_not_cut() -> None:
    records = [{"Id": "1"}]
    assert render(records, len('{"Id": "1"}')) == '[{"Id": "1"}]'
