"""Raw mail bytes to an IncomingMail. Never raises: what cannot be read is left out or marked.

Nothing is decided here; `service.intake.rules` does that.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from service.mail.headers import Headers, addresses, decode_words, message_ids, split_mail, strip_comments
from service.mail.image_types import PictureProbe, PictureState, PictureType, Probe, picture_type
from service.mail.mime_parts import MimePart, MimeParts, read_parts
from service.mail.reports import DeliveryReport, read_report

_PICTURE_NAME = re.compile(r"\.(?:jpe?g|jpe|png|hei[cf]|webp|tiff?|pdf)$", re.IGNORECASE)
_PICTURE_TYPES = {
    "image/jpeg", "image/jpg", "image/pjpeg", "image/png", "image/heic", "image/heif", "image/webp",
    "image/tiff",
    "application/pdf",
}  # fmt: skip
# GIF, BMP, ICO and SVG are decoration of a mail, such as a smiley, and no photograph that failed to open.
_OTHER_PICTURES = (b"GIF8", b"BM", b"\0\0\x01\0", b"<svg", b"<?xml")
MOST_PROBED = 60
"""Files of one mail that are opened. No honest mail has more, and each costs time."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One file that is, or was meant as, a photograph.

    `kind`: None if the part was declared a picture and its bytes are none. `pages`: photographs in it (pages
    of a PDF), 0 unless `state` is good. `digest`: SHA-256 of the bytes, hexadecimal. `name`: as sent, only to
    be shown.
    """

    kind: PictureType | None
    state: PictureState
    pages: int
    name: str
    digest: str
    data: bytes
    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True)
class MachineMarks:
    """The headers by which programs say that no person wrote a mail (RFC 3834)."""

    null_return_path: bool = False
    auto_submitted: bool = False
    auto_reply: bool = False

    def __bool__(self) -> bool:
        return self.null_return_path or self.auto_submitted or self.auto_reply


@dataclass(frozen=True, slots=True)
class IncomingMail:
    """A mail as the intake needs it.

    `senders`: the addresses in From, "" for one that is no address. `stamps`: Authentication-Results headers,
    topmost first. `pictures`: in the order of the mail, without decoration. `size`: bytes of the raw mail.
    `overflow`: too many parts, too deep parts, or more bytes than were fetched. `digest`: SHA-256 of the raw
    bytes.
    """

    senders: tuple[str, ...]
    subject: str
    message_id: str | None
    references: tuple[str, ...]
    stamps: tuple[str, ...]
    machine: MachineMarks
    report: DeliveryReport | None
    pictures: tuple[Picture, ...]
    encrypted: bool
    overflow: bool
    size: int
    digest: str

    @property
    def photos(self) -> int:
        """Photographs that open, pages of PDF files counted one by one."""
        return sum(picture.pages for picture in self.pictures)

    @property
    def photo_bytes(self) -> int:
        """Bytes of all files that are or were meant as photographs."""
        return sum(len(picture.data) for picture in self.pictures)

    @property
    def usable_pictures(self) -> tuple[Picture, ...]:
        """The files that open, in order."""
        return tuple(picture for picture in self.pictures if picture.state is PictureState.GOOD)

    @property
    def photo_keys(self) -> tuple[str, ...]:
        """The digests of all pictures, sorted: equal for mails with the same photographs."""
        return tuple(sorted(picture.digest for picture in self.pictures))


def read_mail(raw: bytes, probe: PictureProbe) -> IncomingMail:
    """Read a whole mail. `probe` opens its pictures."""
    headers, body = split_mail(_without_envelope(raw))
    return _mail(headers, read_parts(headers, body), probe, raw, len(raw))


def read_headers(raw: bytes, size: int) -> IncomingMail:
    """Read a mail whose body was not fetched because its `size` in bytes is too great."""
    headers, _ = split_mail(_without_envelope(raw))
    return _mail(headers, MimeParts(overflow=True), None, raw, size)


def _without_envelope(raw: bytes) -> bytes:
    """The mail without the "From " line of an mbox file (RFC 4155)."""
    return raw.partition(b"\n")[2] if raw.startswith(b"From ") else raw


def _mail(
    headers: Headers, parts: MimeParts, probe: PictureProbe | None, raw: bytes, size: int
) -> IncomingMail:
    pictures, locked = _pictures(parts.leaves, probe)
    report = read_report(parts.root, headers)
    ids = message_ids(headers.first("message-id"))
    return IncomingMail(
        senders=addresses(headers.all("from")),
        subject=" ".join(decode_words(headers.first("subject") or "").split()),
        message_id=ids[0] if ids else None,
        references=tuple(
            identifier
            for name in ("in-reply-to", "references")
            for value in headers.all(name)
            for identifier in message_ids(value)
        ),
        stamps=headers.all("authentication-results"),
        machine=_marks(headers),
        report=report,
        pictures=pictures,
        encrypted=parts.encrypted or locked,
        overflow=parts.overflow,
        size=size,
        digest=hashlib.sha256(raw).hexdigest(),
    )


def _marks(headers: Headers) -> MachineMarks:
    path = headers.first("return-path")
    submitted = [_keyword(value) for value in headers.all("auto-submitted")]
    precedence = {_keyword(value) for value in headers.all("precedence")}
    answers = [
        value.strip().casefold() for name in ("x-autoreply", "x-autorespond") for value in headers.all(name)
    ]
    return MachineMarks(
        # RFC 5321, 4.5.5: bounces and notices have an empty return path, so that nobody answers them.
        null_return_path=path is not None
        and re.fullmatch(r"<\s*>", strip_comments(path).strip()) is not None,
        # RFC 3834, 5: "no" says that a person sent the mail.
        auto_submitted=any(word not in {"", "no"} for word in submitted),
        auto_reply=bool(precedence & {"auto_reply", "auto-reply"})
        or any(answer != "no" for answer in answers),
    )


def _keyword(value: str) -> str:
    return strip_comments(value).partition(";")[0].strip().casefold()


def _pictures(leaves: list[MimePart], probe: PictureProbe | None) -> tuple[tuple[Picture, ...], bool]:
    """The pictures among the parts, and whether one of them is locked by a password."""
    pictures: list[Picture] = []
    for part in leaves:
        kind = picture_type(part.data)
        if kind is None and not _meant_as_picture(part):
            continue
        if kind is None or probe is None or len(pictures) >= MOST_PROBED:
            answer = Probe(PictureState.BROKEN)
        else:
            answer = probe.probe(part.data, kind)
        if answer.state is PictureState.DECORATION:
            continue
        digest = hashlib.sha256(part.data).hexdigest()
        pages = answer.pages if answer.state is PictureState.GOOD else 0
        pictures.append(
            Picture(kind, answer.state, pages, part.name, digest, part.data, answer.width, answer.height)
        )
    return tuple(pictures), any(picture.state is PictureState.LOCKED for picture in pictures)


def _meant_as_picture(part: MimePart) -> bool:
    """Whether a part with other bytes was declared or named a photograph. Drawings and icons were not."""
    # RFC 1740: application/applefile comes beside a photograph and has its name ("IMG_1.JPG").
    if part.declared_type in {"application/applefile", "image/svg+xml"}:
        return False
    if part.data[:8].lstrip().startswith(_OTHER_PICTURES):
        return False
    return part.declared_type in _PICTURE_TYPES or _PICTURE_NAME.search(part.name) is not None
