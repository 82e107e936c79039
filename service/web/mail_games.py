"""Which games the site's post belongs to (SEC-04): a mail and a player's letters are for the coordinators of
every game that they touch."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.orm import Session

from grammar.headings.tokens import clean_line
from service.store import records
from service.store.tables import (
    CorrespondenceRow,
    GameRow,
    IgnoredMailRow,
    MailRow,
    PhaseRow,
    SeatRow,
    SubmissionRow,
)


def is_within(games: Collection[str], own: frozenset[str] | None) -> bool:
    """True if what belongs to `games` is for a person who coordinates `own`: all of them are theirs, and
    there is one. `own` None represents every game, and for what belongs to none."""
    return own is None or (bool(games) and own.issuperset(games))


def is_within_mail(session: Session, mail: MailRow, own: frozenset[str] | None) -> bool:
    """`is_within` of the games that a mail touches."""
    return own is None or is_within(games_of_mail(session, mail), own)


def games_of_mail(session: Session, mail: MailRow) -> frozenset[str]:
    """The ids of the games that a mail touches: the one that its subject names, those of the player who is
    proved or said to have sent it, and the one in which it is filed."""
    verdict = mail.verdict_fields
    named = verdict.get("game")
    if named:
        games = set(session.scalars(select(GameRow.id).where(GameRow.name == named)))
    else:
        games = _named_in(session, str(verdict.get("subject") or ""))
    games.update(session.scalars(
        select(PhaseRow.game_id).join(SubmissionRow, SubmissionRow.phase_id == PhaseRow.id)
        .where(SubmissionRow.sha256 == mail.sha256)))
    sender = None if mail.sender is None else records.player_of(session, mail.sender)
    players = {*session.scalars(select(IgnoredMailRow.player_id).where(IgnoredMailRow.sha256 == mail.sha256)),
               *(() if sender is None else (sender.id,))}
    games.update(session.scalars(select(SeatRow.game_id).where(SeatRow.player_id.in_(players))))
    return frozenset(games)


def _named_in(session: Session, subject: str) -> set[str]:
    """The ids of the games whose name, or another of theirs, is in a subject. No verdict names the game
    of a mail whose sender is not proved."""
    words = _folded(subject)
    return {game.id for game in session.scalars(select(GameRow))
            if any(_folded(name) in words for name in (game.name, *game.aliases))}


def _folded(words: str) -> str:
    return " ".join(clean_line(words).casefold().split())


def games_of_player(session: Session, player_id: int) -> frozenset[str]:
    """The ids of the games in which a player has a seat, or of which they wrote to the coordinator."""
    seats = session.scalars(select(SeatRow.game_id).where(SeatRow.player_id == player_id))
    letters = session.scalars(select(CorrespondenceRow.game_id).where(
        CorrespondenceRow.player_id == player_id, CorrespondenceRow.game_id.is_not(None)))
    return frozenset({*seats, *(game for game in letters if game is not None)})
