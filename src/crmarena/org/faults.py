"""Every error of records: code, text and HTTP status, the fields named by whoever raises it."""

from __future__ import annotations

from crmarena.errors import SalesforceError

INVALID_FIELD = "INVALID_FIELD"
MALFORMED_ID = "MALFORMED_ID"
NOT_FOUND = "NOT_FOUND"
INVALID_CROSS_REFERENCE_KEY = "INVALID_CROSS_REFERENCE_KEY"
JSON_PARSER_ERROR = "JSON_PARSER_ERROR"
OUT_OF_RANGE = "NUMBER_OUTSIDE_VALID_RANGE"
INVALID_TYPE_FOR_OPERATION = "INVALID_TYPE_FOR_OPERATION"

# key -> (code, text, HTTP status). Where a text starts with a label, it is the field's.
TEXTS: dict[str, tuple[str, str, int]] = {
    # Objects and records
    "no_resource": (NOT_FOUND, "The requested resource does not exist", 404),
    "no_external_id": (
        NOT_FOUND,
        "Provided external ID field does not exist or is not accessible: {name}",
        404,
    ),
    "deleted": ("ENTITY_IS_DELETED", "entity is deleted", 404),
    # chosen: recorded for the update of a record that is not there, with no status; by its path it is 404.
    "no_record": (INVALID_CROSS_REFERENCE_KEY, "invalid cross reference id", 404),
    "bad_id": (MALFORMED_ID, "malformed id {value}", 400),
    "no_type": ("INVALID_TYPE", "sObject type '{name}' is not supported.", 400),
    # chosen: no recorded text for a record of a mixed call that does not say what it is.
    "type_missing": ("INVALID_TYPE", "The attributes of the record must name its type", 400),
    # chosen: no recorded text for an object that does not take the operation.
    "not_createable": (INVALID_TYPE_FOR_OPERATION, "entity type cannot be inserted: {object}", 400),
    "not_updateable": (INVALID_TYPE_FOR_OPERATION, "entity type cannot be updated: {object}", 400),
    "not_deletable": (INVALID_TYPE_FOR_OPERATION, "entity type cannot be deleted: {object}", 400),
    # Field names
    "unknown_field": (INVALID_FIELD, "No such column '{name}' on sobject of type {object}", 400),
    # chosen: no recorded text for a name given twice in two letter cases.
    "duplicate_field": (JSON_PARSER_ERROR, "Duplicate field '{name}' in the record", 400),
    # chosen: code and text are reported, not recorded.
    "id_in_insert": (INVALID_FIELD, "cannot specify Id in an insert call", 400),
    "id_missing": ("MISSING_ARGUMENT", "Id not specified in an update call", 400),
    "read_only": (
        "INVALID_FIELD_FOR_INSERT_UPDATE",
        "Unable to create/update fields: {names}. Please check the security settings of this field and"
        " verify that it is read/write for your profile or permission set.",
        400,
    ),
    "name_of_person": (
        "INVALID_FIELD_FOR_INSERT_UPDATE",
        "Account: bad field names on insert/update call: {names}",
        400,
    ),
    "required": ("REQUIRED_FIELD_MISSING", "Required fields are missing: [{names}]", 400),
    # Values
    # The REST API adds where in the body the value stands.
    "wrong_type": (
        JSON_PARSER_ERROR,
        "Cannot deserialize instance of {type} from {token} value {value} or request may be missing a"
        " required field",
        400,
    ),
    # chosen: Salesforce takes no such text either; its words are not recorded.
    "bad_text": (JSON_PARSER_ERROR, "{label}: text with a character that no record can hold", 400),
    "too_long": ("STRING_TOO_LONG", "{label}: data value too large: {value} (max length={length})", 400),
    "restricted_picklist": (
        "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST",
        "{label}: bad value for restricted picklist field: {value}",
        400,
    ),
    "email": ("INVALID_EMAIL_ADDRESS", "{label}: invalid email address: {value}", 400),
    "number_range": (OUT_OF_RANGE, "{label}: value outside of valid range on numeric field: {value}", 400),
    # chosen: the range is documented, its error is not.
    "date_range": (OUT_OF_RANGE, "{label}: value outside of valid range on date field: {value}", 400),
    # References
    "wrong_reference": (MALFORMED_ID, "{label}: id value of incorrect type: {value}", 400),
    "no_reference": (INVALID_CROSS_REFERENCE_KEY, "invalid cross reference id", 400),
    "no_foreign_key": (
        INVALID_FIELD,
        "Foreign key external ID: {value} not found for field {name} in entity {object}",
        400,
    ),
    # chosen: no recorded text for a parent that is not named by one external id.
    "bad_foreign_key": (
        INVALID_FIELD,
        "{name} must name a parent record by exactly one external ID field",
        400,
    ),
    # Uniqueness
    "duplicate": (
        "DUPLICATE_VALUE",
        "duplicate value found: {name} duplicates value on record with id: {id}",
        400,
    ),
    "duplicate_key": ("DUPLICATE_VALUE", "Duplicate external id specified: {value}", 400),
    # Upsert
    "key_missing": ("MISSING_ARGUMENT", "{name} not specified", 400),
    "key_in_values": (INVALID_FIELD, "The {name} field should not be specified in the sobject data.", 400),
    "several": (
        "DUPLICATE_EXTERNAL_ID",
        "{name}: more than one record found for external id field: [{ids}]",
        300,
    ),
    # Deletion
    "delete_blocked": (
        "DELETE_FAILED",
        "Your attempt to delete {name} could not be completed because it is associated with the following"
        " {children}.: {names}\n",
        400,
    ),
    # chosen: code and text are reported, not recorded.
    "not_in_bin": ("UNDELETE_FAILED", "Entity is not in the recycle bin", 400),
    # Several records in one call
    "rolled_back": (
        "ALL_OR_NONE_OPERATION_ROLLED_BACK",
        "Record rolled back because not all records were valid and the request was using AllOrNone header",
        400,
    ),
}


def fault(
    key: str, *, fields: tuple[str, ...] = (), record_ids: tuple[str, ...] = (), **values: object
) -> SalesforceError:
    """A record error by its key."""
    code, text, status = TEXTS[key]
    message = text.format(**values)
    return SalesforceError(code, message, http_status=status, fields=fields, record_ids=record_ids)
