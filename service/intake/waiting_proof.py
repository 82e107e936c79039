"""A mail whose sender could not be proved yet because DNS did not answer: it waits and is tried again.

It stays STORED, so a phase that it came in time for is not judged before (`service.games.turns`). It is never
refused for that: when `PATIENCE` is over, the coordinator decides.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session, sessionmaker

from service.facts.events import Event
from service.mail.authentication.verdict import Authentication, AuthResult, Method, Proof
from service.store import records
from service.store.tables import MailRow, MailState

PATIENCE = timedelta(hours=12)
"""How long after its storing a mail waits at most."""
PAUSES = (
    timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=15), timedelta(minutes=30),
    timedelta(hours=1),
)  # fmt: skip
"""Before the second, third ... try; the last one repeats."""


def dump_authentication(answer: Authentication) -> dict[str, Any]:
    """As JSON, for `MailRow.proof`."""
    return {
        "result": answer.result.value,
        "proof": None if answer.proof is None else {
            "method": answer.proof.method.value, "by": answer.proof.by, "domain": answer.proof.domain,
        },
        "reason": answer.reason,
    }  # fmt: skip


def kept_proof(stored: dict[str, Any] | None) -> Authentication | None:
    """A proof of our own that was stored with a mail, so that DNS is not asked again; else None. That of a
    secret link is stored before the mail is judged, since nothing in its bytes could prove it."""
    proof = (stored or {}).get("proof")
    if stored is None or proof is None or proof["method"] not in {Method.OWN_DKIM, Method.LINK}:
        return None
    return Authentication(
        AuthResult(stored["result"]), Proof(Method(proof["method"]), proof["by"], proof["domain"]),
        stored["reason"])


def must_wait(
    tables: sessionmaker[Session], key: str, answer: Authentication | None, now: datetime
) -> bool:
    """Keep the answer with a stored mail if DNS was asked for it; whether the mail must wait for another
    try."""
    is_own = answer is not None and answer.proof is not None and answer.proof.method is Method.OWN_DKIM
    if answer is None or not (is_own or answer.result is AuthResult.TEMPORARY):
        return False
    with tables.begin() as session:
        row = session.get(MailRow, key)
        if row is None or row.state != MailState.STORED:
            return False
        waits = not is_own and now - row.stored_at < PATIENCE
        if waits and row.tries == 0:
            records.log_event(session, now, Event.MAIL_WAITS_FOR_DNS, detail={"mail": key[:12]})
        again = now + PAUSES[min(row.tries, len(PAUSES) - 1)] if waits else None
        records.claim(
            session, MailRow, MailRow.sha256 == key, MailRow.state == MailState.STORED,
            proof=dump_authentication(answer), tries=row.tries + waits, try_again_at=again)
        return waits
