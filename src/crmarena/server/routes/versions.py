"""`/services/data`: the API's versions, and the resources of one."""

from __future__ import annotations

from fastapi import APIRouter

from crmarena.server.settings import NEWEST_VERSION, OLDEST_VERSION

router = APIRouter()

_SEASONS = ("Winter", "Spring", "Summer")
_WINTER_25 = 62


@router.get("/services/data")
@router.get("/services/data/", include_in_schema=False)
def versions() -> list[dict[str, str]]:
    """All versions, the oldest first."""
    return [_version(number) for number in range(OLDEST_VERSION, NEWEST_VERSION + 1)]


def _version(number: int) -> dict[str, str]:
    years, season = divmod(number - _WINTER_25, len(_SEASONS))
    label = f"{_SEASONS[season]} '{(25 + years) % 100:02d}"
    return {"label": label, "url": f"/services/data/v{number}.0", "version": f"{number}.0"}
