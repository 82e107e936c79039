"""Which mails go first: those that our mail server found genuine, of registered players (BOX-05)."""

from __future__ import annotations

from sqlalchemy.orm import Session

from service.mail.authentication.authenticate import authenticate
from service.mail.authentication.trust import Trust
from service.mail.authentication.verdict import AuthResult
from service.mail.authors import authors
from service.mail.headers import split_headers
from service.store import records


def is_expected(session: Session, raw: bytes, trust: Trust) -> bool:
    """Whether a mail is likely a player's, by its headers alone. It decides the order of work and nothing
    else: what is not expected is judged all the same."""
    headers, _ = split_headers(raw)
    senders = authors(headers.all("from"))
    if len(senders) != 1 or records.player_of(session, senders[0]) is None:
        return False
    stamped = authenticate(headers, trust, senders[0].rpartition("@")[2])
    # Where nobody stamps, the signature tells, and checking that takes DNS.
    return stamped.is_proved or (stamped.result is AuthResult.NONE and trust.own_proof)
