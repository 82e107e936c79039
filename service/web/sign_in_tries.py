"""How often a person may try to sign in (SEC-04). Tries are counted in the database, before the password is
looked at, so that many at once and many processes are under one count.

A count of the name alone would let anybody keep a coordinator out. So tries are counted by name and address
together; by address; and by name over all browsers that are not known. A browser in which the person has
signed in before has its own cookie and a separate count, which no one else can use up.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select, text
from sqlalchemy.orm import Session

from service.store.tables import KnownBrowserRow, SignInTryRow
from service.web.networks import LOOPBACK, network_of

COOKIE = "galloper_browser"
KEPT = timedelta(days=180)
"""How long a browser is known after its person signed in."""
PAUSE = timedelta(minutes=5)
HOUR = timedelta(hours=1)
FREE_GUESSES = 5
_OF_AN_ADDRESS = 20
_OF_A_NAME = 20
_LOCK = 730_016
"""The number of the lock under which PostgreSQL counts; SQLite has one writer."""


@dataclass(frozen=True, slots=True)
class _Count:
    """Something that is counted: at most `most` tries within `within`."""

    subject: str
    most: int
    within: timedelta


def reserve(session: Session, name: str, address: str, browser: str | None, now: datetime) -> bool:
    """Count one try, to be committed before the password is looked at; False if there were too many, and then
    nothing is counted."""
    count_alone(session)
    session.execute(delete(SignInTryRow).where(SignInTryRow.at <= now - HOUR))
    counts = _counts(session, name, address, browser, now)
    for count in counts:
        tries = (
            session.scalar(
                select(func.count())
                .select_from(SignInTryRow)
                .where(SignInTryRow.subject == count.subject, SignInTryRow.at > now - count.within)
            )
            or 0
        )
        if tries >= count.most:
            return False
    session.add_all(SignInTryRow(subject=count.subject, at=now) for count in counts)
    return True


def count_alone(session: Session) -> None:
    """Let no one else count until this transaction ends: two at once would each see the same number."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK})


def succeeded(session: Session, name: str, address: str, browser: str | None, now: datetime) -> str:
    """Forget the tries of a person who has signed in, and know the browser; its cookie."""
    subjects = [count.subject for count in _counts(session, name, address, browser, now)[:1]]
    session.execute(delete(SignInTryRow).where(SignInTryRow.subject.in_(subjects)))
    session.execute(delete(KnownBrowserRow).where(KnownBrowserRow.made_at <= now - KEPT))
    token = secrets.token_urlsafe(32)
    session.add(KnownBrowserRow(token_hash=_hash(token), user=name, made_at=now))
    return token


def forget(session: Session, name: str) -> None:
    """Let a person try again at once, from anywhere: for anyone who has the machine."""
    session.execute(delete(SignInTryRow).where(SignInTryRow.subject == _hash(f"name {name}")))
    session.execute(delete(KnownBrowserRow).where(KnownBrowserRow.user == name))


def _counts(
    session: Session, name: str, address: str, browser: str | None, now: datetime
) -> Sequence[_Count]:
    if browser is not None:
        known = session.get(KnownBrowserRow, _hash(browser))
        if known is not None and known.user == name and now - known.made_at < KEPT:
            return [_Count(_hash(f"browser {browser}"), FREE_GUESSES, PAUSE)]
    network = network_of(address)
    counts = [
        _Count(_hash(f"name {name} address {network}"), FREE_GUESSES, PAUSE),
        _Count(_hash(f"name {name}"), _OF_A_NAME, HOUR),
    ]
    # A web server on this machine that does not pass on addresses: everybody would have this one.
    if network != LOOPBACK:
        counts.append(_Count(_hash(f"address {network}"), _OF_AN_ADDRESS, PAUSE))
    return counts


def _hash(words: str) -> str:
    return hashlib.sha256(words.encode()).hexdigest()
