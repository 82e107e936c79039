"""Games, powers and phases by the names that people use for them.

A power is known by every name that the subject of a mail may give it: its own, its aliases, who commands it;
case, accents and a leading article make no difference (SUBJ-05, HEAD-02). A misspelt name is not corrected
here, since an act on a site may not be a guess: the nearest name is offered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

import maps
from adjudicator.errors import UserFacingError
from grammar.headings.names import Spellings, plausible_names, ranked_names, spellings
from grammar.headings.tokens import name_words
from maps.variant import Power, Variant
from service.games.phases import phase_title, power_name
from service.store import records
from service.store.tables import GameRow, PhaseRow, PlayerRow, SeatRow


class UnknownName(UserFacingError):
    """Nothing is called so, or several are; the sentence names what there is, and the nearest. `meant`: the
    names of the several; `near`: the nearest names."""

    def __init__(self, sentence: str, *, meant: Iterable[str] = (), near: Iterable[str] = ()) -> None:
        super().__init__(sentence)
        self.meant, self.near = tuple(meant), tuple(near)


def seats_in_words(
    session: Session, player: PlayerRow, games: frozenset[str] | None = None,
    load: Callable[[str], Variant] = maps.load,
) -> str:
    """The seats of a player in all games or in `games`: "Powick Bridge, Montrose; Naseby, Ormond"."""
    rows = session.execute(
        select(GameRow, SeatRow.power).join(SeatRow, SeatRow.game_id == GameRow.id)
        .where(SeatRow.player_id == player.id, *([] if games is None else [GameRow.id.in_(games)]))
        .order_by(GameRow.name, SeatRow.power)).all()
    return "; ".join(f"{game.name}, {power_name(game.variant, power, load)}" for game, power in rows)


def power_called(powers: Iterable[Power], board: str, text: str) -> Power:
    """The power that is meant. `board` is the board's name, for the sentence. Raises UnknownName."""
    by_id = {power.id: power for power in powers}
    table = spellings(
        (power.id, (power.name, *power.aliases, power.person)) for power in by_id.values()
    )
    known = ", ".join(power.name for power in by_id.values())
    meant = _exactly(table, text)
    if len(meant) == 1:
        return by_id[meant[0]]
    if meant:
        names = [by_id[key].name for key in meant]
        raise UnknownName(f"On {board}, {text} may be {_either(names)}; write the full name.", meant=names)
    near = [by_id[key].name for key in _nearly(table, text)]
    raise UnknownName(
        f"There is no power {text} on {board}.{_offer(near)} The powers are {known}.", near=near)


def game_called(session: Session, text: str) -> GameRow:
    """The game that is meant, by its short name, its name or another name it has. Raises UnknownName."""
    by_id = {row.id: row for row in records.games(session)}
    # The short name decides: it is unique, and a name need not be.
    if text in by_id:
        return by_id[text]
    table = spellings((row.id, (row.name, *row.aliases)) for row in by_id.values())
    meant = _exactly(table, text)
    if len(meant) == 1:
        return by_id[meant[0]]
    if meant:
        raise UnknownName(f"Several games have the name {text}; write {_either(meant)}.")
    known = f"The games are {', '.join(by_id)}" if by_id else "There is no game yet"
    raise UnknownName(f"There is no game {text} on this site.{_offer(_nearly(table, text))} {known}.")


def phase_called(phases: Sequence[PhaseRow], text: str) -> PhaseRow:
    """The phase that is meant, by its number in the game or by words of its name ("Autumn 1642 retreats").
    Raises UnknownName."""
    if text.isdigit():
        meant = [phase for phase in phases if phase.ordinal == int(text)]
    else:
        words = _phase_words(text)
        meant = [phase for phase in phases if words and words <= _phase_words(phase_title(phase))]
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise UnknownName(f"{text} may be {_either(map(_numbered, meant))}; write more of its name, or its "
                          "number.")
    known = f"They are {', '.join(map(_numbered, phases))}" if phases else "There is none"
    raise UnknownName(f"There is no phase {text} ahead. {known}.")


def _numbered(phase: PhaseRow) -> str:
    return f"{phase.ordinal} ({phase_title(phase)})"


def _phase_words(text: str) -> frozenset[str]:
    # "Retreats", "Retreat" and "Retreat Orders" are one.
    return frozenset(word.rstrip("s") for word in name_words(text)) - {"order"}


def _exactly(table: Spellings, text: str) -> list[str]:
    words = name_words(text)
    return [name for name, forms in table.items() if words in forms]


def _nearly(table: Spellings, text: str) -> tuple[str, ...]:
    words = name_words(text)
    return plausible_names(ranked_names(words, table)) if words else ()


def _offer(near: Sequence[str]) -> str:
    return f" Did you mean {_either(near)}?" if near else ""


def _either(names: Iterable[str]) -> str:
    return " or ".join(names)


def pseudonym(player: PlayerRow) -> str:
    """A player's name in the record. Real names are in the site's own tables alone, so that they can be
    forgotten (docs/privacy.md)."""
    return f"player-{player.id}"
