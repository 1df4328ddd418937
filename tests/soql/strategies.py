"""SOQL to draw from: a strategy for each clause, over the names of a real schema.

Most of what is drawn can be run: names exist, types fit and limits hold. A small share is
off in one way or another, and `mutated` spoils whole queries.
"""

from __future__ import annotations

from hypothesis import strategies as st

from crmarena.schema.objects import ChildRelationship
from tests.soql.ebnf import Grammar
from tests.soql.strategy_terms import (
    IDS,
    SCHEMA,
    Level,
    Named,
    aggregate,
    case_of,
    comparison,
    condition,
    date_function,
    distance,
    field,
    pick,
    rarely,
    shown,
    unknown_call,
)

_DRIVING = "Case Case Account Contact Opportunity Task Lead User Product2 Order Issue__c EmailMessage"
DRIVING = _DRIVING.split()


@st.composite
def clause(draw: st.DrawFn, keyword: str, body: st.SearchStrategy[str], share: int = 3) -> str:
    """A clause that may be there."""
    return f" {case_of(draw, keyword)} {draw(body)}" if rarely(draw, share) else ""


SCOPES = st.one_of(st.just("everything"), st.sampled_from(["mine", "Team", "delegated"]))
SECURITY = st.sampled_from(["SECURITY_ENFORCED", "USER_MODE", "system_mode"])
CATEGORY = st.builds(
    lambda group, selector, names: f"{group} {selector} {names}",
    st.sampled_from(["Geography__c", "Topic__c"]),
    st.sampled_from(["AT", "above", "BELOW", "ABOVE_OR_BELOW"]),
    st.sampled_from(["asia__c", "(asia__c)", "(asia__c, europe__c)"]),
)
CONTEXTS = st.one_of(
    SECURITY,
    st.lists(CATEGORY, min_size=1, max_size=3).map(lambda found: f"DATA CATEGORY {' AND '.join(found)}"),
    st.sampled_from(
        [
            "RecordVisibilityContext(maxDescriptorPerRecord=100)",
            "RecordVisibilityContext(supportsDomains=true, supportsDelegates=false)",
        ]
    ),
    IDS.map(lambda record_id: f"UserId = {record_id}"),
)
VIEWS = st.sampled_from(["", "", " FOR VIEW", " for reference"])
UPDATES = st.sampled_from(["", "", " UPDATE TRACKING", " UPDATE VIEWSTAT", " update tracking, viewstat"])
LOCKS = st.sampled_from(["", " FOR UPDATE"])


@st.composite
def tail(draw: st.DrawFn) -> str:
    """What follows LIMIT and OFFSET."""
    return draw(VIEWS) + draw(UPDATES) + draw(LOCKS) if rarely(draw, 10) else ""


@st.composite
def order_item(draw: st.DrawFn, text: str) -> str:
    """One entry of ORDER BY."""
    direction = pick(draw, ["", "", " ASC", " DESC"])
    return f"{text}{direction}{pick(draw, ['', '', ' NULLS FIRST', ' NULLS LAST'])}"


@st.composite
def order_by(draw: st.DrawFn, level: Level) -> str:
    """The entries of ORDER BY over records."""
    found = draw(st.lists(field(level, "text number ids day boolean", "sortable"), min_size=1, max_size=3))
    texts = [one.text for one in found]
    if rarely(draw, 12):
        texts.append(draw(distance(level)))
    return ", ".join([draw(order_item(text)) for text in texts])


@st.composite
def limits(draw: st.DrawFn, *, child: bool = False) -> str:
    """LIMIT and OFFSET."""
    limit = draw(clause("LIMIT", st.sampled_from(["0", "1", "5", "200", "50000", "99999999999"]), 2))
    offset = draw(clause("OFFSET", st.sampled_from(["0", "1", "2000", "2001"]), 60 if child else 6))
    return limit + offset


@st.composite
def from_clause(draw: st.DrawFn, level: Level) -> str:
    """FROM: the object, an alias, a parent with an alias of its own."""
    name = case_of(draw, level.sobject.name)
    if level.alias is None:
        return name
    text = f"{name}{pick(draw, [' ', ' AS '])}{level.alias}"
    parents = [f.relationship_name for f in level.sobject.fields.values() if f.relationship_name]
    return f"{text}, {level.alias}.{pick(draw, parents)} p" if rarely(draw, 3) else text


@st.composite
def type_of(draw: st.DrawFn, level: Level) -> str:
    """`TYPEOF What WHEN ... THEN ... ELSE ... END`."""
    polymorphic = [f for f in level.sobject.fields.values() if f.polymorphic]
    if not polymorphic or rarely(draw, 20):
        return "TYPEOF Owner WHEN User THEN Name END"
    reference = pick(draw, polymorphic)
    targets = draw(st.lists(st.sampled_from(reference.reference_to), min_size=1, max_size=2, unique=True))
    branches = []
    for name in targets:
        fields = draw(distinct_fields(Level(SCHEMA.objects[name])))
        branches.append(f"WHEN {name} THEN {', '.join(one.text for one in fields)}")
    otherwise = pick(draw, ["", " ELSE Name", " ELSE Id, Name, Email"])
    return f"TYPEOF {reference.relationship_name} {' '.join(branches)}{otherwise} END"


@st.composite
def distinct_fields(draw: st.DrawFn, level: Level) -> list[Named]:
    """Fields of which none is selected twice."""
    found = draw(
        st.lists(field(level), min_size=1, max_size=4, unique_by=lambda one: one.text.lower().split(".")[-1])
    )
    whole = {one.text.lower() for one in found}
    # A reference and a path through it do not clash, but `Owner` and `Owner.Name` would.
    return [
        one for one in found if not any(text.startswith(one.text.lower() + ".") for text in whole)
    ] or found


FIELDS_CALL = st.sampled_from(["FIELDS(ALL)", "FIELDS(STANDARD)", "fields(Custom)"])


@st.composite
def select_list(draw: st.DrawFn, level: Level) -> str:
    """What a query over records selects."""
    if rarely(draw, 25):
        return draw(FIELDS_CALL)
    items = [one.text for one in draw(distinct_fields(level))]
    if rarely(draw, 8):
        items.append(draw(type_of(level)))
    if rarely(draw, 10):
        items.append(f"{draw(shown(level))}{pick(draw, ['', ' written', ' written'])}")
    if rarely(draw, 20):
        items.append(draw(distance(level)) + pick(draw, ["", " away"]))
    if rarely(draw, 40):
        items.append(draw(unknown_call(level)))
    if level.depth < 3 and level.sobject.child_relationships and rarely(draw, 4):
        children = st.sampled_from(level.sobject.child_relationships)
        items.extend(
            draw(st.lists(children.flatmap(lambda one: child_query(level, one)), min_size=1, max_size=2))
        )
    return f",{pick(draw, [' ', '', '  '])}".join(items)


@st.composite
def child_query(draw: st.DrawFn, level: Level, relationship: ChildRelationship) -> str:
    """`(SELECT ... FROM Contacts)`."""
    below = Level(SCHEMA.objects[relationship.child], depth=level.depth + 1)
    prefix = f"{level.alias or level.sobject.name}." if rarely(draw, 8) else ""
    return f"({draw(records_query(below, prefix + relationship.name))})"


# Queries


@st.composite
def levels(draw: st.DrawFn) -> Level:
    """The driving object, some with an alias."""
    return Level(SCHEMA.objects[pick(draw, DRIVING)], pick(draw, [None, None, None, "q"]))


@st.composite
def records_query(draw: st.DrawFn, level: Level, source: str | None = None) -> str:
    """A query for records."""
    parts = [
        f"{case_of(draw, 'SELECT')} {draw(select_list(level))} {case_of(draw, 'FROM')} ",
        source or draw(from_clause(level)),
        draw(clause("USING SCOPE", SCOPES, 20)),
        draw(clause("WHERE", condition(level), 2)),
        draw(clause("WITH", CONTEXTS, 20)),
        draw(clause("ORDER BY", order_by(level))),
        draw(limits(child=source is not None)),
        draw(tail()),
    ]
    return "".join(parts)


@st.composite
def count_query(draw: st.DrawFn, level: Level) -> str:
    """`SELECT COUNT() FROM ...`."""
    where = draw(clause("WHERE", condition(level), 1))
    return f"SELECT {case_of(draw, 'COUNT')}() FROM {draw(from_clause(level))}{where}{draw(limits())}"


@st.composite
def group(draw: st.DrawFn, level: Level) -> Named:
    """What GROUP BY may name."""
    return draw(
        date_function(level) if rarely(draw, 4) else field(level, "text ids date boolean int", "groupable")
    )


@st.composite
def aggregate_query(draw: st.DrawFn, level: Level) -> str:
    """A query with aggregates and, mostly, groups."""
    groups = draw(st.lists(group(level), max_size=3, unique_by=lambda one: one.text.lower().split(".")[-1]))
    totals = draw(st.lists(aggregate(level), min_size=0 if groups else 1, max_size=3))
    shown = draw(st.lists(st.sampled_from(groups), unique=True)) if groups else []
    kind = pick(draw, ["", "", "", "ROLLUP", "CUBE"])
    items = [one.text + pick(draw, ["", "", f" g{n}"]) for n, one in enumerate(shown)]
    items += [one.text + pick(draw, ["", f" t{n}"]) for n, one in enumerate(totals)]
    if kind and groups and "convertTimezone" not in groups[0].text:
        items.append(f"GROUPING({groups[0].text})")
    text = f"SELECT {', '.join(items or ['COUNT(Id)'])} FROM {draw(from_clause(level))}"
    text += draw(clause("WHERE", condition(level), 2))
    if not groups:
        return text + ("" if draw(st.booleans()) else draw(limits()))
    names = ", ".join(one.text for one in groups)
    text += f" GROUP BY {f'{kind}({names})' if kind else names}"
    text += draw(clause("HAVING", having(level, groups), 3))
    return text + draw(clause("ORDER BY", grouped_order(level, groups), 3)) + draw(limits())


@st.composite
def having(draw: st.DrawFn, level: Level, groups: list[Named]) -> str:
    """The condition of HAVING."""
    tests = st.one_of(aggregate(level), st.sampled_from(groups)).flatmap(comparison)
    return f" {pick(draw, ['AND', 'OR'])} ".join(draw(st.lists(tests, min_size=1, max_size=2)))


@st.composite
def grouped_order(draw: st.DrawFn, level: Level, groups: list[Named]) -> str:
    """ORDER BY in a grouped query."""
    found = draw(st.lists(st.one_of(aggregate(level), st.sampled_from(groups)), min_size=1, max_size=2))
    return ", ".join([draw(order_item(one.text)) for one in found])


@st.composite
def queries(draw: st.DrawFn) -> str:
    """A whole query."""
    level = draw(levels())
    kind = draw(st.integers(0, 9))
    made = records_query(level) if kind < 6 else count_query(level) if kind < 7 else aggregate_query(level)
    return draw(made)


# What is no query


SCANNER = Grammar("soql.ebnf")
_LITTER = """
    SELECT FROM WHERE AND OR NOT IN LIKE NULL ( ) , . : = != <> < <= ; * ? $ ' '' 'x' " -- /* 5 -5 .5 Id Name
    GROUP BY HAVING ORDER LIMIT OFFSET USING SCOPE WITH FOR UPDATE VIEW TYPEOF WHEN THEN ELSE END AS ASC NULLS
    FIRST FIELDS COUNT() TODAY LAST_N_DAYS:3 LAST_N_DAYS 2024-05-15 2024-05-15T10:00:00Z 2024-05-15T10 ROLLUP(
    DISTANCE GEOLOCATION USD5 USD-5 ALL ROWS DATA CATEGORY AT TRACKING INCLUDES FALSE \u00e9 \x00 \ud800
"""
LITTER = [*_LITTER.split(), "a\u00a0b"]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A query with a few tokens or characters put in, left out, or changed for others."""
    text = draw(queries())
    if rarely(draw, 3):
        place = draw(st.integers(0, len(text)))
        cut = draw(st.integers(0, 3))
        return text[:place] + pick(draw, LITTER) + text[place + cut :]
    tokens = SCANNER.scan(text) or text.split()
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(tokens)))
        change = draw(st.integers(0, 3))
        if change == 0:
            tokens.insert(place, pick(draw, LITTER))
        elif change == 1:
            del tokens[place : place + 1]
        elif change == 2:
            tokens[place : place + 1] = [pick(draw, LITTER)]
        else:
            tokens[place : place + 2] = reversed(tokens[place : place + 2])
    return " ".join(tokens)
