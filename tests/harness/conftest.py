from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from crmarena.storage import rows
from crmarena.storage.database import Database
from crmarena.tasks.files import write_instances
from crmarena.tasks.instance import Instance, Metadata, Secret, Task
from tests.harness.provider import Provider, Reply

USERS = [f"00500000000000{n}AAA" for n in range(3)]


@pytest.fixture(autouse=True)
def _own_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the machine's, no key, and a cache of the test's own."""
    for name in list(os.environ):
        if name.startswith("INSPECT_") or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("CRMARENA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Reply], Provider]]:
    """Starts a provider that `openai-api/fake/NAME` reaches."""
    with ExitStack() as stack:

        def start(reply: Reply) -> Provider:
            started = stack.enter_context(Provider(reply))
            for name, value in started.environment.items():
                monkeypatch.setenv(name, value)
            return started

        yield start


@pytest.fixture(scope="session")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_arena(tmp_path_factory.mktemp("arena"))


def make_arena(folder: Path) -> Path:
    """A folder with an org of three users and two cases, and five tasks about them."""
    with Database.create(folder / "org.db", "b2b") as database:
        people = [{"Id": user, "FirstName": "Ann", "LastName": f"Lee{n}"} for n, user in enumerate(USERS)]
        rows.insert(database, "User", people)
        cases = [
            {"Id": f"50000000000000{n}AAA", "Subject": f"Case {n}", "OwnerId": USERS[n], "Status": "Closed"}
            for n in range(2)
        ]
        rows.insert(database, "Case", cases)
        database.finish()
    write_instances(folder, [_instance(n) for n in range(5)])
    return folder


def _instance(number: int) -> Instance:
    """Who owns a case: instances 0 and 1 are about the two cases, the others about none."""
    family = "handle_time" if number < 3 else "transfer_count"
    user = USERS[number] if number < 2 else None
    told = Metadata(
        required=f"The case is Case {number}. Today's date: 2024-05-31",
        interactive="Today's date: 2024-05-31",
    )
    task = Task(
        idx=str(number),
        family=family,
        query=f"Who owns Case {number}? Give the Id of the user alone, None if there is none.",
        persona="You are brief.",
        metadata=told,
        reward_metric="exact_match",
    )
    fact = {"name": "case", "words": ["case", "which"], "text": f"It is Case {number}."}
    spec = {"parameters": {}, "user": {"opening": "I need to know who owns a case.", "facts": [fact]}}
    return Instance(task, Secret(str(number), (user,), spec))


def asking_agent(messages: list[dict[str, str]]) -> str:
    """A model that looks the case up and answers with the owner it finds, or None."""
    last = str(messages[-1]["content"])
    if "Who owns" in last:
        subject = last.split("Who owns ")[1].split("?")[0]
        query = f"SELECT OwnerId FROM Case WHERE Subject = '{subject}'"
        return f"<thought> Look. </thought>\n<execute> {query} </execute>"
    found = next((user for user in USERS if user in last), "None")
    return f"<thought> Found. </thought>\n<respond> {found} </respond>"


FOREIGN_WARNINGS = (
    "ignore:.*multiplier.*:DeprecationWarning",
    "ignore:Unclosed <Memory:ResourceWarning",
    "ignore:Exception ignored in. <function MemoryObject:pytest.PytestUnraisableExceptionWarning",
)
"""What Inspect and its libraries warn of among themselves."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            for text in FOREIGN_WARNINGS:
                item.add_marker(pytest.mark.filterwarnings(text))
