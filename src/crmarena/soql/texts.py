"""Every code and text of SOQL's errors.

What Salesforce is known to say stands as it says it; a line marked `chosen` is a wording
of ours for what no public source quotes, and this table is the only place that holds it.
"""

from __future__ import annotations

MALFORMED_QUERY = "MALFORMED_QUERY"
INVALID_FIELD = "INVALID_FIELD"
INVALID_TYPE = "INVALID_TYPE"
INVALID_FILTER = "INVALID_QUERY_FILTER_OPERATOR"
EXCEEDED_ID_LIMIT = "EXCEEDED_ID_LIMIT"
OUT_OF_RANGE = "NUMBER_OUTSIDE_VALID_RANGE"
TOO_COMPLICATED = "QUERY_TOO_COMPLICATED"
INVALID_SCOPE = "INVALID_QUERY_SCOPE"
NO_QUERY = "INVALID_TYPE_FOR_OPERATION"

_REFERENCE = " Please reference your WSDL or the describe call for the appropriate names."

# key -> (code, text). Texts with a place are shown under a caret.
TEXTS: dict[str, tuple[str, str]] = {
    # The query as a whole
    "empty": (MALFORMED_QUERY, "SOQL statements cannot be empty or null"),
    # chosen: the code; the text is known
    "no_query": (MALFORMED_QUERY, "A query string has to be specified"),
    # chosen
    "too_long": (MALFORMED_QUERY, "SOQL statements cannot be longer than 100000 characters."),
    "too_complicated": (
        TOO_COMPLICATED,
        "Query is either selecting too many fields or the filter conditions are too complicated.",
    ),
    # chosen
    "all_rows": (MALFORMED_QUERY, "ALL ROWS not allowed in this context"),
    # Names
    "unknown_object": (
        INVALID_TYPE,
        "sObject type '{name}' is not supported. If you are attempting to use a custom object, be sure to"
        " append the '__c' after the entity name." + _REFERENCE,
    ),
    "unknown_field": (
        INVALID_FIELD,
        "No such column '{name}' on entity '{object}'. If you are attempting to use a custom field, be sure"
        " to append the '__c' after the custom field name." + _REFERENCE,
    ),
    "unknown_parent": (
        INVALID_FIELD,
        "Didn't understand relationship '{name}' in field path. If you are attempting to use a custom"
        " relationship, be sure to append the '__r' after the custom relationship name." + _REFERENCE,
    ),
    # chosen: the code; the text is known
    "unknown_children": (
        INVALID_TYPE,
        "Didn't understand relationship '{name}' in FROM part of query call. If you are attempting to use a"
        " custom relationship, be sure to append the '__r' after the custom relationship name." + _REFERENCE,
    ),
    "not_queryable": (NO_QUERY, "entity type {name} does not support query"),
    "needs_filter": (
        MALFORMED_QUERY,
        "Implementation restriction: ContentDocumentLink requires a filter by a single Id on"
        " ContentDocumentId or LinkedEntityId using the equals operator or multiple Id's using the IN"
        " operator.",
    ),
    # chosen
    "too_many_levels": (INVALID_FIELD, "Relationship path '{path}' is longer than 5 levels"),
    "driving_object": (
        MALFORMED_QUERY,
        "A driving SObject type has already been set, all other entity types in the FROM clause must be"
        " relationships to the initial object.  The driving object is {object}.",
    ),
    # chosen
    "relationship_count": (
        MALFORMED_QUERY,
        "A query may follow 55 relationships from child to parent at most, this one follows {count}",
    ),
    # USING SCOPE, WITH, and what stands at the end
    # chosen
    "scope": (INVALID_SCOPE, "Filter scope '{scope}' is not supported on entity '{object}'"),
    # chosen
    "category_object": (MALFORMED_QUERY, "Entity '{object}' does not support data category filters"),
    # chosen
    "category_group": (MALFORMED_QUERY, "Data category group '{name}' does not exist"),
    # chosen
    "category_count": (MALFORMED_QUERY, "WITH DATA CATEGORY takes 3 conditions at most"),
    # chosen
    "lock_order": (MALFORMED_QUERY, "ORDER BY is not allowed in a query that uses FOR UPDATE"),
    # chosen
    "lock_aggregate": (MALFORMED_QUERY, "FOR UPDATE is not allowed in a query with aggregate functions"),
    # chosen
    "statistics": (MALFORMED_QUERY, "{clause} is not supported on entity '{object}'"),
    # SELECT
    "duplicate_field": (INVALID_FIELD, "duplicate field selected: {name}"),
    # chosen
    "duplicate_alias": (MALFORMED_QUERY, "duplicate alias: {name}"),
    "alias": (MALFORMED_QUERY, "only aggregate expressions use field aliasing"),
    # chosen: as it is reported, which nobody confirms
    "fields_limit": (MALFORMED_QUERY, "The SOQL FIELDS function must have a LIMIT of at most 200"),
    "fields_empty": (
        MALFORMED_QUERY,
        "'FIELDS({group})' expansion function must result in at least one field being selected.",
    ),
    # chosen
    "fields_grouped": (MALFORMED_QUERY, "The SOQL FIELDS function is not allowed in a grouped query"),
    # chosen
    "typeof_target": (
        INVALID_FIELD,
        "TYPEOF needs a polymorphic relationship, and '{name}' is not one",
    ),
    # chosen
    "typeof_type": (INVALID_TYPE, "'{name}' is not one of the types of relationship '{relationship}'"),
    # chosen
    "typeof_repeated": (MALFORMED_QUERY, "TYPEOF names the type '{name}' twice"),
    # chosen
    "typeof_grouped": (MALFORMED_QUERY, "TYPEOF is not allowed in a grouped query"),
    # chosen
    "children_grouped": (MALFORMED_QUERY, "Subqueries are not allowed in a grouped query"),
    "children_aggregate": (MALFORMED_QUERY, "only root queries support aggregate expressions"),
    # chosen
    "children_depth": (MALFORMED_QUERY, "Queries may be nested to {levels} levels at most"),
    # chosen
    "children_count": (MALFORMED_QUERY, "A query may have 20 subqueries at most"),
    # chosen
    "children_offset": (MALFORMED_QUERY, "OFFSET in a subquery needs LIMIT 1 on the parent query"),
    # chosen
    "count_alone": (MALFORMED_QUERY, "COUNT() must be the only element of the SELECT list"),
    # chosen
    "count_clause": (MALFORMED_QUERY, "COUNT() does not go with {clause}"),
    # Functions and aggregates
    # chosen
    "unknown_function": (MALFORMED_QUERY, "Unknown function: {name}"),
    # chosen
    "function_type": (INVALID_FIELD, "field '{name}' does not support function {function}"),
    # chosen
    "function_place": (MALFORMED_QUERY, "{function} is not allowed here: {name}"),
    "aggregate_type": (MALFORMED_QUERY, "field {name} does not support aggregate operator {function}"),
    # chosen
    "aggregate_place": (MALFORMED_QUERY, "Aggregate function {function} is not allowed here: {name}"),
    "not_grouped": (MALFORMED_QUERY, "Field must be grouped or aggregated: {name}"),
    # chosen
    "order_not_grouped": (MALFORMED_QUERY, "Ordered field must be grouped or aggregated: {name}"),
    "grouped_aggregate": (MALFORMED_QUERY, "Grouped field should not be aggregated: {name}"),
    # chosen
    "duplicate_group": (MALFORMED_QUERY, "duplicate grouping expression: {name}"),
    # chosen
    "grouping_argument": (MALFORMED_QUERY, "GROUPING needs a field of GROUP BY ROLLUP or CUBE: {name}"),
    # chosen
    "grouping_fields": (MALFORMED_QUERY, "GROUP BY {grouping} takes 3 fields at most"),
    # chosen
    "having": (MALFORMED_QUERY, "HAVING needs GROUP BY"),
    "aggregate_limit": (
        MALFORMED_QUERY,
        "Non-grouped query that uses overall aggregate functions cannot also use LIMIT",
    ),
    "aggregate_rows": (
        EXCEEDED_ID_LIMIT,
        "Aggregate query does not support queryMore(), use LIMIT to restrict the results to a single batch",
    ),
    # Places and currencies
    # chosen
    "distance_field": (MALFORMED_QUERY, "The first argument of DISTANCE must be a location field"),
    # chosen
    "distance_place": (MALFORMED_QUERY, "The second argument of DISTANCE must be GEOLOCATION"),
    # chosen
    "distance_range": (
        MALFORMED_QUERY,
        "GEOLOCATION takes a latitude from -90 to 90 and a longitude from -180 to 180",
    ),
    # chosen
    "distance_unit": (MALFORMED_QUERY, "The unit of DISTANCE must be 'mi' or 'km', not {unit}"),
    # chosen
    "distance_operator": (MALFORMED_QUERY, "DISTANCE can only be compared by < and >"),
    # chosen: the code; the text is known
    "address_filter": (INVALID_FIELD, "Address fields can only be filtered using Distance expressions"),
    # chosen
    "currency_literal": (
        MALFORMED_QUERY,
        "Currency literals are only supported in organizations with multiple currencies: {value}",
    ),
    # What may be done with a field
    "not_filterable": (INVALID_FIELD, "field '{name}' can not be filtered in a query call"),
    "not_sortable": (INVALID_FIELD, "field '{name}' can not be sorted in a query call"),
    "not_groupable": (INVALID_FIELD, "field '{name}' can not be grouped in a query call"),
    # chosen
    "sort_fields": (MALFORMED_QUERY, "ORDER BY takes 32 fields at most"),
    # chosen: the code; the text is known
    "operator": (INVALID_FILTER, "invalid operator on {type} field"),
    # Filter values
    "needs_quotes": (
        INVALID_FIELD,
        "value of filter criterion for field '{name}' must be of type {type} and should be enclosed in"
        " quotes",
    ),
    "no_quotes": (
        INVALID_FIELD,
        "value of filter criterion for field '{name}' must be of type {type} and should not be enclosed in"
        " quotes",
    ),
    "invalid_id": (INVALID_FILTER, "invalid ID field: {value}"),
    # chosen
    "string_length": (MALFORMED_QUERY, "String literal in WHERE is longer than 4000 characters"),
    # Semi-joins
    "semi_or": (MALFORMED_QUERY, "Semi join sub-selects are not allowed with the 'OR' operator"),
    # chosen
    "semi_nested": (
        MALFORMED_QUERY,
        "Semi join sub-selects are only allowed at the top level WHERE expressions and not in nested WHERE"
        " expressions.",
    ),
    "semi_nesting": (MALFORMED_QUERY, "Nesting of semi join sub-selects is not supported"),
    # chosen
    "semi_count": (MALFORMED_QUERY, "Maximum 2 semi join sub-selects are allowed."),
    # chosen
    "semi_having": (MALFORMED_QUERY, "Semi join sub-selects are not allowed in HAVING"),
    # chosen
    "semi_left": (
        MALFORMED_QUERY,
        "The left operand field in the where expression for outer query should be an id field, cannot use:"
        " '{name}'",
    ),
    # chosen
    "semi_inner": (
        MALFORMED_QUERY,
        "The inner select field of a semi join should be an id or reference field, cannot use: '{name}'",
    ),
    # chosen
    "semi_single": (MALFORMED_QUERY, "The inner select of a semi join must have exactly one field"),
    # chosen
    "semi_clause": (MALFORMED_QUERY, "{clause} is not allowed in a semi join sub-select"),
    # chosen
    "semi_same": (MALFORMED_QUERY, "The inner and outer selects should not be on the same object type"),
    # chosen
    "semi_object": (MALFORMED_QUERY, "Entity '{object}' is not supported for semi join inner selects"),
    "semi_types": (
        MALFORMED_QUERY,
        "The selected field '{inner}' in the subquery and the left operand field in the where expression in"
        " the outer query '{outer}' should point to the same object type",
    ),
    # Limits
    "offset": (OUT_OF_RANGE, "Maximum SOQL offset allowed for apiName {object} is 2000"),
    # Literals
    # chosen
    "illegal_escape": (
        MALFORMED_QUERY,
        "Invalid string literal {literal}. Illegal character sequence '{sequence}' in string literal.",
    ),
    # chosen
    "invalid_date": (MALFORMED_QUERY, "Invalid date: {value}"),
    # chosen: the code; the text is known
    "invalid_datetime": (MALFORMED_QUERY, "Invalid datetime: {value}"),
    "colon": (MALFORMED_QUERY, "expecting a colon, found '{found}'"),
    "missing_value": (MALFORMED_QUERY, "missing value at '{found}'"),
    "bind": (MALFORMED_QUERY, "Bind variables only allowed in Apex code"),
    # chosen
    "out_of_range": (MALFORMED_QUERY, "numeric value out of range: {value}"),
}
