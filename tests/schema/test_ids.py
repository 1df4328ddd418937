from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crmarena.schema.ids import checksum, make_id, to_18

LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
shorts = st.text(LETTERS, min_size=15, max_size=15)


@pytest.mark.parametrize(
    ("short", "suffix"),
    [("0034000000QnQVP", "AA3"), ("005B0000000hMtx", "IAE"), ("001000000000001", "AAA")],
)
def test_the_checksum_is_salesforces(short: str, suffix: str) -> None:
    assert checksum(short) == suffix
    assert to_18(short) == short + suffix


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "001",
        "00100000000000",
        "0010000000000012",
        "001000000000001AA",
        "001000000000001AAA0",
        "00100000000000-",
        "001000000000001AA!",
        "001000000000001AA9",
        "001000000000001BAA",
        "\u0660" * 15,
        "001000000000001\n",
    ],
)
def test_what_is_no_id_has_no_long_form(wrong: str) -> None:
    assert to_18(wrong) is None


@given(shorts)
def test_a_long_id_stays_itself_and_begins_with_the_short_one(short: str) -> None:
    whole = to_18(short)
    assert whole is not None
    assert whole[:15] == short
    assert to_18(whole) == whole


@given(shorts, st.sampled_from([str.upper, str.lower, str.swapcase]))
def test_a_lost_letter_case_is_restored(short: str, lose: type[str]) -> None:
    assert to_18(lose(short + checksum(short))) == short + checksum(short)


@given(shorts, st.integers(0, 14))
def test_another_letter_case_is_another_record(short: str, place: int) -> None:
    other = short[:place] + short[place].swapcase() + short[place + 1 :]
    assert (to_18(other) == to_18(short)) == (other == short)


@given(
    st.sampled_from(["001", "00Q", "a00", "ka0"]),
    st.text(LETTERS, min_size=1, max_size=6),
    st.integers(0, 62**6 - 1),
)
def test_made_ids_are_whole_and_distinct(prefix: str, pod: str, number: int) -> None:
    made = make_id(prefix, pod, number)
    assert made.startswith(prefix + pod)
    assert to_18(made) == made
    assert made != make_id(prefix, pod, number + 1)
