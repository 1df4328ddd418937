"""What a customer writes when opening a case, from the profile's sentences."""

from __future__ import annotations

import random
from string import Template

from crmarena.generator.profile import Profile


def case_text(profile: Profile, issue: int, product: int, rng: random.Random) -> tuple[str, str]:
    """A subject and a description; the product is named, the issue is described and not named."""
    kind = profile.issues[issue]
    name = profile.products[product].name
    subject = Template(rng.choice(kind.subjects)).substitute(product=name)
    opening = Template(rng.choice(profile.openings)).substitute(product=name)
    problem, detail = rng.choice(kind.problems), rng.choice(kind.details)
    return subject, f"{opening} {problem} {detail} {rng.choice(profile.closings)}"
