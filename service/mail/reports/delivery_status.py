"""Delivery reports by the book: the fields of each recipient (RFC 3464, RFC 6533), and what servers make of
them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message

from service.mail.headers import as_text, split_mail
from service.mail.mime.parts import Tree, content_type, payload_of
from service.mail.reports.values import Outcome

_MOST_BLOCKS = 100
_ADDRESS = re.compile(r"[^\s<>();,:\"]+@[^\s<>();,:\"]+")
_RECIPIENT_FIELDS = {"final-recipient", "original-recipient"}
_OUTCOMES = {
    "failed": Outcome.FAILED,
    # OpenSMTPD's word (flufl.bounce, dsn_18); and those of older servers.
    "error": Outcome.FAILED,
    "failure": Outcome.FAILED,
    "fail": Outcome.FAILED,
    "expired": Outcome.FAILED,
    "undeliverable": Outcome.FAILED,
    "delayed": Outcome.DELAYED,
    "delay": Outcome.DELAYED,
    "delivered": Outcome.DELIVERED,
    "deliverable": Outcome.DELIVERED,
    "relayed": Outcome.DELIVERED,
    "expanded": Outcome.DELIVERED,
}


@dataclass(frozen=True, slots=True)
class RecipientStatus:
    """One recipient of a delivery report. `address`: None if the block has none that can be read."""

    address: str | None
    outcome: Outcome | None
    status_code: str | None


def blocks_of(part: Tree) -> list[dict[str, str]]:
    """The blocks of fields of a report part: one about the server, one for each recipient (RFC 3464, 2.1)."""
    payload = part.get_payload() if part.is_multipart() else None
    blocks = [block for block in payload if isinstance(block, Message)] if isinstance(payload, list) else []
    encoding = str(part.get("content-transfer-encoding", "")).strip().casefold()
    # RFC 3464 needs 7 bit, so the standard parser takes base64 text for a block without fields. It takes a
    # message/global-delivery-status (RFC 6533) for a letter whose headers are the first block.
    is_parsed = bool(blocks) and encoding not in {"base64", "quoted-printable"}
    if not is_parsed or content_type(part) != "message/delivery-status":
        shell: Tree = Message()
        shell["content-transfer-encoding"] = encoding or "7bit"
        shell.set_payload("\n".join(_text_of(block) for block in blocks) or part.get_payload())
        return [_fields(split_mail(text)[0].fields) for text in _paragraphs(payload_of(shell))]
    return [
        {name.casefold(): _text(value) for name, value in reversed(list(block.raw_items()))}
        for block in blocks[:_MOST_BLOCKS]
    ]


def _text(value: str) -> str:
    # The standard parser keeps bytes outside ASCII as surrogates.
    return as_text(value.encode("utf-8", "surrogateescape"))


def blocks_in_text(text: str) -> list[dict[str, str]]:
    """The blocks of recipients in the words of a mail whose parts cannot be distinguished."""
    # A boundary that some server on the way has changed (Sisimai, rhost-google-02).
    blocks = [_fields(split_mail(part)[0].fields) for part in _paragraphs(text.encode("utf-8", "replace"))]
    return [block for block in blocks if "action" in block and block.keys() & _RECIPIENT_FIELDS]


def _text_of(block: Message[str, str]) -> str:
    fields = "".join(f"{name}: {value}\n" for name, value in block.raw_items())
    return f"{fields}\n{payload_of(block).decode('ascii', 'surrogateescape')}"


def _paragraphs(data: bytes) -> list[bytes]:
    return re.split(rb"\r?\n[ \t]*\r?\n", data.strip())[:_MOST_BLOCKS]


def _fields(fields: tuple[tuple[str, bytes], ...]) -> dict[str, str]:
    return {name: value.decode("utf-8", "replace") for name, value in reversed(fields)}


def statuses(blocks: list[dict[str, str]]) -> Iterator[RecipientStatus]:
    """The recipients of a report, in order; a block without any field of a recipient is about the server."""
    for block in blocks:
        if not block.keys() & {"action", "status", *_RECIPIENT_FIELDS}:
            continue
        word = re.match(r"\s*([a-z]+)", block.get("action", "").casefold())
        code = re.search(r"\b[245]\.\d{1,3}\.\d{1,3}\b", block.get("status", ""))
        yield RecipientStatus(
            # Our letter went to the original address; the final one is where its server sent it on.
            address=_address(block.get("original-recipient"))
            or _address(block.get("final-recipient"))
            or _address(block.get("x-actual-recipient")),
            outcome=_OUTCOMES.get(word[1]) if word else None,
            status_code=code.group() if code else None,
        )


def _address(value: str | None) -> str | None:
    address = _ADDRESS.search((value or "").partition(";")[2] or value or "")
    return address.group().strip(".'") if address else None


def summary(
    recipients: list[RecipientStatus],
) -> tuple[Outcome | None, str | None, tuple[str, ...]]:
    """What a report states as a whole: the worst outcome, its status code, and the addresses it is about."""
    for outcome in (Outcome.FAILED, Outcome.DELAYED, Outcome.DELIVERED):
        same = [status for status in recipients if _outcome(status) is outcome]
        if same:
            code = next((status.status_code for status in same if status.status_code), None)
            return outcome, code, tuple(dict.fromkeys(status.address for status in same if status.address))
    addresses = tuple(dict.fromkeys(status.address for status in recipients if status.address))
    return None, next((status.status_code for status in recipients if status.status_code), None), addresses


def _outcome(status: RecipientStatus) -> Outcome | None:
    """The Action field, which governs: a letter given up after five days is "failed" with status 4.4.7."""
    if status.outcome is not None or status.status_code is None:
        return status.outcome
    return {"2": Outcome.DELIVERED, "4": Outcome.DELAYED, "5": Outcome.FAILED}[status.status_code[0]]
