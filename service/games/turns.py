"""A phase from its first hour to its results: open, close, judge. They are sent by
`service.games.approval.approve`.

Each step is an update that names the state it expects, and the number of changed rows decides who won
(`records.claim`). So two processes, or one that was killed and runs the step again, have one effect.
The order of a phase's states is in `service.store.columns.PhaseState`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from adjudicator.calendar import PhaseKind
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.orders import Order
from adjudicator.outcome import Resolution
from adjudicator.serialize import codec
from maps.variant import Variant
from service.clock import Clock
from service.facts.events import Event
from service.games import draw_votes, lots, mailbox_waits, sealed_lots
from service.games.asking import unasked
from service.games.ballots import executed
from service.games.deadlines import PhaseWindow, clock_of
from service.games.lines import SettledLine, lines_of
from service.games.options import options_of
from service.games.phases import phase_of
from service.games.refused import Refused
from service.games.rulings import as_played
from service.store import phase_looks, records
from service.store.engine import Store
from service.store.tables import GameRow, LineState, PhaseRow, PhaseState, SubmissionRow

log = logging.getLogger(__name__)

SOON = timedelta(minutes=1)
"""A deadline that waits for a mail being judged waits unseen for so long: its job is at work."""

CALLED_BACK = timedelta(seconds=10)
"""After so long a phase that waits for a mail is looked at again, if the mail's job did not call it back."""

AHEAD = 8
"""Phases kept on the calendar after the one in play: a whole game year."""

JUDGEABLE = (PhaseState.CLOSED, PhaseState.READY)

_LinesByPower = Mapping[str, Sequence[SettledLine]]

Load = Callable[[str], Variant]
"""Gives the variant of a board's slug; `maps.load` except in tests."""


class NotReady(Refused):
    """The step cannot be taken now; the sentence shows what is missing."""


class Overtaken(NotReady):
    """Another process judged the phase meanwhile."""


@dataclass(frozen=True, slots=True)
class WrittenOrder:
    """An order that counts, with the line it was written on."""

    order: Order
    line: SettledLine


def open_phase(store: Store, phase_id: int, clock: Clock) -> None:
    """Let a waiting phase take orders once its hour has come and its board is known. The board comes with the
    results of the phase before, which ask for its orders (PHA-01).

    1. Check that the hour has come, that it has its board, and that no earlier phase of the game is waiting
       or open.
    2. Claim WAITING -> OPEN, and log. A phase that is unknown, too early or opened already is left alone.
    """
    with store.begin() as session:
        now = clock.now()
        phase = session.get(PhaseRow, phase_id)
        if phase is None or not phase_looks.may_open(session, phase_id, now):
            return
        if records.claim_phase(session, phase_id, PhaseState.WAITING, PhaseState.OPEN):
            records.log_event(session, now, Event.PHASE_OPENED, game_id=phase.game_id,
                              detail={"phase": str(phase_of(phase))})


def close_phase(
    store: Store, phase_id: int, clock: Clock, load: Load, *,
    judge_mails: Callable[[Sequence[str]], None],
) -> None:
    """Close a phase whose deadline has passed, and judge it if everything is read.

    1. Have the stored mails judged that came in time and may be of a player of this game (`judge_mails`, by
       their hashes): here, or by the jobs that have claimed them. The caller emptied the mailbox.
    2. Read the deadline again: one that was moved meanwhile closes nothing. A mail in time that is not judged
       yet is waited for, and so is a letter that requests orders and was not accepted in time (`asking`),
       unless a coordinator decided otherwise (`mailbox_waits`).
    3. Claim OPEN -> CLOSED, which fixes the ballots, and log.
    4. Judge, if nothing waits. This also takes up a close that was cut off after step 3.
    """
    with store.begin() as session:
        mails, is_closed = _close(session, phase_id, clock.now(), load)
    if mails:
        judge_mails(mails)
        with store.begin() as session:
            _, is_closed = _close(session, phase_id, clock.now(), load, asked=True)
    if is_closed:
        judge_when_read(store, phase_id, clock, load)


def _close(
    session: Session, phase_id: int, now: datetime, load: Load, *, asked: bool = False
) -> tuple[Sequence[str], bool]:
    """Close a phase unless mails are to be judged first; their hashes, and whether it is closed. `asked`:
    their judging was asked for, so that a phase with such mails waits."""
    phase = session.get(PhaseRow, phase_id)
    if phase is None:
        return (), False
    mails: Sequence[str] = ()
    if phase.state == PhaseState.OPEN:
        mails = records.unjudged_mails(session, phase.game_id, phase.deadline)
    if mails and not asked:
        return mails, False
    if phase.deadline > now:
        return (), False
    if mails and _must_wait(session, phase, len(mails), now):
        return (), False
    if phase.state == PhaseState.OPEN and _is_unasked(session, phase, load):
        return (), False
    mailbox_waits.end(session, phase, now)
    if records.claim_phase(session, phase_id, PhaseState.OPEN, PhaseState.CLOSED, closed_at=now):
        records.log_event(session, now, Event.PHASE_CLOSED, game_id=phase.game_id,
                          detail={"phase": str(phase_of(phase))})
    return (), phase.state == PhaseState.CLOSED


def go_on(store: Store, senders: Collection[str], clock: Clock, load: Load) -> None:
    """Take up the phases that may have waited for a mail with these addresses in From, now that it has its
    end."""
    # In a separate transaction, after the mail's: a deadline that looked before saw the mail unjudged, and
    # is in the clockwork by now; one that looks later sees its end.
    with store.begin() as session:
        games = records.games_of_senders(session, senders)
        phases = session.execute(select(PhaseRow.id, PhaseRow.state).where(
            PhaseRow.game_id.in_(games), PhaseRow.state.in_([PhaseState.OPEN, PhaseState.CLOSED]),
            PhaseRow.deadline <= clock.now())).all() if games else []
        for phase_id, state in phases:
            if state == PhaseState.OPEN:
                phase_looks.call_back(session, phase_id, clock.now())
    for phase_id, state in phases:
        if state == PhaseState.CLOSED:
            judge_when_read(store, phase_id, clock, load)


def _is_unasked(session: Session, phase: PhaseRow, load: Load) -> bool:
    """Whether a power was not asked for its orders in time, and no one decided to go on without them. Who
    waits for it is informed where the mailbox is emptied (`service.operations.mailbox_wait`)."""
    wait = mailbox_waits.standing(session, phase.id)
    if wait is not None and wait.waived_at is not None:
        return False
    return bool(unasked(session, phase, load(session.get_one(GameRow, phase.game_id).variant)))


def _must_wait(session: Session, phase: PhaseRow, mails: int, now: datetime) -> bool:
    """Whether a phase waits for so many mails in time that are stored and not judged: unless a person decided
    to go on without them."""
    wait = mailbox_waits.standing(session, phase.id)
    if wait is not None and wait.waived_at is not None:
        return False
    phase_looks.call_back(session, phase.id, now + CALLED_BACK)
    if wait is None and now - phase.deadline < SOON:
        return True
    words = f"{mails} mail{'' if mails == 1 else 's'} that came in time could not be handled yet"
    mailbox_waits.waits(session, phase, f"{words}; see Queue on the Health page.", now)
    return True


def _unjudged(session: Session, phase: PhaseRow) -> int:
    """How many mails that came in time, and may be of a player of this game, have no end yet."""
    return len(records.unjudged_mails(session, phase.game_id, phase.deadline))


def judge_when_read(store: Store, phase_id: int, clock: Clock, load: Load) -> bool:
    """Judge a closed phase if every sheet is read and no line waits for a person; whether it was judged."""
    try:
        with store.begin() as session:
            return judge_if_read(session, session.get_one(PhaseRow, phase_id), clock.now(), load)
    except Overtaken:
        return False


def judge_if_read(session: Session, phase: PhaseRow, now: datetime, load: Load) -> bool:
    """`judge_when_read`, in the caller's transaction. Raises Overtaken."""
    if phase.state not in JUDGEABLE or _waits(session, phase):
        return False
    lines = _lines_that_count(session, phase)
    if _needs_a_person(lines):
        return False
    _judge(session, phase, now, load, lines)
    return True


def judge_phase(store: Store, phase_id: int, clock: Clock, load: Load) -> Resolution:
    """Judge a closed phase, or again one that is judged and not sent yet; the resolution that was stored.

    1. Check: closed, with a position, its lots committed before the deadline.
    2. Resolve the orders of the sheets that count.
    3. Claim CLOSED or READY -> READY with the resolution, and log.
    Raises NotReady for any other state, and Overtaken when another process was faster.
    """
    with store.begin() as session:
        return _judge(session, session.get_one(PhaseRow, phase_id), clock.now(), load)


def _judge(
    session: Session, phase: PhaseRow, now: datetime, load: Load, lines: _LinesByPower | None = None
) -> Resolution:
    """`judge_phase`, in the caller's transaction. `lines`: those of the sheets that count, where they were
    read just now; results that are the same as before are not judged again then."""
    if phase.state not in JUDGEABLE or phase.position is None:
        raise NotReady("only a phase whose deadline has passed can be judged")
    # A worker that is slow is taken for dead, and its job runs in two processes at once.
    as_read = (PhaseRow.state == phase.state, PhaseRow.judged_at.is_not_distinct_from(phase.judged_at))
    lots.check_committed(session, phase)
    if sealed_lots.waits_for_beacon(phase):
        raise NotReady("its round of the public beacon, needed for the lots, has not arrived yet")
    lots.open_seed(session, phase)
    resolution, order_count = _resolve(session, phase, load, lines)
    stored = codec.dump_resolution(resolution)
    if lines is not None and phase.state == PhaseState.READY and phase.resolution == stored:
        return resolution
    claimed = records.claim(session, PhaseRow, PhaseRow.id == phase.id, *as_read,
                            state=PhaseState.READY, judged_at=now, resolution=stored)
    if not claimed:
        raise Overtaken("another process has judged this phase or moved it on")
    records.log_event(session, now, Event.PHASE_JUDGED, game_id=phase.game_id,
                      detail={"phase": str(phase_of(phase)), "orders": order_count})
    return resolution


def resolve_orders(session: Session, phase: PhaseRow, load: Load) -> tuple[Resolution, int]:
    """The resolution of the sheets that count at present, and the number of their orders. Writes nothing, so
    a dry run and the real run use it alike. Raises NotReady if the phase has no position yet."""
    return _resolve(session, phase, load, None)


def _resolve(
    session: Session, phase: PhaseRow, load: Load, lines: _LinesByPower | None
) -> tuple[Resolution, int]:
    if phase.position is None:
        raise NotReady("the results of the phase before are not approved yet")
    game = session.get_one(GameRow, phase.game_id)
    variant = as_played(load(game.variant), options_of(game))
    written = _written(phase, variant, _lines_that_count(session, phase) if lines is None else lines)
    tape = lots.tape_of(session, phase, variant.rules.LOTS)
    orders = [written_order.order for written_order in written]
    position = codec.load_position(phase.position)
    return judge(variant.context(), variant.rules, position, orders, Lots(tape)), len(orders)


def written_orders(session: Session, phase: PhaseRow, variant: Variant) -> list[WrittenOrder]:
    """The orders of every sheet that counts, by power and line. Lines that are void, struck out or not an
    order give none; one line of text may give several orders."""
    return _written(phase, variant, _lines_that_count(session, phase))


def _lines_that_count(session: Session, phase: PhaseRow) -> _LinesByPower:
    """The lines of each power's sheet that counts."""
    submissions = executed(session, phase)
    lines = lines_of(session, list(submissions.values()))
    return {power: lines[submission_id] for power, submission_id in submissions.items()}


def _written(phase: PhaseRow, variant: Variant, lines: _LinesByPower) -> list[WrittenOrder]:
    # It loads the grammar, of which `galloper backup` and pages of the desk need nothing.
    from reading import vocabulary

    written = []
    for power, power_lines in lines.items():
        for line in power_lines:
            if line.order is None or line.state not in {LineState.AUTO, LineState.READ}:
                continue
            orders = vocabulary.orders_of(variant, phase_of(phase).kind, power, line.order, line.id)
            written += [WrittenOrder(order, line) for order in orders]
    return written


def hand_on(session: Session, phase: PhaseRow, resolution: Resolution, now: datetime, load: Load) -> None:
    """Give the position to the phase it is for, which requests orders from now on if its hour has come.
    Phases in between have nothing to order and end (CAL-17); when the game is over, all later phases end."""
    game = session.get_one(GameRow, phase.game_id)
    variant = as_played(load(game.variant), options_of(game))
    if _ends_game(session, game, phase, resolution, variant):
        session.execute(update(PhaseRow).where(
            PhaseRow.game_id == game.id, PhaseRow.ordinal > phase.ordinal).values(state=PhaseState.SENT))
        return
    extend_calendar(session, game, variant)
    following = _following(session, phase, resolution)
    assert following is not None
    session.execute(update(PhaseRow).where(
        PhaseRow.game_id == game.id, PhaseRow.ordinal > phase.ordinal, PhaseRow.ordinal < following.ordinal,
    ).values(state=PhaseState.SENT, closed_at=now))
    following.position = codec.dump_position(resolution.position)
    session.flush()
    if following.opens_at <= now:
        records.claim_phase(session, following.id, PhaseState.WAITING, PhaseState.OPEN)


def phase_that_follows(
    session: Session, phase: PhaseRow, resolution: Resolution, load: Load
) -> PhaseRow | None:
    """The phase that is asked for orders once the results of `phase` are sent; None where the game ends with
    them."""
    game = session.get_one(GameRow, phase.game_id)
    variant = as_played(load(game.variant), options_of(game))
    if _ends_game(session, game, phase, resolution, variant):
        return None
    return _following(session, phase, resolution)


def _ends_game(
    session: Session, game: GameRow, phase: PhaseRow, resolution: Resolution, variant: Variant
) -> bool:
    is_drawn = resolution.draw_open_to is not None and variant.rules.draw_ends_game()
    return bool(resolution.winner is not None or resolution.joint or is_drawn
                or draw_votes.ends_here(session, game, phase))


def _following(session: Session, phase: PhaseRow, resolution: Resolution) -> PhaseRow | None:
    return next((row for row in records.phases(session, phase.game_id)
                 if row.ordinal > phase.ordinal and phase_of(row) == resolution.position.phase), None)


def extend_calendar(session: Session, game: GameRow, variant: Variant) -> None:
    """Keep `AHEAD` phases on the calendar after the one in play, each with its window and the
    commitment to its lots."""
    rows = records.phases(session, game.id)
    sent_count = sum(row.state == PhaseState.SENT for row in rows)
    wanted_count = sent_count + 1 + AHEAD
    if len(rows) >= wanted_count:
        return
    windows = clock_of(options_of(game)).windows(variant.calendar, variant.start.phase, wanted_count)
    shift = _shift(rows[-1], windows[len(rows) - 1]) if rows else timedelta()
    for ordinal, window in enumerate(windows[len(rows):], start=len(rows) + 1):
        row = PhaseRow(
            game_id=game.id, ordinal=ordinal, year=window.phase.year, season=window.phase.season,
            kind=window.phase.kind.value, state=PhaseState.WAITING, review=options_of(game).review,
            opens_at=window.opens + shift, deadline=window.deadline + shift,
        )
        sealed_lots.seal(session, row, game)
        session.add(row)
    session.flush()


def _shift(last: PhaseRow, planned: PhaseWindow) -> timedelta:
    """By how much the whole calendar was moved, seen at its last row."""
    # A deadline that was moved alone leaves the instant at which its own phase opens, and the one at which
    # its retreats close. So the shift is read from these.
    if last.kind == PhaseKind.RETREAT:
        return last.deadline - planned.deadline
    return last.opens_at - planned.opens


def is_incomplete(session: Session, phase: PhaseRow) -> bool:
    """Whether a mail in time is unjudged, a sheet unread, a line of a sheet that counts waits for a person,
    or the lots wait for the beacon."""
    return _waits(session, phase) or _needs_a_person(_lines_that_count(session, phase))


def _waits(session: Session, phase: PhaseRow) -> bool:
    if sealed_lots.waits_for_beacon(phase):
        return True
    unread = session.scalar(select(func.count()).select_from(SubmissionRow).where(
        SubmissionRow.phase_id == phase.id, SubmissionRow.read_at.is_(None)))
    return bool(unread or _unjudged(session, phase))


def _needs_a_person(lines: _LinesByPower) -> bool:
    return any(line.needs_a_person for power_lines in lines.values() for line in power_lines)
