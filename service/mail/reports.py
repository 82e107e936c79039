"""Machine reports about mail we sent: bounces (RFC 3464) and read receipts (RFC 8098)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.message import Message
from enum import StrEnum

from service.mail.headers import Headers, message_ids, split_mail
from service.mail.mime_parts import Tree, content_type, payload_of

_MOST_LOOKED_AT = 50


class ReportKind(StrEnum):
    """What a report tells of."""

    BOUNCE = "bounce"
    RECEIPT = "receipt"


@dataclass(frozen=True, slots=True)
class DeliveryReport:
    """A report, tied to the outgoing mail by its Message-ID where the report names it.

    `status`: the Action field ("failed", "delayed", "delivered", "relayed", "expanded"), None if not given.
    `enhanced`: the status code of RFC 3463, such as "5.2.2". It can be forged: it may change the state of an
    outgoing mail, never anything of a game.
    """

    kind: ReportKind
    message_id: str | None = None
    action: str | None = None
    status_code: str | None = None
    recipient: str | None = None


def read_report(root: Tree | None, headers: Headers) -> DeliveryReport | None:
    """The report a multipart/report mail with these `headers` carries, or None. Never raises."""
    if root is None or content_type(root) != "multipart/report":
        return None
    try:
        declared = str(root.get_param("report-type") or "").casefold()
    except Exception:
        declared = ""
    found = {content_type(part): part for part in reversed(_below(root))}
    if "message/delivery-status" in found or declared == "delivery-status":
        return _bounce(headers, found)
    if "message/disposition-notification" in found or declared == "disposition-notification":
        fields = _fields(found.get("message/disposition-notification"))
        return DeliveryReport(ReportKind.RECEIPT, message_id=_about(headers, found, fields))
    return None


def _below(root: Tree) -> list[Tree]:
    payload = root.get_payload() if root.is_multipart() else None
    if not isinstance(payload, list):
        return []
    return [part for part in payload[:_MOST_LOOKED_AT] if isinstance(part, Message)]


def _bounce(headers: Headers, found: dict[str, Tree]) -> DeliveryReport:
    fields = _fields(found.get("message/delivery-status"))
    action = re.match(r"\s*([a-z]+)", fields.get("action", "").casefold())
    status = re.search(r"\b[245]\.\d{1,3}\.\d{1,3}\b", fields.get("status", ""))
    recipient = fields.get("original-recipient") or fields.get("final-recipient") or ""
    return DeliveryReport(
        ReportKind.BOUNCE,
        message_id=_about(headers, found, fields),
        action=action.group(1) if action else None,
        status_code=status.group() if status else None,
        recipient=recipient.rpartition(";")[2].strip() or None,
    )


def _fields(part: Tree | None) -> dict[str, str]:
    """All fields of a report part, the first of each name; recipients after the first are not looked at."""
    if part is None:
        return {}
    found: dict[str, str] = {}
    payload = part.get_payload() if part.is_multipart() else None
    blocks = payload[:_MOST_LOOKED_AT] if isinstance(payload, list) else []
    for block in blocks:
        if isinstance(block, Message):
            for name, value in block.items():
                found.setdefault(name.casefold(), str(value))
    return found


def _about(headers: Headers, found: dict[str, Tree], fields: dict[str, str]) -> str | None:
    """The Message-ID of the mail a report is about: from the copy of its headers, else from the references,
    else from the address that it was returned to."""
    copy = found.get("text/rfc822-headers")
    if copy is not None:
        ids = message_ids(split_mail(payload_of(copy))[0].first("message-id"))
        if ids:
            return ids[0]
    whole = found.get("message/rfc822")
    inner = next(iter(_below(whole)), None) if whole is not None else None
    values = [
        str(inner.get("message-id", "")) if inner is not None else "",
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
    """The Message-ID as it stands in the address that a letter is returned to
    (`config.MailOut.return_by_letter`)."""
    for name in ("delivered-to", "x-original-to", "to"):
        for value in headers.all(name):
            own = re.search(r"\+([a-z0-9-]{1,40}\.[0-9a-f]{24}@[a-z0-9.-]{1,200})", value.casefold())
            if own:
                return f"<{own[1]}>"
    return None
