"""The errors that only HTTP has, and every error as the REST API writes it."""

from __future__ import annotations

from typing import Any

from crmarena.errors import SalesforceError

# key -> (code, text, HTTP status). chosen: where the sheet is silent on a code, Salesforce's nearest
# exception code is taken; where it is silent on a text, the text is ours.
TEXTS: dict[str, tuple[str, str, int]] = {
    # Where to
    "no_resource": ("NOT_FOUND", "The requested resource does not exist", 404),
    "method": ("METHOD_NOT_ALLOWED", "HTTP Method '{method}' not allowed. Allowed are {allowed}", 405),
    # Who
    "session": ("INVALID_SESSION_ID", "Session expired or invalid", 401),
    "header": ("INVALID_AUTH_HEADER", "INVALID_HEADER_TYPE", 401),  # chosen: the text is reported only
    "login": (
        "INVALID_LOGIN",
        "Invalid username, password, security token; or user locked out.",
        500,
    ),
    "busy": (
        "SERVER_UNAVAILABLE",
        "All private sessions of this org are taken: log out or revoke a token, wait for one to end, or"
        " serve it with more (--sessions N, --token-ttl SECONDS).",
        503,
    ),
    # chosen: Salesforce has no disk that its clients hear of.
    "disk_full": ("SERVER_UNAVAILABLE", "The disk that the server keeps its state on is full.", 503),
    "read_only": (
        "INSUFFICIENT_ACCESS_OR_READONLY",
        "This org is served for reading only; start it with --writable to change records.",
        403,
    ),
    # Query strings
    "no_query": ("MALFORMED_QUERY", "A query string has to be specified", 400),
    "no_search": ("MALFORMED_SEARCH", "A search string has to be specified", 400),
    "parameter": ("ILLEGAL_QUERY_PARAMETER_VALUE", "Illegal value of parameter {name}: {text}", 400),
    "query_string": ("ILLEGAL_QUERY_PARAMETER_VALUE", "The path or the query string is not UTF-8 text.", 400),
    "locator": ("INVALID_QUERY_LOCATOR", "invalid query locator", 400),
    # Bodies
    "media_type": (
        "UNSUPPORTED_MEDIA_TYPE",
        "Content-Type header specified in HTTP request is not supported: {found}",
        415,
    ),
    "no_body": (
        "JSON_PARSER_ERROR",
        "The HTTP entity body is required, but this request has no entity body.",
        400,
    ),
    "json_character": (
        "JSON_PARSER_ERROR",
        "Unexpected character ('{character}' (code {code})) at [line:{line}, column:{column}]",
        400,
    ),
    "json_end": ("JSON_PARSER_ERROR", "Unexpected end-of-input at [line:{line}, column:{column}]", 400),
    "json_text": ("JSON_PARSER_ERROR", "{text} at [line:{line}, column:{column}]", 400),
    "too_large": (
        "EXCEEDED_MAX_SIZE_REQUEST",
        "The request body is larger than the limit of {limit} bytes.",
        413,
    ),
    "too_slow": ("REQUEST_RUNNING_TOO_LONG", "The request did not arrive within {seconds} seconds.", 408),
    "not_http": ("UNKNOWN_EXCEPTION", "The request is not valid HTTP: {text}", 400),
    "too_long": ("URI_TOO_LONG", "The URI and headers are longer than the limit of {limit} bytes.", 431),
    # Records, several in one call
    "json_type": (
        "JSON_PARSER_ERROR",
        "Cannot deserialize instance of {type} from {token} value {value} or request may be missing a"
        " required field at [line:{line}, column:{column}]",
        400,
    ),
    "json_duplicate": (
        "JSON_PARSER_ERROR",
        "Duplicate field '{name}' at [line:{line}, column:{column}]",
        400,
    ),
    "json_unknown": (
        "JSON_PARSER_ERROR",
        'Unrecognized field "{name}" at [line:{line}, column:{column}]',
        400,
    ),
    "json_missing": ("JSON_PARSER_ERROR", "Missing required field: {name}", 400),
    "override": ("ILLEGAL_QUERY_PARAMETER_VALUE", "Illegal value of parameter _HttpMethod: {found}", 400),
    "missing_parameter": ("MISSING_ARGUMENT", "{name} not specified", 400),
    "replication_date": ("INVALID_REPLICATION_DATE", "{name}: '{value}' is not a valid date and time", 400),
    "replication_span": (
        "INVALID_REPLICATION_DATE",
        "endDate must be at least one minute greater than startDate",
        400,
    ),
    "too_many_records": (
        "EXCEEDED_ID_LIMIT",
        "record limit reached. cannot submit more than {limit} records into this call",
        400,
    ),
    "too_many_chunks": (
        "LIMIT_EXCEEDED",
        "Cannot have more than {limit} chunks in a single operation. Please rearrange the data to reduce"
        " chunking.",
        400,
    ),
    # Composite resources
    "too_many_requests": (
        "LIMIT_EXCEEDED",
        "The request can't contain more than {limit} {kind}.",
        400,
    ),
    "bad_reference_id": (
        "INVALID_INPUT",
        "Provided referenceId ('{name}') must start with a letter or a number, and it can contain only"
        " letters, numbers and underscores ('_').",
        400,
    ),
    "inherited_header": (
        "INVALID_INPUT",
        "The header {name} is taken from the composite request; leave it out of the requests in it.",
        400,
    ),
    "repeated_reference_id": ("INVALID_INPUT", "Duplicate referenceId: {name}", 400),
    "no_reference": (
        "PROCESSING_HALTED",
        "Invalid reference specified. No value for {path} found in {name}",
        400,
    ),
    "rolled_back": (
        "PROCESSING_HALTED",
        "The transaction was rolled back since another operation in the same transaction failed.",
        400,
    ),
    "batch_halted": ("BATCH_PROCESSING_HALTED", "Batch processing halted per request", 412),
    "tree_type": ("INVALID_TYPE", "Records of this tree are of type {wanted}, not {found}.", 400),
    "tree_relationship": (
        "INVALID_FIELD",
        "No such relation '{name}' on sobject of type {object}",
        400,
    ),
    "tree_depth": ("LIMIT_EXCEEDED", "An sObject tree has at most {limit} levels.", 400),
    # Tooling
    "no_tooling_object": ("INVALID_TYPE", "sObject type '{name}' is not supported.", 400),
    "no_apex": ("INSUFFICIENT_ACCESS", "executeAnonymous needs Apex, which this org does not run.", 403),
    # Bulk API 2.0. The codes are recorded; chosen: the texts that name no source in the sheet.
    "bulk_value": ("INVALIDJOB", "InvalidJob : {name} '{value}' is not supported", 400),
    "bulk_object": ("INVALIDENTITY", "Unable to find object: {name}", 400),
    "bulk_no_query": ("INVALIDJOB", "InvalidJob : No query specified", 400),
    "bulk_external_id": (
        "INVALIDJOB",
        "InvalidJob : Field name not found or not an external ID: {name}",
        400,
    ),
    "bulk_query_form": ("API_ERROR", "{form} not supported in Bulk Query", 400),
    "bulk_state": ("INVALIDJOBSTATE", "{doing} already {state} Job not allowed", 400),
    "bulk_delete": ("INVALIDJOBSTATE", "Deleting a Job in state {state} not allowed", 400),
    "bulk_results": ("INVALIDJOBSTATE", "The Job has no results in state {state}", 400),
    "bulk_no_upload": ("INVALIDJOBSTATE", "Closing a Job without uploaded data not allowed", 400),
    "bulk_uploaded": (
        "INVALIDJOB",
        "Found multiple contents for job: <{id}>, please 'Close' / 'Abort' / 'Delete' the current Job then"
        " create a new Job and make sure you only do 'PUT' once on a given Job.",
        400,
    ),
    # What ends a job; `CODE : text` is its `errorMessage`
    "batch_csv": ("InvalidBatch", "Failed to parse CSV. {text}", 400),
    "batch_line_ending": (
        "ClientInputError",
        "LineEnding is invalid on user data. Current LineEnding setting is {setting}",
        400,
    ),
    "batch_empty": ("InvalidBatch", "Records not found", 400),
    "batch_column": ("InvalidBatch", "Field name not found : {name}", 400),
    "batch_column_twice": ("InvalidBatch", "Duplicate field name : {name}", 400),
    "batch_width": ("InvalidBatch", "Row {row} has {found} columns where the header has {wanted}", 400),
    "batch_ids_only": ("InvalidBatch", "Delete batch must contain only ids", 400),
    "batch_left": ("InternalServerError", "The server that processed the job has ended.", 500),
    "batch_session": ("InvalidSessionId", "The session of the job has ended.", 400),
    "cell_type": (
        "INVALID_TYPE_ON_FIELD_IN_RECORD",
        "{label}: value not of required type: {value}",
        400,
    ),
    # Ourselves
    "crash": (
        "UNKNOWN_EXCEPTION",
        "An unexpected error occurred. Please include this ErrorId if you contact support: {id}",
        500,
    ),
}

RECORD_CODES = frozenset(
    {
        "REQUIRED_FIELD_MISSING",
        "INVALID_FIELD_FOR_INSERT_UPDATE",
        "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST",
        "STRING_TOO_LONG",
        "INVALID_EMAIL_ADDRESS",
        "MALFORMED_ID",
        "INVALID_CROSS_REFERENCE_KEY",
        "DUPLICATE_VALUE",
        "DELETE_FAILED",
    }
)
"""The codes of errors that always carry a list of fields."""


def fault(key: str, **values: object) -> SalesforceError:
    """A transport error by its key."""
    code, text, status = TEXTS[key]
    return SalesforceError(code, text.format(**values), http_status=status)


def body(error: SalesforceError) -> list[dict[str, Any]]:
    """The body of an error: an array of one; a record's error names its fields, be they none."""
    shown: dict[str, Any] = {"message": error.message, "errorCode": error.error_code}
    fields = getattr(error, "fields", ())
    if fields or error.error_code in RECORD_CODES:
        shown["fields"] = list(fields)
    return [shown]
