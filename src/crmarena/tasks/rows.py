"""One row of a task file into the halves of an instance, checked and mended."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from crmarena.errors import UsageError
from crmarena.org.mend import BLANKS, Mends, mend_text
from crmarena.tasks.family import Metric, find_family
from crmarena.tasks.instance import Metadata, Secret, Task
from crmarena.tasks.sources import Row

Half = TypeVar("Half", Task, Secret)

SINGLE_ANSWER = "single answer made a list"
JSON_TEXT = "JSON text read"


class _Checked(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class _Metadata(_Checked):
    required: str | None = None
    optional: str | None = None
    interactive: str | None = None


class _PublicRow(_Checked):
    idx: int | str
    task: str
    query: str
    persona: str | None = None
    metadata: _Metadata | None = None
    reward_metric: str


class _SecretRow(_Checked):
    idx: int | str
    answer: list[str | None] | str | None
    spec: dict[str, Any] | None = None


def to_tasks(rows: Iterable[Row], mends: Mends) -> tuple[Task, ...]:
    """The public halves of rows."""
    return _unique(rows, partial(_to_task, mends=mends))


def to_secrets(rows: Iterable[Row], mends: Mends) -> dict[str, Secret]:
    """The secret halves of rows, by idx."""
    return {secret.idx: secret for secret in _unique(rows, partial(_to_secret, mends=mends))}


def _unique(rows: Iterable[Row], read: Callable[[Row], Half]) -> tuple[Half, ...]:
    found: list[Half] = []
    places: dict[str, str] = {}
    for row in rows:
        half = read(row)
        if half.idx in places:
            raise UsageError(f"{row.place}: idx {half.idx} stands in {places[half.idx]} already.")
        places[half.idx] = row.place
        found.append(half)
    return tuple(found)


def _to_task(row: Row, mends: Mends) -> Task:
    content = dict(row.content)
    for name in ("task", "reward_metric"):
        content[name] = _bare(content.get(name), name, mends)
    content["metadata"] = _structure(row, "metadata", mends)
    checked = _check(_PublicRow, row, content)
    return Task(
        idx=_idx(row, checked.idx),
        family=_family(row, checked.task),
        query=checked.query,
        persona=checked.persona or "",
        metadata=_metadata(checked.metadata),
        reward_metric=_metric(row, checked.reward_metric),
    )


def _to_secret(row: Row, mends: Mends) -> Secret:
    checked = _check(_SecretRow, row, row.content)
    answer = checked.answer
    if not isinstance(answer, list):
        mends.note("answer", SINGLE_ANSWER)
        answer = [answer]
    if not answer:
        raise UsageError(f"{row.place}: field 'answer' is an empty list; no answer is written [null].")
    mended = tuple(None if part is None else _bare_answer(part, mends) for part in answer)
    return Secret(_idx(row, checked.idx), mended, checked.spec or {})


def _bare_answer(answer: str, mends: Mends) -> str:
    return mend_text(answer, partial(mends.note, "answer"))


def _bare(value: object, name: str, mends: Mends) -> object:
    if not isinstance(value, str) or value == value.strip():
        return value
    mends.note(name, BLANKS)
    return value.strip()


def _structure(row: Row, name: str, mends: Mends) -> object:
    """A field that holds an object; some copies hold it as JSON text."""
    value = row.content.get(name)
    if not isinstance(value, str):
        return value
    try:
        read = json.loads(value) if value.strip() else None
    except (ValueError, RecursionError):
        raise UsageError(f"{row.place}: field {name!r} is text, not an object.") from None
    mends.note(name, JSON_TEXT)
    return read


Model = TypeVar("Model", bound=_Checked)


def _check(model: type[Model], row: Row, content: dict[str, Any]) -> Model:
    for name, field in model.model_fields.items():
        if field.is_required() and name not in row.content:
            raise UsageError(f"{row.place}: field {name!r} is missing.")
    try:
        return model.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        said = first["msg"].removeprefix("Input ")
        raise UsageError(f"{row.place}: field {_path(first['loc'])!r} {said}.") from None


def _path(place: tuple[int | str, ...]) -> str:
    """The field's path, without pydantic's names for the alternatives of a type."""
    return ".".join(str(part) for part in place if part not in {"int", "str"} and "[" not in str(part))


def _idx(row: Row, idx: int | str) -> str:
    text = str(idx).strip()
    if not text:
        raise UsageError(f"{row.place}: field 'idx' is empty.")
    return text


def _family(row: Row, name: str) -> str:
    try:
        return find_family(name).name
    except UsageError as error:
        raise UsageError(f"{row.place}: {error}") from None


def _metric(row: Row, name: str) -> str:
    if name not in set(Metric):
        known = ", ".join(Metric)
        raise UsageError(f"{row.place}: unknown reward_metric {name!r}; the metrics are: {known}.")
    return name


def _metadata(found: _Metadata | None) -> Metadata:
    if found is None:
        return Metadata()
    return Metadata(found.required or "", found.optional or "", found.interactive or "")
