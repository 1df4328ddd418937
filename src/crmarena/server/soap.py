"""SOAP, as far as logging in and out needs it: a request's parts, answers and faults.

A request is read by a parser that keeps names without their prefixes and refuses document types, so
that no entity is ever expanded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import Template
from xml.parsers import expat
from xml.sax.saxutils import escape

from crmarena import resources
from crmarena.errors import SalesforceError
from crmarena.server.answers import Answer

XML_TYPE = "text/xml;charset=UTF-8"
MAX_DEPTH = 100
"""Elements within elements; nothing that is answered comes near."""
_CLIENT = "soapenv:Client"


@dataclass(frozen=True)
class SoapRequest:
    """An operation and the texts below it, by name."""

    operation: str
    values: Mapping[str, str]
    session: str
    """The token of the header's SessionHeader."""


class Malformed(Exception):
    """A text that is no SOAP request; why."""


def read(body: bytes) -> SoapRequest:
    """The request of a SOAP envelope. Raises Malformed."""
    reader = _Reader()
    try:
        reader.parser.Parse(body, True)
    except expat.ExpatError as error:
        raise Malformed(expat.errors.messages[error.code]) from None
    except (LookupError, ValueError):
        raise Malformed("the encoding is unknown") from None
    if not reader.operation:
        raise Malformed("there is no operation in the Body of an Envelope")
    return SoapRequest(reader.operation, reader.values, reader.session.strip())


def filled(name: str, values: Mapping[str, object], status: int = 200) -> Answer:
    """An answer made of a packaged template, its values escaped."""
    template = Template(resources.read_text(f"server/envelopes/{name}.xml"))
    text = template.substitute({key: escape(str(value)) for key, value in values.items()})
    return Answer(text.encode(), status, media_type=XML_TYPE)


def refusal(error: SalesforceError) -> Answer:
    """An error as a fault; a login's has the status 500, as any fault of SOAP, unless the server is busy."""
    status = error.http_status if error.http_status >= 500 else 500
    return filled("fault", {"code": error.error_code, "message": error.message}, status)


def client_fault(text: str) -> Answer:
    """The fault for a request that cannot be understood."""
    return filled("client_fault", {"code": _CLIENT, "message": text}, 500)


class _Reader:
    """Collects the operation and its texts while the parser goes through an envelope."""

    def __init__(self) -> None:
        self.operation = ""
        self.values: dict[str, str] = {}
        self.session = ""
        self._path: list[str] = []
        self._text: list[str] = []
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = _refuse_document_type
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text.append

    def _start(self, name: str, attributes: object) -> None:
        self._path.append(name.rpartition(" ")[2])
        if len(self._path) > MAX_DEPTH:
            raise Malformed(f"elements are nested more than {MAX_DEPTH} deep")
        if len(self._path) == 3 and self._path[:2] == ["Envelope", "Body"] and not self.operation:
            self.operation = self._path[2]
        self._text.clear()

    def _end(self, name: str) -> None:
        text = "".join(self._text)
        if len(self._path) == 4 and self._path[1] == "Body":
            self.values[self._path[3]] = text
        if self._path[1:] == ["Header", "SessionHeader", "sessionId"]:
            self.session = text
        self._path.pop()
        self._text.clear()


def _refuse_document_type(*_: object) -> None:
    raise Malformed("a document type is not allowed")
