"""Whether a file is still the one that was read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_HEADER = 100


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """What tells a file from others and from itself after a change."""

    device: int
    inode: int
    size: int
    time: int
    header: bytes
    """SQLite's header counts the changes of the file."""

    @classmethod
    def of(cls, path: Path) -> FileIdentity | None:
        """The identity of a file as it is now; None where there is none."""
        try:
            status = path.stat()
            with path.open("rb") as file:
                header = file.read(_HEADER)
        except OSError:
            return None
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, header)
