"""Time stamps of a root by an authority outside (RFC 3161; docs/record.md, "A stamp from outside"; ADR 0025).

Anyone who keeps the record could write a whole chain again for a person who has no letter of it. A
time-stamping authority has signed that a root was there at a moment, and no one can have that later for an
older moment. Pure, but for the nonce of a question, which the library draws, and for `certificates_in`. """

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from cryptography import x509

from adjudicator.errors import UserFacingError
from service.config import ConfigError

if TYPE_CHECKING:
    from rfc3161_client import TimeStampResponse

MOST_BYTES = 30_000
"""Of a reply. A chain of three certificates takes some 6,000."""
_CERTIFICATES = 0xA0
SHA_256 = "2.16.840.1.101.3.4.2.1"


class NoStampLibrary(UserFacingError):
    """A stamp cannot be read, because the package rfc3161-client is not installed."""


class FalseStamp(ValueError):
    """A reply is not a stamp of a root; the words show why."""


@dataclass(frozen=True, slots=True)
class Question:
    """The request to an authority (TimeStampReq, DER), and the number that its answer must repeat."""

    data: bytes
    nonce: int | None


@dataclass(frozen=True, slots=True)
class TimeStamp:
    """When an authority saw a root, and its name as its own certificate has it; "" if it sent none."""

    instant: datetime
    authority: str


def prepare() -> bool:
    """Load the library before this process is shut in; whether it is installed."""
    if find_spec("rfc3161_client") is None:
        return False
    import_module("rfc3161_client.verify")
    return True


def question(root: str) -> Question:
    """Ask for a stamp of a root: of the SHA-256 of its 64 digits. Raises NoStampLibrary."""
    _must_have_library()
    from rfc3161_client import HashAlgorithm, TimestampRequestBuilder

    request = TimestampRequestBuilder().data(root.encode()).hash_algorithm(HashAlgorithm.SHA256).build()
    return Question(request.as_bytes(), request.nonce)


def stamp_of(reply: bytes, root: str, nonce: int | None = None) -> TimeStamp:
    """Read a reply. Its signature is not looked at: `is_signed` does. Raises FalseStamp if it grants nothing,
    is of another root or answers another question, and NoStampLibrary."""
    response = _decoded(reply)
    if response.status not in {0, 1}:
        raise FalseStamp("the authority refused")
    try:
        stamped, imprint = response.tst_info, response.tst_info.message_imprint
        algorithm, digest = imprint.hash_algorithm.dotted_string, imprint.message
        instant = stamped.gen_time.replace(tzinfo=UTC)
        answered = stamped.nonce
    except ValueError as error:
        raise FalseStamp("it is not a time stamp") from error
    if (algorithm, digest) != (SHA_256, hashlib.sha256(root.encode()).digest()):
        raise FalseStamp("it stamps something else")
    if nonce is not None and answered != nonce:
        raise FalseStamp("it answers another request")
    return TimeStamp(instant, _authority(response))


def is_signed(reply: bytes, root: str, authorities: str) -> bool:
    """Whether a reply is signed by an authority that one of these certificates vouches for. `authorities`:
    one or more certificates as PEM. Raises ValueError if they are none, and NoStampLibrary."""
    response = _decoded(reply)
    from rfc3161_client import VerificationError
    from rfc3161_client.verify import VerifierBuilder

    builder = VerifierBuilder()
    for certificate in x509.load_pem_x509_certificates(authorities.encode()):
        builder = builder.add_root_certificate(certificate)
    try:
        return builder.build().verify_message(response, root.encode())
    except VerificationError:
        return False


def certificates_in(path: Path) -> str:
    """The certificates in a file, as PEM. Raises ConfigError if it has none."""
    try:
        text = path.read_text(encoding="ascii")
        x509.load_pem_x509_certificates(text.encode())
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror}); name a file of certificates") from error
    except ValueError as error:
        raise ConfigError(f"{path} has no certificates as PEM, which begin with -----BEGIN CERTIFICATE-----"
                          ) from error
    return text


def _must_have_library() -> None:
    if not prepare():
        raise NoStampLibrary('Time stamps cannot be read here; pip install "galloper[stamps]"')


def _decoded(reply: bytes) -> TimeStampResponse:
    _must_have_library()
    from rfc3161_client import decode_timestamp_response

    if len(reply) > MOST_BYTES:
        raise FalseStamp("it is longer than a stamp can be")
    try:
        return decode_timestamp_response(_with_ordered_certificates(reply))
    except (ValueError, IndexError) as error:
        raise FalseStamp("it is not a time stamp") from error


@dataclass(frozen=True, slots=True)
class _Value:
    """A value in DER: its tag, and where it, its content and its end are."""

    tag: int
    start: int
    content: int
    end: int


def _values(data: bytes, start: int, end: int) -> Iterator[_Value]:
    """The values between two places (X.690, 8.1). Raises IndexError and ValueError for other bytes."""
    while start < end:
        size, content = data[start + 1], start + 2
        if size > 0x7F:
            content += size & 0x7F
            size = int.from_bytes(data[start + 2:content])
        if content + size > end:
            raise ValueError("a value ends after the part that holds it")
        yield _Value(data[start], start, content, content + size)
        start = content + size


def _inside(data: bytes, value: _Value) -> list[_Value]:
    return list(_values(data, value.content, value.end))


def _with_ordered_certificates(reply: bytes) -> bytes:
    """The same reply with its certificates in the order of DER. openssl's `ts`, which many authorities run,
    leaves them as they come, and the library takes no set that is out of order (X.690, 11.6). No signature
    covers their order."""
    parts = [part for response in _values(reply, 0, len(reply)) for part in _inside(reply, response)]
    if len(parts) != 2:
        return reply
    signed_data = _inside(reply, _inside(reply, _inside(reply, parts[1])[1])[0])
    certificates = next((value for value in signed_data if value.tag == _CERTIFICATES), None)
    if certificates is None:
        return reply
    ordered = sorted(reply[each.start:each.end] for each in _inside(reply, certificates))
    return reply[:certificates.content] + b"".join(ordered) + reply[certificates.end:]


def _authority(response: TimeStampResponse) -> str:
    signers = {(signer.issuer, signer.serial_number) for signer in response.signed_data.signer_infos}
    for data in response.signed_data.certificates:
        certificate = x509.load_der_x509_certificate(data)
        if (certificate.issuer, certificate.serial_number) in signers:
            names = certificate.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)
            return str(names[0].value) if names else certificate.subject.rfc4514_string()
    return ""
