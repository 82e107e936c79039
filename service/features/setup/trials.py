"""Whether the mailbox and the relay of some settings work: their tests, and a mail that goes out and comes
back."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from service.cli.check_site import SECONDS, check_mailbox, check_sending
from service.config import MailIn, MailOut, Settings
from service.mail.account import open_source
from service.mail.mailbox.source import MailboxError
from service.mail.sending.smtp import (
    DeliveryUnknown,
    MailEnvelope,
    ServerUnavailable,
    SmtpAnswer,
    SmtpTransport,
)
from service.operations.findings import Finding, FindingState

PATIENCE = 120.0
"""Seconds that the trial mail is waited for. A provider that does not know the sender may take minutes."""
_PAUSE = 3.0


def mail_findings(text: str) -> Sequence[Finding]:
    """The findings of the tests of mailbox and relay with the settings of a file's text. Nothing is written,
    and no mail is sent."""
    settings = Settings.model_validate(tomllib.loads(text))
    return check_mailbox(settings), check_sending(settings)


def try_mail(
    mail_in: MailIn, mail_out: MailOut, order_address: str, token: str, *, patience: float = PATIENCE,
    sleep: Callable[[float], None] = time.sleep,
) -> Finding:
    """Send a mail to the order address and wait until it lies in the mailbox, where it stays: the running
    site puts it away as one of its own. `token`: a random word that no other mail has."""
    domain = order_address.rpartition("@")[2]
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"] = mail_out.sender, order_address
    message["Subject"] = f"Trial mail of Galloper ({token})"
    message["Date"] = format_datetime(datetime.now(UTC))
    message["Message-ID"] = f"<trial.{token}@{domain}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content("Galloper sent this to itself during setup. You need not do anything.\n")
    transport = SmtpTransport(mail_out, seconds=SECONDS)
    try:
        transport.send(MailEnvelope(order_address, order_address, message["Message-ID"], message.as_bytes()))
    except (ServerUnavailable, SmtpAnswer, DeliveryUnknown) as error:
        return Finding("trial", FindingState.TROUBLE, f"the trial mail was not sent: {error}")
    finally:
        transport.close()
    end = time.monotonic() + patience
    while True:
        try:
            if _arrived(mail_in, token):
                return Finding("trial", FindingState.WELL,
                               "a trial mail was sent and came back; it may stay in the mailbox")
        except MailboxError as error:
            return Finding("trial", FindingState.TROUBLE, f"the trial mail was sent, and then {error}")
        if time.monotonic() >= end:
            return Finding(
                "trial", FindingState.NOTE,
                f"the trial mail was sent and did not come back in {round(patience)} seconds. Check the "
                "mailbox's spam folder, and whether the relay may send to this address")
        sleep(_PAUSE)


def _arrived(mail_in: MailIn, token: str) -> bool:
    source = open_source(mail_in)
    try:
        waiting = source.list_waiting(datetime.now(UTC))
        return any(token.encode() in block for block in source.headers(waiting[-20:]).values())
    finally:
        source.close()
