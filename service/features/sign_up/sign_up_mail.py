"""A sign-up in the subject of a mail: "Sign up - Edgehill - Ada Lovelace - Montrose, Argyll" (BEY-04).

The subject alone: of a stranger's mail nothing else is opened (BOX-05).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from sqlalchemy.orm import Session

from grammar.headings.tokens import clean_line, drop_prefixes
from service.facts.events import Event
from service.facts.refusals import RefusalReason
from service.features.sign_up import lists
from service.intake import load_context as contexts
from service.intake.mail_handlers import SIGNED_UP, ClaimBasis, JudgedMail
from service.intake.verdicts.verdict import Verdict, VerdictKind
from service.notices.letter_context import LetterContext
from service.store import records
from service.store.tables import MailState

_WORDS = re.compile(r"(?:sign[\s-]?up|anmeldung)\b[\s:]*", re.IGNORECASE)
_BETWEEN = re.compile(r"\s+[-–—]\s+|\s*[|;/]\s*")
_NOT_A_PERSONS = {RefusalReason.BAD_FROM, RefusalReason.AUTH_FAILED, RefusalReason.AUTH_UNAVAILABLE}


@dataclass(frozen=True, slots=True)
class MailedSignUp:
    """The contents of a subject: the game, the person's name, and powers, best first, as written."""

    game: str
    name: str
    powers: str


def sign_up_in(subject: str, verdict: Verdict) -> MailedSignUp | None:
    """The sign-up that a mail's subject is; None for any other mail, a machine's, and one whose sender is not
    proved."""
    if verdict.verdict is not VerdictKind.REJECTED or verdict.reason in _NOT_A_PERSONS:
        return None
    if verdict.sender is None or verdict.authentication is None or not verdict.authentication.is_proved:
        return None
    line = drop_prefixes(clean_line(subject))
    match = _WORDS.match(line)
    if match is None:
        return None
    parts = [part.strip() for part in _BETWEEN.split(line[match.end():].lstrip("-–— ")) if part.strip()]
    if len(parts) < 2:
        return None
    return MailedSignUp(parts[0], parts[1], ", ".join(parts[2:]))


@dataclass(frozen=True, slots=True)
class SignUpHandler:
    """Puts the senders of such mails on the list. Such a mail is not a submission: no later mail is compared
    with it."""

    letters: LetterContext
    basis: ClassVar = ClaimBasis.SUBJECT_START

    def take(self, session: Session, judged: JudgedMail) -> bool:
        """Sign the sender up and answer; False if the subject signs no one up, or for no such game."""
        # A player's mail with a photograph is a sheet, whatever its subject states; a stranger's is not
        # opened.
        wish = None if judged.mail.pictures else sign_up_in(judged.mail.subject, judged.verdict)
        now, sender = self.letters.clock.now(), judged.verdict.sender or ""
        if wish is None or not lists.sign_up_by_mail(
                session, self.letters, sender, wish.game, wish.name, wish.powers, now):
            return False
        about = contexts.dump_verdict(judged.verdict, judged.mail)
        records.end_mail(session, judged.key, MailState.USED, SIGNED_UP, about)
        records.log_event(session, now, Event.MAIL_SIGN_UP, detail={"mail": judged.key[:12]})
        return True
