"""What is checked before a run: an org that refuses every query stops it."""

from __future__ import annotations

from pathlib import Path

from crmarena.errors import CRMArenaError, UsageError
from crmarena.org.org import Org, open_org

_PROBES = ("User", "Account", "Case", "Product2")


def check_org(path: Path) -> str:
    """The type of a working org; UsageError for a file that is none or that refuses every query."""
    with open_org(path) as org:
        refusals = [refusal for name in _PROBES if (refusal := _refusal(org, name))]
        if len(refusals) == len(_PROBES):
            raise UsageError(
                f"The org {path} refuses every query ({refusals[0]}); nothing was run. "
                "Make it anew with `crmarena generate` or `crmarena import`."
            )
        return org.schema.org_type


def _refusal(org: Org, name: str) -> str | None:
    try:
        org.query(f"SELECT COUNT() FROM {name}")
    except CRMArenaError as error:
        return " ".join(str(error).split())
    return None
