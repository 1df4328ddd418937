"""An offline, Salesforce-faithful arena that measures LLM agents on professional CRM work."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crmarena.clients import patch_simple_salesforce
    from crmarena.clock import Clock
    from crmarena.episode.episode import Episode, Limits
    from crmarena.errors import CRMArenaError, SalesforceError, UsageError
    from crmarena.harness.evaluate import evaluate
    from crmarena.org.org import Org, open_org
    from crmarena.tasks.files import Arena, load_tasks
    from crmarena.tasks.make import generate

__all__ = [
    "Arena",
    "CRMArenaError",
    "Clock",
    "Episode",
    "Limits",
    "Org",
    "SalesforceError",
    "UsageError",
    "evaluate",
    "generate",
    "load_tasks",
    "open_org",
    "patch_simple_salesforce",
]

_PLACES = {
    "Arena": "crmarena.tasks.files",
    "CRMArenaError": "crmarena.errors",
    "Clock": "crmarena.clock",
    "Episode": "crmarena.episode.episode",
    "Limits": "crmarena.episode.episode",
    "Org": "crmarena.org.org",
    "SalesforceError": "crmarena.errors",
    "UsageError": "crmarena.errors",
    "evaluate": "crmarena.harness.evaluate",
    "generate": "crmarena.tasks.make",
    "load_tasks": "crmarena.tasks.files",
    "open_org": "crmarena.org.org",
    "patch_simple_salesforce": "crmarena.clients",
}


def __getattr__(name: str) -> Any:
    """A public name, imported when it is first asked for: opening an org must not load the generator."""
    if name in _PLACES:
        return getattr(importlib.import_module(_PLACES[name]), name)
    raise AttributeError(f"module 'crmarena' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
