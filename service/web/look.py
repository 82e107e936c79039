"""A second look (PHA-08): what an act would do, to whom it writes, and how long players then have, on a page
before it is done.

The act itself is performed, in a transaction that is rolled back, with a door of letters that only notes
them. So the page cannot show anything else than what the act does, and a refused act is refused at the first
press.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from fastapi import Request
from fastapi.responses import Response
from sqlalchemy import select
from sqlalchemy.orm import Session

from service.games.acts.act import Act, ActTable, Performed, perform
from service.games.deadlines import span_of
from service.games.options import options_of
from service.games.phases import phase_of, phase_title
from service.games.taken_back import Differences
from service.games.turns import JUDGEABLE
from service.mail.sending.compose import OutLetter
from service.notices.letter_context import LetterContext
from service.store import records
from service.store.tables import GameRow, OutboxRow, PhaseRow, PhaseState
from service.web.acting import carry_out, game_row, or_refuse
from service.web.page import show
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

SHORT = 0.25
"""The share of its calendar's time below which a phase is marked, if the act leaves it less than it had."""
SHOWN = "seen"
"""The field of a form with the digest of what its reader was shown."""


@dataclass(frozen=True, slots=True)
class LettersNoted(LetterContext):
    """Notes the letters that would be put into the outbox, in place of putting them there."""

    noted: list[OutLetter] = field(default_factory=list)

    def put(self, session: Session, letter: OutLetter, phase: PhaseRow | None = None) -> bool:
        """Note the letter, once for its key. False if it is noted or in the outbox already."""
        known = select(OutboxRow.id).where(OutboxRow.key == letter.key)
        if any(each.key == letter.key for each in self.noted) or session.scalar(known) is not None:
            return False
        self.noted.append(letter)
        return True


@dataclass(frozen=True, slots=True)
class Clock:
    """One phase on the calendar. `begins`: when its players can answer, which is once it is open and the
    phase before it has closed."""

    state: PhaseState
    deadline: datetime
    begins: datetime

    def given(self, now: datetime) -> timedelta:
        """The time that its players have from now on, or from its opening if that is ahead."""
        return self.deadline - max(now, self.begins)


@dataclass(frozen=True, slots=True)
class PhaseAfter:
    """A phase before and after an act. `span` is the calendar's time for its orders."""

    title: str
    before: Clock
    after: Clock
    now: datetime
    span: timedelta

    @property
    def given(self) -> timedelta:
        """The time that its players then have."""
        return self.after.given(self.now)

    @property
    def is_moved(self) -> bool:
        """Whether its deadline changes."""
        return self.before.deadline != self.after.deadline

    @property
    def is_ended(self) -> bool:
        """Whether it takes no orders any more."""
        return self.after.state == PhaseState.SENT

    @property
    def is_taken_back(self) -> bool:
        """Whether its results were sent, and hold no more."""
        return self.before.state == PhaseState.SENT and self.after.state in JUDGEABLE

    @property
    def waits_again(self) -> bool:
        """Whether it asked for orders, or had results, and waits now for those before it."""
        return self.after.state == PhaseState.WAITING != self.before.state

    @property
    def opens_again(self) -> bool:
        """Whether it was closed."""
        return self.after.state == PhaseState.OPEN != self.before.state

    @property
    def is_short(self) -> bool:
        """Whether its players lose time, or get some of a deadline that had passed, and then have much less
        than the calendar gives."""
        # A day more in the last hour of a phase is little time too, and takes none.
        had = self.before.given(self.now)
        return self.given < SHORT * self.span and (self.given < had or had <= timedelta())


@dataclass(frozen=True, slots=True)
class Consequences:
    """What an act would do: each phase ahead if a deadline moves, else those whose state changes; its
    letters, the powers that they reach, and those that they do not; what is different on the board or in
    results."""

    phases: tuple[PhaseAfter, ...]
    letters: tuple[OutLetter, ...]
    reached: tuple[str, ...]
    silent: tuple[str, ...]
    differences: Differences | None = None

    @property
    def digest(self) -> str:
        """A digest of what is to happen and to whom; not of the letters' words, which may name this
        moment."""
        facts = [[(each.title, each.before.deadline.isoformat(), each.after.deadline.isoformat(),
                   each.after.state) for each in self.phases],
                 sorted((letter.kind, letter.recipient) for letter in self.letters),
                repr(self.differences)]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:32]


def look_then_do(
    request: Request, visitor: Visitor, game_id: str, act: Act[Any], notice: str, name: str
) -> Response:
    """The page that shows what an act about a game would do, under its name; once that was seen, perform it
    and redirect to the game's page with one of its notices. Raises as `acting.carry_out` does."""
    return first_look(request, visitor, game_id, partial(perform, act), name) or carry_out(
        request, visitor, game_id, act, notice)


def first_look(
    request: Request, visitor: Visitor, game_id: str, do: Callable[[ActTable], object], name: str, *,
    back: str = "", besides: str = "",
) -> Response | None:
    """The page that shows what an act would do; None once its reader has seen just that, and where it does
    nothing (a form sent twice). Raises an HTTP error with the sentence of a refusal.

    `back` leads away from it, as a rule to the game's page. `besides`: a sentence on what follows once the
    act is done.
    """
    ports: DeskPorts = request.app.state.ports
    fields: Sequence[tuple[str, str]] = request.state.fields
    with ports.sessions() as session:
        game = game_row(session, game_id)
        consequences = _consequences(ports, session, visitor, game, do)
        session.rollback()
        shown = next((value for key, value in fields if key == SHOWN), "")
        if (not consequences.phases and not consequences.letters) or shown == consequences.digest:
            return None
        return show(
            request, "look.html", visitor=visitor, game=game, act=name, back=back or f"/games/{game_id}",
            consequences=consequences, is_changed=bool(shown), besides=besides, path=request.url.path,
            fields=[pair for pair in fields if pair[0] not in {SHOWN, "csrf"}])


def _consequences(
    ports: DeskPorts, session: Session, visitor: Visitor, game: GameRow, do: Callable[[ActTable], object]
) -> Consequences:
    """What an act would do. The session holds it done, and the caller must roll back."""
    real = ports.letters
    writer = LettersNoted(real.blobs, real.clock, real.load, real.sender, real.kinds)
    table = replace(ports.act_table(session, visitor.name, visitor.coordinates),
                    circulars=replace(ports.actions.circulars, letters=writer))
    before = _clocks(session, game.id)
    performed = or_refuse(lambda: do(table))
    outcome = performed.outcome if isinstance(performed, Performed) else performed
    session.flush()
    after, options = _clocks(session, game.id), options_of(game)
    phases = tuple(
        PhaseAfter(phase_title(row), before[row.id][1], clock, table.now, span_of(options, phase_of(row)))
        for row, clock in after.values()
        if row.id in before and not before[row.id][1].state == clock.state == PhaseState.SENT)
    addresses = records.addresses(session, game.id)
    receivers = {letter.recipient for letter in writer.noted}
    reached = [power for power, of_player in addresses.items() if receivers & set(of_player)]
    silent = [power for power in records.seats(session, game.id) if power not in reached]
    named = {power: ports.power_name(game.variant, power) for power in [*reached, *silent]}
    moves = any(each.is_moved for each in phases)
    return Consequences(tuple(each for each in phases if moves or each.before.state != each.after.state),
                tuple(writer.noted),
                tuple(sorted(named[power] for power in reached)),
                tuple(sorted(named[power] for power in silent)),
                outcome if isinstance(outcome, Differences) else None)


def _clocks(session: Session, game_id: str) -> dict[int, tuple[Any, Clock]]:
    """Each phase of a game, without its board, by its id, as the rows are in this transaction."""
    rows = session.execute(
        select(PhaseRow.id, PhaseRow.season, PhaseRow.year, PhaseRow.kind, PhaseRow.state, PhaseRow.opens_at,
               PhaseRow.deadline)
        .where(PhaseRow.game_id == game_id).order_by(PhaseRow.ordinal)).all()
    clocks: dict[int, tuple[Any, Clock]] = {}
    closes: datetime | None = None
    for row in rows:
        begins = row.opens_at if closes is None else max(row.opens_at, closes)
        clocks[row.id] = row, Clock(PhaseState(row.state), row.deadline, begins)
        closes = row.deadline
    return clocks
