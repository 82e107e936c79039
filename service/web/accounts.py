"""Who may sign in, and that a coordinator always can: the acts of the People page and of `galloper user`."""

from __future__ import annotations

import unicodedata
from datetime import datetime

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from adjudicator.errors import UserFacingError
from service.facts.events import Event
from service.store.records import log_event
from service.store.tables import GameRoleRow, SessionRow, UserRow
from service.web import code_app, passkeys, sign_in_tries
from service.web.roles import Role

LONGEST_NAME = 80
_ALIKE = frozenset({"LATIN", "CYRILLIC", "GREEK"})


class AccountRefused(UserFacingError):
    """Nothing was changed; the sentence says why and what to do."""


class NoSuchPerson(AccountRefused):
    """Nobody of this name may sign in."""


class LastCoordinator(AccountRefused):
    """The site would have no coordinator."""


class BadName(AccountRefused):
    """A name that no page could show plainly, or that would pass for another person's."""


def require_new_name(session: Session, name: str) -> None:
    """Raises BadName for a name under which nobody new may sign in: too long, with marks that are not seen,
    or one that looks like that of somebody who does."""
    if not 1 <= len(name) <= LONGEST_NAME:
        raise BadName(f"Nothing was changed: a name has 1 to {LONGEST_NAME} letters.")
    if not name.isprintable():
        raise BadName("Nothing was changed: this name has a mark that is not seen, or that turns the letters "
                      "after it round. Write it with letters alone.")
    scripts = {unicodedata.name(char, "").partition(" ")[0] for char in name if char.isalpha()}
    # The log and the record name people by these letters: "Adа" with a Cyrillic last letter is no Ada.
    if len(scripts & _ALIKE) > 1:
        raise BadName("Nothing was changed: this name mixes letters of two scripts that look alike.")
    known = {_seen(person): person for person in session.scalars(select(UserRow.name))}
    alike = known.get(_seen(name))
    if alike is not None:
        raise BadName(f"Nothing was changed: {alike} may sign in already, and this name looks the same. "
                      "Choose another name.")


def _seen(name: str) -> str:
    """What a reader takes a name for: its letters without case, width and doubled blanks."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def change_role(session: Session, name: str, role: Role, *, by: str, now: datetime) -> None:
    """Give a person another role, and log it. Raises NoSuchPerson, LastCoordinator."""
    person = _person(session, name)
    before, person.role = person.role, role
    if role != Role.BY_GAME:
        session.execute(delete(GameRoleRow).where(GameRoleRow.user == name))
    session.flush()  # the count below must see the new role
    _refuse_without_coordinator(session)
    log_event(session, now, Event.ROLE_CHANGED, actor=by, detail={"person": name, "from": before, "to": role})


def remove(session: Session, name: str, *, by: str, now: datetime) -> None:
    """Let a person sign in no longer: end their sessions, remove their password, and log it. What they
    decided stays under their name. Raises NoSuchPerson, LastCoordinator."""
    person = _person(session, name)
    session.execute(delete(SessionRow).where(SessionRow.user == name))
    sign_in_tries.forget(session, name)
    code_app.remove(session, name)
    passkeys.remove_all(session, name)
    session.execute(delete(GameRoleRow).where(GameRoleRow.user == name))
    session.delete(person)
    session.flush()
    _refuse_without_coordinator(session)
    log_event(session, now, Event.PERSON_REMOVED, actor=by, detail={"person": name, "role": person.role})


def end_sessions(session: Session, name: str, *, by: str, now: datetime) -> None:
    """End every session of a person, who may sign in again, and log it. Raises NoSuchPerson."""
    _person(session, name)
    session.execute(delete(SessionRow).where(SessionRow.user == name))
    log_event(session, now, Event.PERSON_SIGNED_OUT, actor=by, detail={"person": name})


def last_seen(session: Session) -> dict[str, datetime]:
    """When each person who has a session last used it, by name."""
    rows = session.execute(select(SessionRow.user, func.max(SessionRow.seen_at)).group_by(SessionRow.user))
    return {row[0]: row[1] for row in rows.all()}


def _person(session: Session, name: str) -> UserRow:
    # Every row of a coordinator is locked, always in one order. Without it two coordinators who demoted each
    # other at one moment on PostgreSQL each still counted the other. SQLite locks at the first write.
    session.execute(select(UserRow.name).where(UserRow.role == Role.COORDINATOR).order_by(UserRow.name)
                    .with_for_update())
    person = session.get(UserRow, name, populate_existing=True)
    if person is None:
        raise NoSuchPerson("Nothing was changed: nobody of this name may sign in.")
    return person


def _refuse_without_coordinator(session: Session) -> None:
    left = session.scalar(select(func.count()).select_from(UserRow).where(UserRow.role == Role.COORDINATOR))
    if not left:
        raise LastCoordinator("Nothing was changed: this is the last coordinator. Make somebody else one "
                              "first.")
