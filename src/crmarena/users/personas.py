"""Manners of speaking, from what a persona says of itself."""

from __future__ import annotations

import re

from crmarena import resources

PLAIN = "plain"


def manner(persona: str) -> str:
    """The manner of a persona, by the words it holds: `brief` or `plain`."""
    said = set(re.findall(r"[a-z]+", persona.lower()))
    for name, signs in resources.read_json("users/personas.json").items():
        if said & set(signs):
            return str(name)
    return PLAIN
