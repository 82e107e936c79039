"""Who may come in: argon2 passwords, sessions stored on the server, a token in every form, and a pause after
wrong passwords (`service.web.sign_in_tries`)."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from service.facts.roles import Role
from service.feature import features
from service.store.tables import GameRoleRow, SessionRow, UserRow
from service.web import sign_in_tries

COOKIE = "galloper"
IDLE = timedelta(hours=12)
"""A sign-in ends after this time without use; every page restarts it."""
MAX_SESSION = timedelta(days=7)
"""A sign-in ends this long after it began, however busy the person is. A stolen cookie works no longer than
that."""
WARNING_BEFORE = timedelta(hours=1)
"""How long before that end every page shows a warning."""
HASHES_AT_ONCE = 2
"""Passwords that one process looks at together: each takes 64 MiB for a moment, and 60 at once took 860
MB."""
_WAIT_SECONDS = 10.0
_places = BoundedSemaphore(HASHES_AT_ONCE)
HASHER = PasswordHasher()
"""argon2id with the cost of RFC 9106, section 4, second option. The cost is on purpose: a copied database
gives passwords slowly."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """A signed-in person: name, role and the token that their forms must carry. `ends` is set in the last
    hour before they must sign in again whatever they do.

    `site_role` is the role of the site and `role` the one that counts at the address of this request: of
    a person who has roles in games (`games`, by game id) the role in the game that the address is about.
    """

    name: str
    role: str
    csrf: str
    ends: datetime | None = None
    site_role: str = ""
    games: Mapping[str, str] = field(default_factory=dict)

    @property
    def coordinates(self) -> frozenset[str] | None:
        """The ids of the games that this person coordinates; None for a person of the whole site, whom the
        role alone keeps from pages."""
        if self.site_role != Role.BY_GAME:
            return None
        return frozenset(game for game, role in self.games.items() if role == Role.COORDINATOR)

    @property
    def sees(self) -> frozenset[str] | None:
        """The ids of the games in which this person has any role; None for a person of the whole site."""
        return frozenset(self.games) if self.site_role == Role.BY_GAME else None


class TooMany(Exception):
    """So many people sign in at this moment that the password was not looked at."""


def add_user(session: Session, name: str, password: str, now: datetime, role: str | None = None) -> None:
    """Create a person who may sign in, or set a new password for one. Without `role` a new person is a
    coordinator and a known one keeps their role. Ends the sessions of that name."""
    user = session.get(UserRow, name)
    previous_role = user.role if user is not None else "coordinator"
    session.merge(
        UserRow(name=name, password=HASHER.hash(password), role=role or previous_role,
            created_at=now)
    )
    # Anyone who has the machine opens the door again, however many tries there were, and whatever a feature
    # needs in addition to the password.
    sign_in_tries.forget(session, name)
    for feature in features():
        feature.forget_user(session, name)
    # Anyone who knew the old password is signed out with it.
    session.execute(delete(SessionRow).where(SessionRow.user == name))


def sign_in(session: Session, name: str, password: str, now: datetime) -> str | None:
    """A new session token if the password is right, else None. An unknown name takes the same time."""
    user = session.get(UserRow, name)
    if not password_fits(None if user is None else user.password, password):
        return None
    return open_session(session, name, now)


def password_fits(stored: str | None, password: str) -> bool:
    """Whether a password gives the stored hash; for None, of a name that does not exist, False in the same
    time.
    Raises TooMany."""
    if not _places.acquire(timeout=_WAIT_SECONDS):
        raise TooMany
    try:
        # Asked for every name, so that the first sign-in of a process takes as long for any.
        nobody = _hash_of_nobody()
        HASHER.verify(stored or nobody, password)
    except (VerificationError, InvalidHashError):
        return False
    finally:
        _places.release()
    return stored is not None


@cache
def _hash_of_nobody() -> str:
    """A real hash of a random password: checking it takes as long for a name that does not exist (no names
    by timing)."""
    return HASHER.hash(secrets.token_hex(16))


def open_session(session: Session, name: str, now: datetime, browser: str = "") -> str:
    """A new session of a person; its token. `browser`: what it calls itself."""
    token = secrets.token_urlsafe(32)
    # Only the hash: who reads the database holds no session.
    session.add(SessionRow(token_hash=_hash(token), user=name, csrf=secrets.token_urlsafe(24),
                           browser=browser[:200], created_at=now, seen_at=now))
    return token


def own_sessions(session: Session, visitor: Visitor, now: datetime) -> list[SessionRow]:
    """The sessions of a person that still work, the newest use first."""
    rows = session.scalars(select(SessionRow).where(SessionRow.user == visitor.name)
                           .order_by(SessionRow.seen_at.desc())).all()
    return [row for row in rows if now - row.seen_at <= IDLE and now - row.created_at <= MAX_SESSION]


def end_own(session: Session, visitor: Visitor, key: str) -> int:
    """End one of a person's own sessions, by its `csrf`'s digest as `session_key` gives it, or with "others"
    all but this one; how many."""
    rows = session.scalars(select(SessionRow).where(SessionRow.user == visitor.name)).all()
    ended = [row for row in rows
             if (row.csrf != visitor.csrf if key == "others" else session_key(row) == key)]
    for row in ended:
        session.delete(row)
    return len(ended)


def session_key(row: SessionRow) -> str:
    """What a form calls a session: nothing that opens it."""
    return _hash(f"session {row.token_hash}")[:16]


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
    games: dict[str, str] = {}
    if user.role == Role.BY_GAME:
        of_person = select(GameRoleRow).where(GameRoleRow.user == user.name)
        games = {each.game_id: each.role for each in session.scalars(of_person)}
    return Visitor(user.name, user.role, row.csrf, end if end - now <= WARNING_BEFORE else None,
                   user.role, games)


def sign_out(session: Session, token: str | None) -> None:
    """Forget the session."""
    if token:
        session.execute(delete(SessionRow).where(SessionRow.token_hash == _hash(token)))


def same(presented: str, expected: str) -> bool:
    """True if two tokens are equal, compared in constant time."""
    return hmac.compare_digest(presented.encode(), expected.encode())


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
