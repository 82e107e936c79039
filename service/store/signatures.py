"""The statement that a receipt signs, and Ed25519 signatures of it (RFC 8032). Pure."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

FINGERPRINT = 16
"""Hexadecimal digits of a key's fingerprint."""


@dataclass(frozen=True, slots=True)
class Statement:
    """The contents of a receipt: that a mail (by its SHA-256) was received at a time, as the entry with this
    number and leaf, when the record up to it had this root. All but the number as letters write them."""

    game: str
    number: int
    leaf: str
    root: str
    received: str
    mail: str

    def text(self) -> bytes:
        """The bytes that are signed (docs/record.md, "A signed receipt")."""
        place = (self.game, str(self.number), self.leaf, self.root)
        return "\n".join(("galloper receipt 1", *place, self.received, self.mail)).encode()


def public_of(secret: bytes) -> str:
    """The public key, 64 digits, of 32 secret bytes."""
    return Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw().hex()


def sign(secret: bytes, statement: Statement) -> str:
    """The signature of a statement, 128 digits."""
    return Ed25519PrivateKey.from_private_bytes(secret).sign(statement.text()).hex()


def is_signed(public: str, statement: Statement, signature: str) -> bool:
    """Whether a signature is that of the key's owner; False also for text that is none."""
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(bytes.fromhex(signature), statement.text())
    except (InvalidSignature, ValueError):
        return False
    return True


def fingerprint(public: str) -> str:
    """The first digits of the SHA-256 of a public key, in groups of four: 3f2a 9c01 77be 04d1."""
    digits = hashlib.sha256(bytes.fromhex(public)).hexdigest()[:FINGERPRINT]
    return " ".join(digits[start:start + 4] for start in range(0, FINGERPRINT, 4))
