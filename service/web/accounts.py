"""Who may sign in, and that a coordinator always can: the acts of the People page and of `galloper user`."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.facts.roles import Role
from service.feature import features
from service.games.acts.act import Act, ActTable, LoggedEvent
from service.games.refused import NotFound, Refused
from service.store.tables import GameRoleRow, SessionRow, UserRow
from service.web import sessions, sign_in_tries

LONGEST_NAME = 80
_ALIKE = frozenset({"LATIN", "CYRILLIC", "GREEK"})


class NoSuchPerson(NotFound):
    """No one of this name may sign in."""


class LastCoordinator(Refused):
    """The site would have no coordinator."""


class BadName(Refused):
    """A name that no page could show plainly, or that would pass for another person's."""


def require_new_name(session: Session, name: str) -> None:
    """Raises BadName for a name under which no one new may sign in: too long, with marks that are not
    seen, or one that looks like that of a person who does."""
    if not 1 <= len(name) <= LONGEST_NAME:
        raise BadName(f"Nothing was changed: a name has 1 to {LONGEST_NAME} letters.")
    if not name.isprintable():
        raise BadName("Nothing was changed: this name has an invisible character, or one that reverses "
                      "letters. Use only letters.")
    scripts = {unicodedata.name(char, "").partition(" ")[0] for char in name if char.isalpha()}
    # The log and the record name people by these letters: "Adа" with a Cyrillic last letter is not Ada.
    if len(scripts & _ALIKE) > 1:
        raise BadName("Nothing was changed: this name mixes letters of two scripts that look alike.")
    known = {_seen(person): person for person in session.scalars(select(UserRow.name))}
    alike = known.get(_seen(name))
    if alike is not None:
        raise BadName(f"Nothing was changed: {alike} already has an account, and this name looks the same. "
                      "Choose another name.")


def _seen(name: str) -> str:
    """What a reader takes a name for: its letters without case, width and doubled blanks."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


@dataclass(frozen=True, slots=True)
class AddPerson(Act[None]):
    """Lets a person sign in, with a role of the site."""

    name: str
    password: str
    role: Role

    def check(self, table: ActTable) -> None:
        """Refuse a name that is taken, or looks like one that is (`BadName`)."""
        require_new_name(table.session, self.name)

    def change(self, table: ActTable) -> None:
        """Add them."""
        sessions.add_user(table.session, self.name, self.password, table.now, self.role)

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The name and the role."""
        return LoggedEvent(Event.PERSON_ADDED, None, {"person": self.name, "role": self.role})


@dataclass(frozen=True, slots=True)
class ChangeRole(Act[str]):
    """Gives a person another role of the site. The outcome is the one of before."""

    name: str
    role: Role

    def change(self, table: ActTable) -> str:
        """Refuse an unknown name (`NoSuchPerson`), and to leave a site without a coordinator
        (`LastCoordinator`)."""
        person = _person(table.session, self.name)
        before, person.role = person.role, self.role
        if self.role != Role.BY_GAME:
            table.session.execute(delete(GameRoleRow).where(GameRoleRow.user == self.name))
        table.session.flush()  # the count below must see the new role
        _refuse_without_coordinator(table.session)
        return before

    def event(self, table: ActTable, outcome: str, letters: int) -> LoggedEvent:
        """The name and both roles."""
        return LoggedEvent(Event.ROLE_CHANGED, None, {"person": self.name, "from": outcome, "to": self.role})


@dataclass(frozen=True, slots=True)
class RemovePerson(Act[str]):
    """Lets a person sign in no longer: their sessions end and their password goes. What they decided stays
    under their name. The outcome is their role."""

    name: str

    def change(self, table: ActTable) -> str:
        """Refuse an unknown name (`NoSuchPerson`) and the last coordinator (`LastCoordinator`)."""
        session, person = table.session, _person(table.session, self.name)
        role = person.role
        session.execute(delete(SessionRow).where(SessionRow.user == self.name))
        sign_in_tries.forget(session, self.name)
        for feature in features():
            feature.forget_user(session, self.name)
        session.execute(delete(GameRoleRow).where(GameRoleRow.user == self.name))
        session.delete(person)
        session.flush()
        _refuse_without_coordinator(session)
        return role

    def event(self, table: ActTable, outcome: str, letters: int) -> LoggedEvent:
        """The name and the role."""
        return LoggedEvent(Event.PERSON_REMOVED, None, {"person": self.name, "role": outcome})


@dataclass(frozen=True, slots=True)
class SignPersonOut(Act[None]):
    """Ends every session of a person, who may sign in again."""

    name: str

    def change(self, table: ActTable) -> None:
        """Refuse an unknown name (`NoSuchPerson`)."""
        _person(table.session, self.name)
        table.session.execute(delete(SessionRow).where(SessionRow.user == self.name))

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The name."""
        return LoggedEvent(Event.PERSON_SIGNED_OUT, None, {"person": self.name})


@dataclass(frozen=True, slots=True)
class SignOutElsewhere(Act[int]):
    """Ends one of a person's own sessions, or with "others" all but the one that they act in. The outcome is
    how many."""

    person: sessions.Visitor
    which: str

    def change(self, table: ActTable) -> int:
        """End them."""
        return sessions.end_own(table.session, self.person, self.which)

    def event(self, table: ActTable, outcome: int, letters: int) -> LoggedEvent | None:
        """How many; none where there was none."""
        return LoggedEvent(Event.SIGNED_OUT_ELSEWHERE, None, {"sessions": outcome}) if outcome else None


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
        raise NoSuchPerson("Nothing was changed: there is no account with this name.")
    return person


def _refuse_without_coordinator(session: Session) -> None:
    left = session.scalar(select(func.count()).select_from(UserRow).where(UserRow.role == Role.COORDINATOR))
    if not left:
        raise LastCoordinator("Nothing was changed: this is the last coordinator. Make another person "
                              "coordinator first.")
