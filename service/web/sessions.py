"""Who may come in: argon2 passwords, sessions stored on the server, a token in every form, and a pause after
wrong passwords."""

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
"""A sign-in ends after this time without use; every page restarts it."""
MAX_SESSION = timedelta(days=7)
"""A sign-in ends this long after it began, however busy the person is. A stolen cookie works no longer than
that."""
WARNING_BEFORE = timedelta(hours=1)
"""How long before that end every page shows a warning."""
# Counted by process: several `galloper serve` allow five each (docs/security.md).
FREE_GUESSES = 5
PAUSE = timedelta(minutes=5)
# A real hash of a random password: checking it takes as long for a name that does not exist (no names by
# timing).
_NOBODY = PasswordHasher().hash(secrets.token_hex(16))


@dataclass(frozen=True, slots=True)
class Visitor:
    """A signed-in person: name, role and the token that their forms must carry. `ends` is set in the last
    hour before they must sign in again whatever they do."""

    name: str
    role: str
    csrf: str
    ends: datetime | None = None


@dataclass(slots=True)
class Guesses:
    """Wrong passwords by name, in this process. After five the name must wait five minutes."""

    wrong: dict[str, list[datetime]] = field(default_factory=dict)

    def resting(self, name: str, now: datetime) -> bool:
        """True if this name has used up its guesses. Old guesses are dropped."""
        recent = [guessed_at for guessed_at in self.wrong.get(name, []) if now - guessed_at < PAUSE]
        if recent:
            self.wrong[name] = recent
        else:
            self.wrong.pop(name, None)
        return len(recent) >= FREE_GUESSES

    def note(self, name: str, now: datetime) -> None:
        """Remember one wrong guess. The table is bounded, so that invented names cannot fill memory."""
        if len(self.wrong) > 1000:
            self.wrong.clear()
        self.wrong.setdefault(name, []).append(now)


def add_user(session: Session, name: str, password: str, now: datetime, role: str | None = None) -> None:
    """Create a person who may sign in, or set a new password for one. Without `role` a new person is a
    coordinator and a known one keeps their role. Ends the sessions of that name."""
    user = session.get(UserRow, name)
    previous_role = user.role if user is not None else "coordinator"
    session.merge(
        UserRow(name=name, password=PasswordHasher().hash(password), role=role or previous_role,
            created_at=now)
    )
    # Whoever knew the old password is signed out with it.
    session.execute(delete(SessionRow).where(SessionRow.user == name))


def sign_in(session: Session, name: str, password: str, now: datetime) -> str | None:
    """A new session token if the password is right, else None. An unknown name takes the same time."""
    user = session.get(UserRow, name)
    try:
        # argon2id, whose cost is on purpose: a copied database gives passwords slowly.
        PasswordHasher().verify(_NOBODY if user is None else user.password, password)
    except (VerificationError, InvalidHashError):
        return None
    if user is None:
        return None
    token = secrets.token_urlsafe(32)
    # Only the hash: who reads the database holds no session.
    session.add(SessionRow(token_hash=_hash(token), user=user.name, csrf=secrets.token_urlsafe(24),
                           created_at=now, seen_at=now))
    return token


def visitor(session: Session, token: str | None, now: datetime) -> Visitor | None:
    """The person who holds this token; None if it is unknown, unused for twelve hours, or a week old."""
    if not token:
        return None
    row = session.get(SessionRow, _hash(token))
    # Both ends are on the server: a stolen cookie does not live longer than its person's session.
    if row is None or now - row.seen_at > IDLE or now - row.created_at > MAX_SESSION:
        return None
    # Once a minute is enough: writing the row on each picture of a page would cost a transaction each.
    if now - row.seen_at > timedelta(minutes=1):
        session.execute(update(SessionRow).where(SessionRow.token_hash == row.token_hash).values(seen_at=now))
    user = session.get(UserRow, row.user)
    end = row.created_at + MAX_SESSION
    if user is None:
        return None
    return Visitor(user.name, user.role, row.csrf, end if end - now <= WARNING_BEFORE else None)


def sign_out(session: Session, token: str | None) -> None:
    """Forget the session."""
    if token:
        session.execute(delete(SessionRow).where(SessionRow.token_hash == _hash(token)))


def same(presented: str, expected: str) -> bool:
    """True if two tokens are equal, compared in constant time."""
    return hmac.compare_digest(presented.encode(), expected.encode())


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
