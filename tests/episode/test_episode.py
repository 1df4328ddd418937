"""An episode counts turns, passes words on, and ends where it should."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crmarena.episode.episode import EndReason, Episode, Limits
from crmarena.episode.ports import STOP, OrgSession
from crmarena.errors import CRMArenaError, EpisodeOver
from crmarena.tasks.instance import Metadata, Task

COUNT_CASES = "SELECT COUNT() FROM Case"
ID = "005000000000001AAA"


def make_task(family: str = "handle_time", **metadata: str) -> Task:
    return Task(
        idx="7",
        family=family,
        query="Who was quickest? Return only the Id.",
        persona="You are busy.",
        metadata=Metadata(**(metadata or {"required": "Today's date: 2023-06-15"})),
        reward_metric="exact_match",
    )


class SaysInTurn:
    """A user whose words are given beforehand; silent courtesy after that."""

    name = "given/1"

    def __init__(self, opening: str, replies: Iterable[str] = ()) -> None:
        self._opening = opening
        self._replies = iter(replies)

    async def open(self) -> str:
        return self._opening

    async def reply(self, text: str) -> str:
        return next(self._replies, "Go on.")


async def conversation(
    session: OrgSession, *replies: str, family: str = "handle_time", limits: Limits | None = None
) -> Episode:
    user = SaysInTurn("Hello.", replies)
    return await Episode.start(make_task(family), session, user=user, limits=limits)


async def test_a_single_turn_episode_ends_with_its_first_answer(org_session: OrgSession) -> None:
    episode = await Episode.start(make_task(), org_session)
    assert episode.opening == "Who was quickest? Return only the Id."
    assert not episode.interactive
    assert not episode.done
    assert await episode.respond(ID) is None
    assert (episode.answer, episode.end_reason, episode.done) == (ID, EndReason.ANSWERED, True)


async def test_acting_after_the_end_is_refused(org_session: OrgSession) -> None:
    episode = Episode(make_task(), org_session)
    await episode.respond(ID)
    with pytest.raises(EpisodeOver, match=r"over \(answered\)"):
        episode.execute(COUNT_CASES)
    with pytest.raises(EpisodeOver):
        episode.remind("Use the tags.")
    with pytest.raises(EpisodeOver):
        await episode.respond("Another")
    assert episode.answer == ID
    assert episode.agent_turns == 1


def test_records_are_shown_as_a_list_without_keys_that_are_null_everywhere(org_session: OrgSession) -> None:
    seen = Episode(make_task(), org_session).execute(
        "SELECT Name, ShippingState, Phone FROM Account ORDER BY Name"
    )
    assert json.loads(seen.text) == [
        {"Name": "Acme", "ShippingState": "TX"},
        {"Name": "Birch & Sons", "ShippingState": None},
    ]
    assert seen.error is None


def test_a_count_is_shown(org_session: OrgSession) -> None:
    seen = Episode(make_task(), org_session).execute("SELECT COUNT() FROM Opportunity")
    assert seen.count == 3
    assert json.loads(seen.text) == {"count": 3}


def test_a_count_over_nothing_is_shown_as_zero(org_session: OrgSession) -> None:
    seen = Episode(make_task(), org_session).execute("SELECT COUNT() FROM Opportunity WHERE Name = 'None'")
    assert (seen.count, json.loads(seen.text)) == (0, {"count": 0})


@pytest.mark.parametrize(
    ("query", "starts", "holds"),
    [
        ("SELECT Nothing FROM Case", "INVALID_FIELD: ", "Nothing"),
        ("SELECT Id FROM", "MALFORMED_QUERY: ", "unexpected token"),
        ("SELECT Id FROM Planet", "INVALID_TYPE: ", "Planet"),
    ],
)
def test_an_error_of_the_org_is_an_observation(
    org_session: OrgSession, query: str, starts: str, holds: str
) -> None:
    episode = Episode(make_task(), org_session)
    seen = episode.execute(query)
    assert seen.text.startswith(starts)
    assert holds in seen.text
    assert (seen.error, seen.records) == (seen.text, None)
    assert not episode.done


@pytest.mark.parametrize(
    "text",
    [
        "FIND {acme} RETURNING Account(Id)",
        "find {acme} returning Account(Id)",
        "\nFIND {acme} RETURNING Account(Id)",
        "```\nFIND {acme} RETURNING Account(Id)\n```",
        "```sosl\nfind {acme} returning Account(Id)\n```",
    ],
)
def test_dressed_up_sosl_runs_as_sosl(org_session: OrgSession, text: str) -> None:
    seen = Episode(make_task(), org_session).execute(text)
    assert seen.records == [{"Id": "001000000000001AAA"}]


def test_the_clock_is_the_sessions(org_session: OrgSession) -> None:
    query = "SELECT Subject FROM Case WHERE CreatedDate = LAST_MONTH"
    assert Episode(make_task(), org_session).execute(query).records == [{"Subject": "Case 5"}]


def test_the_twentieth_turn_without_an_answer_ends_it(org_session: OrgSession) -> None:
    episode = Episode(make_task(), org_session)
    for _ in range(10):
        episode.execute(COUNT_CASES)
    for _ in range(9):
        assert episode.remind("Use the tags.") == "Use the tags."
    assert not episode.done
    assert episode.execute(COUNT_CASES).count == 5
    assert episode.end_reason is EndReason.AGENT_TURNS
    assert episode.answer is None
    assert episode.agent_turns == 20


async def test_the_twentieth_turn_may_be_the_answer(org_session: OrgSession) -> None:
    episode = Episode(make_task(), org_session)
    for _ in range(19):
        episode.execute(COUNT_CASES)
    await episode.respond(ID)
    assert (episode.end_reason, episode.answer) == (EndReason.ANSWERED, ID)


async def test_the_users_words_open_a_conversation(org_session: OrgSession) -> None:
    episode = await conversation(org_session)
    assert episode.opening == "Hello."
    assert episode.interactive
    assert episode.user_name == "given/1"


async def test_the_query_stays_with_the_user(org_session: OrgSession) -> None:
    task = make_task(required="Policy and product", interactive="Today's date: 2023-06-15")
    episode = await Episode.start(task, org_session, user=SaysInTurn("Hello."))
    assert episode.context == "Today's date: 2023-06-15"
    assert "quickest" not in repr(episode.task)
    assert "Policy" not in repr(episode.task)


async def test_a_published_interactive_task_gives_its_required_context(org_session: OrgSession) -> None:
    task = make_task(required="Policy and product")
    episode = await Episode.start(task, org_session, user=SaysInTurn("Hello."))
    assert episode.context == "Policy and product"


@pytest.mark.parametrize(
    ("aided", "context"), [(False, "Date and policy"), (True, "Date and policy\n\nSeasons explained")]
)
def test_aided_adds_the_notes(org_session: OrgSession, aided: bool, context: str) -> None:
    task = make_task(required="\n  Date and policy ", optional="Seasons explained\n")
    assert Episode(task, org_session, aided=aided).context == context


async def test_the_last_answer_before_the_stop_counts(org_session: OrgSession) -> None:
    episode = await conversation(org_session, "The Id, please.", STOP)
    assert await episode.respond("It is Ines Moreau.") == "The Id, please."
    assert not episode.done
    assert await episode.respond(ID) is None
    assert (episode.answer, episode.end_reason) == (ID, EndReason.ANSWERED)


@pytest.mark.parametrize("stop", [STOP, f" {STOP}. ", f"`{STOP}`", "### stop ###", f"\n{STOP}\n{STOP}"])
async def test_a_bare_stop_ends_it_at_once(org_session: OrgSession, stop: str) -> None:
    episode = await conversation(org_session, stop)
    assert await episode.respond(ID) is None
    assert episode.end_reason is EndReason.ANSWERED


async def test_the_count_of_agent_turns_restarts_after_each_answer(org_session: OrgSession) -> None:
    episode = await conversation(org_session, limits=Limits(agent_turns=3))
    for _ in range(3):
        episode.execute(COUNT_CASES)
        episode.execute(COUNT_CASES)
        assert await episode.respond("Which period?") == "Go on."
    episode.execute(COUNT_CASES)
    episode.execute(COUNT_CASES)
    assert not episode.done
    episode.execute(COUNT_CASES)
    assert episode.end_reason is EndReason.AGENT_TURNS
    assert episode.agent_turns == 12


async def test_ten_user_turns_without_a_stop_end_it_with_the_last_answer(org_session: OrgSession) -> None:
    episode = await conversation(org_session)
    for number in range(9):
        assert await episode.respond(f"Answer {number}") == "Go on."
    assert await episode.respond("Answer 9") is None
    assert (episode.end_reason, episode.answer) == (EndReason.USER_TURNS, "Answer 9")
    assert episode.user_turns == 10


async def test_a_stop_in_the_tenth_user_turn_is_no_limit(org_session: OrgSession) -> None:
    episode = await conversation(org_session, *["Go on."] * 9, STOP)
    for _ in range(10):
        await episode.respond(ID)
    assert episode.end_reason is EndReason.ANSWERED


async def test_a_stop_in_the_same_breath_waits_for_the_agents_turn(org_session: OrgSession) -> None:
    episode = await conversation(org_session, f"Yes, do it. {STOP}")
    assert await episode.respond("Shall I look it up?") == "Yes, do it."
    assert not episode.done
    assert episode.execute(COUNT_CASES).count == 5
    assert await episode.respond(ID) is None
    assert (episode.answer, episode.end_reason) == (ID, EndReason.ANSWERED)


@pytest.mark.parametrize(
    ("family", "first", "second", "graded"),
    [
        ("handle_time", f"It is {ID}.", "You're welcome!", f"It is {ID}."),
        ("handle_time", "None", "Glad to help.", "None"),
        ("handle_time", "Shall I go ahead?", ID, ID),
        (
            "handle_time",
            f"It is {ID}. Shall I check again?",
            "Then 005000000000002AAA.",
            "Then 005000000000002AAA.",
        ),
        ("handle_time", "It is Ines Moreau.", "Her Id I do not know.", "Her Id I do not know."),
        ("knowledge_qa", "Because it lasts longer.", "You're welcome.", "Because it lasts longer."),
        ("knowledge_qa", "Do you mean the pump?", "It lasts longer.", "It lasts longer."),
        ("monthly_trend_analysis", "March", "Have a nice day.", "March"),
    ],
)
async def test_thanks_with_the_stop_do_not_undo_the_answer(
    org_session: OrgSession, family: str, first: str, second: str, graded: str
) -> None:
    episode = await conversation(org_session, f"Thank you. {STOP}", family=family)
    await episode.respond(first)
    await episode.respond(second)
    assert (episode.answer, episode.end_reason) == (graded, EndReason.ANSWERED)


@pytest.mark.parametrize(
    ("answer", "reason"), [(ID, EndReason.ANSWERED), ("Shall I look?", EndReason.AGENT_TURNS)]
)
async def test_an_agent_that_never_speaks_after_the_stop(
    org_session: OrgSession, answer: str, reason: EndReason
) -> None:
    episode = await conversation(org_session, f"Fine. {STOP}", limits=Limits(agent_turns=2))
    await episode.respond(answer)
    episode.remind("Use the tags.")
    episode.remind("Use the tags.")
    assert episode.end_reason is reason


async def test_a_stop_in_the_opening_does_not_count(org_session: OrgSession) -> None:
    user = SaysInTurn(f"Who was quickest? {STOP}", ["Go on."])
    episode = await Episode.start(make_task(), org_session, user=user)
    assert episode.opening == "Who was quickest?"
    assert await episode.respond(ID) == "Go on."
    assert not episode.done


async def test_a_user_that_opens_with_nothing_is_a_fault_of_the_simulator(org_session: OrgSession) -> None:
    with pytest.raises(CRMArenaError, match=r"user given/1 opened the conversation with no words"):
        await Episode.start(make_task(), org_session, user=SaysInTurn(STOP))


async def test_the_transcript_holds_everything_in_order(org_session: OrgSession) -> None:
    episode = await conversation(org_session, "Last month.", STOP)
    episode.remind("Use the tags.")
    await episode.respond("Which period?")
    episode.execute(COUNT_CASES)
    await episode.respond(ID)
    events = json.loads(json.dumps(episode.transcript.to_json()))
    assert [(event["kind"], event["turn"], event["text"]) for event in events] == [
        ("user", 0, "Hello."),
        ("reminder", 1, "Use the tags."),
        ("respond", 2, "Which period?"),
        ("user", 2, "Last month."),
        ("execute", 3, COUNT_CASES),
        ("observation", 3, '{"count": 5}'),
        ("respond", 4, ID),
        ("user", 4, STOP),
    ]
    assert episode.transcript.said == ("Which period?", ID)
    assert episode.transcript.queries == (COUNT_CASES,)


async def test_a_failing_user_passes_its_error_through(org_session: OrgSession) -> None:
    class Failing(SaysInTurn):
        async def reply(self, text: str) -> str:
            raise ConnectionError("refused")

    episode = await Episode.start(make_task(), org_session, user=Failing("Hello."))
    with pytest.raises(ConnectionError):
        await episode.respond("Which period?")
    assert not episode.done


@pytest.mark.parametrize(("family", "external"), [("handle_time", False), ("knowledge_qa", True)])
def test_customer_facing_families_face_a_customer(
    org_session: OrgSession, family: str, external: bool
) -> None:
    assert Episode(make_task(family), org_session).external is external


def test_the_schema_is_told_one_object_a_line(org_session: OrgSession) -> None:
    lines = Episode(make_task(), org_session).schema_text.splitlines()
    assert len(lines) == 27
    case = next(line for line in lines if line.startswith("Case: "))
    assert "Id, " in case
    assert "OwnerId -> User" in case
    assert "SystemModstamp" not in case


class NoOrg:
    """A session that is never asked."""

    def __getattr__(self, name: str) -> object:
        raise AssertionError(name)


@given(replies=st.lists(st.text(max_size=12) | st.sampled_from([STOP, f"Yes. {STOP}", ""]), max_size=14))
@settings(max_examples=80, deadline=None)
async def test_any_user_comes_to_an_end_within_the_limits(replies: list[str]) -> None:
    session: OrgSession = NoOrg()  # type: ignore[assignment]
    episode = await conversation(session, *replies)
    words = 0
    while not episode.done:
        fault: CRMArenaError | None = None
        try:
            await episode.respond("Which period?")
        except CRMArenaError as error:
            fault = error
        if fault is not None:
            # A user who says nothing at all has failed; that is not the agent's doing.
            assert "said nothing" in str(fault)
            assert any(not reply.strip() for reply in replies)
            return
        words += 1
        assert words <= 11
    assert episode.end_reason in {EndReason.ANSWERED, EndReason.USER_TURNS}
    assert episode.user_turns <= 10
    assert episode.answer is not None
