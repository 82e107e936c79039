"""Raw mail bytes to an IncomingMail: first its head, and then its body, where a person needs it. Never
raises: what cannot be read is left out or marked.

Nothing is decided here; `service.intake.verdicts.rules` does that.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from ocr.image.formats import PictureFormat, format_of
from ocr.unreadable import FileTrouble
from service.facts.files import FileFate, FileOutcome, OtherKind
from service.mail.authentication.verdict import Authentication
from service.mail.authors import authors
from service.mail.body.read import MailBody, MailFile, OtherFile, read_body, without_envelope
from service.mail.headers import Headers, message_ids, split_headers, subject_text
from service.mail.mime.image_types import SECONDS_OF_A_MAIL, PictureProbe, Probe
from service.mail.reports import DeliveryReport, MachineMarks, machine_marks, may_be_report

MOST_PROBED = 60
"""Files of one mail that are opened. No honest mail has more, and each costs time."""
_BEGINNING = 8192
"""Bytes of a body in which the charset of its text is looked for."""
_DECORATION = frozenset({PictureFormat.GIF, PictureFormat.BMP})
"""Formats of smileys rather than of photographs: one that does not open was hardly meant as a sheet."""
_FILES = re.compile(r"\s*(?:multipart/(?!alternative|report)|image/|application/)", re.IGNORECASE)
"""Content types of a whole mail that may hold files."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One file that is, or was meant as, a photograph.

    `kind`: None if the part was declared a picture and its bytes are none. `fate`: SHEET or UNOPENED.
    `pages`: photographs in it (pages of a PDF), 0 for one that does not open. `digest`: SHA-256 of the bytes,
    hexadecimal. `name`: as sent, only to be shown. `troubles`, `trouble`, `number`, `more`: see `Probe`.
    """

    kind: PictureFormat | None
    fate: FileFate
    pages: int
    name: str
    digest: str
    data: bytes
    width: int = 0
    height: int = 0
    troubles: tuple[str, ...] = ()
    trouble: FileTrouble | None = None
    number: int = 0
    more: int = 0


class BodyState(StrEnum):
    """Whether the body of a mail was read. HARMFUL: reading it cost too much, and it was left."""

    UNREAD = "unread"
    READ = "read"
    HARMFUL = "harmful"


@dataclass(frozen=True, slots=True)
class IncomingMail:
    """A mail as the intake needs it.

    `senders`: the addresses in From, "" for one that is not an address. `references`: Message-IDs of the
    mails that it answers, the nearest first. `headers`: all of the mail's own.
    `may_be_report`: they look like those of a bounce or receipt. `size`: bytes of the raw mail. `digest`:
    SHA-256 of the raw bytes. `body_digest`: of the bytes below the headers.

    All below is empty until the body is READ; `report` alone may be known of one that is not. `pictures`: in
    the order of the mail, those that may be a sheet or were meant as one. `overflow`: too many parts, too
    deep parts, or more bytes than were fetched. `bold`: the lines that may be typed orders. `text`: what a
    person reads. `other_files`: the other files. `may_have_pictures`: what can be stated of an unread body.
    `authentication`: who proved the sender; None as long as only the stamps was asked
    (`service.intake.sender_proof`).
    """

    headers: Headers
    senders: tuple[str, ...]
    subject: str
    message_id: str | None
    references: tuple[str, ...]
    machine: MachineMarks
    may_be_report: bool
    size: int
    digest: str
    body_digest: str
    overflow: bool
    body: BodyState = BodyState.UNREAD
    report: DeliveryReport | None = None
    pictures: tuple[Picture, ...] = ()
    encrypted: bool = False
    bold: tuple[str, ...] = ()
    text: str = field(default="", repr=False)
    may_have_pictures: bool = False
    authentication: Authentication | None = None
    other_files: tuple[OtherFile, ...] = ()

    @property
    def has_pictures(self) -> bool:
        """Whether photographs are attached; of a body that was not read, whether they may be."""
        return bool(self.pictures) if self.body is BodyState.READ else self.may_have_pictures

    @property
    def outcomes(self) -> tuple[FileOutcome, ...]:
        """The fate of each file, as far as opening it shows that."""
        pictures = [
            FileOutcome(each.name, each.fate, each.trouble or "", each.number, each.more, each.digest)
            for each in self.pictures]
        return (*pictures, *(FileOutcome(each.name, each.fate, each.kind or "") for each in self.other_files))

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
        return tuple(picture for picture in self.pictures if picture.fate is FileFate.SHEET)

    @property
    def photo_keys(self) -> tuple[str, ...]:
        """The digests of all pictures, sorted: equal for mails with the same photographs. Of a body that was
        not read, or not to its end, its own digest."""
        if self.body is not BodyState.READ or self.overflow:
            return (self.body_digest,)
        return tuple(sorted(picture.digest for picture in self.pictures))


def read_mail(raw: bytes, probe: PictureProbe) -> IncomingMail:
    """Read a whole mail in this process, for tests and for mails of our own. `probe` opens its pictures."""
    return with_body(read_head(raw), read_body(raw), probe)


def read_head(raw: bytes, size: int | None = None) -> IncomingMail:
    """Read the headers of a mail, and nothing below them. `size`: the bytes of a mail that was too large to
    be fetched, so that `raw` is only its beginning; else None."""
    mail = without_envelope(raw)
    headers, body_start = split_headers(mail)
    ids = message_ids(headers.first("message-id"))
    return IncomingMail(
        headers=headers,
        senders=authors(headers.all("from")),
        subject=subject_text(headers, mail[body_start : body_start + _BEGINNING]),
        message_id=ids[0] if ids else None,
        # RFC 5322, 3.6.4: References begins with the oldest mail of the exchange.
        references=tuple(dict.fromkeys((
            *(each for value in headers.all("in-reply-to") for each in message_ids(value)),
            *(each for value in headers.all("references") for each in reversed(message_ids(value))),
        ))),
        machine=machine_marks(headers),
        may_be_report=may_be_report(headers),
        size=len(raw) if size is None else size,
        digest=hashlib.sha256(raw).hexdigest(),
        body_digest=hashlib.sha256(memoryview(mail)[body_start:]).hexdigest(),
        overflow=size is not None,
        may_have_pictures=_FILES.match(headers.text("content-type")) is not None,
    )


def with_body(head: IncomingMail, body: MailBody, probe: PictureProbe) -> IncomingMail:
    """The mail with what its body holds. `probe` opens its pictures, and may raise."""
    pictures, others = _pictures(body.files, probe)
    is_locked = any(picture.trouble is FileTrouble.LOCKED for picture in pictures)
    return replace(
        head,
        body=BodyState.READ,
        report=body.report,
        pictures=pictures,
        encrypted=body.encrypted or is_locked,
        overflow=head.overflow or body.overflow,
        bold=body.bold,
        text=body.text,
        other_files=(*others, *body.other_files),
    )


def without_pictures(mail: IncomingMail, fates: Mapping[str, FileFate]) -> IncomingMail:
    """The mail with some of its pictures among the other files. `fates`: why, by digest."""
    return replace(
        mail,
        pictures=tuple(picture for picture in mail.pictures if picture.digest not in fates),
        other_files=(
            *(OtherFile(picture.name, fates[picture.digest]) for picture in mail.pictures
              if picture.digest in fates),
            *mail.other_files))


def _pictures(
    files: Sequence[MailFile], probe: PictureProbe
) -> tuple[tuple[Picture, ...], tuple[OtherFile, ...]]:
    """The files that may be a sheet or were meant as one, and those that are neither."""
    pictures: dict[str, Picture] = {}
    others: list[OtherFile] = []
    probed, seconds = 0, SECONDS_OF_A_MAIL
    for file in files:
        digest = hashlib.sha256(file.content).hexdigest()
        if digest in pictures:
            others.append(OtherFile(file.name, FileFate.REPEATED))
            continue
        kind = format_of(file.content)
        if kind is None:
            trouble = FileTrouble.UNKNOWN if file.content else FileTrouble.EMPTY
            answer = Probe(FileFate.UNOPENED, trouble=trouble)
        elif probed >= MOST_PROBED or seconds < 1:
            answer = Probe(FileFate.UNOPENED, trouble=FileTrouble.COSTLY)
        else:
            probed += 1
            answer = probe.probe(file.content, kind, seconds)
            seconds -= answer.seconds
        if answer.fate not in {FileFate.SHEET, FileFate.UNOPENED}:
            others.append(OtherFile(file.name, answer.fate))
            continue
        if answer.fate is FileFate.UNOPENED and kind in _DECORATION:
            others.append(OtherFile(file.name, FileFate.OTHER, OtherKind.DRAWING))
            continue
        pictures[digest] = Picture(
            kind, answer.fate, answer.pages, file.name, digest, file.content, answer.width, answer.height,
            answer.troubles, answer.trouble, answer.number, answer.more)
    return tuple(pictures.values()), tuple(others)
