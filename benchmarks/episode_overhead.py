"""What an episode adds in process, outside the org: turns, observations, transcript, agent loop.

Target: 1 ms or less, the median over many episodes of six queries and an answer. The floor is
the time the same queries take in the org itself, in the same run.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from datetime import date
from pathlib import Path

from crmarena.agents import make_agent
from crmarena.agents.scripted_chat import ScriptedChat
from crmarena.clock import Clock
from crmarena.episode.episode import Episode
from crmarena.episode.ports import OrgSession, Result
from crmarena.org.org import open_org
from crmarena.storage import rows
from crmarena.storage.database import Database
from crmarena.tasks.instance import Metadata, Task

EPISODES = 500
TARGET = 1.0
"""Milliseconds."""
TASK = Task(
    idx="1",
    family="handle_time",
    query="Who had the most cases? Return only the Id.",
    persona="",
    metadata=Metadata(required="Today's date: 2023-06-15"),
    reward_metric="exact_match",
)
QUERIES = (
    "SELECT Id, Name FROM Account LIMIT 20",
    "SELECT COUNT() FROM Case",
    "SELECT Id, Subject, Account.Name FROM Case ORDER BY CreatedDate DESC LIMIT 50",
    "SELECT OwnerId, COUNT(Id) total FROM Case GROUP BY OwnerId ORDER BY COUNT(Id) DESC LIMIT 5",
    "SELECT Id, Wrong FROM Case",
    "FIND {delayed} RETURNING Case(Id, Subject)",
)
ANSWER = "005000000000001AAA"


class Timed:
    """A session that adds up what it takes."""

    def __init__(self, session: OrgSession) -> None:
        self._session = session
        self.schema = session.schema
        self.seconds = 0.0

    def run(self, text: str) -> Result:
        """Run a query, on the clock."""
        start = time.perf_counter()
        try:
            return self._session.run(text)
        finally:
            self.seconds += time.perf_counter() - start


async def bare(session: OrgSession) -> None:
    """An episode driven by hand."""
    episode = await Episode.start(TASK, session)
    for query in QUERIES:
        episode.execute(query)
    await episode.respond(ANSWER)


async def with_agent(session: OrgSession) -> None:
    """The same episode driven by the act agent, its model's replies given."""
    replies = [*(f"<execute> {query} </execute>" for query in QUERIES), f"<respond>{ANSWER}</respond>"]
    await make_agent("act", chat_factory=lambda: ScriptedChat(replies))(await Episode.start(TASK, session))


def small_org(folder: Path) -> Path:
    """An org of 300 cases."""
    path = folder / "org.db"
    accounts = [{"Id": f"0010000000000{n:02d}AAA", "Name": f"Account {n}"} for n in range(20)]
    cases = [
        {
            "Id": f"500000000000{n:03d}AAA",
            "Subject": f"Delivery {n} delayed" if n % 10 == 0 else f"Question {n}",
            "AccountId": accounts[n % 20]["Id"],
            "OwnerId": f"00500000000000{n % 7}AAA",
            "CreatedDate": f"2023-{n % 12 + 1:02d}-01T08:00:00.000+0000",
        }
        for n in range(300)
    ]
    with Database.create(path, "b2b") as database:
        rows.insert(database, "Account", accounts)
        rows.insert(database, "Case", cases)
        database.finish()
    return path


async def measure(session: OrgSession) -> dict[str, tuple[float, float]]:
    """Median milliseconds an episode adds, and those of the org within it, by way of driving."""
    medians = {}
    for name, drive in (("by hand", bare), ("by the act agent", with_agent)):
        added, within = [], []
        for _ in range(EPISODES):
            timed = Timed(session)
            start = time.perf_counter()
            await drive(timed)
            total = time.perf_counter() - start
            added.append((total - timed.seconds) * 1000)
            within.append(timed.seconds * 1000)
        medians[name] = statistics.median(added), statistics.median(within)
    return medians


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, open_org(small_org(Path(folder))) as org:
        medians = asyncio.run(measure(org.session(clock=Clock.at(date(2023, 6, 15)))))
    print(f"What an episode of {len(QUERIES)} queries adds")
    for name, (added, within) in medians.items():
        verdict = "ok" if added <= TARGET else f"over {TARGET:g} ms"
        print(f"  {name:20} {added:6.3f} ms   floor: {within:6.3f} ms in the org   {verdict}")


if __name__ == "__main__":
    main()
