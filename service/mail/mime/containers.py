"""Files and mails inside an attached file: ZIP archives, Outlook's .msg, mbox folders, and mails that were
declared as something else (ARR-05).

Each gives parts as if they had been attached themselves, within one budget for all that a mail holds. It runs
in the limited child.

Sources: APPNOTE.TXT (ZIP), [MS-OXMSG] 2.2 and [MS-OXPROPS] for the numbers of properties, RFC 4155 (mbox).
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass

from service.facts.files import OtherKind

MOST_FILES = 100
"""Files of all containers of a mail together that are taken out."""
MOST_BYTES = 48_000_000
"""Bytes of them, unpacked: what they are with the mail itself stays below what the child may hand on."""
_LOCKED_BIT = 0x1
_SYSTEM_FILES = re.compile(r"(?:^|/)(?:__MACOSX/|\._|\.DS_Store$|Thumbs\.db$|desktop\.ini$)", re.IGNORECASE)
"""What systems put into archives next to the files of a person."""
_DOCUMENT_MEMBERS = frozenset({
    "[Content_Types].xml", "mimetype", "META-INF/container.xml", "Index/Document.iwa"})
"""What an archive has that is a document of a text program (ISO/IEC 29500-2, ODF 1.3 part 2, EPUB,
Pages)."""
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ATTACHMENT = re.compile(r"__attach_version1\.0_#[0-9A-Fa-f]{8}")
_CONTENT = "__substg1.0_37010102"
_NAMES = ("__substg1.0_3707001F", "__substg1.0_3704001F", "__substg1.0_3707001E", "__substg1.0_3704001E")
"""Streams of an attachment: its bytes; its long and its short name, in UTF-16 or in bytes."""
_MBOX_LINE = re.compile(rb"(?:\A|\n\r?\n)From [^\r\n]{3,200}\r?\n(?=[A-Za-z][A-Za-z0-9-]*:|>?From )")
_HEADER_LINE = re.compile(rb"[A-Za-z][A-Za-z0-9-]{1,60}:[ \t\r]")
_NEEDED = (re.compile(rb"^(?:From|Date|Received|Message-ID|Subject):", re.IGNORECASE | re.MULTILINE),
           re.compile(rb"^Content-Type:\s*(?:multipart/|image/|application/)", re.IGNORECASE | re.MULTILINE))
_HEAD = 64 * 1024


@dataclass(slots=True)
class Budget:
    """What may still be taken out of the containers of one mail."""

    files: int = MOST_FILES
    size: int = MOST_BYTES

    def take(self, size: int) -> bool:
        """Take a file of so many bytes; False if that is too much."""
        if self.files < 1 or size > self.size:
            return False
        self.files, self.size = self.files - 1, self.size - size
        return True


@dataclass(frozen=True, slots=True)
class Inner:
    """One thing in a container: a file, or, where `is_mail`, a whole mail as bytes."""

    name: str
    data: bytes
    is_mail: bool = False


@dataclass(frozen=True, slots=True)
class Opened:
    """The contents of a container. `kind`: why the container itself counts as a file, None if what it holds
    takes its place."""

    inner: tuple[Inner, ...] = ()
    kind: OtherKind | None = None


def opened(data: bytes, name: str, declared_type: str, budget: Budget) -> Opened | None:
    """The contents of a file; None if it is not a container. Never raises."""
    try:
        if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
            return _zip(data, budget)
        if data.startswith(_OLE):
            return _message_file(data, budget)
        # A text in the mail itself may quote the headers of another.
        mails = list(_mails(data)) if name or not declared_type.startswith("text/") else []
    # Each reader fails in its own way on damaged data.
    except Exception:
        return Opened(kind=OtherKind.DAMAGED_ARCHIVE if data.startswith(b"PK") else OtherKind.MAIL)
    if not mails:
        return None
    if not all(budget.take(len(mail)) for mail in mails):
        return Opened(kind=OtherKind.LARGE_ARCHIVE)
    return Opened(tuple(Inner("", mail, is_mail=True) for mail in mails))


def _mails(data: bytes) -> Iterator[bytes]:
    """The mails in a file; none if it holds none."""
    if data.startswith(b"From ") and _MBOX_LINE.match(data):
        yield from _mails_of_folder(data)
    elif _is_mail(data):
        yield data


def _zip(data: bytes, budget: Budget) -> Opened:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        if _DOCUMENT_MEMBERS & {member.filename for member in members}:
            return Opened(kind=OtherKind.DOCUMENT)
        files = [
            member for member in members if not member.is_dir() and not _SYSTEM_FILES.search(member.filename)]
        if not files:
            return Opened(kind=OtherKind.EMPTY_ARCHIVE)
        if any(member.flag_bits & _LOCKED_BIT for member in files):
            return Opened(kind=OtherKind.LOCKED_ARCHIVE)
        inner: list[Inner] = []
        for member in files:
            # What the archive states about a size may be false, so no more is unpacked than it states.
            if not budget.take(member.file_size):
                return Opened(kind=OtherKind.LARGE_ARCHIVE)
            with archive.open(member) as file:
                inner.append(Inner(_last_name(member.filename), file.read(member.file_size)))
        return Opened(tuple(inner))


def _message_file(data: bytes, budget: Budget) -> Opened | None:
    """The attachments of an Outlook message; None for another file of this form, such as a .doc."""
    import olefile  # here, since few mails hold one

    with olefile.OleFileIO(data) as ole:
        paths = ole.listdir(streams=True, storages=True)
        # Any depth of mails in mails: each attachment is a storage that holds its bytes or another message.
        storages = sorted({
            tuple(path[: index + 1]) for path in paths for index, part in enumerate(path)
            if _ATTACHMENT.fullmatch(part)})
        if not storages and not any("__properties_version1.0" in path for path in paths):
            return None
        inner: list[Inner] = []
        for storage in storages:
            stream = [*storage, _CONTENT]
            if not ole.exists(stream) or ole.get_type(stream) != olefile.STGTY_STREAM:
                continue
            if not budget.take(ole.get_size(stream)):
                return Opened(kind=OtherKind.LARGE_ARCHIVE)
            inner.append(Inner(_attachment_name(ole, storage), ole.openstream(stream).read()))
        return Opened(tuple(inner))


def _attachment_name(ole: object, storage: tuple[str, ...]) -> str:
    for name in _NAMES:
        stream = [*storage, name]
        if ole.exists(stream):  # type: ignore[attr-defined]
            value: bytes = ole.openstream(stream).read(1000)  # type: ignore[attr-defined]
            return value.decode("utf-16-le" if name.endswith("F") else "cp1252", "replace").rstrip("\0")
    return ""


def _mails_of_folder(data: bytes) -> Iterator[bytes]:
    starts = [match.end() for match in _MBOX_LINE.finditer(data)][: MOST_FILES + 1]
    ends = [*(data.rfind(b"From ", 0, start) for start in starts[1:]), len(data)]
    for start, end in zip(starts, ends, strict=True):
        yield data[start:end]


def _is_mail(data: bytes) -> bool:
    """Whether bytes are a mail that may hold a picture: header lines alone, up to an empty one."""
    head = data[:_HEAD]
    end = re.search(rb"\r?\n\r?\n", head)
    if end is None:
        return False
    block = head[: end.start()]
    lines = block.splitlines()
    is_header = all(line[:1] in {b" ", b"\t"} or _HEADER_LINE.match(line + b" ") for line in lines)
    return is_header and len(lines) > 1 and all(needed.search(block) for needed in _NEEDED)


def _last_name(path: str) -> str:
    flat = path.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(char for char in flat if char.isprintable())[:200]

