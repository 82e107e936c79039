"""A device with passkeys, in a few lines of WebAuthn Level 2: it makes a key for a site, and signs with it.

It is independent of the program under test; what it sends is put together from the specification (6.1
authenticator data, 6.5.4 attestation "none", 5.8.1 client data).
"""

from __future__ import annotations

import hashlib
import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

PRESENT, VERIFIED, HAS_KEY = 0x01, 0x04, 0x40


def text(value: bytes) -> str:
    return urlsafe_b64encode(value).rstrip(b"=").decode()


def bytes_of(value: str) -> bytes:
    return urlsafe_b64decode(value + "=" * (-len(value) % 4))


@dataclass
class Authenticator:
    """One key of one device. `origin` is what the browser states about the page that asks, `host` for which
    site it makes the key; `verifies`: it checks its person. `count` grows with each use."""

    origin: str
    host: str
    verifies: bool = True
    count: int = 0
    id: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def make(self, options: dict[str, Any]) -> str:
        """The answer to a site that requests a new key."""
        numbers = self.key.public_key().public_numbers()
        public = cbor2.dumps({1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"),
                              -3: numbers.y.to_bytes(32, "big")})
        data = self._data(HAS_KEY) + bytes(16) + len(self.id).to_bytes(2, "big") + self.id + public
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        client = self._client("webauthn.create", options)
        return self._answer({"clientDataJSON": text(client), "attestationObject": text(attestation)})

    def sign(self, options: dict[str, Any]) -> str:
        """The answer to a site that asks who is there."""
        self.count += 1
        data, client = self._data(), self._client("webauthn.get", options)
        signature = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(SHA256()))
        return self._answer({"clientDataJSON": text(client), "authenticatorData": text(data),
                             "signature": text(signature), "userHandle": None})

    def _data(self, flags: int = 0) -> bytes:
        flags |= PRESENT | (VERIFIED if self.verifies else 0)
        return hashlib.sha256(self.host.encode()).digest() + bytes([flags]) + self.count.to_bytes(4, "big")

    def _client(self, kind: str, options: dict[str, Any]) -> bytes:
        return json.dumps({"type": kind, "challenge": options["challenge"], "origin": self.origin,
                           "crossOrigin": False}).encode()

    def _answer(self, response: dict[str, Any]) -> str:
        return json.dumps({"id": text(self.id), "rawId": text(self.id), "type": "public-key",
                           "response": response})
