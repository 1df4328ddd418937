"""The whole of `crmarena.generate`: the org of a seed, fair instances drawn from it, the files."""

from __future__ import annotations

import errno
import json
import math
import os
import random
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crmarena.clock import Clock
from crmarena.errors import UsageError
from crmarena.generator.build import build_org
from crmarena.generator.manifest import Manifest
from crmarena.progress import Progress
from crmarena.seeds import Seeds
from crmarena.soql.run import run_query
from crmarena.sosl.search import run_search
from crmarena.storage.database import Database
from crmarena.tasks.evidence import Evidence, read_evidence
from crmarena.tasks.fairness import Draft, Quotas, Selection, choose, shortcut_hits
from crmarena.tasks.families import GENERATED, Ask, GeneratedFamily
from crmarena.tasks.family import find_family
from crmarena.tasks.files import Arena, load_tasks, write_instances
from crmarena.tasks.instance import Instance, Metadata, Secret, Task
from crmarena.tasks.phrases import Worded, load_wording, put_into_words

MANIFEST = "manifest.json"

MAX_PER_TASK = 1000

_BASE_ATTEMPTS = 400
_ATTEMPTS_EACH = 60
"""Attempts for each instance asked, before a family is content with fewer."""


@dataclass(frozen=True)
class Drawn:
    """The instances of one family, worded and checked."""

    family: str
    instances: tuple[Instance, ...]
    refused: int
    """How many the oracle answered differently; they are left out."""

    def as_dict(self, asked: int) -> dict[str, int]:
        """What the manifest says of the family."""
        none = sum(instance.secret.answer == (None,) for instance in self.instances)
        return {"asked": asked, "made": len(self.instances), "none": none, "refused": self.refused}


def generate(
    org: str = "b2b",
    seed: int = 1,
    scale: float = 1.0,
    out: Path | str = "arena",
    per_task: int = 20,
    on_progress: Progress | None = None,
) -> Arena:
    """Make an org and its instances in the folder `out`: org.db, tasks.jsonl, answers.jsonl, manifest.json.

    The folder appears whole or not at all. `per_task` instances of each family are asked for;
    the manifest says how many fair ones were made. Raises UsageError where `out` holds something
    already, and for an org type, seed or scale that cannot be.
    """
    if not 1 <= per_task <= MAX_PER_TASK:
        raise UsageError(f"--per-task {per_task}: ask for 1 to {MAX_PER_TASK} instances of each family.")
    report = on_progress or (lambda stage, done, total: None)
    out = Path(out)
    with _appearing(out) as folder:
        manifest = build_org(org_type=org, seed=seed, scale=scale, path=folder / "org.db", on_progress=report)
        with Database.open(folder / "org.db") as database:
            drawn = list(_draw_all(database, Seeds(seed, org, "tasks"), per_task, report))
        write_instances(folder, [instance for family in drawn for instance in family.instances])
        _write_manifest(folder / MANIFEST, manifest, drawn, per_task)
    return load_tasks(out)


def asker(database: Database, clock: Clock) -> Ask:
    """Runs the queries of an oracle: SOSL where the text begins with FIND, else SOQL."""

    def ask(text: str) -> list[dict[str, Any]]:
        if text.lstrip().upper().startswith("FIND"):
            return run_search(database, text, clock).records
        return run_query(database, text, clock).records

    return ask


def draw(family: GeneratedFamily, evidence: Evidence, seeds: Seeds, asked: int) -> list[Draft]:
    """Fair instances of a family: as many as asked for, or as can be had with every quota kept."""
    facts = find_family(family.name)
    quotas = Quotas(
        asked,
        choices=family.choices(evidence),
        may_be_none=facts.may_be_none,
        breaks_ties=family.name == "case_routing",
    )
    selection, pool = Selection(quotas), []
    for kind in ("none", "tie-break", "plain"):
        attempts = family.sample(evidence, seeds.random(family.name, kind), kind)
        budget = _BASE_ATTEMPTS + _ATTEMPTS_EACH * quotas.kind_room(kind)
        while budget and selection.lacks(kind):
            budget -= 1
            if draft := next(attempts):
                pool.append(draft)
                selection.offer(draft)
    chosen = selection.drafts if selection.full else choose(pool, quotas)
    seeds.random(family.name, "order").shuffle(chosen)
    return chosen


def _draw_all(database: Database, seeds: Seeds, per_task: int, report: Progress) -> Iterator[Drawn]:
    evidence = read_evidence(database)
    made = 0
    for done, family in enumerate(GENERATED.values(), start=1):
        drafts = draw(family, evidence, seeds, per_task)
        drawn = _checked(database, family, drafts, seeds.random(family.name, "wording"), made)
        made += len(drawn.instances)
        report("Drawing instances", done, len(GENERATED))
        yield drawn


def _checked(
    database: Database, family: GeneratedFamily, drafts: list[Draft], rng: random.Random, first: int
) -> Drawn:
    """The drafts in words, without those that the oracle answers differently."""
    wording = load_wording(family.name)
    instances: list[Instance] = []
    for draft in drafts:
        ask = asker(database, Clock.at(draft.today))
        if family.oracle(ask, draft.parameters) == (draft.verdict.answer,):
            worded = put_into_words(wording, draft, rng)
            instances.append(_instance(family.name, str(first + len(instances)), draft, worded))
    return Drawn(family.name, tuple(instances), len(drafts) - len(instances))


def _instance(family: str, idx: str, draft: Draft, worded: Worded) -> Instance:
    task = Task(
        idx=idx,
        family=family,
        query=worded.query,
        persona=worded.persona,
        metadata=Metadata(worded.required, worded.optional, worded.interactive),
        reward_metric=find_family(family).metric.value,
    )
    spec = {
        "parameters": dict(draft.parameters),
        "derivation": _derivation(draft, worded.rule),
        "user": worded.user,
    }
    return Instance(task, Secret(idx, (draft.verdict.answer,), spec))


def _derivation(draft: Draft, rule: str) -> dict[str, Any]:
    verdict = draft.verdict
    return {
        "rule": rule,
        "rows": verdict.rows,
        "value": verdict.value,
        "runner_up": verdict.runner_up,
        "margin": verdict.margin if math.isfinite(verdict.margin) else None,
        "decided_by": verdict.decided_by or None,
        "shortcuts": shortcut_hits(draft),
        **draft.evidence,
    }


def _write_manifest(path: Path, manifest: Manifest, drawn: list[Drawn], per_task: int) -> None:
    families = {family.family: family.as_dict(per_task) for family in drawn}
    text = json.dumps({**manifest.as_dict(), "families": families}, indent=2)
    path.write_text(text + "\n", encoding="utf-8")


def _remove_leftovers(out: Path) -> None:
    """Remove the work folders of processes that were killed."""
    for place in out.parent.iterdir():
        found = re.fullmatch(rf"\.{re.escape(out.name)}\.(\d+)\.partial", place.name)
        if found and not _is_alive(int(found[1])):
            shutil.rmtree(place, ignore_errors=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@contextmanager
def _appearing(out: Path) -> Iterator[Path]:
    """A folder to work in, which takes the place of `out` when all went well."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} holds something already; name another folder or remove it first.")
    out.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(out)
    work = out.parent / f".{out.name}.{os.getpid()}.partial"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    try:
        yield work
        if out.exists():
            out.rmdir()
        work.rename(out)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        raise UsageError(f"{out} was filled by another process meanwhile; name another folder.") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)
