"""The body of a mail as plain values: the files that are photographs or were meant as such, its text, and the
report it may be.

Reading it can cost any amount of time, so the service does it in the limited child alone
(`service.intake.opening.open_mail`), and only for a mail that `body_need` in `service.intake.verdicts.rules`
names.

Pictures that a mail program wrote into the text itself: as data URIs in HTML (RFC 2397), or uuencoded
(POSIX, uuencode) in plain text.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from ocr.image.formats import format_of
from service.facts.files import FileFate, OtherKind
from service.mail.body.text import bold_lines, plain_text
from service.mail.headers import split_mail
from service.mail.mime.other_kinds import other_kind
from service.mail.mime.parts import MimePart, read_parts
from service.mail.reports import DeliveryReport, read_report

MOST_EMBEDDED = 60
"""Pictures of one text that are taken out."""
_DATA_URI = re.compile(
    rb"data:image/[a-z0-9.+-]{1,20};base64,((?:[A-Za-z0-9+/=\s]|%(?:2[BbFf]|3[Dd]|0[AaDd]))+)")
_ESCAPES = {b"%2B": b"+", b"%2F": b"/", b"%3D": b"=", b"%0A": b"", b"%0D": b""}
_BEGIN = re.compile(rb"^begin [0-7]{3,4} ([^\r\n]{1,200})\r?$", re.MULTILINE)


def pictures_in_html(html: bytes) -> Iterator[tuple[str, bytes]]:
    """Name ("" for all) and bytes of each picture in an HTML text. Never raises; linear in its length."""
    for number, match in enumerate(_DATA_URI.finditer(html)):
        if number >= MOST_EMBEDDED:
            return
        text = re.sub(rb"%..", lambda escape: _ESCAPES.get(escape[0].upper(), b""), match[1])
        try:
            data = binascii.a2b_base64(text)
        except binascii.Error:
            continue
        if format_of(data) is not None:
            yield "", data


def pictures_in_text(text: bytes) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each uuencoded picture in a plain text. Never raises; linear in its length."""
    begins = list(_BEGIN.finditer(text))[:MOST_EMBEDDED]
    ends = [*(begin.start() for begin in begins[1:]), len(text)][: len(begins)]
    for begin, end in zip(begins, ends, strict=True):
        data = b"".join(_decoded(text[begin.end() : end]))
        if format_of(data) is not None:
            yield begin[1].decode("utf-8", "replace"), data


def _decoded(block: bytes) -> Iterator[bytes]:
    for line in block.splitlines():
        if line.strip() == b"end":
            return
        # Python takes an empty line for 32 zeros.
        if not line.strip():
            continue
        try:
            yield binascii.a2b_uu(line)
        # The text goes on without an "end", or a person cut it.
        except binascii.Error:
            continue


MOST_OF_REPORT = 512 * 1024
"""Bytes of a body that are read of what may be a report. The returned letter comes last and may be cut: its
headers are at its beginning."""

MOST_OTHER_FILES = 20
"""Names of other files that are stored."""

_ADDED_TYPES = {
    "application/pgp-keys", "application/pgp-signature", "application/pkcs7-signature",
    "application/x-pkcs7-signature", "application/applefile", "text/vcard", "text/x-vcard", "text/directory",
    "text/calendar", "application/ics",
}  # fmt: skip
_ADDED_NAME = re.compile(r"\.(?:vcf|ics|p7s|asc)$|^ATT\d{5,}\.(?:txt|html?|dat)$", re.IGNORECASE)
"""Files that mail programs add by themselves: signatures, cards, and what Exchange makes of a text below a
picture."""
_PICTURE_NAME = re.compile(r"\.(?:jpe?g|jpe|png|hei[cf]|avif|webp|jxl|tiff?|pdf)$", re.IGNORECASE)
_PICTURE_TYPES = {
    "image/jpeg", "image/jpg", "image/pjpeg", "image/png", "image/heic", "image/heif", "image/avif",
    "image/webp", "image/jxl", "image/tiff",
    "application/pdf",
}  # fmt: skip
_STORE = re.compile(
    r"https?://(?:www\.)?(drive\.google\.com|docs\.google\.com|photos\.google\.com|photos\.app\.goo\.gl"
    r"|(?:share\.)?icloud\.com|dropbox\.com|1drv\.ms|onedrive\.live\.com|wetransfer\.com|we\.tl|imgur\.com"
    r"|ibb\.co|flickr\.com|box\.com|mega\.nz)/", re.IGNORECASE)
"""Links to stores of pictures: cloud drives, albums, services that send large files."""
_DRAWINGS = (b"\0\0\x01\0", b"<svg", b"<?xml")
"""How icons and drawings begin: decoration of a mail, and no photograph that failed to open."""


def linked_stores(text: str) -> list[str]:
    """The hosts in a text at which people leave pictures for others, each once."""
    return list(dict.fromkeys(match.lower() for match in _STORE.findall(text)))


class BodyNeed(StrEnum):
    """How much of a body has to be read before its mail can be judged."""

    NONE = "none"
    REPORT = "report"
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class MailFile:
    """One file of a mail: its name as sent, only to be shown, and its bytes."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class OtherFile:
    """One file of a mail that brings no page of a sheet: its name as sent, only to be shown, and why. `kind`:
    of a file without a picture."""

    name: str
    fate: FileFate
    kind: OtherKind | None = None


@dataclass(frozen=True, slots=True)
class MailBody:
    """The contents of a body.

    `files`: the photographs and what was meant as one, in the order of the mail; left out where only the
    report was asked for, and then `has_files` shows whether there are any. `overflow`: it has too many
    or too deep parts, and the rest was not read. `bold` and `text`: see `service.mail.body.text`.
    `other_files`: attached files that are not photographs.
    """

    files: tuple[MailFile, ...] = ()
    encrypted: bool = False
    overflow: bool = False
    report: DeliveryReport | None = None
    bold: tuple[str, ...] = ()
    text: str = ""
    has_files: bool = False
    other_files: tuple[OtherFile, ...] = ()


def without_envelope(raw: bytes) -> bytes:
    """The mail without the "From " line of an mbox file (RFC 4155)."""
    return raw.partition(b"\n")[2] if raw.startswith(b"From ") else raw


def read_body(raw: bytes, need: BodyNeed = BodyNeed.WHOLE) -> MailBody:
    """Read the body of a whole mail; of what may be a report, the report alone. Never raises."""
    headers, body = split_mail(without_envelope(raw))
    if need is BodyNeed.NONE:
        return MailBody()
    if need is BodyNeed.REPORT:
        body = body[:MOST_OF_REPORT]
    parts = read_parts(headers, body)
    report = read_report(parts.root, headers)
    files = [
        MailFile(part.name, part.data)
        for part in parts.leaves
        if format_of(part.data) is not None or _meant_as_picture(part)
    ]
    files += [file for part in parts.leaves for file in _embedded(part)]
    if need is BodyNeed.REPORT:
        return MailBody(report=report, has_files=bool(files))
    text = plain_text(parts.leaves)
    others = [file for part in parts.leaves for file in _other_file(part)]
    # Next to a picture a link is rather a signature's.
    links = [] if files else linked_stores(text)
    others += [OtherFile(host, FileFate.OTHER, OtherKind.LINK) for host in links]
    return MailBody(
        files=tuple(files),
        has_files=bool(files),
        encrypted=parts.encrypted,
        overflow=parts.overflow,
        report=report,
        bold=bold_lines(parts.leaves),
        text=text,
        other_files=tuple(others[:MOST_OTHER_FILES]),
    )


def _embedded(part: MimePart) -> Iterator[MailFile]:
    """The pictures that a mail program wrote into the text."""
    pictures = {"text/html": pictures_in_html, "text/plain": pictures_in_text}.get(part.declared_type)
    if pictures is not None:
        yield from (MailFile(name, data) for name, data in pictures(part.data))


def _other_file(part: MimePart) -> Iterator[OtherFile]:
    """The part, if a person attached it and it holds no photograph."""
    is_picture = format_of(part.data) is not None or _meant_as_picture(part)
    if is_picture or not (part.name or part.kind):
        return
    is_drawing = part.data[:8].lstrip().startswith(_DRAWINGS)
    if is_drawing or part.declared_type in _ADDED_TYPES or _ADDED_NAME.search(part.name):
        yield OtherFile(part.name, FileFate.ADDED)
    else:
        kind = part.kind or other_kind(part.data, part.name, part.declared_type)
        yield OtherFile(part.name, FileFate.OTHER, kind)


def _meant_as_picture(part: MimePart) -> bool:
    """Whether a part with other bytes was declared or named a photograph. Drawings and icons were not."""
    # RFC 1740: application/applefile comes next to a photograph and has its name ("IMG_1.JPG").
    if part.kind or part.declared_type in {"application/applefile", "image/svg+xml"}:
        return False
    if part.data[:8].lstrip().startswith(_DRAWINGS):
        return False
    return part.declared_type in _PICTURE_TYPES or _PICTURE_NAME.search(part.name) is not None
