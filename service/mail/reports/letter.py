"""Which letter of ours a report is about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.message import Message

from service.mail.headers import Headers, message_ids, split_mail
from service.mail.mime.parts import Tree, payload_of

# The kind of letter, a point, a part of a hash: `compose.message_id`. It is in the return address, too.
_LOCAL_PART = r"[a-z0-9-]{1,40}\.[0-9a-f]{24}"
_RETURN_ADDRESS = re.compile(rf"\+({_LOCAL_PART}@[a-z0-9.-]{{1,200}})")
_LETTER_ID = re.compile(rf"<{_LOCAL_PART}@[a-z0-9.-]{{1,200}}>")
# Servers name the address that they delivered to in one or more of these.
_DELIVERY_FIELDS = (
    "delivered-to",
    "x-original-to",
    "envelope-to",
    "x-envelope-to",
    "x-delivered-to",
    "original-recipient",
    "x-rcpt-to",
    "x-forwarded-to",
    "x-apparently-to",
    "apparently-to",
    "to",
    "cc",
)


def is_letter_id(identifier: str) -> bool:
    """Whether a Message-ID in angle brackets has the form that this program gives its letters."""
    return _LETTER_ID.fullmatch(identifier.casefold()) is not None


def letter_of_return_path(headers: Headers) -> str | None:
    """The Message-ID in the address that a letter is returned to (`config.MailOut.return_by_letter`)."""
    # Case is folded: servers on the way change it, and our identifiers have small letters alone.
    values = [value for name in _DELIVERY_FIELDS for value in headers.all(name)]
    # The envelope's address is nowhere else where a forwarder rewrote To and the mailbox notes nothing.
    values += [clause for value in headers.all("received") for clause in re.findall(r"\bfor\s+(\S+)", value)]
    for value in values:
        address = _RETURN_ADDRESS.search(value.casefold())
        if address:
            return f"<{address[1]}>"
    return None


def letters_reported(
    headers: Headers, parts_by_type: dict[str, Tree], fields: dict[str, str]
) -> tuple[str, ...]:
    """The Message-IDs that a report may be about, the likeliest first."""
    identifiers = [*filter(None, [letter_of_return_path(headers)])]
    identifiers += _of_copy(parts_by_type)
    identifiers += message_ids(fields.get("original-message-id")) + message_ids(
        fields.get("x-original-message-id")
    )
    # In References the last identifier is our letter; those before it are what our letter answered.
    for name in ("in-reply-to", "references"):
        identifiers += reversed(message_ids(headers.first(name)))
    return tuple(dict.fromkeys(identifiers))


def _of_copy(parts_by_type: dict[str, Tree]) -> Iterator[str]:
    """The Message-ID in the copy of our letter, or of its headers."""
    for kind in ("text/rfc822-headers", "message/global-headers", "message/rfc822", "message/global"):
        part = parts_by_type.get(kind)
        if part is None:
            continue
        inner = part.get_payload() if part.is_multipart() else None
        if isinstance(inner, list) and inner and isinstance(inner[0], Message) and inner[0].keys():
            yield from message_ids(str(inner[0].get("message-id", "")))[:1]
        else:
            yield from message_ids(split_mail(payload_of(part))[0].first("message-id"))[:1]


def letters_quoted(notice: str) -> tuple[str, ...]:
    """The Message-IDs of our form in the text of a notice, which may quote our letter's headers."""
    return tuple(dict.fromkeys(_LETTER_ID.findall(notice.casefold())))
