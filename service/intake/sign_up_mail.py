"""A sign-up in the subject of a mail: "Sign up - Edgehill - Ada Lovelace - Montrose, Argyll" (BEY-04).

The subject alone: of a stranger's mail nothing else is opened (BOX-05).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from grammar.headings.tokens import clean_line, drop_prefixes
from service.intake.verdicts.verdict import RefusalReason, Verdict, VerdictKind

_WORDS = re.compile(r"(?:sign[\s-]?up|anmeldung)\b[\s:]*", re.IGNORECASE)
_BETWEEN = re.compile(r"\s+[-–—]\s+|\s*[|;/]\s*")
_NOT_A_PERSONS = {RefusalReason.BAD_FROM, RefusalReason.AUTH_FAILED, RefusalReason.AUTH_UNAVAILABLE}


@dataclass(frozen=True, slots=True)
class MailedSignUp:
    """What a subject says: the game, the person's name, and powers, best first, as written."""

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
