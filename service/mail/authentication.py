"""Whether a mail comes from the domain its From names, on the word of our own mail server alone.

Only the topmost Authentication-Results header with the trusted authserv-id counts: headers below it, and
those of look-alike servers, may be the sender's own work. RFC 8601; index rules "Authentication".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from service.mail.headers import strip_comments


class AuthResult(StrEnum):
    """What our server's stamp says of the From domain."""

    PASS = "pass"  # noqa: S105 - the word of RFC 8601
    FAIL = "fail"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class MethodResult:
    """One result of a stamp: method ("dkim"), result ("pass") and properties ("header.d")."""

    method: str
    result: str
    properties: tuple[tuple[str, str], ...] = ()

    def get(self, name: str) -> str | None:
        """A property's value, or None."""
        return next((value for key, value in self.properties if key == name), None)


@dataclass(frozen=True, slots=True)
class Stamp:
    """One Authentication-Results header: who stamped it, and the results."""

    authserv_id: str
    results: tuple[MethodResult, ...]


_PAIR = re.compile(r'([A-Za-z0-9][A-Za-z0-9._-]*(?:\s*/\s*\d+)?)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s;"]+)')


def read_stamp(value: str) -> Stamp | None:
    """A header's value as a stamp; None where it has no authserv-id. Never raises."""
    # Comments go first, because "dmarc=fail (dmarc=pass)" is a failure.
    parts = _statements(strip_comments(value))
    server_words = parts[0].split() if parts else []
    if not server_words or "=" in server_words[0]:
        return None
    results = tuple(result for part in parts[1:] if (result := _result(part)))
    return Stamp(server_words[0].strip('"').casefold(), results)


def _statements(value: str) -> list[str]:
    parts = [""]
    quoted = False
    for char in value:
        if char == '"':
            quoted = not quoted
        # A semicolon in quotes ends nothing: 'dmarc=fail reason="; dmarc=pass"' is one statement.
        if char == ";" and not quoted:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def _result(part: str) -> MethodResult | None:
    pairs = [(key.split("/")[0].strip().casefold(), _bare(value)) for key, value in _PAIR.findall(part)]
    if not pairs:
        return None
    # Only the first pair is a result: in "dkim=fail ... dmarc=pass" the rest are properties of that failure.
    method, result = pairs[0]
    return MethodResult(method, result.casefold(), tuple(pairs[1:]))


def _bare(value: str) -> str:
    if value.startswith('"'):
        return re.sub(r"\\(.)", r"\1", value[1:-1])
    return value


def authenticate(stamps: Sequence[str], trusted_id: str, domain: str) -> AuthResult:
    """Judge the From `domain` by the headers `stamps` (topmost first) of the server `trusted_id`.

    Pass: dmarc=pass for this domain, or dkim=pass with a header.d equal to the domain or a parent of it.
    """
    for value in stamps:
        # RFC 8601, 5: stamps below our server's first may have come with the mail. The name is compared
        # whole, since "mx.w3k.example.attacker.example" is not our server.
        stamp = read_stamp(value)
        if stamp is not None and stamp.authserv_id == trusted_id.casefold():
            is_proved = any(_proves(result, domain.casefold()) for result in stamp.results)
            return AuthResult.PASS if is_proved else AuthResult.FAIL
    return AuthResult.NONE


def _proves(result: MethodResult, domain: str) -> bool:
    if result.result != "pass":
        return False
    # SPF alone proves nothing here: it vouches for the envelope sender, not for From (RFC 7208, 2.4).
    if result.method == "dmarc":
        judged = _domain(result.get("header.from"))
        return judged is None or judged == domain
    if result.method == "dkim":
        # A large provider names its signature by header.i=@post.example alone.
        signer = _domain(result.get("header.d")) or _domain(result.get("header.i"))
        return signer is not None and _covers(signer, domain)
    return False


def _domain(value: str | None) -> str | None:
    return None if value is None else value.rpartition("@")[2].rstrip(".").casefold() or None


def _covers(signer: str, domain: str) -> bool:
    # A name without a dot is a public suffix, and nobody signs for all of one.
    return signer == domain or ("." in signer and domain.endswith("." + signer))
