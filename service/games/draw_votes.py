"""Votes for a draw, by paper: who asks for it on the sheet that counts (Q-30, BEY-04).

The handbook's condition makes a draw available; all survivors must ask for it on their sheets of one season.
A machine finds the words, a coordinator confirms that they are what is written, and with the approval of that
phase's results the game ends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from adjudicator.serialize import codec
from service.games.ballots import executed
from service.games.lines import lines_of
from service.store.tables import GameRow, PhaseRow, PhaseState

AGREED = "draw_agreed"
"""The game's option: the ordinal of the phase with whose results it ends in a draw."""
_DRAW = re.compile(r"\b(?:draw|remis|unentschieden|match nul|nulle)\b", re.IGNORECASE)
_AGAINST = re.compile(
    r"\b(?:no|not|never|against|refuse|decline|withdraw|keine?n?|nicht|gegen|pas|non)\b|n['’]t\b",
    re.IGNORECASE)
_MOST_WORDS = 14


@dataclass(frozen=True, slots=True)
class DrawVotes:
    """A draw that is open: to which powers, and which of them ask for it on sheets of the phase's season that
    count. `lines`: power to the words that ask."""

    open_to: tuple[str, ...]
    lines: dict[str, str]

    @property
    def missing(self) -> tuple[str, ...]:
        """The survivors who do not ask."""
        return tuple(power for power in self.open_to if power not in self.lines)


def asks_for_draw(text: str) -> bool:
    """Whether a line asks for a draw: one short sentence with the word, and none that denies it."""
    return (len(text.split()) <= _MOST_WORDS and _DRAW.search(text) is not None
            and _AGAINST.search(text) is None)


def votes(session: Session, phase: PhaseRow) -> DrawVotes | None:
    """The votes of a judged phase whose results are not sent; None if no draw is open, or it is not judged:
    nothing of a sheet is told before its deadline."""
    return _votes(session, phase) if phase.state == PhaseState.READY else None


def ends_here(session: Session, game: GameRow, phase: PhaseRow) -> bool:
    """Whether a game ends in an agreed draw with the results of this phase. The sheets are looked at again:
    after the agreement the phase may have gone back to the desk."""
    if game.options.get(AGREED) != phase.ordinal:
        return False
    votes = _votes(session, phase)
    return votes is not None and not votes.missing


def agreed_draw(session: Session, game: GameRow, phase: PhaseRow) -> tuple[str, ...] | None:
    """The powers that share the draw in which a game ends with the results of this phase; None if it does not
    end so."""
    return _open_to(session, phase) if ends_here(session, game, phase) else None


def _votes(session: Session, phase: PhaseRow) -> DrawVotes | None:
    open_to = _open_to(session, phase)
    if open_to is None:
        return None
    votes: dict[str, str] = {}
    for row in session.scalars(select(PhaseRow).where(
            PhaseRow.game_id == phase.game_id, PhaseRow.year == phase.year, PhaseRow.season == phase.season,
            PhaseRow.ordinal <= phase.ordinal)):
        papers = executed(session, row)
        lines = lines_of(session, list(papers.values()))
        for power, paper in papers.items():
            words = next((line.text for line in lines[paper] if asks_for_draw(line.text)), None)
            if power in open_to and words is not None:
                votes[power] = " ".join(words.split())
    return DrawVotes(open_to, votes)


def _open_to(session: Session, phase: PhaseRow) -> tuple[str, ...] | None:
    """To whom a draw is open: by the newest phase that decided it, this one or an earlier one."""
    rows = session.scalars(select(PhaseRow).where(
        PhaseRow.game_id == phase.game_id, PhaseRow.ordinal <= phase.ordinal,
        PhaseRow.resolution.is_not(None)).order_by(PhaseRow.ordinal.desc()).limit(12))
    for row in rows:
        open_to = codec.load_resolution(row.resolution or {}).draw_open_to
        if open_to is not None:
            # A later year of the same season has decided it anew, and found none.
            later = session.scalar(select(PhaseRow.id).where(
                PhaseRow.game_id == phase.game_id, PhaseRow.season == row.season, PhaseRow.year > row.year,
                PhaseRow.ordinal <= phase.ordinal, PhaseRow.resolution.is_not(None)).limit(1))
            return open_to if later is None else None
    return None
