"""The roles that people have in single games (SEC-04): what an address of the desk is about, which role
counts for it, and how one is given."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.facts.roles import GAME_ROLES, Role
from service.games.acts.act import Act, ActTable, LoggedEvent
from service.games.refused import NotFound, Refused
from service.store.tables import (
    GameRoleRow,
    GameRow,
    LineRow,
    MailRow,
    OutboxRow,
    PageRow,
    PhaseRow,
    PostalOriginalRow,
    SubmissionRow,
    UserRow,
)
from service.web.accounts import NoSuchPerson
from service.web.mail_games import games_of_mail, games_of_player
from service.web.sessions import Visitor


class SubjectKind(StrEnum):
    """What an address of the desk is about, by the name of its parameter."""

    GAME = "game_id"
    PHASE = "phase_id"
    SHEET = "submission_id"
    PAGE = "page_id"
    LINE = "line_id"
    LETTER = "letter_id"
    MAIL = "sha256"
    PLAYER = "player_id"
    POSTED = "posted_id"


@dataclass(frozen=True, slots=True)
class Subject:
    """What an address is about: a game's id, or the number or digest of something that belongs to games."""

    kind: SubjectKind
    key: str


_DIGEST = re.compile(r"[0-9a-f]{64}")


def subject_of(parameters: Mapping[str, Any]) -> Subject | None:
    """What an address is about, by the first of its parameters that names something; None for an address that
    names nothing of one game."""
    named = next((name for name in parameters if name in set(SubjectKind)), None)
    if named is None:
        return None
    kind, key = SubjectKind(named), str(parameters[named])
    if kind is SubjectKind.GAME:
        return Subject(kind, key)
    if kind is SubjectKind.MAIL:
        return Subject(kind, key) if _DIGEST.fullmatch(key) else None
    # "+1", "1_0" and digits of other scripts are numbers to some readers and not to others.
    return Subject(kind, key) if key.isascii() and key.isdigit() and len(key) < 19 else None


class NoSuchGame(NotFound):
    """The site has no such game."""


class NotInAGame(Refused):
    """A role that no one has in one game."""


class NotByGame(Refused):
    """The person has a role of the whole site."""


def with_role_for(session: Session, visitor: Visitor, subject: Subject | None) -> Visitor:
    """The person with the role that counts for this subject: of a person who has roles in games, the one in
    the game that it belongs to. Of post that touches several games it counts only where it is the same in all
    of them."""
    if visitor.site_role != Role.BY_GAME or subject is None:
        return visitor
    roles = {visitor.games.get(game, "") for game in games_of(session, subject)}
    # No game, or another one: an empty role, which may use nothing.
    return replace(visitor, role=roles.pop() if len(roles) == 1 else "")


def games_of(session: Session, subject: Subject) -> frozenset[str]:
    """The ids of the games that something belongs to; empty if it is of no game, or is not there."""
    if subject.kind is SubjectKind.MAIL:
        mail = session.get(MailRow, subject.key)
        return frozenset() if mail is None else games_of_mail(session, mail)
    if subject.kind is SubjectKind.GAME:
        game = session.scalar(select(GameRow.id).where(GameRow.id == subject.key))
    elif subject.kind is SubjectKind.PLAYER:
        return games_of_player(session, int(subject.key))
    elif subject.kind is SubjectKind.LETTER:
        game = session.scalar(select(OutboxRow.game_id).where(OutboxRow.id == int(subject.key)))
    else:
        game = _game_of_a_phase(session, subject.kind, int(subject.key))
    return frozenset() if game is None else frozenset({game})


def _game_of_a_phase(session: Session, kind: SubjectKind, number: int) -> str | None:
    """The id of the game of a phase, or of something that was sent for one."""
    game = select(PhaseRow.game_id)
    if kind is SubjectKind.PHASE:
        return session.scalar(game.where(PhaseRow.id == number))
    if kind is SubjectKind.POSTED:
        return session.scalar(game.join(PostalOriginalRow, PostalOriginalRow.phase_id == PhaseRow.id)
                              .where(PostalOriginalRow.id == number))
    game = game.join(SubmissionRow, SubmissionRow.phase_id == PhaseRow.id)
    if kind is SubjectKind.SHEET:
        return session.scalar(game.where(SubmissionRow.id == number))
    game = game.join(PageRow, PageRow.submission_id == SubmissionRow.id)
    if kind is SubjectKind.PAGE:
        return session.scalar(game.where(PageRow.id == number))
    return session.scalar(game.join(LineRow, LineRow.page_id == PageRow.id).where(LineRow.id == number))


@dataclass(frozen=True, slots=True)
class ChangeGameRole(Act[str | None]):
    """Gives a person a role in one game, or with None takes it. The outcome is the one of before."""

    name: str
    game: str
    role: Role | None

    def check(self, table: ActTable) -> None:
        """Refuse what is not a role in a game (`NotInAGame`), an unknown name or game, and a person with a
        role of the site (`NotByGame`)."""
        if self.role is not None and self.role not in GAME_ROLES:
            raise NotInAGame(f"Nothing was changed: the role in one game is {' or '.join(GAME_ROLES)}.")
        person = table.session.get(UserRow, self.name)
        if person is None:
            raise NoSuchPerson("Nothing was changed: there is no account with this name.")
        if table.session.get(GameRow, self.game) is None:
            raise NoSuchGame("Nothing was changed: there is no such game.")
        if person.role != Role.BY_GAME:
            raise NotByGame(
                f"Nothing was changed: {self.name} is {person.role} of the whole site. Give them the role "
                "“by game” first."
            )

    def change(self, table: ActTable) -> str | None:
        """Keep the role."""
        row = table.session.get(GameRoleRow, (self.name, self.game))
        before = None if row is None else row.role
        if self.role is None:
            if row is not None:
                table.session.delete(row)
        elif row is None:
            table.session.add(GameRoleRow(user=self.name, game_id=self.game, role=self.role))
        else:
            row.role = self.role
        return before

    def event(self, table: ActTable, outcome: str | None, letters: int) -> LoggedEvent | None:
        """The name and both roles, of the game."""
        if outcome == self.role:
            return None
        return LoggedEvent(Event.GAME_ROLE_CHANGED, self.game, {
            "person": self.name, "from": outcome or "none", "to": self.role or "none"})
