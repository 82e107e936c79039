"""The mails and letters in an archive, with no more of each than the rules of conduct ask for: an archive may
have gigabytes of photographs in them."""

from __future__ import annotations

import email
import email.policy
import hashlib
from dataclasses import dataclass
from email.message import EmailMessage


@dataclass(frozen=True, slots=True)
class AttachedPart:
    """One part of a mail: its type, "attachment", "inline" or None, and the digest of its content."""

    content_type: str
    disposition: str | None
    digest: str


@dataclass(frozen=True, slots=True)
class ReceivedMail:
    """A mail as the mail server left it: the topmost Received line ("" if there is none), and its parts."""

    received: str
    parts: tuple[AttachedPart, ...]


def received_mail(data: bytes) -> ReceivedMail:
    """What the rules ask of a mail that came in."""
    message = email.message_from_bytes(data, policy=email.policy.compat32)
    parts = []
    for part in message.walk():
        if not part.is_multipart():
            content = part.get_payload(decode=True)
            digest = hashlib.sha256(content if isinstance(content, bytes) else b"").hexdigest()
            parts.append(AttachedPart(part.get_content_type(), part.get_content_disposition(), digest))
    return ReceivedMail(str(message.get("Received") or ""), tuple(parts))


def words_of_letter(data: bytes) -> bytes:
    """A letter that went out, as a mail with its date and its words alone."""
    message = email.message_from_bytes(data, policy=email.policy.default)
    body, words = message.get_body(("plain", "html")), EmailMessage()
    words["Date"] = str(message["Date"] or "")
    words.set_content("" if body is None else str(body.get_content()))
    return words.as_bytes()
