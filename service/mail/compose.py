"""One letter as a finished mail: headers that answer no robot, text and HTML, attachments; and a smaller
one."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import format_datetime, parseaddr
from html import escape

from PIL import Image

_POLICY = policy.SMTP.clone(cte_type="7bit")
_LONGEST_SUBJECT = 200
_SMALLEST_SIDE = 500
_STEPS = 6


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file of a letter. `kind` is its media type ("image/png"); `content_id` is set where the HTML shows
    it."""

    name: str
    media_type: str
    data: bytes
    content_id: str | None = None


@dataclass(frozen=True, slots=True)
class OutLetter:
    """One letter to one recipient.

    `key` names it for ever: game, phase, kind, recipient, and a revision where it is sent anew with other
    content. `answers` are Message-IDs of the mail it replies to, oldest first. `list_name` is the game's, for
    mail filters.
    """

    key: str
    kind: str
    recipient: str
    subject: str
    text: str
    html: str | None = None
    attachments: tuple[Attachment, ...] = ()
    game_id: str | None = None
    phase_id: int | None = None
    replies_to: tuple[str, ...] = ()
    list_name: str | None = None


def one_line(text: str, longest: int = _LONGEST_SUBJECT) -> str:
    """A header value: control characters and line ends become spaces, and it is cut at `longest`
    characters."""
    return re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", " ", text).strip()[:longest]


def message_id(letter: OutLetter, sender: str) -> str:
    """The same letter has the same Message-ID on every try: it is made of the key. Its domain is the
    sender's."""
    digest = hashlib.sha256(letter.key.encode()).hexdigest()[:24]
    return f"<{re.sub(r'[^a-z0-9-]', '', letter.kind.lower())}.{digest}@{domain_of(sender)}>"


def domain_of(address: str) -> str:
    """The part after the @, in lower case; "localhost" where there is none."""
    return parseaddr(address)[1].rpartition("@")[2].lower() or "localhost"


def compose(letter: OutLetter, sender: str, at: datetime, *, max_bytes: int, reply_to: str = "") -> bytes:
    """The finished mail, pictures made smaller where it would pass `max_bytes`.

    Raises ValueError where the recipient is no single address, which is our own fault: it comes from the
    database.
    """
    address = parseaddr(letter.recipient)[1]
    if not re.fullmatch(r"[^\s@,;<>\"]+@[^\s@,;<>\"]+", address) or address != letter.recipient:
        raise ValueError(f"a letter of kind {letter.kind!r} has a recipient that is no mail address")
    message = EmailMessage(policy=_POLICY)
    message["From"] = sender
    message["To"] = address
    if reply_to and reply_to != parseaddr(sender)[1]:
        message["Reply-To"] = one_line(reply_to)
    message["Subject"] = one_line(letter.subject)
    message["Date"] = format_datetime(at)
    message["Message-ID"] = message_id(letter, sender)
    # RFC 3834: whoever answers by machine must not answer this.
    message["Auto-Submitted"] = "auto-replied" if letter.replies_to else "auto-generated"
    message["X-Auto-Response-Suppress"] = "All"
    if not letter.replies_to:
        message["Precedence"] = "bulk"
    answers = [a for a in letter.replies_to if re.fullmatch(r"<[^\s<>]{1,200}>", a)]
    if answers:
        message["In-Reply-To"] = answers[-1]
        message["References"] = " ".join(answers[-10:])
    if letter.list_name:
        slug = re.sub(r"[^a-z0-9]+", "-", letter.list_name.lower()).strip("-") or "game"
        message["List-Id"] = f"<{slug}.{domain_of(sender)}>"
    message.set_content(letter.text)
    if letter.html is not None:
        message.add_alternative(letter.html, subtype="html")
    for attachment in letter.attachments:
        _attach(message, attachment)
    data = message.as_bytes()
    return data if len(data) <= max_bytes else shrink(data, max_bytes)


def _attach(message: EmailMessage, attachment: Attachment) -> None:
    main, _, sub = attachment.media_type.partition("/")
    shown = attachment.content_id is not None
    message.add_attachment(
        attachment.data,
        maintype=main,
        subtype=sub,
        filename=one_line(attachment.name, 100) or "attachment",
        disposition="inline" if shown else "attachment",
        cid=f"<{attachment.content_id}>" if shown else None,
    )


ASK_COORDINATOR = "Ask the coordinator for it."
"""Where a file that was left out is to be had, when there is no page for it."""


def attachment_count(data: bytes) -> int:
    """How many files a finished mail brings."""
    return sum(1 for _ in BytesParser(policy=_POLICY).parsebytes(data).iter_attachments())


def shrink(data: bytes, limit: int, where: str = ASK_COORDINATOR) -> bytes:
    """The same mail with smaller pictures, until it is no larger than `limit` bytes.

    What is too large even so is left out, and the words say which file and `where` it is; headers and
    Message-ID stay as they are.
    """
    message = BytesParser(policy=_POLICY).parsebytes(data)
    parts = [_read(part) for part in message.iter_attachments() if isinstance(part, EmailMessage)]
    for step in range(1, _STEPS):
        smaller = [_smaller(part, 0.8**step) for part in parts]
        again = _rebuild(message, smaller, (), where)
        if len(again) <= limit:
            return again
    kept = list(smaller)
    left_out: list[str] = []
    while kept and len(again := _rebuild(message, kept, left_out, where)) > limit:
        largest = max(kept, key=lambda part: len(part.data))
        kept.remove(largest)
        left_out.append(largest.name)
    return _rebuild(message, kept, left_out, where) if left_out else again


def _read(part: EmailMessage) -> Attachment:
    content = part.get_content()
    identity = part["Content-ID"]
    return Attachment(
        part.get_filename() or "attachment",
        part.get_content_type(),
        content if isinstance(content, bytes) else str(content).encode(),
        str(identity).strip("<>") if identity else None,
    )


def _smaller(part: Attachment, scale: float) -> Attachment:
    """A picture scaled down (0..1 of each side) as JPEG; other files, and pictures it would not help, as they
    are."""
    if not part.media_type.startswith("image/") or part.media_type == "image/svg+xml":
        return part
    with Image.open(io.BytesIO(part.data)) as picture:
        width, height = (max(round(side * scale), min(side, _SMALLEST_SIDE)) for side in picture.size)
        flat = Image.new("RGB", picture.size, "white")
        layered = picture.convert("RGBA")
        flat.paste(layered, mask=layered.getchannel("A"))
        out = io.BytesIO()
        flat.resize((width, height), Image.Resampling.LANCZOS).save(out, "JPEG", quality=80, optimize=True)
    if out.tell() >= len(part.data):
        return part
    return replace(
        part, data=out.getvalue(), media_type="image/jpeg", name=re.sub(r"\.\w{1,5}$", "", part.name) + ".jpg"
    )


def _rebuild(
    message: EmailMessage, parts: Iterable[Attachment], left_out: Iterable[str], where: str
) -> bytes:
    again = EmailMessage(policy=_POLICY)
    for name, value in message.items():
        if not name.lower().startswith(("content-", "mime-version")):
            again[name] = value
    text, html = message.get_body(("plain",)), message.get_body(("html",))
    words = str(text.get_content()) if text is not None else ""
    names = ", ".join(left_out)
    said = f"Left out because it is too large for mail: {names}. {where}"
    if names:
        words += f"\n{said}\n"
    again.set_content(words)
    if html is not None:
        twin = str(html.get_content())
        again.add_alternative(
            twin.replace("</main>", f"<p>{escape(said)}</p>\n</main>", 1) if names else twin, subtype="html"
        )
    for part in parts:
        _attach(again, part)
    return again.as_bytes()
