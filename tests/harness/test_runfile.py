from __future__ import annotations

from pathlib import Path

import pytest

from crmarena.errors import UsageError
from crmarena.harness.resume import resume


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "no run.json"),
        ("{", "run.json cannot be read"),
        ('{"settings": {"epochs": "many"}}', "settings.epochs"),
    ],
)
def test_a_folder_without_a_readable_run_file_is_told(tmp_path: Path, content: str | None, said: str) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    if content is not None:
        (folder / "run.json").write_text(content, encoding="utf-8")
    before = sorted(folder.iterdir())
    with pytest.raises(UsageError, match=said) as caught:
        resume(folder)
    assert "\n" not in str(caught.value)
    assert sorted(folder.iterdir()) == before
