"""What an episode and an agent ask of those who plug in: an org session, a user, an agent, a chat model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from crmarena.schema.objects import Schema

if TYPE_CHECKING:
    from crmarena.episode.episode import Episode


class Result(Protocol):
    """What a query or a search found. A `SELECT COUNT()` also has `is_count` and `total_size`."""

    @property
    def records(self) -> list[dict[str, Any]]:
        """The records as an agent sees them."""


class OrgSession(Protocol):
    """An org as one episode sees it: its clock set, nothing to be changed."""

    @property
    def schema(self) -> Schema:
        """The objects and fields of the org."""

    def run(self, text: str) -> Result:
        """Run a SOQL or SOSL text. Raises SalesforceError as the org would answer."""


class Chat(Protocol):
    """A conversation with a language model. The harness gives one for each role (agent, user, grader)."""

    def system(self, text: str) -> None:
        """Add a system message."""

    def user(self, text: str) -> None:
        """Add a user message."""

    def assistant(self, text: str) -> None:
        """Add a message in the model's name (worked examples)."""

    async def reply(self) -> str:
        """The model's next message, which is added too. Provider errors pass through."""


class User(Protocol):
    """Who speaks to the agent in the multi-turn form."""

    @property
    def name(self) -> str:
        """What results call this simulator, its version included (`scripted/1`)."""

    async def open(self) -> str:
        """The user's first words."""

    async def reply(self, text: str) -> str:
        """The user's answer to the agent's words; holds `STOP` when its goal is met."""


class Agent(Protocol):
    """Whoever works on an episode. It returns when the episode is done or it gives up."""

    async def __call__(self, episode: Episode) -> None:
        """Work on the episode through its `execute` and `respond`."""


STOP = "###STOP###"
