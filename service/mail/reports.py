"""Reports of machines about mail we sent: bounces (RFC 3464) and read receipts (RFC 8098)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.message import Message
from enum import StrEnum

from service.mail.headers import Headers, message_ids, split_mail
from service.mail.mime_parts import Tree, content_type, payload_of

_MOST_LOOKED_AT = 50
"""Parts of a report, and blocks of a part, that are read."""


class ReportKind(StrEnum):
    """The subject of a report."""

    BOUNCE = "bounce"
    RECEIPT = "receipt"


@dataclass(frozen=True, slots=True)
class DeliveryReport:
    """A report about one outgoing mail. It can be forged, so it may never change anything of a game.

    `message_id`: that mail's, None if the report does not name it. `action`: the Action field ("failed",
    "delayed", "delivered", "relayed", "expanded"), None if not given. `status_code`: "5.2.2" (RFC 3463).
    """

    kind: ReportKind
    message_id: str | None = None
    action: str | None = None
    status_code: str | None = None
    recipient: str | None = None


def read_report(root: Tree | None, headers: Headers) -> DeliveryReport | None:
    """The report in a multipart/report mail with these `headers`, or None. Never raises."""
    if root is None or content_type(root) != "multipart/report":
        return None
    try:
        declared = str(root.get_param("report-type") or "").casefold()
    except Exception:
        declared = ""
    # Reversed, so that the first part of each type counts.
    parts_by_type = {content_type(part): part for part in reversed(_below(root))}
    if "message/delivery-status" in parts_by_type or declared == "delivery-status":
        return _bounce(headers, parts_by_type)
    if "message/disposition-notification" in parts_by_type or declared == "disposition-notification":
        fields = _fields(parts_by_type.get("message/disposition-notification"))
        return DeliveryReport(ReportKind.RECEIPT, message_id=_about(headers, parts_by_type, fields))
    return None


def _below(root: Tree) -> list[Tree]:
    payload = root.get_payload() if root.is_multipart() else None
    if not isinstance(payload, list):
        return []
    return [part for part in payload[:_MOST_LOOKED_AT] if isinstance(part, Message)]


def _bounce(headers: Headers, parts_by_type: dict[str, Tree]) -> DeliveryReport:
    fields = _fields(parts_by_type.get("message/delivery-status"))
    action = re.match(r"\s*([a-z]+)", fields.get("action", "").casefold())
    status = re.search(r"\b[245]\.\d{1,3}\.\d{1,3}\b", fields.get("status", ""))
    recipient = fields.get("original-recipient") or fields.get("final-recipient") or ""
    return DeliveryReport(
        ReportKind.BOUNCE,
        message_id=_about(headers, parts_by_type, fields),
        action=action.group(1) if action else None,
        status_code=status.group() if status else None,
        recipient=recipient.rpartition(";")[2].strip() or None,
    )


def _fields(part: Tree | None) -> dict[str, str]:
    """All fields of a report part, the first of each name."""
    # RFC 3464, 2.1: a block about the server, then one for each recipient. Our letters have one recipient.
    if part is None:
        return {}
    fields: dict[str, str] = {}
    payload = part.get_payload() if part.is_multipart() else None
    blocks = payload[:_MOST_LOOKED_AT] if isinstance(payload, list) else []
    for block in blocks:
        if isinstance(block, Message):
            for name, value in block.items():
                fields.setdefault(name.casefold(), str(value))
    return fields


def _about(headers: Headers, parts_by_type: dict[str, Tree], fields: dict[str, str]) -> str | None:
    """The Message-ID of the mail that a report is about, or None."""
    # The copy of our letter's headers comes first. In References the last identifier is our letter; those
    # before it are what our letter answered.
    header_copy = parts_by_type.get("text/rfc822-headers")
    if header_copy is not None:
        ids = message_ids(split_mail(payload_of(header_copy))[0].first("message-id"))
        if ids:
            return ids[0]
    attached_mail = parts_by_type.get("message/rfc822")
    mail_copy = next(iter(_below(attached_mail)), None) if attached_mail is not None else None
    values = [
        str(mail_copy.get("message-id", "")) if mail_copy is not None else "",
        fields.get("original-message-id", ""),
        headers.first("in-reply-to") or "",
        headers.first("references") or "",
    ]
    for value in values:
        ids = message_ids(value)
        if ids:
            return ids[-1]
    return _returned_to(headers)


def _returned_to(headers: Headers) -> str | None:
    """The Message-ID in the address that a letter is returned to (`config.MailOut.return_by_letter`)."""
    for name in ("delivered-to", "x-original-to", "to"):
        for value in headers.all(name):
            letter_id = re.search(r"\+([a-z0-9-]{1,40}\.[0-9a-f]{24}@[a-z0-9.-]{1,200})", value.casefold())
            if letter_id:
                return f"<{letter_id[1]}>"
    return None
