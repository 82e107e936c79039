"""A mail with the answer who proved its sender, asked before anything of its body is opened; and which mails
go first: those that our mail server found genuine, of registered players (BOX-05)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sqlalchemy.orm import Session

from service.intake.verdicts.context import IntakeContext
from service.mail.authentication.authenticate import authenticate
from service.mail.authentication.dns import SECONDS_PER_MAIL, MailLookups, TxtLookup
from service.mail.authentication.signatures import prove_by_signature
from service.mail.authentication.trust import Trust
from service.mail.authentication.verdict import Authentication, AuthResult
from service.mail.authors import authors
from service.mail.headers import Headers, split_headers
from service.mail.message import IncomingMail
from service.store import records

_TOO_LARGE = "The mail was too large to fetch, so its signature could not be checked."


def is_expected(session: Session, raw: bytes, trust: Trust) -> bool:
    """Whether a mail is likely a player's, by its headers alone. It decides the order of work and nothing
    else: what is not expected is judged all the same."""
    headers, _ = split_headers(raw)
    senders = authors(headers.all("from"))
    if len(senders) != 1 or records.player_of(session, senders[0]) is None:
        return False
    stamped = authenticate(headers, trust, senders[0].rpartition("@")[2])
    # Without stamps the signature decides, and checking that takes DNS.
    return stamped.is_proved or (stamped.result is AuthResult.NONE and trust.own_proof)


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


STRANGER_SECONDS = 3.0
"""How long a mail of a person who is not registered may wait for DNS."""


def with_proof(
    mail: IncomingMail, raw: bytes, received_at: datetime, context: IntakeContext, lookup: TxtLookup,
    *, is_whole: bool = True,
) -> IncomingMail:
    """The mail with its `authentication`, if it has one sender and is not our own; else as it is.

    May ask DNS, so this belongs outside any transaction. `is_whole`: `raw` has the body.
    """
    sender = mail.senders[0] if len(mail.senders) == 1 else ""
    # What was not looked at may hold a second From.
    if not sender or not mail.headers.is_complete or context.is_own(sender):
        return mail
    is_registered = context.registered_address(sender) is not None
    authentication = prove_sender(
        raw, mail.headers, context.trust, sender.rpartition("@")[2], received_at,
        MailLookups(lookup, SECONDS_PER_MAIL if is_registered else STRANGER_SECONDS), is_whole=is_whole)
    # Anyone who is not registered could keep a deadline open with a DNS server that never answers.
    if authentication.result is AuthResult.TEMPORARY and not is_registered:
        authentication = replace(authentication, result=AuthResult.FAIL)
    return replace(mail, authentication=authentication)
