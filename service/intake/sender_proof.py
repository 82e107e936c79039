"""A mail with the answer who proved its sender, asked before anything of its body is opened."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from service.intake.verdicts.context import IntakeContext
from service.mail.authentication.dns import SECONDS_PER_MAIL, MailLookups, TxtLookup
from service.mail.authentication.prove import prove_sender
from service.mail.authentication.verdict import AuthResult
from service.mail.message import IncomingMail

STRANGER_SECONDS = 3.0
"""How long a mail of somebody who is not registered may wait for DNS."""


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
    # Whoever is not registered could keep a deadline open with a DNS server that never answers.
    if authentication.result is AuthResult.TEMPORARY and not is_registered:
        authentication = replace(authentication, result=AuthResult.FAIL)
    return replace(mail, authentication=authentication)
