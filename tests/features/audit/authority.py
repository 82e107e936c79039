"""A time-stamping authority of our own (RFC 3161, RFC 5652), with its certificates, for any moment.

`openssl ts` stamps the present alone, and games are played on a clock of their own. That these stamps are
what others write is seen in `test_time_stamps`: openssl takes them, and ours are read as openssl's are.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

SEQUENCE, SET, INTEGER, OCTETS, OID, TIME = 0x30, 0x31, 0x02, 0x04, 0x06, 0x18
SHA_256 = "2.16.840.1.101.3.4.2.1"
RSA = "1.2.840.113549.1.1.1"
SIGNED_DATA, STAMP_INFO = "1.2.840.113549.1.7.2", "1.2.840.113549.1.9.16.1.4"
CONTENT_TYPE, MESSAGE_DIGEST = "1.2.840.113549.1.9.3", "1.2.840.113549.1.9.4"
SIGNING_CERTIFICATE = "1.2.840.113549.1.9.16.2.47"
POLICY = "1.3.6.1.4.1.99999.1"


def der(tag: int, *contents: bytes) -> bytes:
    """One value (X.690, 8.1)."""
    content = b"".join(contents)
    size = len(content)
    if size < 128:
        return bytes([tag, size]) + content
    digits = size.to_bytes((size.bit_length() + 7) // 8)
    return bytes([tag, 0x80 | len(digits)]) + digits + content


def oid(dotted: str) -> bytes:
    """An object identifier."""
    first, second, *others = map(int, dotted.split("."))
    content = b""
    for number in (40 * first + second, *others):
        digits = [number & 0x7F]
        while number := number >> 7:
            digits.append(0x80 | number & 0x7F)
        content += bytes(reversed(digits))
    return der(OID, content)


def integer(number: int) -> bytes:
    """A number of zero or more."""
    return der(INTEGER, number.to_bytes(number.bit_length() // 8 + 1))


def algorithm(dotted: str) -> bytes:
    """An AlgorithmIdentifier without parameters."""
    return der(SEQUENCE, oid(dotted), b"\x05\x00")


def sha256(data: bytes) -> bytes:
    digest = hashes.Hash(hashes.SHA256())
    digest.update(data)
    return digest.finalize()


@dataclass(frozen=True, slots=True)
class LocalAuthority:
    """An authority: its name, its own certificate and key, and that of who vouches for it."""

    name: str
    root: x509.Certificate
    certificate: x509.Certificate
    key: rsa.RSAPrivateKey

    @property
    def pem(self) -> str:
        """The certificate that vouches for its stamps."""
        return self.root.public_bytes(serialization.Encoding.PEM).decode()

    def reply(self, question: bytes, now: datetime) -> bytes:
        """Stamp what a question requests, at a moment."""
        imprint, nonce = _asked(question)
        info = der(
            SEQUENCE, integer(1), oid(POLICY), imprint, integer(int(now.timestamp())),
            der(TIME, f"{now:%Y%m%d%H%M%SZ}".encode()), nonce)
        attributes = sorted([
            _attribute(CONTENT_TYPE, oid(STAMP_INFO)),
            _attribute(MESSAGE_DIGEST, der(OCTETS, sha256(info))),
            _attribute(SIGNING_CERTIFICATE, der(SEQUENCE, der(SEQUENCE, der(SEQUENCE, der(
                OCTETS, sha256(self._own_bytes())))))),
        ])
        signature = self.key.sign(der(SET, *attributes), padding.PKCS1v15(), hashes.SHA256())
        signer = der(
            SEQUENCE, integer(1),
            der(SEQUENCE, self.certificate.issuer.public_bytes(), integer(self.certificate.serial_number)),
            algorithm(SHA_256), der(0xA0, *attributes), algorithm(RSA), der(OCTETS, signature))
        signed = der(
            SEQUENCE, integer(3), der(SET, algorithm(SHA_256)),
            der(SEQUENCE, oid(STAMP_INFO), der(0xA0, der(OCTETS, info))),
            der(0xA0, self._own_bytes()), der(SET, signer))
        return der(SEQUENCE, der(SEQUENCE, integer(0)),
                   der(SEQUENCE, oid(SIGNED_DATA), der(0xA0, signed)))

    def _own_bytes(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.DER)


def _attribute(kind: str, value: bytes) -> bytes:
    return der(SEQUENCE, oid(kind), der(SET, value))


def _asked(question: bytes) -> tuple[bytes, bytes]:
    """The imprint and the nonce of a TimeStampReq, as they are in it."""
    values = _values(_values(question)[0][2])
    return values[1][1], next((whole for tag, whole, _ in values[2:] if tag == INTEGER), b"")


def _values(data: bytes) -> list[tuple[int, bytes, bytes]]:
    """Tag, whole and content of each value."""
    values, offset = [], 0
    while offset < len(data):
        size, start = data[offset + 1], offset + 2
        if size > 127:
            start, size = start + size - 128, int.from_bytes(data[start:start + size - 128])
        values.append((data[offset], data[offset:start + size], data[start:start + size]))
        offset = start + size
    return values


def local_authority(name: str = "Stamps of Test", since: datetime = datetime(2020, 1, 1, tzinfo=UTC)
                    ) -> LocalAuthority:
    """A new authority, with a certificate that vouches for it, for thirty years."""
    until = since + timedelta(days=365 * 30)
    keys = [rsa.generate_private_key(65537, 2048) for _ in range(2)]
    names = [x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, words)]) for words in (f"{name} Root", name)]

    def draft(number: int) -> x509.CertificateBuilder:
        return (x509.CertificateBuilder().subject_name(names[number]).issuer_name(names[0])
                .public_key(keys[number].public_key()).serial_number(x509.random_serial_number())
                .not_valid_before(since).not_valid_after(until)
                .add_extension(x509.BasicConstraints(ca=number == 0, path_length=None), critical=True))

    purpose = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])
    root = draft(0).sign(keys[0], hashes.SHA256())
    certificate = draft(1).add_extension(purpose, critical=True).sign(keys[0], hashes.SHA256())
    return LocalAuthority(name, root, certificate, keys[1])
