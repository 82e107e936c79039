"""Whether a mail's sender is proved: by our mail server's stamps, and where it wrote none, by ourselves."""

from __future__ import annotations

from datetime import datetime

from service.mail.authentication.authenticate import authenticate
from service.mail.authentication.dns import MailLookups
from service.mail.authentication.signatures import prove_by_signature
from service.mail.authentication.trust import Trust
from service.mail.authentication.verdict import Authentication, AuthResult
from service.mail.headers import Headers

_TOO_LARGE = "The mail was too large to fetch, so its signature could not be checked."


def prove_sender(
    raw: bytes, headers: Headers, trust: Trust, domain: str, received_at: datetime, lookups: MailLookups,
    *, is_whole: bool = True,
) -> Authentication:
    """Judge the From `domain` of a mail received at `received_at` (UTC). `is_whole`: `raw` has its body.

    What our server said is never overruled. Only a mail on which it said nothing is proved by its own
    signature, if the site allows it; that may ask DNS for as long as `lookups` allow.
    """
    stamped = authenticate(headers, trust, domain)
    if stamped.result is not AuthResult.NONE or not trust.own_proof:
        return stamped
    if not is_whole:
        return Authentication(AuthResult.NONE, None, _TOO_LARGE)
    return prove_by_signature(raw, domain, received_at, lookups)
