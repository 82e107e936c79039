"""Signed mails for tests: RSA keys from a number, and DKIM signatures in any shape, right or wrong.

Written after RFC 6376 and RFC 8017 without the code under test and without dkimpy, as a second opinion.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random


@dataclass(frozen=True, slots=True)
class Key:
    """An RSA key. `record`: its TXT record."""

    modulus: int
    exponent: int
    private: int

    @property
    def record(self) -> str:
        return f"v=DKIM1; k=rsa; p={base64.b64encode(self.public_der).decode()}"

    @property
    def public_der(self) -> bytes:
        numbers = _der(0x30, _integer(self.modulus) + _integer(self.exponent))
        rsa = bytes.fromhex("300d06092a864886f70d0101010500")  # AlgorithmIdentifier rsaEncryption
        return _der(0x30, rsa + _der(0x03, b"\0" + numbers))

    def sign(self, digest: bytes, hash_name: str = "sha256") -> bytes:
        """RSASSA-PKCS1-v1_5 (RFC 8017, 8.2)."""
        head = {"sha256": "3031300d060960864801650304020105000420", "sha1": "3021300906052b0e03021a05000414"}
        size = (self.modulus.bit_length() + 7) // 8
        told = bytes.fromhex(head[hash_name]) + digest
        padded = b"\0\1" + b"\xff" * (size - len(told) - 3) + b"\0" + told
        return pow(int.from_bytes(padded, "big"), self.private, self.modulus).to_bytes(size, "big")


@cache
def key(bits: int = 1024, seed: int = 1) -> Key:
    """The same key for the same numbers; for tests alone."""
    random = Random(f"{bits} {seed}")
    while True:
        one, two = (_prime(bits // 2, random) for _ in range(2))
        order = (one - 1) * (two - 1)
        if (one * two).bit_length() == bits and order % 65537:
            return Key(one * two, 65537, pow(65537, -1, order))


def _prime(bits: int, random: Random) -> int:
    while True:
        number = random.getrandbits(bits) | 1 | 1 << bits - 1 | 1 << bits - 2
        if all(number % small for small in (3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)) and all(
            pow(base, number - 1, number) == 1 for base in (2, 3, 5, 7)
        ):
            return number


def _der(tag: int, content: bytes) -> bytes:
    size = len(content)
    if size < 128:
        return bytes((tag, size)) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((tag, 0x80 | len(length))) + length + content


def _integer(number: int) -> bytes:
    return _der(0x02, number.to_bytes(number.bit_length() // 8 + 1, "big"))


def canonical_body(body: bytes, how: str) -> bytes:
    """RFC 6376, 3.4.3 and 3.4.4, line by line."""
    lines = body.split(b"\r\n")
    if how == "relaxed":
        lines = [re.sub(rb"[ \t]+", b" ", line).rstrip(b" ") for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        return b"" if how == "relaxed" else b"\r\n"
    return b"\r\n".join(lines) + b"\r\n"


def canonical_header(name: bytes, value: bytes, how: str) -> bytes:
    """RFC 6376, 3.4.1 and 3.4.2; with its CRLF."""
    if how == "simple":
        return name + b":" + value + b"\r\n"
    unfolded = re.sub(rb"[ \t]+", b" ", value.replace(b"\r\n", b"")).strip(b" ")
    return name.lower() + b":" + unfolded + b"\r\n"


def signed(
    mail: bytes, signing_key: Key, *, domain: str = "post.example", selector: str = "s1",
    form: str = "relaxed/relaxed", signed_names: str = "from:to:subject:date", extra: str = "",
    leave_out: Sequence[str] = (), algorithm: str = "rsa-sha256",
) -> bytes:
    """The mail (CRLF) with a signature on top. `extra`: tags as text, such as "x=1; l=0; "; `leave_out`:
    names of tags that are missing."""
    head, _, body = mail.partition(b"\r\n\r\n")
    header_form, _, body_form = form.partition("/")
    hash_name = algorithm.rpartition("-")[2]
    digest = hashlib.new(hash_name, canonical_body(body, body_form or "simple")).digest()
    tags = {"v": "1", "a": algorithm, "c": form, "d": domain, "s": selector, "h": signed_names,
            "bh": base64.b64encode(digest).decode()}
    text = "; ".join(f"{name}={value}" for name, value in tags.items() if name not in leave_out)
    value = f" {text};\r\n {extra}b=".encode()
    fields = [field.split(b":", 1) for field in re.split(rb"\r\n(?![ \t])", head)]
    counted = b""
    left = list(fields)
    for name in signed_names.split(":"):
        wanted = name.strip().lower().encode()
        at = [number for number, field in enumerate(left) if field[0].lower() == wanted]
        if at:
            field_name, text_value = left.pop(at[-1])
            counted += canonical_header(field_name, text_value, header_form)
    counted += canonical_header(b"DKIM-Signature", value, header_form)[:-2]
    signature = signing_key.sign(hashlib.new(hash_name, counted).digest(), hash_name)
    return b"DKIM-Signature:" + value + base64.b64encode(signature) + b"\r\n" + mail
