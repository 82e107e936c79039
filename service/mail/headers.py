"""A mail's header block read line by line, so that no header, however odd, can stop the mail.

Python's own header classes raise on some malformed values (unclosed addresses, encoded line breaks, deep
nesting); nothing here does. RFC 5322 (structure, addresses, comments), RFC 2047 (encoded words).
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from dataclasses import dataclass

MOST_HEADER_BYTES = 128 * 1024
MOST_HEADER_LINES = 10_000
"""Bytes and lines of a header block that are looked at. An honest mail has a few hundred lines."""
_MOST_HEADERS = 2000
LONGEST_VALUE = 100_000
"""Headers of one mail, and bytes of one unfolded header, that are stored."""
# These are taken apart letter by letter. A line has at most 998 (RFC 5322, 2.1.1).
_LONGEST_READ = {
    "from": 8000, "sender": 8000, "reply-to": 8000, "return-path": 8000, "subject": 8000, "date": 8000,
    "message-id": 8000, "content-type": 8000, "precedence": 8000, "auto-submitted": 8000,
    "authentication-results": 16_000,
}  # fmt: skip
"""Bytes that are stored of one header of these names. A longer one may hide what decides about its mail."""
_NAME = re.compile(rb"[!-9;-~]+")
_ENCODED = re.compile(r"=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bBqQ])\?([^?]*)\?=")
_CHARSET = re.compile(rb"charset\s*=\s*\"?([A-Za-z0-9_.:-]{2,40})", re.IGNORECASE)
_ADDRESS = re.compile(r"[^\s<>()\[\]\",;:@\\]+@[^\s<>()\[\]\",;:@\\.]+(?:\.[^\s<>()\[\]\",;:@\\.]+)*\.?")


@dataclass(frozen=True, slots=True)
class Headers:
    """The headers of a mail in order: (name in lower case, unfolded value as bytes).

    `is_complete` is False if the block is longer than what is looked at. The rest may hold a second From, so
    such a mail counts as no one's.
    """

    fields: tuple[tuple[str, bytes], ...]
    is_complete: bool = True

    def all(self, name: str) -> tuple[str, ...]:
        """Every value of a header, topmost first, as text without encoded words being decoded."""
        return tuple(as_text(value) for key, value in self.fields if key == name)

    def first(self, name: str) -> str | None:
        """The topmost value, or None."""
        return next(iter(self.all(name)), None)

    def text(self, name: str) -> str:
        """The topmost value; "" without one."""
        return next(iter(self.all(name)), "")


def split_mail(raw: bytes) -> tuple[Headers, bytes]:
    """The header block and the body of raw mail bytes. Lines that are not headers are passed over."""
    headers, body_start = split_headers(raw)
    return headers, raw[body_start:]


def split_headers(raw: bytes) -> tuple[Headers, int]:
    """The header block and the offset of the body, in time that depends on the limits and not on the mail.

    Of a block that is longer than the limits, the part within them, and the offset where it was cut.
    """
    fields: list[tuple[str, bytes]] = []
    name: str | None = None
    value = bytearray()
    position = line_count = 0
    is_complete = True
    while position < len(raw):
        end = raw.find(b"\n", position, MOST_HEADER_BYTES)
        if line_count >= MOST_HEADER_LINES or position >= MOST_HEADER_BYTES:
            is_complete = False
            break
        end = min(len(raw), MOST_HEADER_BYTES) if end < 0 else end + 1
        line = raw[position:end].rstrip(b"\r\n")
        position, line_count = end, line_count + 1
        if not line:
            break
        # RFC 5322, 2.2.3: a line that begins with white space continues the header above it. Below a line
        # that is not a header it continues nothing and is dropped.
        if line[:1] in {b" ", b"\t"} and name is not None:
            if len(value) <= LONGEST_VALUE:
                value += b" " + line.strip()
            continue
        is_complete = _keep(fields, name, value) and is_complete
        field_name, colon, field_value = line.partition(b":")
        # RFC 5322, 4.5: older programs put white space before the colon.
        field_name = field_name.rstrip(b" \t")
        is_header = bool(colon) and _NAME.fullmatch(field_name) is not None
        name = field_name.decode("ascii").lower() if is_header else None
        value = bytearray(field_value.strip())
    is_complete = _keep(fields, name, value) and is_complete
    return Headers(tuple(fields), is_complete), position


def _keep(fields: list[tuple[str, bytes]], name: str | None, value: bytearray) -> bool:
    """Add a header to `fields`; False if it is one too many, or cut where the rest may decide."""
    if name is None:
        return True
    if len(fields) >= _MOST_HEADERS:
        return False
    longest = _LONGEST_READ.get(name, LONGEST_VALUE)
    fields.append((name, bytes(value[:longest])))
    return name not in _LONGEST_READ or len(value) <= longest


def as_text(value: bytes) -> str:
    """Raw header bytes as text: UTF-8, else Windows-1252 with its holes as Latin-1."""
    # A dash in a subject may be the one byte 0x96 of Windows-1252, which is a control code in Latin-1.
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(_western(byte) for byte in value)


def _western(byte: int) -> str:
    try:
        return bytes((byte,)).decode("cp1252")
    except UnicodeDecodeError:
        return chr(byte)


def decode_words(value: str) -> str:
    """A header's text with its encoded words decoded (RFC 2047)."""
    texts: list[str] = []
    pending: tuple[str, bytearray] | None = None
    copied_to = 0
    for match in _ENCODED.finditer(value):
        between = value[copied_to : match.start()]
        charset = match.group(1).lower()
        word_bytes = _word_bytes(match.group(2), match.group(3))
        # Against RFC 2047, 5, some programs cut a character in two: "=?utf-8?B?4oI=?= =?utf-8?B?rA==?=" is
        # one euro sign. So the bytes of adjacent words of one charset are joined before they are decoded.
        if pending is not None and not between.strip() and pending[0] == charset:
            pending[1].extend(word_bytes)
        else:
            _flush(texts, pending)
            # RFC 2047, 6.2: white space between two encoded words is not part of the text.
            texts.append("" if pending is not None and not between.strip() else between)
            pending = (charset, bytearray(word_bytes))
        copied_to = match.end()
    _flush(texts, pending)
    texts.append(value[copied_to:])
    return "".join(texts)


def _flush(texts: list[str], pending: tuple[str, bytearray] | None) -> None:
    if pending is not None:
        texts.append(decode_bytes(bytes(pending[1]), pending[0]))


def _word_bytes(encoding: str, text: str) -> bytes:
    if encoding in "bB":
        base64_text = re.sub(r"[^A-Za-z0-9+/]", "", text)
        # No base64 text has one letter over; the padding may be missing ("=?utf-8?B?YQ?=" is an "a").
        if len(base64_text) % 4 == 1:
            base64_text = base64_text[:-1]
        try:
            return base64.b64decode(base64_text + "=" * (-len(base64_text) % 4))
        except (binascii.Error, ValueError):
            return text.encode("utf-8", "replace")
    return binascii.a2b_qp(text.encode("utf-8", "replace").replace(b"_", b" "), header=False)


def decode_bytes(data: bytes, charset: str) -> str:
    """Bytes in a named charset as text; where the name is unknown or wrong, as `as_text` does."""
    try:
        return data.decode(charset)
    # Charset names come from strangers: "rot13" is a codec of Python that does not take bytes.
    except (LookupError, UnicodeError, ValueError, TypeError, AssertionError):
        return as_text(data)


def subject_text(headers: Headers, beginning: bytes) -> str:
    """The subject as text, in one line. One in raw bytes that are not UTF-8 (against RFC 5322, 2.2) counts as
    in the charset that the mail names first, by its headers or in the `beginning` of its body: a program
    that writes raw bytes writes both in one."""
    value = next((value for name, value in headers.fields if name == "subject"), b"")
    try:
        written = value.decode("utf-8")
    except UnicodeDecodeError:
        named = next(filter(None, (
            _CHARSET.search(text) for text in (*_values(headers, "content-type"), beginning))), None)
        written = as_text(value) if named is None else decode_bytes(value, named[1].decode("ascii"))
    return " ".join(decode_words(written).split())


def _values(headers: Headers, name: str) -> list[bytes]:
    return [value for key, value in headers.fields if key == name]


def strip_comments(value: str) -> str:
    """A structured header without its comments, nested ones included; quoted strings stay."""
    # RFC 5322, 3.2.2. A count instead of recursion, because 100,000 open brackets must not stop a mail.
    characters: list[str] = []
    depth = 0
    quoted = False
    escaped = False
    for char in value:
        if escaped:
            escaped = False
        elif char == "\\" and (quoted or depth):
            escaped = True
        elif char == '"' and not depth:
            quoted = not quoted
        elif char == "(" and not quoted:
            depth += 1
            characters.append(" ")
            continue
        elif char == ")" and depth:
            depth -= 1
            continue
        if not depth:
            characters.append(char)
    return "".join(characters)


def addresses(values: Sequence[str]) -> tuple[str, ...]:
    """The addresses of one or more address headers, as written, without display names.

    "" for one in angle brackets that is not an address; anything else without local part and domain is left
    out. """
    sender_addresses: list[str] = []
    for value in values:
        for part in _mailboxes(strip_comments(value)):
            angle = _angle(part)
            address = (angle if angle is not None else _unquoted(part)).strip()
            # RFC 2047, 5: encoded words belong to display names. One inside an address makes it no address:
            # it may be an encoded line break.
            if _ADDRESS.fullmatch(address) and "=?" not in address:
                sender_addresses.append(address.rstrip("."))
            elif angle is not None and "@" in angle:
                # A person meant an address. It counts as one, so that the mail is not taken for the mail of
                # another sender in the same header.
                sender_addresses.append("")
    return tuple(sender_addresses)


def _mailboxes(value: str) -> list[str]:
    """Cut at commas and semicolons outside quotes and angle brackets; a group's name ends at its colon."""
    parts: list[str] = [""]
    quoted = False
    angled = False
    is_escaped = False
    for char in value:
        if is_escaped:
            is_escaped = False
        elif quoted and char == "\\":
            is_escaped = True
        elif char == '"':
            quoted = not quoted
        elif not quoted and char == "<":
            angled = True
        elif not quoted and char == ">":
            angled = False
        elif not quoted and not angled and char in ",;:":
            # RFC 5322, 3.4: "friends: a@b.example, c@d.example;" is a group. Its name is not a mailbox.
            if char == ":":
                parts[-1] = ""
            else:
                parts.append("")
            continue
        parts[-1] += char
    return parts


def _angle(part: str) -> str | None:
    """The text in angle brackets outside quotes, None without any; "@" for several, as none can be chosen."""
    plain = _unquoted(part)
    inner = plain.split("<")[1:]
    if not inner:
        return None
    return inner[0].partition(">")[0] if len(inner) == 1 else "@"


def _unquoted(part: str) -> str:
    """Without quoted strings, which belong to display names."""
    # One that is not closed stays, and is gone through only once.
    return re.sub(r'"(?:[^"\\]|\\.)*("|\\?$)', lambda quoted: "" if quoted[1] == '"' else quoted[0], part)


def message_ids(value: str | None) -> tuple[str, ...]:
    """The identifiers in angle brackets of a Message-ID, In-Reply-To or References header."""
    return tuple(re.findall(r"<[^<>\s]{1,900}>", value or ""))
