"""The tag lists of DKIM: a DKIM-Signature header and a key record, read strictly.

Every fault is `SignatureFault` with a sentence. RFC 6376, 3.2 (tag lists), 3.5 (signatures), 3.6.1 (keys),
updated by RFC 8301 (no SHA-1, no RSA keys under 1,024 bits) and RFC 8463 (Ed25519).
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

LONGEST_SIGNATURE = 16_384
LONGEST_RECORD = 8192
"""Bytes of a signature header and of a key record that are read. The longest honest ones have about 2,000."""
MOST_SIGNED = 200
"""Names in h=."""
FEWEST_BITS, MOST_BITS = 1024, 8192
"""Of an RSA key. RFC 8301, 3.2; above 4,096 no one has to check, and time grows with the cube."""
MOST_EXPONENT = 1 << 32

_TAG = re.compile(r"[ \t\r\n]*([A-Za-z][A-Za-z0-9_]*)[ \t\r\n]*=[ \t\r\n]*([!-:<-~ \t\r\n]*?)[ \t\r\n]*")
_LABELS = re.compile(r"(?!.{254})[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*")
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_FIELD_NAME = re.compile(r"[!-9;-~]+")
_BLANK = re.compile(rb"[ \t\r\n]{200}")
_TIME = re.compile(r"[0-9]{1,12}")


class SignatureFault(Exception):
    """A signature or its key proves nothing; the sentence shows why, without its full stop."""


class Canonicalization(StrEnum):
    """The two forms in which headers and body are counted (RFC 6376, 3.4)."""

    SIMPLE = "simple"
    RELAXED = "relaxed"


@dataclass(frozen=True, slots=True)
class Signature:
    """A DKIM-Signature header.

    `algorithm` "rsa-sha256" or "ed25519-sha256". `domain` and `selector` in lower case. `identity_domain`:
    of i=. `signed`: the names in h=, in lower case and in order. `signed_at` and `expires_at`: UTC or None.
    `tags`: as written.
    """

    algorithm: str
    domain: str
    selector: str
    identity_domain: str
    headers: Canonicalization
    body: Canonicalization
    body_digest: bytes
    signed: tuple[str, ...]
    signed_at: datetime | None
    expires_at: datetime | None
    tags: Mapping[str, str]

    @property
    def key_name(self) -> str:
        """Where its key is published."""
        return f"{self.selector}._domainkey.{self.domain}"


def read_tags(text: str) -> dict[str, str]:
    """A tag list. Raises SignatureFault for anything that is none, and for a tag that is there twice."""
    parts = text.split(";")
    # One closing semicolon is part of the grammar.
    if len(parts) > 1 and not parts[-1].strip():
        parts.pop()
    tags: dict[str, str] = {}
    for part in parts:
        match = _TAG.fullmatch(part)
        if match is None:
            raise SignatureFault("it is not written as a list of tags")
        if match[1] in tags:
            raise SignatureFault(f"it has {match[1]}= twice")
        tags[match[1]] = match[2]
    return tags


def read_signature(value: bytes) -> Signature:
    """The value of a DKIM-Signature header. Raises SignatureFault."""
    # dkimpy's search for b= takes time with the square of a run of white space.
    if len(value) > LONGEST_SIGNATURE or _BLANK.search(value):
        raise SignatureFault("it is longer than a genuine signature")
    try:
        tags = read_tags(value.decode("ascii"))
    except UnicodeDecodeError as error:
        raise SignatureFault("it has letters outside ASCII") from error
    missing = [tag for tag in ("v", "a", "b", "bh", "d", "h", "s") if not tags.get(tag)]
    if missing:
        raise SignatureFault(f"it lacks {missing[0]}=")
    if tags["v"] != "1":
        raise SignatureFault("it has another version than 1")
    # What is behind the counted bytes could be anybody's.
    if "l" in tags:
        raise SignatureFault("it covers only the beginning of the mail (l=)")
    if "dns/txt" not in [method.strip().casefold() for method in tags.get("q", "dns/txt").split(":")]:
        raise SignatureFault("its key is not in DNS")
    domain, selector = _name(tags, "d"), _name(tags, "s")
    headers, body = _canonicalizations(tags.get("c", "simple/simple"))
    signed_at, expires_at = _time(tags, "t"), _time(tags, "x")
    if signed_at is not None and expires_at is not None and expires_at <= signed_at:
        raise SignatureFault("it expired before it was made")
    _bytes(tags["b"])
    return Signature(
        algorithm=_algorithm(tags["a"]), domain=domain, selector=selector,
        identity_domain=_identity(tags.get("i"), domain), headers=headers, body=body,
        body_digest=_bytes(tags["bh"]), signed=_signed(tags["h"]), signed_at=signed_at,
        expires_at=expires_at, tags=tags,
    )


def _name(tags: Mapping[str, str], tag: str) -> str:
    if _LABELS.fullmatch(tags[tag]) is None:
        raise SignatureFault(f"its {tag}= is not a domain name")
    return tags[tag].casefold()


def _algorithm(text: str) -> str:
    algorithm = text.casefold()
    if algorithm == "rsa-sha1":
        raise SignatureFault("it uses SHA-1, which is no longer proof")
    if algorithm not in {"rsa-sha256", "ed25519-sha256"}:
        raise SignatureFault("it uses an unknown algorithm")
    return algorithm


def _canonicalizations(text: str) -> tuple[Canonicalization, Canonicalization]:
    headers, _, body = text.casefold().partition("/")
    try:
        return Canonicalization(headers), Canonicalization(body or "simple")
    except ValueError as error:
        raise SignatureFault("its c= is unknown") from error


def _time(tags: Mapping[str, str], tag: str) -> datetime | None:
    if tag not in tags:
        return None
    if _TIME.fullmatch(tags[tag]) is None:
        raise SignatureFault(f"its {tag}= is not a time")
    try:
        return datetime.fromtimestamp(int(tags[tag]), UTC)
    # RFC 6376, 3.5: a number too great for a time means "never" in x=; in t= it is not a time that was.
    except (OverflowError, ValueError, OSError):
        return datetime.max.replace(tzinfo=UTC)


def _identity(text: str | None, domain: str) -> str:
    if text is None:
        return domain
    identity = text.rpartition("@")[2].casefold()
    if "@" not in text or not (identity == domain or identity.endswith(f".{domain}")):
        raise SignatureFault("its i= is not in the domain of d=")
    return identity


def _signed(text: str) -> tuple[str, ...]:
    names = tuple(name.strip().casefold() for name in text.split(":"))
    if len(names) > MOST_SIGNED or not all(map(_FIELD_NAME.fullmatch, names)):
        raise SignatureFault("its h= is not a list of headers")
    if "from" not in names:
        raise SignatureFault("it does not cover From")
    return names


def _bytes(text: str) -> bytes:
    plain = re.sub(r"[ \t\r\n]+", "", text)
    if _BASE64.fullmatch(plain) is None:
        raise SignatureFault("it is damaged (no base64)")
    try:
        return base64.b64decode(plain, validate=True)
    except binascii.Error as error:
        raise SignatureFault("it is damaged (no base64)") from error


def check_key(record: bytes, signature: Signature) -> None:
    """Raise SignatureFault if a key record must not be used for this signature."""
    if len(record) > LONGEST_RECORD:
        raise SignatureFault("its key record is longer than a genuine one")
    try:
        tags = read_tags(record.decode("ascii"))
    except (UnicodeDecodeError, SignatureFault) as error:
        raise SignatureFault("its key record cannot be read") from error
    # RFC 6376, 3.6.1: v= may be left out, but if it is there, it is first.
    if "v" in tags and (tags["v"] != "DKIM1" or next(iter(tags)) != "v"):
        raise SignatureFault("its key record is of another kind")
    if not tags.get("p"):
        raise SignatureFault("its key was revoked" if "p" in tags else "its key record has no key")
    if tags.get("k", "rsa").casefold() != signature.algorithm.partition("-")[0]:
        raise SignatureFault("its key is for another algorithm")
    if "sha256" not in _words(tags.get("h", "sha256")) or not {"*", "email"} & _words(tags.get("s", "*")):
        raise SignatureFault("its key is not for mail with this kind of signature")
    _check_flags(_words(tags.get("t", "")), signature)
    if signature.algorithm.startswith("rsa"):
        _check_rsa(tags["p"])


def _check_flags(flags: set[str], signature: Signature) -> None:
    # RFC 6376, 3.6.1: mail of a domain that only tests is treated as if it had no signature.
    if "y" in flags:
        raise SignatureFault("its domain marks its signatures as tests (t=y)")
    if "s" in flags and signature.identity_domain != signature.domain:
        raise SignatureFault("its key is not for names below its domain (t=s)")


def _words(text: str) -> set[str]:
    return {word.strip().casefold() for word in text.split(":")}


def _check_rsa(text: str) -> None:
    from dkim.crypto import UnparsableKeyError, parse_public_key

    try:
        key = parse_public_key(_bytes(text))
    # dkimpy's reader of ASN.1 asserts in places, and the bytes are a stranger's.
    except (UnparsableKeyError, SignatureFault, AssertionError, IndexError, TypeError, ValueError) as error:
        raise SignatureFault("its key cannot be read") from error
    bits, exponent = key["modulus"].bit_length(), key["publicExponent"]
    if bits < FEWEST_BITS:
        raise SignatureFault(f"its key of {bits} bits is too short")
    if bits > MOST_BITS or not 1 < exponent < MOST_EXPONENT:
        raise SignatureFault("its key has an unusual size")
