"""What holds after any sequence of writes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from crmarena.errors import SalesforceError
from crmarena.org.org import Org, open_org
from crmarena.org.writable import WritableSession
from crmarena.storage import rows
from crmarena.storage.database import Database
from tests.laws import law
from tests.org.model import FIELDS, PARENTS, TEXTS, Model, Values
from tests.org.small import RECORDS

WORDS = ("acme", "birch", "cedar", "web2case", "running", "\u00c9clair", "sole", "\u9774\u5e95")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)


@dataclass(frozen=True)
class Step:
    """One thing that a session does; numbers stand for records, by their places among all of them."""

    kind: str
    name: str = "Account"
    text: str = ""
    places: tuple[int, int, int] = (0, 0, 0)
    steps: tuple[Step, ...] = ()


def step_of(kind: str) -> st.SearchStrategy[Step]:
    places = st.tuples(*[st.integers(0, 11)] * 3)
    return st.builds(Step, st.just(kind), st.sampled_from(sorted(FIELDS)), texts, places)


single = st.sampled_from(["insert", "insert", "update", "update", "delete", "undelete", "search"]).flatmap(
    step_of
)
block = st.builds(
    Step,
    st.sampled_from(["kept", "undone"]),
    steps=st.lists(single, min_size=1, max_size=5).map(tuple),
)
scripts = st.lists(single | single | block, max_size=14)


class Run:
    """A session and the model, side by side."""

    def __init__(self, session: WritableSession) -> None:
        self.session = session
        self.model = Model()
        for name, fields in FIELDS.items():
            for record in state_of(session, name):
                values = {key: record[key] for key in fields}
                self.model.living[record["Id"]] = (name, values)
        self.ids = list(self.model.living)

    def carry_out(self, step: Step) -> None:
        """Do one step in both, and see that both take it or both refuse it."""
        if step.kind in {"kept", "undone"}:
            self._block(step)
        elif step.kind == "search":
            self.session.search("FIND {acme OR cedar} RETURNING Account(Id)")
        elif step.kind == "insert":
            self._insert(step)
        else:
            self._write(step, self.ids[step.places[0] % len(self.ids)])

    def _block(self, step: Step) -> None:
        before = self.model.snapshot()
        with suppress(RuntimeError), self.session.atomic():
            for inner in step.steps:
                self.carry_out(inner)
            if step.kind == "undone":
                raise RuntimeError
        if step.kind == "undone":
            self.model = before

    def _insert(self, step: Step) -> None:
        values = self._values(step.name, step)
        if step.name == "Opportunity":
            extra: Values = {"StageName": "Discovery", "CloseDate": "2024-06-30"}
        else:
            extra = {}
        allowed = self.model.allows(step.name, values)
        try:
            record_id = self.session.insert(step.name, {**values, **extra})
        except SalesforceError:
            record_id = ""
        assert bool(record_id) == allowed
        if record_id:
            self.model.insert(step.name, record_id, values)
            self.ids.append(record_id)

    def _write(self, step: Step, record_id: str) -> None:
        name = self._name_of(record_id)
        values = self._values(name, step)
        expected = self._expected(step.kind, name, record_id, values)
        try:
            if step.kind == "update":
                self.session.update(name, record_id, values)
            else:
                getattr(self.session, step.kind)(name, record_id)
            done = True
        except SalesforceError:
            done = False
        assert done == expected

    def _expected(self, kind: str, name: str, record_id: str, values: Values) -> bool:
        """Whether a write is good; if so, the model has made it."""
        model = self.model
        if kind == "undelete":
            return model.undelete(record_id)
        if record_id not in model.living:
            return False
        if kind == "delete":
            return model.delete(record_id)
        own = model.living[record_id][1]
        changed = {key: value for key, value in values.items() if own[key] != value}
        if not model.allows(name, changed):
            return False
        model.update(record_id, values)
        return True

    def _values(self, name: str, step: Step) -> Values:
        values: Values = {TEXTS[name]: step.text}
        for key, place in zip([key for key in FIELDS[name] if key in PARENTS], step.places[1:], strict=False):
            # Every other place stands for no parent.
            values[key] = self.ids[place % len(self.ids)] if place % 2 else None
        return values

    def _name_of(self, record_id: str) -> str:
        for records in (self.model.living, self.model.deleted):
            if record_id in records:
                return records[record_id][0]
        # A record of an undone block: of its object there is the prefix alone.
        sobject = self.session.schema.object_of_id(record_id)
        assert sobject is not None
        return sobject.name


def state_of(session: WritableSession, name: str, *, all_rows: bool = False) -> list[dict[str, Any]]:
    return session.query(f"SELECT FIELDS(ALL) FROM {name} LIMIT 200", all_rows=all_rows).records


def whole_state(session: WritableSession) -> dict[str, object]:
    """All that reads can see: the records of each object, the deleted ones too, and what searches find."""
    state: dict[str, object] = {
        name: state_of(session, name, all_rows=True) for name in session.schema.objects
    }
    return state | {word: found(session, word) for word in WORDS}


def found(session: WritableSession | Org, text: str) -> dict[str, set[str]]:
    return {
        name: {r["Id"] for r in session.search(f"FIND {{{text}}} RETURNING {name}(Id)").records}
        for name in FIELDS
    }


@contextmanager
def running(org: Org, script: list[Step]) -> Iterator[Run]:
    """A session that has carried out a script."""
    with org.session(writable=True) as session:
        run = Run(session)
        for step in script:
            run.carry_out(step)
        yield run


@law(60)
@given(script=scripts)
def test_the_file_and_the_next_session_are_as_before(org: Org, written_org: Path, script: list[Step]) -> None:
    before = written_org.read_bytes()
    with org.session(writable=True) as session:
        state = whole_state(session)
    with running(org, script):
        pass
    with org.session(writable=True) as session:
        assert whole_state(session) == state
        assert session.changes() == []
    assert written_org.read_bytes() == before


@law(120)
@given(script=scripts)
def test_the_changes_make_the_state_of_the_file_into_that_of_the_session(
    org: Org, script: list[Step]
) -> None:
    with running(org, script) as run:
        records = {
            record["Id"]: {key: record[key] for key in FIELDS[name]}
            for name, own in RECORDS.items()
            if name in FIELDS
            for record in [org.get(name, one["Id"]) for one in own]
        }
        for change in run.session.changes():
            if change.object not in FIELDS:
                continue
            if change.kind == "delete":
                assert change.before
                assert records.pop(change.id).items() <= change.before.items()
                continue
            assert change.after
            old = records.setdefault(change.id, {})
            if change.kind == "update":
                assert change.before
                assert {key: old[key] for key in change.before if key in old} == {
                    key: value for key, value in change.before.items() if key in old
                }
            old.update({key: change.after[key] for key in FIELDS[change.object] if key in change.after})
        expected = {record_id: values for record_id, (_, values) in run.model.living.items()}
        assert records == expected
        for name, fields in FIELDS.items():
            stored = {r["Id"]: {key: r[key] for key in fields} for r in state_of(run.session, name)}
            assert stored == {i: v for i, v in expected.items() if run.model.living[i][0] == name}


@law(40)
@given(
    script=scripts,
    asked=st.lists(
        st.sampled_from(WORDS)
        | texts
        | st.sampled_from(["run*", "cas?", "ce*", '"web2case sole"', "ru?ning"]),
        min_size=1,
        max_size=5,
    ),
)
def test_searches_find_what_a_fresh_index_finds(org: Org, script: list[Step], asked: list[str]) -> None:
    with running(org, script) as run, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "org.db"
        with Database.create(path, "b2b") as database:
            for name in FIELDS:
                stored = {field.name for field in run.session.schema.objects[name].columns}
                own = [{k: v for k, v in r.items() if k in stored} for r in state_of(run.session, name)]
                rows.insert(database, name, own)
            database.finish()
        with open_org(path) as fresh:
            for text in asked:
                assert found(run.session, text) == found(fresh, text)


@law(25)
@given(script=scripts)
def test_a_committed_file_is_what_the_session_saw(org: Org, script: list[Step]) -> None:
    with running(org, script) as run, tempfile.TemporaryDirectory() as folder:
        run.session.commit(Path(folder) / "org.db")
        with open_org(folder) as committed, committed.session(writable=True) as later:
            assert whole_state(later) == whole_state(run.session)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=30)
    | st.sampled_from(
        [
            "2024-02-29",
            "2024-02-29T08:15:00Z",
            "1e400",
            "Hot",
            "a@b.example",
            "001000000000001",
            "English;French",
        ]
    ),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=12), inner, max_size=2),
    max_leaves=4,
)


@law(150)
@given(data=st.data())
def test_whatever_is_written_is_stored_or_refused(org: Org, data: st.DataObject) -> None:
    sobject = data.draw(st.sampled_from([*org.schema.objects.values()]))
    parents = [field.relationship_name for field in sobject.fields.values() if field.relationship_name]
    names = st.sampled_from([*sobject.fields, *parents, "attributes"]) | st.text(max_size=8)
    record_id = data.draw(
        st.sampled_from([r["Id"] for own in RECORDS.values() for r in own]) | st.text() | st.just("\ud800")
    )
    key = data.draw(st.sampled_from(["Id", "External_ID__c", "Name", "\ud800"]))
    with org.session(writable=True) as session:
        for kind in data.draw(
            st.lists(st.sampled_from(["insert", "update", "upsert", "delete"]), max_size=4)
        ):
            values = data.draw(st.dictionaries(names, json_values, max_size=4))
            with suppress(SalesforceError):
                if kind == "insert":
                    made = session.insert(sobject.name, values)
                    assert session.get(sobject.name, made)["Id"] == made
                elif kind == "update":
                    session.update(sobject.name, record_id, values)
                elif kind == "upsert":
                    session.upsert(sobject.name, key, record_id, values)
                else:
                    session.delete(sobject.name, record_id)
            with suppress(SalesforceError):
                session.get(sobject.name, record_id)
            session.upsert_all(None, key, [values])
        for change in session.changes():
            assert change.before != change.after
        session.search("FIND {acme} RETURNING Account(Id)")
