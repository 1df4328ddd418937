"""Every exception of the package.

CRMArenaError            exit code 1: the work failed
├── UsageError           exit code 2: what was given is wrong; one line says what, where, what to do
├── SalesforceError      what the org answers to a request it cannot carry out
└── EpisodeOver          an agent acted on an episode that had ended
"""

from __future__ import annotations


class CRMArenaError(Exception):
    """The work failed; the text is one line for a person."""

    exit_code = 1


class UsageError(CRMArenaError):
    """Wrong input: a missing file, an unknown name, a malformed line."""

    exit_code = 2


class SalesforceError(CRMArenaError):
    """An error as Salesforce reports it.

    `message` is the whole text as Salesforce words it, the caret block included
    where there is one; `text` is its last part alone. `row` counts from 1;
    `column` counts as Salesforce does for the kind of error; both are None where
    Salesforce gives no position. `fields` names the fields that a record error is about,
    `record_ids` the records among which a request could not choose. `str()` gives
    `CODE: message`, as an agent reads it.
    """

    def __init__(
        self,
        error_code: str,
        message: str,
        *,
        text: str | None = None,
        row: int | None = None,
        column: int | None = None,
        http_status: int = 400,
        fields: tuple[str, ...] = (),
        record_ids: tuple[str, ...] = (),
    ) -> None:
        super().__init__(f"{error_code}: {message}")
        self.error_code = error_code
        self.message = message
        self.text = message if text is None else text
        self.row = row
        self.column = column
        self.http_status = http_status
        self.fields = fields
        self.record_ids = record_ids


class EpisodeOver(CRMArenaError):
    """An agent acted after the end of its episode; whoever runs agents takes it as the agent's end."""
