"""One seed, split by name. Only here are random generators made."""

from __future__ import annotations

import hashlib
import random

import numpy as np


class Seeds:
    """Independent random streams from one seed, each reached by its name.

    A stream depends on the seed, the scope and its own name alone, so adding a stream changes no other.
    """

    def __init__(self, seed: int, *scope: str) -> None:
        self.seed = seed
        self._scope = scope

    def rng(self, *names: str | int) -> np.random.Generator:
        """The NumPy generator named `names`, fresh from its start."""
        return np.random.Generator(np.random.PCG64(self._sequence(names)))

    def random(self, *names: str | int) -> random.Random:
        """The standard-library generator named `names`, fresh from its start."""
        state = self._sequence(names).generate_state(4)
        return random.Random(int.from_bytes(state.tobytes(), "little"))

    def _sequence(self, names: tuple[str | int, ...]) -> np.random.SeedSequence:
        path = "\x1f".join(str(name) for name in (*self._scope, *names))
        digest = hashlib.sha256(path.encode()).digest()
        return np.random.SeedSequence(entropy=self.seed, spawn_key=tuple(digest[:16]))
