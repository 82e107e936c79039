"""Everything that a running game lets out to a person, as text that can be compared and searched: letters
with every header and file, pages, feeds, the archive. A picture is its pixels and what it states about
itself; a PDF its words, its data and its drawing."""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from email.message import EmailMessage

import pypdfium2
from PIL import Image

# Digests, a root in words, seeds, secret addresses, stamps of the real clock, and the numbers that lines have
# on the whole site: they differ between two games of the same moves.
VARYING = re.compile(
    r"\b[0-9a-f]{8,}\b|\b(?:mark|fingerprint) [0-9a-f]{4} [0-9a-f]{4} [0-9a-f]{4}\b"
    r"|\d{4}-\d\d-\d\dT[\d:.]+Z|\b\d{8}T\d{6}Z\b"
    r"|In\s+four\s+words:(?:\s+[a-z]+){4}"
    r"|/(?:<wbr>)?calendar/(?:<wbr>)?[\w-]{32}\.ics|\[\d+\]|/results/\d+/\d+|\bline \d+")
_OWN = ("message-id", "references", "in-reply-to", "date", "content-type")


def plain(text: str) -> str:
    """Without what differs by chance, and with blanks run together."""
    return " ".join(VARYING.sub("#", text).split())


def letter(message: EmailMessage) -> str:
    """A letter whole."""
    lines = [f"{name}: {value}" for name, value in message.items() if name.lower() not in _OWN]
    for part in message.walk():
        if part.is_multipart():
            continue
        lines.append(f"{part.get_content_type()} {part.get_filename() or ''}")
        data = part.get_payload(decode=True)
        lines.append(content(data) if isinstance(data, bytes) else "")
    return plain("\n".join(lines))


def content(data: bytes) -> str:
    """A file of any kind a letter carries."""
    if data.startswith(b"%PDF"):
        return "\n".join(_pdf(data))
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as zipped:
            return "\n".join(f"{name}\n{content(zipped.read(name))}" for name in sorted(zipped.namelist()))
    if data.startswith((b"\x89PNG", b"\xff\xd8")):
        return "\n".join(_picture(data))
    return data.decode()


def _picture(data: bytes) -> Iterator[str]:
    with Image.open(io.BytesIO(data)) as picture:
        yield repr(sorted((str(key), str(value)) for key, value in picture.info.items() if key != "exif"))
        yield repr(dict(picture.getexif()))
        yield f"pixels ~{hashlib.sha256(picture.tobytes()).hexdigest()}"


def _pdf(data: bytes) -> Iterator[str]:
    """Words, the document's own data, and every stream unpacked but for fonts and pictures, which have
    nothing by themselves."""
    document = pypdfium2.PdfDocument(data)
    yield repr(
        # CreationDate and ModDate are of the real clock.
        sorted((key, value) for key, value in document.get_metadata_dict().items() if "Date" not in key)
    )
    for page in document:
        yield page.get_textpage().get_text_range()
        yield f"pixels ~{hashlib.sha256(page.render().to_pil().tobytes()).hexdigest()}"
    for packed in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", data, re.DOTALL):
        try:
            unpacked = zlib.decompress(packed)
        except zlib.error:
            unpacked = packed
        yield unpacked.decode("latin-1") if unpacked[:1].isascii() and b"\0" not in unpacked[:200] else ""
