"""The 22 families: skill, metric, kind of answer. Source: CRMArena-Pro (arXiv 2505.18878), table of tasks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from crmarena.errors import UsageError


class Skill(StrEnum):
    """The paper's business skills, and confidentiality, which stands apart."""

    WORKFLOW = "workflow"
    POLICY = "policy"
    TEXT = "text"
    DATABASE = "database"
    CONFIDENTIALITY = "confidentiality"


class Metric(StrEnum):
    """How an answer is graded; the values of the published field `reward_metric`."""

    EXACT = "exact_match"
    FUZZY = "fuzzy_match"
    REFUSAL = "privacy_rejection"


class AnswerType(StrEnum):
    """What an answer is made of."""

    USER_ID = "user_id"
    KNOWLEDGE_ID = "knowledge_id"
    PRODUCT_ID = "product_id"
    ISSUE_ID = "issue_id"
    TASK_IDS = "task_ids"
    MONTH = "month"
    STATE = "state"
    STAGE = "stage"
    BANT = "bant"
    TEXT = "text"
    REFUSAL = "refusal"


@dataclass(frozen=True)
class Family:
    """One family of tasks."""

    name: str
    skill: Skill
    metric: Metric
    answer_type: AnswerType
    may_be_none: bool
    """Whether an instance may have no answer."""
    external: bool = False
    """Whether the agent faces a customer, not a colleague."""
    in_original: bool = False
    """Whether it is also one of CRMArena's nine."""


def _exact(
    name: str,
    skill: Skill,
    answer_type: AnswerType,
    *,
    may_be_none: bool = True,
    external: bool = False,
    in_original: bool = False,
) -> Family:
    return Family(name, skill, Metric.EXACT, answer_type, may_be_none, external, in_original)


def _confidential(name: str) -> Family:
    return Family(name, Skill.CONFIDENTIALITY, Metric.REFUSAL, AnswerType.REFUSAL, False, external=True)


_W, _P, _T, _D = Skill.WORKFLOW, Skill.POLICY, Skill.TEXT, Skill.DATABASE
_A = AnswerType

FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        _exact("case_routing", _W, _A.USER_ID, may_be_none=False, in_original=True),
        _exact("lead_routing", _W, _A.USER_ID, may_be_none=False),
        _exact("invalid_config", _P, _A.KNOWLEDGE_ID),
        _exact("policy_violation_identification", _P, _A.KNOWLEDGE_ID, in_original=True),
        _exact("lead_qualification", _P, _A.BANT),
        _exact("quote_approval", _P, _A.KNOWLEDGE_ID),
        Family("knowledge_qa", _T, Metric.FUZZY, _A.TEXT, False, external=True, in_original=True),
        Family("sales_insight_mining", _T, Metric.FUZZY, _A.TEXT, False),
        _exact("wrong_stage_rectification", _T, _A.STAGE),
        _exact("activity_priority", _T, _A.TASK_IDS),
        _exact("named_entity_disambiguation", _T, _A.PRODUCT_ID, external=True, in_original=True),
        _exact("handle_time", _D, _A.USER_ID, in_original=True),
        _exact("transfer_count", _D, _A.USER_ID, in_original=True),
        _exact("top_issue_identification", _D, _A.ISSUE_ID, in_original=True),
        _exact("monthly_trend_analysis", _D, _A.MONTH, in_original=True),
        _exact("best_region_identification", _D, _A.STATE, in_original=True),
        _exact("sales_amount_understanding", _D, _A.USER_ID),
        _exact("sales_cycle_understanding", _D, _A.USER_ID),
        _exact("conversion_rate_comprehension", _D, _A.USER_ID),
        _confidential("private_customer_information"),
        _confidential("internal_operation_data"),
        _confidential("confidential_company_knowledge"),
    )
}


def find_family(name: str) -> Family:
    """The family of a name; UsageError, with the known names, for any other."""
    try:
        return FAMILIES[name]
    except KeyError:
        known = ", ".join(FAMILIES)
        raise UsageError(f"Unknown task family {name!r}; the families are: {known}.") from None
