"""Who may come in: argon2 passwords, server-side sessions, a token in every form, and a pause after wrong
guesses."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import delete, update
from sqlalchemy.orm import Session

from service.store.tables import SessionRow, UserRow

COOKIE = "galloper"
IDLE = timedelta(hours=12)
"""Rest after which a sign-in ends; every look at a page begins it anew."""
LONGEST = timedelta(days=7)
"""A sign-in ends so long after it began, however busy its person is: a stolen cookie is of use no longer."""
WARNED = timedelta(hours=1)
"""How long before that end every page says so."""
FREE_GUESSES = 5
PAUSE = timedelta(minutes=5)
# A real hash of a random password: checking it takes as long for a name that does not exist (no names by
# timing).
_NOBODY = PasswordHasher().hash(secrets.token_hex(16))


@dataclass(frozen=True, slots=True)
class Visitor:
    """A signed-in person: name, role and the token that every form of theirs must carry. `ends` is when they
    must sign in again whatever they do, where that is soon."""

    name: str
    role: str
    csrf: str
    ends: datetime | None = None


@dataclass(slots=True)
class Guesses:
    """Wrong passwords by name, in this process: after five, the name rests for five minutes."""

    wrong: dict[str, list[datetime]] = field(default_factory=dict)

    def resting(self, name: str, now: datetime) -> bool:
        """Whether this name has used up its guesses. Old ones are forgotten."""
        recent = [guessed_at for guessed_at in self.wrong.get(name, []) if now - guessed_at < PAUSE]
        if recent:
            self.wrong[name] = recent
        else:
            self.wrong.pop(name, None)
        return len(recent) >= FREE_GUESSES

    def note(self, name: str, now: datetime) -> None:
        """Remember one wrong guess; the table is bounded, so that made-up names cannot fill memory."""
        if len(self.wrong) > 1000:
            self.wrong.clear()
        self.wrong.setdefault(name, []).append(now)


def add_user(session: Session, name: str, password: str, now: datetime, role: str | None = None) -> None:
    """Create someone who may sign in, a coordinator unless `role` says otherwise, or set a new password; the
    role of someone known stays where none is given. Sessions of that name end."""
    known = session.get(UserRow, name)
    held = known.role if known is not None else "coordinator"
    session.merge(
        UserRow(name=name, password=PasswordHasher().hash(password), role=role or held, created_at=now)
    )
    session.execute(delete(SessionRow).where(SessionRow.user == name))


def sign_in(session: Session, name: str, password: str, now: datetime) -> str | None:
    """A fresh session token when the password is right, else None. The same time is taken for an unknown
    name."""
    user = session.get(UserRow, name)
    try:
        PasswordHasher().verify(_NOBODY if user is None else user.password, password)
    except (VerificationError, InvalidHashError):
        return None
    if user is None:
        return None
    token = secrets.token_urlsafe(32)
    session.add(SessionRow(token_hash=_hash(token), user=user.name, csrf=secrets.token_urlsafe(24),
                           created_at=now, seen_at=now))
    return token


def visitor(session: Session, token: str | None, now: datetime) -> Visitor | None:
    """Who holds this token; None when it is unknown, has rested longer than twelve hours, or is a week
    old."""
    if not token:
        return None
    row = session.get(SessionRow, _hash(token))
    if row is None or now - row.seen_at > IDLE or now - row.created_at > LONGEST:
        return None
    if now - row.seen_at > timedelta(minutes=1):
        session.execute(update(SessionRow).where(SessionRow.token_hash == row.token_hash).values(seen_at=now))
    user = session.get(UserRow, row.user)
    end = row.created_at + LONGEST
    return (
        None
        if user is None
        else Visitor(user.name, user.role, row.csrf, end if end - now <= WARNED else None)
    )


def sign_out(session: Session, token: str | None) -> None:
    """Forget the session."""
    if token:
        session.execute(delete(SessionRow).where(SessionRow.token_hash == _hash(token)))


def same(presented: str, wanted: str) -> bool:
    """Compare two tokens in constant time."""
    return hmac.compare_digest(presented.encode(), wanted.encode())


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
