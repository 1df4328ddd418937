from __future__ import annotations

from pathlib import Path

import pytest
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory

from crmarena.cli.shell.prompt import LineStyles, history, is_ready


@pytest.mark.parametrize(
    ("text", "ready"),
    [
        ("", True),
        ("  ", True),
        (".tables", True),
        ("SELECT Id FROM Case;", True),
        ("SELECT Id FROM Case", False),
        ("SELECT Id FROM Case\n", True),
        ("SELECT Id\n", False),
        ("SELECT Id FROM Case WHERE Subject = 'a;", False),
        ("SELECT Id FROM Case WHERE Subject = 'a\n", False),
        ("FIND {acme} RETURNING Case(Id\n", False),
    ],
)
def test_enter_runs_what_is_ended(text: str, ready: bool) -> None:
    assert is_ready(Document(text)) == ready


def test_an_empty_line_in_the_middle_ends_nothing() -> None:
    assert not is_ready(Document("SELECT Id\n\nFROM Case", cursor_position=10))


@pytest.mark.parametrize(
    "text",
    [
        "SELECT Id, 'it\\'s'\nFROM Case\n\nWHERE A = 1.5;",
        "FIND {a\nb} RETURNING",
        ".describe Case",
        "",
        "\n\n",
        "'open\nend",
    ],
)
def test_colours_change_no_letter(text: str) -> None:
    styled = LineStyles(Document(text))
    lines = ["".join(piece[1] for piece in styled(number)) for number in range(text.count("\n") + 1)]
    assert "\n".join(lines) == text
    assert styled(1_000) == []


def test_keywords_literals_and_commands_have_colours() -> None:
    styled = {piece[1]: piece[0] for piece in LineStyles(Document("select Id FROM Case LIMIT 5"))(0)}
    assert (styled["select"], styled["Id"], styled["5"]) == ("class:keyword", "", "class:number")
    assert LineStyles(Document(".quit"))(0) == [("class:dot", ".quit")]


def test_without_a_folder_of_its_own_history_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    monkeypatch.setenv("CRMARENA_DATA_DIR", str(tmp_path / "taken"))
    assert isinstance(history(), InMemoryHistory)
    assert "history is not kept" in capsys.readouterr().err


def test_only_its_owner_reads_the_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRMARENA_DATA_DIR", str(tmp_path / "data"))
    history().append_string("SELECT Id FROM Case;")
    kept = tmp_path / "data" / "shell_history"
    assert kept.stat().st_mode & 0o077 == 0
    assert "SELECT Id FROM Case;" in kept.read_text(encoding="utf-8")
