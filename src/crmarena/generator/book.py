"""The records of an org while they are being made."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from crmarena.clock import format_datetime
from crmarena.schema.ids import make_id
from crmarena.schema.objects import Schema
from crmarena.seeds import Seeds

Record = dict[str, Any]
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_POD_LENGTH = 4
_NUMBERS = 62**8


class Book:
    """Records by object, each with an Id that tells neither its age nor its place."""

    def __init__(self, schema: Schema, seeds: Seeds) -> None:
        self.schema = schema
        self.records: dict[str, list[Record]] = {name: [] for name in schema.objects}
        self.author = ""
        """The Id of the user who enters records."""
        self._seeds = seeds
        self._ids = {name: self._fresh_ids(name) for name in schema.objects}

    def new_id(self, object_name: str) -> str:
        """An Id that no record has yet."""
        return next(self._ids[object_name])

    def add(self, object_name: str, created: datetime, **fields: Any) -> Record:
        """Add a record, made at an instant, and give it back with its Id and system fields."""
        stamp = format_datetime(created)
        record: Record = {
            "Id": fields.pop("Id", None) or self.new_id(object_name),
            "CreatedDate": stamp,
            "CreatedById": self.author,
            "LastModifiedDate": fields.pop("LastModifiedDate", stamp),
            "LastModifiedById": self.author,
            **fields,
        }
        record["SystemModstamp"] = record["LastModifiedDate"]
        self.records[object_name].append(record)
        return record

    def ordered(self, object_name: str) -> list[Record]:
        """An object's records in the order in which they are stored: by Id."""
        return sorted(self.records[object_name], key=lambda record: record["Id"])

    def _fresh_ids(self, name: str) -> Iterator[str]:
        rng = self._seeds.random("ids", name)
        pod = "".join(self._seeds.random("pod").choices(_DIGITS, k=_POD_LENGTH))
        prefix = self.schema.objects[name].key_prefix
        given: set[int] = set()
        while True:
            number = rng.randrange(_NUMBERS)
            if number not in given:
                given.add(number)
                yield make_id(prefix, pod, number)
