"""One letter as a finished mail: headers that answer no robot, text and HTML, attachments; and a smaller
one."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from email import policy
from email.message import EmailMessage, MIMEPart
from email.parser import BytesParser
from email.utils import format_datetime, parseaddr
from enum import IntEnum, StrEnum
from html import escape
from typing import Protocol
from weakref import WeakKeyDictionary

from PIL import Image

_POLICY = policy.SMTP.clone(cte_type="7bit")
_FLOWED = {"format": "flowed"}
_SIGNATURE = "-- "
"""The line above a signature (RFC 3676, 4.3): it ends with a blank and does not go on."""
_LONGEST_SUBJECT = 200
"""Characters."""
_SMALLEST_SIDE = 500
"""Pixels; no side of a picture is made smaller than this."""
# A long address is folded onto a second line.
_TO = re.compile(rb"^To:[^\r\n]*(?:\r\n[ \t][^\r\n]*)*", re.MULTILINE)
_STEPS = 6
"""Sizes that are tried: 0.8, 0.64, ... 0.8 to the power of `_STEPS` - 1."""


class Rank(IntEnum):
    """In which order letters leave that wait together, the lowest first; of one rank the one that was written
    first."""

    URGENT = 10
    """A clock is running: an order is asked for, a deadline has moved."""
    ANSWER = 15
    """A person waits for it, and may have to send a sheet again."""
    REMINDER = 20
    DRAFT = 25
    USUAL = 30
    RESULTS = 40
    LATER = 50
    """Nothing hangs on the hour, and maps make it large."""


class Addressee(StrEnum):
    """Whose a letter is while it waits: days may lie between writing and sending."""

    PLAYER = "player"
    """The player's own, whatever they play by then."""
    SEATED_PLAYER = "seated player"
    """The player's own, and of no use once they have left the seat."""
    SEAT = "seat"
    """Anyone who plays the power needs it."""
    COORDINATOR = "coordinator"
    """The coordinator's, whose address may be a player's too."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Attachment:
    """A file of a letter. `media_type` as in "image/png"; `content_id` is set where the HTML shows it."""

    name: str
    media_type: str
    data: bytes
    content_id: str | None = None


@dataclass(frozen=True, slots=True)
class OutLetter:
    """One letter to one recipient.

    `key` names it for ever: game, phase, kind, recipient, and a revision if it is sent again with other
    content. `linked` are files that are not attached and lie behind a link. `replies_to`: Message-IDs of the
    mail it answers, oldest first. `list_name`: the game's, for mail filters. `by_person`: a person wrote it
    by hand, and it says so. `rank` and `addressee` are those of its kind.
    """

    key: str
    kind: str
    recipient: str
    subject: str
    text: str
    html: str | None = None
    attachments: tuple[Attachment, ...] = ()
    linked: tuple[Attachment, ...] = ()
    game_id: str | None = None
    phase_id: int | None = None
    replies_to: tuple[str, ...] = ()
    list_name: str | None = None
    by_person: bool = False
    rank: Rank = Rank.USUAL
    addressee: Addressee = Addressee.PLAYER


def one_line(text: str, longest: int = _LONGEST_SUBJECT) -> str:
    """A header value: control characters and line ends become spaces, and it is cut at `longest`
    characters."""
    return re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", " ", text).strip()[:longest]


def message_id(letter: OutLetter, sender: str) -> str:
    """The Message-ID of a letter, in the sender's domain."""
    # Made of the key, so that every try has the same one and a letter that arrives twice is known as one.
    digest = hashlib.sha256(letter.key.encode()).hexdigest()[:24]
    return f"<{re.sub(r'[^a-z0-9-]', '', letter.kind.lower())}.{digest}@{domain_of(sender)}>"


def domain_of(address: str) -> str:
    """The part after the @, in lower case; "localhost" where there is none."""
    return parseaddr(address)[1].rpartition("@")[2].lower() or "localhost"


def compose(letter: OutLetter, sender: str, written_at: datetime, *, reply_to: str = "") -> bytes:
    """The finished mail, however large.

    Raises ValueError if the recipient is not one single address.
    """
    # Recipients come from our database: anything but one address is our own fault, so it is an exception.
    address = parseaddr(letter.recipient)[1]
    if not re.fullmatch(r"[^\s@,;<>\"]+@[^\s@,;<>\"]+", address) or address != letter.recipient:
        raise ValueError(f"a letter of kind {letter.kind!r} has a recipient that is not a mail address")
    message = EmailMessage(policy=_POLICY)
    message["From"] = sender
    message["To"] = address
    if reply_to and reply_to != parseaddr(sender)[1]:
        message["Reply-To"] = one_line(reply_to)
    message["Subject"] = one_line(letter.subject)
    message["Date"] = format_datetime(written_at)
    message["Message-ID"] = message_id(letter, sender)
    # RFC 3834, 5: a program that answers mail must not answer this one. Exchange has its own header for
    # that, the next one.
    message["Auto-Submitted"] = _origin(letter)
    message["X-Auto-Response-Suppress"] = "All"
    if not letter.replies_to and not letter.by_person:
        message["Precedence"] = "bulk"
    # Strangers wrote these identifiers: anything else than one in brackets could add a header.
    answers = [written for written in letter.replies_to if re.fullmatch(r"<[^\s<>]{1,200}>", written)]
    if answers:
        message["In-Reply-To"] = answers[-1]
        message["References"] = " ".join(answers[-10:])
    if letter.list_name:
        slug = re.sub(r"[^a-z0-9]+", "-", letter.list_name.lower()).strip("-") or "game"
        message["List-Id"] = f"<{slug}.{domain_of(sender)}>"
    message.set_content(flowed(letter.text), params=_FLOWED)
    if letter.html is not None:
        message.add_alternative(letter.html, subtype="html")
    return _with_files(message, letter.attachments)


def flowed(text: str) -> str:
    """Text as RFC 3676 has it, with a paragraph's lines joined by anyone who shows it: a telephone, which is
    narrower than 72 columns, would break each line a second time.

    A line that ends with a blank goes on in the next (`letters.render.wrap_text` leaves one where it broke a
    paragraph); its indent is for eyes alone and falls away. A line that begins with a blank, ">" or "From "
    gets one blank more, which its reader takes off (4.4): "Kent > London" may break before its ">", and what
    begins with that is a quotation.
    """
    lines, goes_on = [], False
    for line in text.split("\n"):
        words = line.lstrip(" ") if goes_on else line
        goes_on = words.endswith(" ") and bool(words.strip()) and words != _SIGNATURE
        words = words if goes_on or words == _SIGNATURE else words.rstrip(" ")
        lines.append(f" {words}" if words.startswith((" ", ">", "From ")) else words)
    return "\n".join(lines)


def words_of(part: MIMEPart | None) -> str:
    """The text of a part of a letter as it was before it was flowed, broken as it is in the mail; "" for
    None. Other text is returned as it is."""
    text = "" if part is None else str(part.get_content())
    if not _is_flowed(part):
        return text
    return "\n".join(line.removeprefix(" ") for line in text.split("\n"))


def whole_paragraphs(text: str) -> str:
    """A letter's text with each broken paragraph in one line, for a page that breaks lines itself: what a
    reader of `flowed` text does (RFC 3676, 4.1). The text may be of `words_of` or not yet flowed."""
    lines: list[str] = []
    goes_on = False
    # A stored letter has the line ends of mail.
    for line in text.replace("\r\n", "\n").split("\n"):
        if goes_on:
            lines[-1] += line.lstrip(" ")
        else:
            lines.append(line)
        goes_on = line.endswith(" ") and bool(line.strip()) and line != _SIGNATURE
    return "\n".join(line if line == _SIGNATURE else line.rstrip(" ") for line in lines)


def _is_flowed(part: MIMEPart | None) -> bool:
    # Not by the header itself: a part need not have one.
    return part is not None and str(part.get_param("format", "")).casefold() == "flowed"


def _origin(letter: OutLetter) -> str:
    """Who wrote a letter, as RFC 3834, section 5, states it; "no" for a person."""
    if letter.by_person:
        return "no"
    return "auto-replied" if letter.replies_to else "auto-generated"


_PARTS: WeakKeyDictionary[Attachment, bytes] = WeakKeyDictionary()
"""Files as parts of a mail: results have the same eleven in each of ten letters."""


def _with_files(message: EmailMessage, attachments: Sequence[Attachment]) -> bytes:
    """The finished mail with its files, each of them folded once for all letters that have it."""
    if not attachments:
        return message.as_bytes()
    message.make_mixed()
    words = message.as_bytes()
    # No line of base64 and no header of a file has the fifteen "=" with which a boundary begins.
    boundary = f"--{message.get_boundary()}".encode()
    begin, _, end = words.rpartition(boundary)
    files = (b"%b\r\n%b\r\n" % (boundary, _part(attachment)) for attachment in attachments)
    return b"".join([begin, *files, boundary, end])


def _part(attachment: Attachment) -> bytes:
    finished = _PARTS.get(attachment)
    if finished is not None:
        return finished
    main, _, sub = attachment.media_type.partition("/")
    is_inline = attachment.content_id is not None
    part = EmailMessage(policy=_POLICY)
    part.set_content(
        attachment.data,
        maintype=main,
        subtype=sub,
        filename=one_line(attachment.name, 100) or "attachment",
        disposition="inline" if is_inline else "attachment",
        cid=f"<{attachment.content_id}>" if is_inline else None,
    )
    return _PARTS.setdefault(attachment, part.as_bytes())


LINKED = "Copies of the sheets that counted: until %(until)s they are here, only for you:"
BEHIND = "Until %(until)s they are here, only for you:"
_LEFT_OUT = "Left out because it is too large for mail: %(names)s."
_ASK_COORDINATOR = "Ask the coordinator for it."
"""Where to get a file that was left out, if there is no page for it."""
FILE_SENTENCES = (LINKED, BEHIND, _LEFT_OUT, _ASK_COORDINATOR)
"""What is put into a finished letter, for the catalogues."""


class Say(Protocol):
    """Puts a sentence into a language, by its code."""

    def __call__(self, code: str, message: str, /, **values: object) -> str:
        """The message with its blanks filled."""


def say_english(_code: str, message: str, /, **values: object) -> str:
    """The message as it is, for a letter in English."""
    return message % {name: f"{value:%a %-d %b %Y, %H:%M} GMT" if isinstance(value, datetime) else value
                      for name, value in values.items()}


def language_of(html: str | None) -> str:
    """The code of the language that a letter's HTML names; "" if it has none."""
    named = re.search(r'<html lang="([A-Za-z-]+)"', html or "")
    return "" if named is None else named[1]


def attachment_count(data: bytes) -> int:
    """The number of files attached to a finished mail."""
    return sum(1 for _ in BytesParser(policy=_POLICY).parsebytes(data).iter_attachments())


def readdress(data: bytes, address: str) -> bytes:
    """The same mail with another address in To; every other byte stays."""
    head, end, body = data.partition(b"\r\n\r\n")
    return _TO.sub(lambda _: b"To: " + address.encode("ascii"), head, count=1) + end + body


def addressed_to(head: str) -> str | None:
    """The address in the To of a letter's header block; None if there is none."""
    to = _TO.search(head.encode("ascii", "replace"))
    return None if to is None else to[0].decode().partition(":")[2].strip()


def shrink(data: bytes, limit: int, where: str = "", say: Say = say_english) -> bytes:
    """The same mail with smaller pictures, at most `limit` bytes.

    If it is still too large, the largest files are left out, and the text names them and states `where` they
    are, "" if there is no page for them. Headers and Message-ID do not change.
    """
    message = BytesParser(policy=_POLICY).parsebytes(data)
    html = message.get_body(("html",))
    code = language_of(None if html is None else str(html.get_content()))
    where = where or say(code, _ASK_COORDINATOR)

    def notice(names: Sequence[str]) -> str:
        return f"{say(code, _LEFT_OUT, names=', '.join(names))} {where}" if names else ""

    parts = [_read(part) for part in message.iter_attachments() if isinstance(part, EmailMessage)]
    for step in range(1, _STEPS):
        smaller_parts = [_smaller(part, 0.8**step) for part in parts]
        rebuilt = _rebuild(message, smaller_parts)
        if len(rebuilt) <= limit:
            return rebuilt
    attachments = list(smaller_parts)
    left_out: list[str] = []
    # The largest goes first, so that as many files as possible stay.
    while attachments and len(rebuilt := _rebuild(message, attachments, notice(left_out))) > limit:
        largest = max(attachments, key=lambda part: len(part.data))
        attachments.remove(largest)
        left_out.append(largest.name)
    return _rebuild(message, attachments, notice(left_out)) if left_out else rebuilt


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
    """A picture scaled down (0..1 of each side) as JPEG; other files, and pictures that would not become
    smaller, are returned unchanged."""
    if not part.media_type.startswith("image/") or part.media_type == "image/svg+xml":
        return part
    with Image.open(io.BytesIO(part.data)) as picture:
        width, height = (max(round(side * scale), min(side, _SMALLEST_SIDE)) for side in picture.size)
        # JPEG has no transparency, and the clear parts of a PNG would turn black.
        flat = Image.new("RGB", picture.size, "white")
        layered = picture.convert("RGBA")
        flat.paste(layered, mask=layered.getchannel("A"))
        jpeg = io.BytesIO()
        flat.resize((width, height), Image.Resampling.LANCZOS).save(jpeg, "JPEG", quality=80, optimize=True)
    if jpeg.tell() >= len(part.data):
        return part
    name = re.sub(r"\.\w{1,5}$", "", part.name) + ".jpg"
    return replace(part, data=jpeg.getvalue(), media_type="image/jpeg", name=name)


def _rebuild(message: EmailMessage, parts: Iterable[Attachment], notice: str = "") -> bytes:
    rebuilt = EmailMessage(policy=_POLICY)
    for name, value in message.items():
        if not name.lower().startswith(("content-", "mime-version")):
            rebuilt[name] = value
    text, html = message.get_body(("plain",)), message.get_body(("html",))
    # As it is: it is flowed already.
    plain_text = str(text.get_content()) if text is not None else ""
    if notice:
        plain_text += f"\n{notice}\n"
    rebuilt.set_content(plain_text, params=_FLOWED if _is_flowed(text) else {})
    if html is not None:
        html_text = str(html.get_content())
        if notice:
            html_text = html_text.replace("</main>", f"<p>{escape(notice)}</p>\n</main>", 1)
        rebuilt.add_alternative(html_text, subtype="html")
    return _with_files(rebuilt, tuple(parts))
