"""Pictures that a mail program wrote into the text itself: as data URIs in HTML (RFC 2397), or uuencoded
(POSIX, uuencode) in plain text."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator

from service.mail.mime.image_types import picture_type

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
        if picture_type(data) is not None:
            yield "", data


def pictures_in_text(text: bytes) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each uuencoded picture in a plain text. Never raises; linear in its length."""
    begins = list(_BEGIN.finditer(text))[:MOST_EMBEDDED]
    ends = [*(begin.start() for begin in begins[1:]), len(text)][: len(begins)]
    for begin, end in zip(begins, ends, strict=True):
        data = b"".join(_decoded(text[begin.end() : end]))
        if picture_type(data) is not None:
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
        # The text goes on without an "end", or somebody cut it.
        except binascii.Error:
            continue
