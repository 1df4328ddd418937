from __future__ import annotations

import pytest

from crmarena.errors import SalesforceError
from crmarena.soql.tokens import Source
from crmarena.sosl.ast import AllOf, AnyOf, Expression, Term, Without
from crmarena.sosl.terms import MAX_DEPTH, MAX_OPERATORS, escaped, parse_terms, unescaped

A, B, C, D = (Term(word) for word in ("alpha", "beta", "gamma", "delta"))


def parsed(text: str) -> Expression | None:
    return parse_terms(Source("{" + text + "}"), 1)[0]


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("alpha", A),
        ("  alpha  ", A),
        ("alpha beta", AllOf((A, B))),
        ("alpha AND beta and gamma", AllOf((A, B, C))),
        ("alpha OR beta or gamma", AnyOf((A, B, C))),
        ("alpha AND beta OR gamma", AnyOf((AllOf((A, B)), C))),
        ("alpha OR beta AND gamma", AnyOf((A, AllOf((B, C))))),
        ("alpha beta OR gamma", AnyOf((AllOf((A, B)), C))),
        ("alpha AND (beta OR gamma)", AllOf((A, AnyOf((B, C))))),
        ("(alpha OR beta)(gamma)", AllOf((AnyOf((A, B)), C))),
        ("alpha AND NOT beta", Without(A, B)),
        ("alpha and not beta", Without(A, B)),
        # From right to left: what is left out is all that follows.
        ("alpha AND NOT beta AND gamma", Without(A, AllOf((B, C)))),
        ("alpha AND NOT beta AND NOT gamma", Without(A, Without(B, C))),
        ("alpha beta AND NOT gamma OR delta", AnyOf((Without(AllOf((A, B)), C), D))),
        ("alpha not beta", AllOf((A, Term("not"), B))),
        ('"alpha beta"', Term("alpha beta", phrase=True)),
        ('alpha"beta gamma"', AllOf((A, Term("beta gamma", phrase=True)))),
        ('"alpha AND beta"', Term("alpha AND beta", phrase=True)),
        ("alp* b?ta", AllOf((Term("alp*"), Term("b?ta")))),
        (r"alp\*a", Term(r"alp\*a")),
        (r"AT\&T", Term(r"AT\&T")),
        (r"o\'neil \}xx", AllOf((Term(r"o\'neil"), Term(r"\}xx")))),
        (r'"al\"pha (beta\)"'.replace("(", r"\("), Term(r"al\"pha \(beta\)", phrase=True)),
        ("al+pha", Term("al+pha")),
        ("\u6771", Term("\u6771")),
        ("alpha@beta.gamma", Term("alpha@beta.gamma")),
    ],
)
def test_a_text_becomes_a_tree(text: str, tree: Expression) -> None:
    assert parsed(text) == tree


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("", "INVALID_SEARCH", "search term must be longer than one character: "),
        ("   ", "INVALID_SEARCH", "search term must be longer than one character: "),
        ('""', "INVALID_SEARCH", "search term must be longer than one character: "),
        ('"  "', "INVALID_SEARCH", "search term must be longer than one character: "),
        ("*", "INVALID_SEARCH", "search term must be longer than one character: *"),
        ("?*", "INVALID_SEARCH", "search term must be longer than one character: ?*"),
        ("7", "INVALID_SEARCH", "search term must be longer than one character: 7"),
        ("a", "INVALID_SEARCH", "search term must be longer than one character: a"),
        ("alpha OR b*", "INVALID_SEARCH", "search term must be longer than one character: b*"),
        ('"x"', "INVALID_SEARCH", "search term must be longer than one character: x"),
        ("*alpha", "INVALID_SEARCH", "search term must not start with a wildcard: *alpha"),
        ("alpha AND", "MALFORMED_SEARCH", "unexpected token: '<EOF>'"),
        ("OR alpha", "MALFORMED_SEARCH", "unexpected token: 'OR'"),
        ("NOT alpha", "MALFORMED_SEARCH", "unexpected token: 'NOT'"),
        ("alpha NOT beta", "MALFORMED_SEARCH", "unexpected token: 'NOT'"),
        ("alpha OR NOT beta", "MALFORMED_SEARCH", "unexpected token: 'NOT'"),
        ("(alpha", "MALFORMED_SEARCH", "unexpected token: '<EOF>'"),
        ("alpha)", "MALFORMED_SEARCH", "unexpected token: ')'"),
        ("()", "MALFORMED_SEARCH", "unexpected token: ')'"),
        ("(" * 30 + "alpha" + ")" * 30, "MALFORMED_SEARCH", "The search term nests too many"),
    ],
)
def test_a_wrong_text_is_an_error(text: str, code: str, said: str) -> None:
    with pytest.raises(SalesforceError) as caught:
        parsed(text)
    assert caught.value.error_code == code
    assert caught.value.text.startswith(said)


@pytest.mark.parametrize("mark", "&|![]^~:'-{")
def test_a_reserved_character_must_be_escaped(mark: str) -> None:
    with pytest.raises(SalesforceError) as caught:
        parsed(f"alpha{mark}beta")
    assert caught.value.error_code == "MALFORMED_SEARCH"
    assert caught.value.text == f"line 1:6 mismatched character '{mark}' expecting '}}'"
    assert (caught.value.row, caught.value.column) == (1, 6)
    assert parsed(f"alpha\\{mark}beta") == Term(f"alpha\\{mark}beta")
    with pytest.raises(SalesforceError, match="MALFORMED_SEARCH"):
        parsed(f'"alpha {mark} beta"')
    assert parsed(f'"alpha \\{mark} beta"') == Term(f"alpha \\{mark} beta", phrase=True)


def test_a_place_counts_rows() -> None:
    with pytest.raises(SalesforceError, match="line 2:4 mismatched character '-'"):
        parsed("alpha\nbeta-gamma")


@pytest.mark.parametrize("text", ["{alpha", '{"alpha', "{alpha\\"])
def test_an_open_end_is_an_error(text: str) -> None:
    with pytest.raises(SalesforceError, match="mismatched character '<EOF>' expecting '}'"):
        parse_terms(Source(text), 1)


def test_the_place_behind_the_brace_is_given() -> None:
    assert parse_terms(Source("FIND {alpha} IN"), 6) == (A, 12)


def test_a_very_long_text_loses_its_operators_and_then_finds_nothing() -> None:
    words = " AND ".join(["alpha"] * 400)
    longest = words + " " * (MAX_OPERATORS - len(words))
    assert parsed(longest) == AllOf((A,) * 400)
    assert parsed(longest + " AND (beta)") == AnyOf((*(A,) * 400, B))
    assert parsed("al" * 5_000) == Term("al" * 5_000)
    assert parsed("al" * 5_000 + "p") is None
    assert parsed("(" * 5_000) is None


def test_nesting_ends_where_it_is_said_to() -> None:
    assert parsed("(" * MAX_DEPTH + "alpha" + ")" * MAX_DEPTH) == A


@pytest.mark.parametrize(
    ("written", "searched"), [(r"AT\&T", "AT T"), (r"\\x", " x"), (r"\a\*b", "a b"), ("a*b?", "a*b?")]
)
def test_an_escaped_mark_parts_words(written: str, searched: str) -> None:
    assert unescaped(written) == searched


def test_a_plain_text_is_escaped_mark_by_mark() -> None:
    assert escaped("AT&T (x-1)*") == r"AT\&T \(x\-1\)\*"
    assert all(len(escaped(mark)) == 2 for mark in "?&|!{}[]()^~*:\\\"'+-")
