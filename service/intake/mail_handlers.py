"""How a part of the program takes mails that bring no sheet: a question by a word in the subject, a sign-up,
a letter.

`service.intake.process_mail` offers each judged mail to the handlers of the site, before it settles the mail
by its verdict. Features declare handlers (`service.feature.Feature.mail_handlers`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from typing import ClassVar, Protocol

from sqlalchemy.orm import Session

from service.intake.verdicts.context import IntakeContext
from service.intake.verdicts.verdict import Verdict
from service.mail.message import IncomingMail

SIGNED_UP = "sign_up"
"""The stored reason of a mail that put its sender on the list of a game that is to be (BEY-04). Like ignored
mails, these are forgotten after a while (`service.operations.retention`)."""


class ClaimBasis(IntEnum):
    """How a handler recognises its mails. The handlers are asked in this order, the strictest test first."""

    WHOLE_SUBJECT = 1
    """Every word of the subject has a meaning."""
    SUBJECT_START = 2
    """The subject begins with a word of the handler."""
    TEXT = 3
    """The mail has a text and no sheet."""


@dataclass(frozen=True, slots=True)
class JudgedMail:
    """A stored mail and its verdict. `key`: SHA-256 of its bytes. `received_at`: the server's stamp, UTC.
    `context`: what the mail was judged against."""

    key: str
    received_at: datetime
    mail: IncomingMail
    verdict: Verdict
    context: IntakeContext


class MailHandler(Protocol):
    """Takes mails of one kind."""

    basis: ClassVar[ClaimBasis]

    def take(self, session: Session, judged: JudgedMail) -> bool:
        """Claim the mail and end it (`records.end_mail`), in the caller's transaction; its verdict is then
        not acted on. False if the mail is of another kind and was left alone."""
        ...
