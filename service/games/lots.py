"""Lots that no one has to believe: a seed whose digest is on record and mailed before the deadline, opened
afterwards.

Number k of a phase's tape is made of some lines and k, each on its own line: the first eight
hexadecimal digits of the SHA-256 of these lines (`sealed_lots.lines`). A draw among n things takes the next
number modulo n. Anyone who has `sha256sum` and a pocket calculator can follow it (docs/record.md, "Lots").
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from adjudicator.errors import UserFacingError
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.orders import Order
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from maps.variant import Variant
from service.games import sealed_lots
from service.site_key import NoSiteKey
from service.store.digests import digest
from service.store.tables import EntryRow, LotContributionRow, PhaseRow, PhaseState

# A pocket calculator can follow it: a whole number below 4,294,967,296. Among 20 things one is likelier than
# another by at most one part in 200 million (docs/record.md, "Lots").
DIGITS = 8
"""Hexadecimal digits of a number on the tape."""


class NotCommitted(UserFacingError):
    """A lot would be drawn from a seed whose digest is not on record; the sentence states for which phase."""


def number(lines: Sequence[str], position: int) -> int:
    """Number `position` of the tape that some lines give, counted from 1: 0 to 4,294,967,295."""
    return int(digest("\n".join([*lines, str(position)]))[:DIGITS], 16)


def tape(lines: Sequence[str], length: int) -> tuple[int, ...]:
    """The tape that some lines give."""
    return tuple(number(lines, position) for position in range(1, length + 1))


def words_of(session: Session, phase: PhaseRow) -> list[str]:
    """The words that count, each as "power: word", sorted by power: the newest of each that was received in
    time."""
    word_lines: dict[str, str] = {}
    for row in session.scalars(
        select(LotContributionRow)
        .where(LotContributionRow.phase_id == phase.id, LotContributionRow.received_at <= phase.deadline)
        .order_by(LotContributionRow.received_at, LotContributionRow.id)
    ):
        word_lines[row.power] = f"{row.power}: {row.word}"
    return [word_lines[power] for power in sorted(word_lines)]


@dataclass(frozen=True, slots=True)
class Mix:
    """The sources of the lots of a phase, as in its entry of the record and on the page Lots.
    `beacon`: a round with `round`, `signature` and `randomness`, or None."""

    game_id: str
    ordinal: int
    seed: str | None
    words: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()
    beacon: dict[str, Any] | None = None

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that each number is the digest of, without the number itself, which is the last."""
        return sealed_lots.lines(
            self.game_id, self.ordinal, self.seed, self.beacon, self.words, self.sheets)

    def entry_fields(self) -> dict[str, Any]:
        """These as in an entry."""
        return {"rule": sealed_lots.RULE, "seed": self.seed, "words": list(self.words),
                "sheets": list(self.sheets), "beacon": self.beacon}


def mix_of(session: Session, phase: PhaseRow) -> Mix:
    """The sources of the lots of a phase, with its seed as far as it is opened."""
    if sealed_lots.draw_of(phase).uses_beacon and phase.beacon is not None:
        return Mix(phase.game_id, phase.ordinal, phase.seed, beacon=phase.beacon)
    return Mix(phase.game_id, phase.ordinal, phase.seed, tuple(words_of(session, phase)),
               tuple(sealed_lots.sheets_on_record(session, phase)))


def open_seed(session: Session, phase: PhaseRow) -> None:
    """Open the seed of a phase whose deadline has passed, so that it can be judged. Raises NoSiteKey, or
    NotCommitted where the site has another key than the one that the seed came from."""
    draw = sealed_lots.draw_of(phase)
    phase.seed = sealed_lots.opened_seed(session, phase)
    if phase.seed is None and not draw.seed_lost:
        raise NotCommitted(
            f"No lot of {phase.season} {phase.year} can be drawn: its seed was made with another site key. "
            "Nothing was judged. Put the right site.key next to the settings; if it is lost, run: galloper "
            "game lots.")


def tape_of(session: Session, phase: PhaseRow, length: int) -> tuple[int, ...]:
    """The first `length` numbers that a phase's lots are drawn with; to judge it, as many as its rules may
    need (`Ruleset.LOTS`). Before its seed is opened they are numbers that have nothing of the real ones."""
    if length < 1:
        return ()
    mix = mix_of(session, phase)
    if mix.seed is None and not sealed_lots.draw_of(phase).seed_lost:
        mix = replace(mix, seed=_seed_if_known(session, phase))
    if are_invented(session, phase):
        return tape((f"a rehearsal of {phase.game_id} {phase.ordinal}",), length)
    return tape(mix.lines, length)


def are_invented(session: Session, phase: PhaseRow) -> bool:
    """Whether the numbers of `tape_of` have nothing yet of the real draw: before the deadline, and while the
    beacon or the seed is not here."""
    draw = sealed_lots.draw_of(phase)
    # A dry run before the deadline must not show its reader the draw.
    if phase.state in {PhaseState.WAITING, PhaseState.OPEN} or sealed_lots.waits_for_beacon(phase):
        return True
    return not draw.seed_lost and phase.seed is None and _seed_if_known(session, phase) is None


def _seed_if_known(session: Session, phase: PhaseRow) -> str | None:
    """The seed of a phase that is not judged yet, for a dry run after the deadline."""
    try:
        return sealed_lots.opened_seed(session, phase)
    except NoSiteKey:
        return None


_IN_SUBJECT = re.compile(r"\s*lots?\s*[:\-–—]?\s+(.+)", re.IGNORECASE | re.DOTALL)


def word_in(trailing: str) -> str:
    """The word that a subject adds to the lots after its version, as in "lots: heather"; or ""."""
    match = _IN_SUBJECT.fullmatch(trailing)
    return "" if match is None else clean_word(match[1])


def clean_word(text: str) -> str:
    """A word as it is stored: one line of at most 60 characters, with single blanks; may be ""."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:60].strip()


def add_word(
    session: Session, phase: PhaseRow, power: str, word: str, received_at: datetime, *, mail: str | None,
    by: str
) -> bool:
    """Store a player's word for a phase; False if it is empty or came after the deadline."""
    stored_word = clean_word(word)
    if not stored_word or received_at > phase.deadline:
        return False
    session.add(
        LotContributionRow(
            phase_id=phase.id, power=power, word=stored_word, received_at=received_at, mail=mail, made_by=by
        )
    )
    session.flush()
    return True


def check_committed(session: Session, phase: PhaseRow) -> None:
    """Raise NotCommitted unless the digest of this phase's seed was entered while the phase took orders."""
    entries = session.scalars(
        select(EntryRow.body).where(EntryRow.game_id == phase.game_id, EntryRow.what == "phase",
                                    EntryRow.fact == str(phase.id)).order_by(EntryRow.number))
    for body in entries:
        tells = json.loads(body)["tells"]
        if tells["lots"] == phase.commitment and tells["state"] in {"waiting", "open"}:
            return
    raise NotCommitted(
        f"No lot of {phase.season} {phase.year} can be drawn: the digest of its seed was not entered in the "
        "record before the deadline. Nothing was judged; restore the database from a backup that has it.")


# How each draw went
# ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw.

    `number` is the tape's, `position` its place on the tape from 1. `among`: how many things; `index`: the
    one taken, from 0. If the things are units, `things` lists them in the order in which they are counted,
    and `taken` is the one drawn.
    """

    position: int
    number: int
    among: int
    index: int
    things: tuple[str, ...] = ()
    taken: str = ""


class _Heard(int):
    """A number of the tape that notes among how many things it draws."""

    draws: list[tuple[int, int]]

    def __mod__(self, among: int) -> int:
        self.draws.append((int(self), among))
        return int(self) % among


@dataclass(frozen=True, slots=True)
class _Listening:
    numbers: Sequence[int]
    draws: list[tuple[int, int]] = field(default_factory=list)

    def heard(self) -> tuple[int, ...]:
        numbers = []
        for value in self.numbers:
            number = _Heard(value)
            number.draws = self.draws
            numbers.append(number)
        return tuple(numbers)


def draws(
    variant: Variant, position: Position, orders: Sequence[Order], numbers: Sequence[int]
) -> tuple[Draw, ...]:
    """Every draw of a phase, by judging it once more with numbers that note how they are used."""
    # The judge is independent of draws: it takes numbers and divides. So the numbers themselves take note.
    listening = _Listening(numbers)
    resolution = judge(variant.context(), variant.rules, position, orders, Lots(listening.heard()))
    plain = [
        Draw(tape_position, value, among, value % among)
        for tape_position, (value, among) in enumerate(listening.draws, start=1)
    ]
    return _named(position, resolution, plain)


def _named(position: Position, resolution: Resolution, plain: list[Draw]) -> tuple[Draw, ...]:
    """The draws with the units they were among, if every draw was for a unit to be removed (Q-35)."""
    if len(resolution.removed_by_lot) != len(plain):
        return tuple(plain)
    removed_units, named_draws = set(resolution.removed) - set(resolution.removed_by_lot), []
    units = position.units | set(resolution.built)
    for draw, unit in zip(plain, resolution.removed_by_lot, strict=True):
        left = sorted(
            (u for u in units if u.power == unit.power and u not in removed_units),
            key=lambda u: str(u.region)
        )
        if len(left) != draw.among or left[draw.index] != unit:
            return tuple(plain)
        named_draws.append(replace(draw, things=tuple(map(str, left)), taken=str(unit)))
        removed_units.add(unit)
    return tuple(named_draws)
