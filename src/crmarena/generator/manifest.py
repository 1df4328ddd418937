"""What a generated org is: where it comes from, how much it holds, and a hash of its content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crmarena.generator.book import Book


@dataclass(frozen=True)
class Manifest:
    """The facts by which an org can be made again and recognised."""

    version: int
    org: str
    seed: int
    scale: float
    counts: Mapping[str, int]
    content_hash: str
    """SHA-256 over all records in the order of their Ids: equal on every machine."""

    def as_dict(self) -> dict[str, Any]:
        """The manifest as its file holds it."""
        return {
            "version": self.version,
            "org": self.org,
            "seed": self.seed,
            "scale": self.scale,
            "counts": dict(self.counts),
            "content_hash": self.content_hash,
        }


def content_hash(book: Book) -> str:
    """The hash of a book's records."""
    digest = hashlib.sha256()
    for name in sorted(book.records):
        digest.update(f"{name}\n".encode())
        for record in book.ordered(name):
            digest.update(json.dumps(record, sort_keys=True, ensure_ascii=False).encode())
    return digest.hexdigest()
