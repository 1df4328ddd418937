"""How long a token lasts, and how soon other workers learn that it has ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from crmarena.server.caller import Desk
from tests.server.conftest import USERNAME, settings_for


def desk_for(org_file: Path, folder: Path) -> Desk:
    return Desk(settings_for(org_file, folder, token_ttl=7_200.0))


def age(desk: Desk, seconds: float) -> None:
    """Let all tokens have been used so much earlier than they were."""
    with desk.state.change() as connection:
        connection.execute("UPDATE tokens SET used = used - ?", (seconds,))


def eventually(true: Callable[[], bool]) -> bool:
    until = time.monotonic() + 20
    while time.monotonic() < until:
        if true():
            return True
        time.sleep(0.02)
    return False


def test_a_token_is_good_in_every_worker(org_file: Path, tmp_path: Path) -> None:
    one, other = desk_for(org_file, tmp_path), desk_for(org_file, tmp_path)
    token = one.tokens.issue(USERNAME)
    assert other.tokens.find(token.text) == one.tokens.find(token.text) == token
    assert other.tokens.find(token.text + "x") is None


def test_a_token_ends_when_it_is_not_used(org_file: Path, tmp_path: Path) -> None:
    desk = desk_for(org_file, tmp_path)
    text = desk.tokens.issue(USERNAME).text
    age(desk, 7_000)
    assert desk_for(org_file, tmp_path).tokens.find(text) is not None
    age(desk, 300)
    assert desk_for(org_file, tmp_path).tokens.find(text) is None
    assert desk.tokens.find(text) is None
    desk.tokens.sweep()
    assert desk.tokens.logins() == set()


def test_use_in_one_worker_keeps_a_token_good_in_all(org_file: Path, tmp_path: Path) -> None:
    one, other = desk_for(org_file, tmp_path), desk_for(org_file, tmp_path)
    text = one.tokens.issue(USERNAME).text
    age(one, 7_000)
    assert one.tokens.find(text) is not None
    one.tokens.sweep()
    age(one, 7_000)
    assert other.tokens.find(text) is not None


def test_a_revocation_reaches_the_other_workers_soon(org_file: Path, tmp_path: Path) -> None:
    one, other = desk_for(org_file, tmp_path), desk_for(org_file, tmp_path)
    text = one.tokens.issue(USERNAME).text
    assert other.tokens.find(text) is not None
    assert one.tokens.revoke(text) is not None
    assert one.tokens.find(text) is None
    assert eventually(lambda: other.tokens.find(text) is None)


def test_ended_logins_are_forgotten_and_those_with_a_refresh_token_kept(
    org_file: Path, tmp_path: Path
) -> None:
    desk = desk_for(org_file, tmp_path)
    ended, kept = desk.tokens.issue(USERNAME), desk.tokens.issue(USERNAME)
    desk.tokens.issue_refresh(kept, "again")
    age(desk, 10_000)
    desk.tokens.sweep()
    assert desk.tokens.logins() == {kept.login}
    fresh = desk.tokens.refresh("again")
    assert fresh is not None
    assert fresh.login == kept.login
    assert desk.tokens.refresh(ended.text) is None
