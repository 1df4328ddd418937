"""The filter scopes of `USING SCOPE`, and which of them an object has."""

from __future__ import annotations

from crmarena.schema.objects import SObject

SCOPES = {
    name.lower(): name
    for name in (
        "everything",
        "mine",
        "delegated",
        "mine_and_my_groups",
        "my_territory",
        "my_team_territory",
        "team",
        "scopingRule",
        "MRU",
        "AllPrivate",
    )
}
"""Every scope that the language knows, by its name in lower case."""

# Scoping rules are made for these standard objects and for custom ones.
_RULED = frozenset({"Account", "Case", "Contact", "Event", "Lead", "Opportunity", "Task"})


def supported_scopes(sobject: SObject) -> dict[str, str]:
    """The scopes of an object, each with its label.

    The rest belongs to features this org does without: territories, teams, approvals.
    """
    plural = sobject.label_plural if sobject.custom else sobject.label_plural.lower()
    scopes = {"everything": f"All {plural}"}
    if sobject.field("OwnerId"):
        scopes["mine"] = f"My {plural}"
    if sobject.name == "Task":
        scopes["delegated"] = f"My delegated {plural}"
    if sobject.custom or sobject.name in _RULED:
        scopes["scopingRule"] = "Filter by scope"
    # chosen: `MRU` is a scope of every object that can be looked at.
    scopes["MRU"] = f"Recently viewed {plural}"
    return scopes
