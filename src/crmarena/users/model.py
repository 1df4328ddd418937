"""The simulated user that is a model, the published way."""

from __future__ import annotations

from string import Template

from crmarena import resources
from crmarena.episode.ports import STOP, Chat


class ModelUser:
    """Plays a persona with an instruction; its model decides when to tell what."""

    name = "model/1"

    def __init__(self, chat: Chat, persona: str, instruction: str) -> None:
        self._chat = chat
        prompt = Template(resources.read_text("users/prompts/user.md"))
        chat.system(
            prompt.substitute(persona=persona.strip(), instruction=instruction.strip(), stop=STOP).strip()
        )

    async def open(self) -> str:
        """The user's first words, after the agent's greeting."""
        return await self.reply(resources.read_text("users/prompts/greeting.md").strip())

    async def reply(self, text: str) -> str:
        """The user's answer to the agent's words."""
        self._chat.user(text)
        return await self._chat.reply()
