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

_MOST_HEADERS = 2000
_LONGEST_VALUE = 100_000
"""Bytes of one unfolded header that are kept."""
_NAME = re.compile(rb"[!-9;-~]+")
_ENCODED = re.compile(r"=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bBqQ])\?([^?]*)\?=")
_ADDRESS = re.compile(r"[^\s<>()\[\]\",;:@\\]+@[^\s<>()\[\]\",;:@\\.]+(?:\.[^\s<>()\[\]\",;:@\\.]+)*\.?")


@dataclass(frozen=True, slots=True)
class Headers:
    """The headers of a mail in order: (name in lower case, unfolded value as bytes)."""

    fields: tuple[tuple[str, bytes], ...]

    def all(self, name: str) -> tuple[str, ...]:
        """Every value of a header, topmost first, as text without encoded words being decoded."""
        return tuple(as_text(value) for key, value in self.fields if key == name)

    def first(self, name: str) -> str | None:
        """The topmost value, or None."""
        return next(iter(self.all(name)), None)


def split_mail(raw: bytes) -> tuple[Headers, bytes]:
    """The header block and the body of raw mail bytes. Lines that are no header are passed over."""
    fields: list[tuple[str, bytes]] = []
    name: str | None = None
    value = bytearray()
    at = 0
    while at < len(raw):
        end = raw.find(b"\n", at)
        end = len(raw) if end < 0 else end + 1
        line = raw[at:end].rstrip(b"\r\n")
        at = end
        if not line:
            break
        if line[:1] in {b" ", b"\t"} and name is not None:
            if len(value) < _LONGEST_VALUE:
                value += b" " + line.strip()
            continue
        _keep(fields, name, value)
        key, colon, rest = line.partition(b":")
        key = key.rstrip(b" \t")
        good = bool(colon) and _NAME.fullmatch(key) is not None
        name = key.decode("ascii").lower() if good else None
        value = bytearray(rest.strip())
    _keep(fields, name, value)
    return Headers(tuple(fields)), raw[at:]


def _keep(fields: list[tuple[str, bytes]], name: str | None, value: bytearray) -> None:
    if name is not None and len(fields) < _MOST_HEADERS:
        fields.append((name, bytes(value[:_LONGEST_VALUE])))


def as_text(value: bytes) -> str:
    """Raw header bytes as text: UTF-8, else Windows-1252 with its holes as Latin-1."""
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
    """A header's text with its encoded words decoded (RFC 2047).

    Adjacent words of one charset are joined as bytes before their characters are decoded, because some
    clients cut a character in two.
    """
    out: list[str] = []
    pending: tuple[str, bytearray] | None = None
    last = 0
    for match in _ENCODED.finditer(value):
        between = value[last : match.start()]
        charset = match.group(1).lower()
        data = _word_bytes(match.group(2), match.group(3))
        if pending is not None and not between.strip() and pending[0] == charset:
            pending[1].extend(data)
        else:
            _flush(out, pending)
            # white space between two encoded words is not part of the text
            out.append("" if pending is not None and not between.strip() else between)
            pending = (charset, bytearray(data))
        last = match.end()
    _flush(out, pending)
    out.append(value[last:])
    return "".join(out)


def _flush(out: list[str], pending: tuple[str, bytearray] | None) -> None:
    if pending is not None:
        out.append(decode_bytes(bytes(pending[1]), pending[0]))


def _word_bytes(encoding: str, text: str) -> bytes:
    if encoding in "bB":
        plain = re.sub(r"[^A-Za-z0-9+/]", "", text)
        if len(plain) % 4 == 1:
            plain = plain[:-1]
        try:
            return base64.b64decode(plain + "=" * (-len(plain) % 4))
        except (binascii.Error, ValueError):
            return text.encode("utf-8", "replace")
    return binascii.a2b_qp(text.encode("utf-8", "replace").replace(b"_", b" "), header=False)


def decode_bytes(data: bytes, charset: str) -> str:
    """Bytes in a named charset as text; where the name is unknown or wrong, as `as_text` does."""
    try:
        return data.decode(charset)
    except (LookupError, UnicodeError, ValueError, TypeError, AssertionError):
        return as_text(data)


def strip_comments(value: str) -> str:
    """A structured header without its comments, nested ones included; quoted strings stay."""
    out: list[str] = []
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
            out.append(" ")
            continue
        elif char == ")" and depth:
            depth -= 1
            continue
        if not depth:
            out.append(char)
    return "".join(out)


def addresses(values: Sequence[str]) -> tuple[str, ...]:
    """The addresses of one or more address headers, as written, without display names.

    Encoded words are not decoded first: they belong to display names, and one that stands inside an address
    makes it no address (an encoded line break is such a one). What has no local part and domain is left out.
    """
    found: list[str] = []
    for value in values:
        for part in _mailboxes(strip_comments(value)):
            angle = _angle(part)
            address = (angle if angle is not None else _unquoted(part)).strip()
            if _ADDRESS.fullmatch(address) and "=?" not in address:
                found.append(address.rstrip("."))
            elif angle is not None and "@" in angle:
                # an address was meant that cannot be one: it counts, so that the mail is not taken for
                # another's
                found.append("")
    return tuple(found)


def _mailboxes(value: str) -> list[str]:
    """Cut at commas and semicolons outside quotes and angle brackets; a group's name ends at its colon."""
    parts: list[str] = [""]
    quoted = False
    angled = False
    skip = False
    for char in value:
        if skip:
            skip = False
        elif quoted and char == "\\":
            skip = True
        elif char == '"':
            quoted = not quoted
        elif not quoted and char == "<":
            angled = True
        elif not quoted and char == ">":
            angled = False
        elif not quoted and not angled and char in ",;:":
            if char == ":":
                parts[-1] = ""
            else:
                parts.append("")
            continue
        parts[-1] += char
    return parts


def _angle(part: str) -> str | None:
    """What stands in angle brackets outside quotes; "@" where there are several, since none can be chosen."""
    plain = _unquoted(part)
    inner = plain.split("<")[1:]
    if not inner:
        return None
    return inner[0].partition(">")[0] if len(inner) == 1 else "@"


def _unquoted(part: str) -> str:
    """Without quoted strings, which belong to display names."""
    return re.sub(r'"(?:[^"\\]|\\.)*"', "", part)


def message_ids(value: str | None) -> tuple[str, ...]:
    """The identifiers in angle brackets of a Message-ID, In-Reply-To or References header."""
    return tuple(re.findall(r"<[^<>\s]{1,900}>", value or ""))
