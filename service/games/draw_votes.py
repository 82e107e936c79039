"""Votes for a draw, by paper: who requests it on the sheet that counts (Q-30, BEY-04).

The handbook's condition makes a draw available; all survivors must ask for it on their sheets of one season.
A machine finds the words, a coordinator confirms that they are what is written, and with the approval of that
phase's results the game ends. A vote stands until the same power's later words of that season take it back;
words that are crossed out, and words on behalf of another power, are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

import maps
from maps.variant import Variant
from service.games.ballots import executed
from service.games.lines import SettledLine, lines_of
from service.games.options import options_of
from service.games.phases import resolution_of
from service.store.tables import GameRow, LineState, PhaseRow, PhaseState

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
    """Whether a line requests a draw: one short sentence with the word, and none that denies it."""
    return _speaks_of_draw(text) and _AGAINST.search(text) is None


def denies_draw(text: str) -> bool:
    """Whether a line speaks against a draw, or takes back that it was asked for."""
    return _speaks_of_draw(text) and _AGAINST.search(text) is not None


def vote_of(lines: Sequence[SettledLine], others: Iterable[str] = ()) -> str | None:
    """The words by which a sheet requests a draw; "" if it speaks against one, also where another line asks
    for it; None if it has nothing of it. `others`: names of other powers, for which no one votes here."""
    texts = [" ".join(line.text.split()) for line in lines if _is_written(line)]
    if any(denies_draw(text) for text in texts):
        return ""
    names = tuple(f"{name.casefold()} " for name in others)
    return next((text for text in texts
                 if asks_for_draw(text) and not text.casefold().startswith(names)), None)


def _speaks_of_draw(text: str) -> bool:
    return len(text.split()) <= _MOST_WORDS and _DRAW.search(text) is not None


def _is_written(line: SettledLine) -> bool:
    """Whether the words of a line are on its sheet: not where they are crossed out, unless a person has
    read them all the same, nor where they are void."""
    return line.state is not LineState.VOID and (not line.struck or line.state is LineState.READ)


def votes(session: Session, phase: PhaseRow) -> DrawVotes | None:
    """The votes of a judged phase whose results are not sent; None if no draw is open, or it is not judged:
    nothing of a sheet is shown before its deadline."""
    return _votes(session, phase) if phase.state == PhaseState.READY else None


def ends_here(session: Session, game: GameRow, phase: PhaseRow) -> bool:
    """Whether a game ends in an agreed draw with the results of this phase. The sheets are looked at again:
    after the agreement the phase may have gone back to the desk."""
    if options_of(game).draw_agreed != phase.ordinal:
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
    variant = maps.load(session.get_one(GameRow, phase.game_id).variant)
    for row in session.scalars(select(PhaseRow).where(
            PhaseRow.game_id == phase.game_id, PhaseRow.year == phase.year, PhaseRow.season == phase.season,
            PhaseRow.ordinal <= phase.ordinal).order_by(PhaseRow.ordinal)):
        papers = executed(session, row)
        lines = lines_of(session, list(papers.values()))
        for power, paper in papers.items():
            words = vote_of(lines[paper], _names_of_others(variant, power))
            if power in open_to and words:
                votes[power] = words
            elif words == "":
                votes.pop(power, None)
    return DrawVotes(open_to, votes)


def _names_of_others(variant: Variant, power: str) -> list[str]:
    return [name for other in variant.powers.values() if other.id != power
            for name in (other.id, other.name, *other.aliases)]


def _open_to(session: Session, phase: PhaseRow) -> tuple[str, ...] | None:
    """To whom a draw is open: by the newest phase that decided it, this one or an earlier one."""
    rows = session.scalars(select(PhaseRow).where(
        PhaseRow.game_id == phase.game_id, PhaseRow.ordinal <= phase.ordinal,
        PhaseRow.resolution.is_not(None)).order_by(PhaseRow.ordinal.desc()).limit(12))
    for row in rows:
        open_to = resolution_of(row).draw_open_to
        if open_to is not None:
            # A later year of the same season has decided it again, and found none.
            later = session.scalar(select(PhaseRow.id).where(
                PhaseRow.game_id == phase.game_id, PhaseRow.season == row.season, PhaseRow.year > row.year,
                PhaseRow.ordinal <= phase.ordinal, PhaseRow.resolution.is_not(None)).limit(1))
            return open_to if later is None else None
    return None
