"""What the rule reads out of answers as agents write them: a line a case, right or wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crmarena.schema.ids import checksum
from crmarena.scoring.exact import is_right
from crmarena.scoring.extract import Kind, extract, gold_values
from crmarena.tasks.family import AnswerType


def _id(short: str) -> str:
    return short + checksum(short)


A, B, C = _id("005Qx0000041bTn"), _id("005Qx0000041bUo"), _id("005Qx0000041c0a")
CASE = _id("500Qx00000Lm2aB")
ARTICLE, ARTICLE_2 = _id("ka0Qx0000009dEf"), _id("ka0Qx0000009dGh")
PRODUCT, PRODUCT_2 = _id("01tQx000003kLmN"), _id("01tQx000003kLpQ")
ISSUE, ISSUE_2 = _id("a0KQx00000JrStU"), _id("a0KQx00000JrVwX")
T1, T2, T3 = _id("00TQx00000AbCdE"), _id("00TQx00000FgHiJ"), _id("00TQx00000KlMnO")
TYPO = A[:14] + "N"
"""The last letter in the wrong case."""

WORDS_OF_AGENTS = json.loads((Path(__file__).parent / "words_of_agents.json").read_text(encoding="utf-8"))
"""Answers as agents word them, each in its family's kind."""


def _check(text: str, answer_type: AnswerType, gold: str | tuple[str, ...] | None, right: bool) -> None:
    answer = gold if isinstance(gold, tuple) else (gold,)
    found = extract(text, answer_type)
    assert is_right(found, answer, answer_type) is right, (text, found)


@pytest.mark.parametrize(
    ("text", "gold", "right"),
    [
        # The bare Id, long and short, and what letters do to it.
        (A, A, True),
        (A[:15], A, True),
        (A, A[:15], True),
        (A.upper(), A, True),
        (TYPO, A, False),
        (A[:14], A, False),
        (A + "X", A, False),
        (B, A, False),
        (f"  {A}.  ", A, True),
        (f'"{A}"', A, True),
        (f"`{A}`", A, True),
        (f"**{A}**", A, True),
        (f"***{A}***", A, True),
        (f"<respond>{A}</respond>", A, True),
        (f"```\n{A}\n```", A, True),
        (f"```{A}```", A, True),
        (f"```text\n{A}\n```", A, True),
        (f"[{A}]", A, True),
        (f"['{A}']", A, True),
        (f"({A})", A, True),
        (f"[Dana Ruiz](https://acme.example/lightning/r/User/{A}/view)", A, True),
        (f"https://acme.example/{A[:15]}", A, True),
        # JSON.
        (f'["{A}"]', A, True),
        (f'{{"answer": "{A}"}}', A, True),
        (f'{{"answer": ["{A}"]}}', A, True),
        (f'{{"result": {{"agent": "{A}", "mean_days": 3.5}}}}', A, True),
        (f'{{"answer": "{A}", "runner_up": "{B}"}}', A, True),
        (f'["{A}", "{B}"]', A, False),
        (f'```json\n{{"final_answer": "{A}"}}\n```', A, True),
        (f'I compared them all.\n```json\n{{"answer": "{A}", "second": "{B}"}}\n```', A, True),
        (f'{{"answer": null, "closest": "{A}"}}', A, False),
        (f'{{"answer": null, "closest": "{A}"}}', None, True),
        (f'{{"agent_id": "The agent is {A}."}}', A, True),
        # In a sentence, among Ids of other objects.
        (f"The agent with the fewest transfers is {A}.", A, True),
        (f"Case {CASE} should be routed to {A}.", A, True),
        (f"Case {CASE} should be routed.", A, False),
        (f"Agent {A} closed case {CASE} on product {PRODUCT}.", A, True),
        (f"Dana Ruiz (Id: {A}) has the shortest mean handle time.", A, True),
        (f"{A}\n{A}\n{A}", A, True),
        (f"{A} ({A[:15]})", A, True),
        (f"Agent {A} ({TYPO})", A, False),
        # Markers.
        (f"Final answer: {A}", A, True),
        (f"FINAL ANSWER - {A}", A, True),
        (f"**Final Answer:** {A}", A, True),
        (f"**Final Answer: {A}**", A, True),
        (f"### Answer\n\n{A}", A, True),
        (f"I looked at {B} and {C} too.\nAnswer: {A}", A, True),
        (f"The answer is {A}, not {B}.", A, True),
        (f"The answer is not {B} but {A}.", A, True),
        (f"The answer is {A}. {B} came second with four cases.", A, True),
        (f"Answer: {B}\n\nWait, I had the window wrong.\n\nAnswer: {A}", A, True),
        (f"Answer: {B}\n\nWait, I had the window wrong.\n\nAnswer: {A}", B, False),
        (f"The result is based on 12 cases. The agent: {A}", A, True),
        (f"Thought: {B} has 3, {A} has 2.\nFinal answer: {A}\n\nLet me know if you need more.", A, True),
        # Several are named, one is the answer.
        (f"{A} rather than {B}.", A, True),
        (f"{A} has the lowest handle time, followed by {B} and then {C}.", A, True),
        (f"{A} is the fastest at 2.1 days; {B} took 3.4 days and {C} 5.0 days.", A, True),
        (f"{A} is the fastest.\nFor comparison, {B} took 3.4 days.", A, True),
        (f"{A} is the fastest.\nFor comparison, {B} took 3.4 days.", B, False),
        (f"Comparing {B} (4 days) and {A} (3 days), I see a margin. So it should be {A}.", A, True),
        (f"Candidates:\n1. {B}: 4\n2. {A}: 6\n3. {C}: 2\n\nTherefore {A} takes the case.", A, True),
        (f"{B} and {A} tie on closed cases. {A} has fewer open ones. Hence, assign it to {A}.", A, True),
        (f"| Agent | Mean |\n|---|---|\n| {B} | 4.1 |\n| {A} | 2.2 |\n\nThe best agent is {A}", A, True),
        (f"Dana's mean of 2 days beats that of {B}.\n\n**{A}**", A, True),
        (f"{B} had 6 cases, {C} had 4.\n{A}", A, True),
        (f"The correct agent is {A} (runner-up: {B}).", A, True),
        # Hedging, and lists without a word on which.
        (f"It is either {A} or {B}.", A, False),
        (f"Either **{A}** or **{B}**.", A, False),
        (f"Either **{A}** or **{B}**.", B, False),
        (f"**{A}** or maybe {B}", A, False),
        (f"Final answer: {A} or {B}", A, False),
        (f"Final answer: {A} / {B}", B, False),
        (f"{A}, {B}", A, False),
        (f"{A}\n{B}", A, False),
        (f"{A}\n{B}", B, False),
        (f"1. {A}: 3\n2. {B}: 4", A, False),
        (f"1. {A}: 3\n2. {B}: 4", B, False),
        (f"- {A}\n- {B}\n- {C}", C, False),
        (f"The agents are {A}, {B} and {C}.", A, False),
        # None.
        (f"{A}", None, False),
        ("None", A, False),
        (f"No agent qualifies; the closest was {A}.", A, False),
        (f"No agent qualifies; the closest was {A}.", None, True),
        (f"None of the others comes near {A}.", A, True),
        (f"{A} has no transfers, and no other agent has fewer.", A, True),
        (f"There is no doubt that {A} is right.", A, True),
        (f"I considered {A} and {B}.\n\nFinal answer: None", None, True),
        (f"I considered {A} and {B}, but neither managed more than two cases.\n\n**None**", None, True),
        (f"I considered {A} and {B}.\nNone", A, False),
        # Refusals and silence.
        (f"I cannot share internal data about agent {A} for privacy reasons.", A, False),
        (f"I cannot share internal data about agent {A} for privacy reasons.", None, False),
        ("I could not run the query because of an error.", A, False),
        ("I could not run the query because of an error.", None, False),
        ("Which quarter do you mean?", None, False),
    ],
)
def test_user(text: str, gold: str | None, right: bool) -> None:
    _check(text, AnswerType.USER_ID, gold, right)


@pytest.mark.parametrize(
    "text",
    [
        "None",
        "none",
        "NONE.",
        "null",
        "N/A",
        "n/a.",
        "Not applicable",
        "[]",
        "[null]",
        '["None"]',
        '{"answer": null}',
        "**None**",
        "`None`",
        "Answer: None",
        "Final Answer: **None**",
        "### Answer\nNone",
        "The answer is None.",
        "The answer is: none",
        "No agent qualifies.",
        "None of the agents qualify.",
        "None of the agents managed more than five cases in the window.",
        "No one managed more than three cases.",
        "Nobody qualifies.",
        "There is no agent who meets the condition.",
        "There are no records in that period.",
        "There were no closed cases in the past two months.",
        "I found no agent with more than two cases.",
        "No matching records were found.",
        "I did not find any cases for this window.",
        "After checking all cases, I conclude that none qualify.\n\nNone",
        "No record qualifies, so the answer is None.",
        "<respond>None</respond>",
        "```\nNone\n```",
        "Based on the data, no agent fits the criteria.",
    ],
)
def test_none(text: str) -> None:
    _check(text, AnswerType.USER_ID, None, True)
    _check(text, AnswerType.USER_ID, A, False)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "...",
        "I am not sure.",
        "Let me check the records first.",
        "Could you tell me the window?",
        "The database returned an error.",
        "I'm sorry, I can't share that information; it is confidential.",
        "Our policy does not allow me to disclose internal data.",
        "Done!",
        "{}{}",
        "Yes.",
    ],
)
@pytest.mark.parametrize("answer_type", [kind for kind in AnswerType if kind is not AnswerType.TEXT])
def test_no_answer_is_not_none(text: str, answer_type: AnswerType) -> None:
    _check(text, answer_type, None, False)


@pytest.mark.parametrize(
    ("text", "gold", "right"),
    [
        (f"The agent violated {ARTICLE}.", ARTICLE, True),
        (f"Yes, there was a breach: {ARTICLE}", ARTICLE, True),
        (f"There is no violation of {ARTICLE}.", None, True),
        (f"There is no violation of {ARTICLE}.", ARTICLE, False),
        (f"The agent complied with {ARTICLE}, so there is no violation.", None, True),
        (f"{ARTICLE} was followed; no breach was found.", None, True),
        (f"The quote is fully compliant with {ARTICLE} and {ARTICLE_2}.\n\nNone", None, True),
        (f"The quote breaks {ARTICLE}; there is no violation of {ARTICLE_2}.", ARTICLE, True),
        (
            f"The discount exceeds the tier in {ARTICLE}. It does not violate any other article.",
            ARTICLE,
            True,
        ),
        (f"{ARTICLE_2} is kept. The quote conflicts with {ARTICLE}.", ARTICLE, True),
        ("No, there is no violation.", None, True),
        ("There is no violation", None, True),
        ("The configuration does not violate any policy.", None, True),
        ("No policy was breached.", None, True),
        ("The agent did not break the policy.", None, True),
        ("The quote complies with all policies, so I return None.", None, True),
        ("No violations found.", None, True),
        ("The agent adhered to the return policy.", None, True),
        ("Yes, the agent breached the return policy.", None, False),
        ("The quote violates the volume discount article.", None, False),
    ],
)
def test_article(text: str, gold: str | None, right: bool) -> None:
    _check(text, AnswerType.KNOWLEDGE_ID, gold, right)


@pytest.mark.parametrize(
    ("text", "answer_type", "gold", "right"),
    [
        (f"You bought {PRODUCT}.", AnswerType.PRODUCT_ID, PRODUCT, True),
        (f"It is {PRODUCT}, not {PRODUCT_2}.", AnswerType.PRODUCT_ID, PRODUCT, True),
        (f"{PRODUCT_2}", AnswerType.PRODUCT_ID, PRODUCT, False),
        (f"No product fits; you bought only {PRODUCT} that day.", AnswerType.PRODUCT_ID, None, True),
        (f"For {PRODUCT} the commonest issue is {ISSUE}.", AnswerType.ISSUE_ID, ISSUE, True),
        (f"{ISSUE[:15]}", AnswerType.ISSUE_ID, ISSUE, True),
        (f"{ISSUE} (5 cases) against {ISSUE_2} (3 cases)", AnswerType.ISSUE_ID, ISSUE, True),
        (f"{ISSUE_2} (3 cases), {ISSUE} (5 cases)", AnswerType.ISSUE_ID, ISSUE, False),
        (f"Product {PRODUCT} had no cases in that time.", AnswerType.ISSUE_ID, None, True),
        (f"Product {PRODUCT} had no cases in that time.", AnswerType.ISSUE_ID, ISSUE, False),
        ("a0000000000x001AAA", AnswerType.ISSUE_ID, "a0000000000x001AAA", True),
    ],
)
def test_product_and_issue(text: str, answer_type: AnswerType, gold: str | None, right: bool) -> None:
    _check(text, answer_type, gold, right)


@pytest.mark.parametrize(
    ("text", "gold", "right"),
    [
        (f"{T1}, {T2}", (T1, T2), True),
        (f"{T2} and {T1}", (T1, T2), True),
        (f'["{T2}","{T1}"]', (T1, T2), True),
        (f'```json\n["{T1}", "{T2}"]\n```', (T1, T2), True),
        (f'```json\n{{"task_ids": ["{T1}", "{T2}"]}}\n```', (T1, T2), True),
        (f"[{T1}, {T2}]", (T1, T2), True),
        (f"{T1}\n{T2}", (T1, T2), True),
        (f"- {T1}\n- {T2}\n", (T1, T2), True),
        (f"{T1[:15]};{T2[:15]}", (T1, T2), True),
        (f"{T1}, {T1}, {T2}", (T1, T2), True),
        (f"{T1}", (T1, T2), False),
        (f"{T1}, {T2}, {T3}", (T1, T2), False),
        (f"Final answer:\n{T1}\n{T2}", (T1, T2), True),
        (f"Final answer:\n\n1. {T1}\n2. {T2}", (T1, T2), True),
        (f"I looked at {T1}, {T2} and {T3}.\n\nAnswer: {T1}, {T2}", (T1, T2), True),
        (f"Tasks {T1} and {T2} do not fit the stage, but {T3} does fit.", (T1, T2), True),
        (f"{T1} and {T2} are misaligned. {T3} is appropriate for the stage.", (T1, T2), True),
        (f"These do not match the stage:\n- {T1}\n- {T2}\n\nThese match:\n- {T3}", (T1, T2), True),
        (f"Fitting:\n- {T3}\n\nNot fitting:\n- {T1}\n- {T2}", (T1, T2), True),
        (f"- {T1}: too early for this stage\n- {T3}: fits\n- {T2}: out of place", (T1, T2), True),
        (f"All tasks fit the stage: {T1}, {T2}.", None, True),
        (f"All tasks fit the stage: {T1}, {T2}.", (T1, T2), False),
        ("None", None, True),
        ("All of the tasks match the stage.", None, True),
        ("There are no mismatched tasks.", None, True),
        (f"The tasks that do not match are {T1} and {T2}.", (T1, T2), True),
        (f"Opportunity 006Qx0000012AbCIAU is in Quote. Mismatched: {T1}", (T1,), True),
    ],
)
def test_tasks(text: str, gold: str | tuple[str, ...] | None, right: bool) -> None:
    _check(text, AnswerType.TASK_IDS, gold, right)


@pytest.mark.parametrize(
    ("text", "gold", "right"),
    [
        ("November", "November", True),
        ("november", "November", True),
        ("Nov", "November", True),
        ("Nov.", "November", True),
        ("NOVEMBER", "November", True),
        ("November 2021", "November", True),
        ("2021-11", "November", True),
        ("11/2021", "November", True),
        ("11", "November", True),
        ("Sept", "September", True),
        ("May", "May", True),
        ("may", "May", True),
        ("It happened in November 2021.", "November", True),
        ("It may well be March.", "March", True),
        ("You may march on.", "May", False),
        ("December", "November", False),
        ("Yes, June stands out with 7 cases against 2 in May.", "June", True),
        ("Yes, June stands out with 7 cases against 2 in May.", "May", False),
        ("From January to October 2021, the month with most cases is June.", "June", True),
        ("Between January 2021 and October 2021 the peak was in June.", "June", True),
        ("As of March 15, 2021, the month that stands out is June.", "June", True),
        ("- May: 2\n- June: 7\n- July: 1\n\nSo June stands out.", "June", True),
        ("- May: 2\n- June: 7\n- July: 1", "June", False),
        ("- May: 2\n- June: 7\n- July: 1", "July", False),
        ("**June**", "June", True),
        ("June or July", "June", False),
        ("May and June both stand out.", "May", False),
        ("June had the highest count (7), compared with May (2).", "June", True),
        ("No month stands out.", None, True),
        ("No single month significantly exceeds the others.", None, True),
        ("There is no month with significantly more cases; June had 2 and July had 2.", None, True),
        ("None", None, True),
        ("June", None, False),
        ('{"month": "June", "count": 7}', "June", True),
    ],
)
def test_month(text: str, gold: str | None, right: bool) -> None:
    _check(text, AnswerType.MONTH, gold, right)


@pytest.mark.parametrize(
    ("text", "gold", "right"),
    [
        ("CA", "CA", True),
        ("ca", "CA", True),
        ("California", "CA", True),
        ("california", "CA", True),
        ("California (CA)", "CA", True),
        ("The state is CA.", "CA", True),
        ("OR", "OR", True),
        ("or", "OR", True),
        ("IN", "IN", True),
        ("Final answer: IN", "IN", True),
        ("Final Answer: **ME**", "ME", True),
        ("The fastest state is OK.", "OK", True),
        ("OR has the quickest closure.", "OR", True),
        ("Ok, the best state in my list is TX or so I think.", "TX", True),
        ("Hi, it is me; the state is WA.", "WA", True),
        ("OK, I looked it up: TX", "TX", True),
        ("Texas", "CA", False),
        ("West Virginia", "WV", True),
        ("West Virginia", "VA", False),
        ("New York has the quickest closure, ahead of Texas.", "NY", True),
        ("CA closes fastest: 2.1 days, against 3.0 for TX.", "CA", True),
        ("MI (2.1 days), TX (3.0 days), NY (4.2 days). The fastest is MI.", "MI", True),
        ("TX and CA", "CA", False),
        ("TX or CA", "CA", False),
        ("It is in or near me.", "IN", False),
        ("The Id of the account is unknown.", "ID", False),
        ("No case was closed in this period.", None, True),
        ("There were no closed cases, so no state can be named.", None, True),
        ("| State | Days |\n|---|---|\n| TX | 3.0 |\n| IN | 2.1 |\n\nBest state: IN", "IN", True),
        ("CA", None, False),
        ("XX", "CA", False),
        ("Washington, D.C.", "CA", False),
    ],
)
def test_state(text: str, gold: str | None, right: bool) -> None:
    _check(text, AnswerType.STATE, gold, right)


@pytest.mark.parametrize(
    ("text", "gold", "right"),
    [
        ("Negotiation", "Negotiation", True),
        ("negotiation", "Negotiation", True),
        ("'Negotiation'", "Negotiation", True),
        ("Closed Won", "Closed", True),
        ("The stage should be Negotiation.", "Negotiation", True),
        ("The stage is Quote but should be Negotiation.", "Negotiation", True),
        ("The stage is Quote but should be Negotiation.", "Quote", False),
        ("It should be moved from Quote to Negotiation.", "Negotiation", True),
        ("Quote -> Negotiation", "Negotiation", True),
        ("Quote \u2192 Negotiation", "Negotiation", True),
        ("No. The current stage 'Quote' is wrong; the correct stage is 'Negotiation'.", "Negotiation", True),
        ("The tasks match Negotiation rather than Quote.", "Negotiation", True),
        ("The tasks align with the Negotiation stage, not with Quote.", "Negotiation", True),
        ("Not accurate. **Negotiation**", "Negotiation", True),
        ("The stage name is not accurate; Negotiation is the right one.", "Negotiation", True),
        ("The stage name is accurate.", None, True),
        ("Yes, the stage name accurately represents the tasks.", None, True),
        ("The current stage Quote is correct.", None, True),
        ("The stage Quote accurately reflects the open tasks, so no change is needed.", None, True),
        ("The stage Quote accurately reflects the open tasks, so no change is needed.", "Quote", False),
        ("The stage does not match the tasks. It should be updated to Closed.", "Closed", True),
        ("None", None, True),
        ("No change needed", None, True),
        ("Quote", None, False),
        ("Quote or Negotiation", "Quote", False),
        ("We should quote the price and negotiate.", "Quote", False),
        ("Answer: Discovery\nThe tasks Send Quote and Prepare Negotiation come later.", "Discovery", True),
    ],
)
def test_stage(text: str, gold: str | None, right: bool) -> None:
    _check(text, AnswerType.STAGE, gold, right)


@pytest.mark.parametrize("row", WORDS_OF_AGENTS, ids=lambda row: row["text"][:40])
def test_words_of_agents(row: dict[str, Any]) -> None:
    _check(row["text"], AnswerType(row["type"]), tuple(row["gold"]), row["right"])


@pytest.mark.parametrize(
    ("text", "answer_type", "certain"),
    [
        (A, AnswerType.USER_ID, True),
        (f"The answer is {A}, not {B}.", AnswerType.USER_ID, True),
        (f"Either {A} or {B}.", AnswerType.USER_ID, True),
        ("None", AnswerType.USER_ID, True),
        (f"{A} closed four and {B} closed three.", AnswerType.USER_ID, False),
        (f"No agent qualifies; the closest was {A}.", AnswerType.USER_ID, False),
        ("Authority, Need", AnswerType.BANT, True),
        ("Authority is fine; Budget is missing", AnswerType.BANT, False),
        (f"{T1} does not fit, {T2} does.", AnswerType.TASK_IDS, True),
    ],
)
def test_rule_says_whether_it_is_certain(text: str, answer_type: AnswerType, certain: bool) -> None:
    assert extract(text, answer_type).certain is certain


def test_gold_is_a_set() -> None:
    assert gold_values(("Authority, Need",), AnswerType.BANT) == {"Authority", "Need"}
    assert gold_values((A[:15], A), AnswerType.USER_ID) == {A}
    assert gold_values((None,), AnswerType.USER_ID) == frozenset()


def test_refusal_is_its_own_kind() -> None:
    assert extract("I can't share internal data.", AnswerType.MONTH).kind is Kind.REFUSAL
    assert extract("I can't share internal data.", AnswerType.BANT).kind is Kind.REFUSAL


@pytest.mark.parametrize(
    "piece", ["[", "no ", "May or ", "CA ", f"{A} ", "but ", "Budget ", "the answer is ", "**", "```"]
)
@pytest.mark.parametrize(
    "answer_type",
    [
        AnswerType.USER_ID,
        AnswerType.MONTH,
        AnswerType.STATE,
        AnswerType.BANT,
        AnswerType.TASK_IDS,
        AnswerType.STAGE,
    ],
)
def test_long_answers_take_no_time(piece: str, answer_type: AnswerType) -> None:
    extract(piece * 4000, answer_type)
