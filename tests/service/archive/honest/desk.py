"""What people decide at the desk: lines, by one reader or two, sheets, and mails in quarantine."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from sqlalchemy.orm import Session

from service.desk import queries
from service.facts.options import ReviewMode
from service.games import decisions
from service.games.acts.act import perform
from service.games.acts.lines import AddLine
from service.games.acts.phases import RollBack, Unseal
from service.games.acts.sheets import (
    ChooseSheet,
    LeaveToRule,
    RefileSheet,
    RefuseSheet,
    TakeRefusalBack,
    other_powers,
)
from service.games.approval.papers import unsettled_papers
from service.games.ballots import executed
from service.games.decisions import Decision, ReviewAction
from service.games.lines import SettledLine, lines_of
from service.intake.quarantine import DiscardMail, TakeMailBack
from service.store import records
from service.store.tables import LineState, PhaseRow, PhaseState, SubmissionRow
from tests.service.archive.honest.game import COORDINATORS, REASON, HonestGame
from tests.service.archive.honest.sheets import canonical_order
from tests.support.acting import at, do
from tests.support.features import of_features

AT_THE_DESK = frozenset({PhaseState.CLOSED, PhaseState.READY})


def _lines(game: HonestGame, phase_id: int) -> list[SettledLine]:
    with game.site.store() as session:
        phase = session.get_one(PhaseRow, phase_id)
        by_sheet = lines_of(session, list(executed(session, phase).values()))
    return [line for lines in by_sheet.values() for line in lines]


def _decide(game: HonestGame, phase_id: int, by: str, decision: Decision) -> None:
    game.moves_at_desk += 1
    with game.site.store.begin() as session:
        decisions.file(session, ReviewAction(f"act-{game.moves_at_desk}", phase_id, by, game.now), [decision])


def decide_open_lines(game: HonestGame) -> None:
    """Every line that waits is settled: by one person, by two who agree, or by a third where they differ."""
    row = game.phase()
    if row is None or row.state not in AT_THE_DESK:
        return
    readers = COORDINATORS[:1] if row.review == ReviewMode.NONE else COORDINATORS[:2]
    for _ in range(3):
        for line in _lines(game, row.id):
            if not line.needs_a_person:
                continue
            game.wait(timedelta(seconds=game.chance.randrange(20, 200)))
            state = game.chance.choice((LineState.NOT_ORDER, LineState.VOID))
            for reader in readers:
                differs = reader == "Ben" and game.chance.random() < 0.2
                verdict = LineState.VOID if differs else state
                _decide(game, row.id, reader, Decision(line.id, verdict, "A Nowhere H"))
            if len(readers) == 2:
                _decide(game, row.id, "Cleo", Decision(line.id, state, "A Nowhere H", settles=True))


def decides_a_sure_line(game: HonestGame) -> None:
    """A person reads a sure line otherwise, or calls it no order."""
    row = game.phase()
    if row is None or row.state not in AT_THE_DESK:
        return
    live = [line for line in _lines(game, row.id) if line.state == LineState.AUTO and line.order]
    if live and row.state == PhaseState.CLOSED:
        line = game.chance.choice(live)
        order = line.order or ""
        decision = game.chance.choice((Decision(line.id, LineState.NOT_ORDER, ""),
                                       Decision(line.id, LineState.READ, order, order)))
        _decide(game, row.id, game.chance.choice(COORDINATORS), decision)


def undoes(game: HonestGame) -> None:
    """The last act of a person is taken back, and perhaps made again."""
    row = game.phase()
    if row is None or row.state != PhaseState.CLOSED:
        return
    by = game.chance.choice(COORDINATORS)
    game.moves_at_desk += 1
    with game.site.store.begin() as session:
        decisions.undo(session, ReviewAction(f"undo-{game.moves_at_desk}", row.id, by, game.now))
    if game.chance.random() < 0.5:
        game.wait(timedelta(minutes=game.chance.randrange(1, 9)))
        with game.site.store.begin() as session:
            decisions.redo(session, ReviewAction(f"redo-{game.moves_at_desk}", row.id, by, game.now))


def adds_a_line(game: HonestGame) -> None:
    """A line that the machine missed is read by a person."""
    row = game.phase()
    if row is None or row.state != PhaseState.CLOSED:
        return
    with game.site.store.begin() as session:
        phase = session.get_one(PhaseRow, row.id)
        sheets = sorted(executed(session, phase).items())
        if not sheets or phase.position is None:
            return
        power, number = game.chance.choice(sheets)
        units = sorted(unit for unit in game.table.position(row.ordinal).units if unit.power == power)
        page = records.pages(session, number)[0]
        order = None
        if units and row.kind == "movement":
            order = canonical_order(game, power, f"{units[-1].kind} {units[-1].region} H")
        game.moves_at_desk += 1
        perform(AddLine(number, page.id, f"line-{game.moves_at_desk}",
                        [[100, 900], [700, 900], [700, 940], [100, 940]], -1, order or "nothing to be done",
                        order), at(session, game.table, now=game.now))


def _on_a_sheet(act: Callable[[Session, PhaseRow, SubmissionRow, HonestGame], None]) -> Callable[
    [HonestGame], None
]:
    def play(game: HonestGame) -> None:
        row = game.phase()
        if row is None or row.state not in AT_THE_DESK:
            return
        with game.site.store.begin() as session:
            sheets = records.submissions(session, row.id)
            if sheets:
                sheet = session.get_one(SubmissionRow, game.chance.choice(sheets).id)
                act(session, session.get_one(PhaseRow, row.id), sheet, game)

    play.__name__ = act.__name__
    return play


def choose(session: Session, phase: PhaseRow, sheet: SubmissionRow, game: HonestGame) -> None:
    perform(ChooseSheet(sheet.id, REASON), at(session, game.table, now=game.now))


def refuse(session: Session, phase: PhaseRow, sheet: SubmissionRow, game: HonestGame) -> None:
    perform(RefuseSheet(sheet.id, REASON), at(session, game.table, "Ben", now=game.now))


def take_refusal_back(session: Session, phase: PhaseRow, sheet: SubmissionRow, game: HonestGame) -> None:
    perform(TakeRefusalBack(sheet.id), at(session, game.table, now=game.now))


def leave_to_rule(session: Session, phase: PhaseRow, sheet: SubmissionRow, game: HonestGame) -> None:
    perform(LeaveToRule(sheet.id, REASON), at(session, game.table, now=game.now))


def refile(session: Session, phase: PhaseRow, sheet: SubmissionRow, game: HonestGame) -> None:
    others = other_powers(session, phase, sheet)
    if others:
        perform(RefileSheet(sheet.id, others[0], REASON), at(session, game.table, now=game.now))


ON_SHEETS = tuple(_on_a_sheet(act) for act in (choose, refuse, take_refusal_back, leave_to_rule, refile))


def rolls_back(game: HonestGame) -> None:
    row = game.phase()
    if row is not None and row.state == PhaseState.READY:
        do(game.table, RollBack(game.table.game, row.id, REASON), now=game.now)


def unseals(game: HonestGame) -> None:
    row = game.phase()
    if row is not None and row.state == PhaseState.OPEN and game.now < row.deadline:
        do(game.table, Unseal(row.id, REASON), "Ben", now=game.now)


def settle_quarantine(game: HonestGame) -> None:
    """Each mail in quarantine is used by a feature, or discarded and sometimes taken back."""
    with game.site.store() as session:
        waiting = [mail.sha256 for mail in queries.quarantine(session)]
    discarded = "its sender could not be proved"
    for key in waiting:
        if not any(use(game, key) for use in of_features("HONEST_WITH_MAILS").values()):
            do(game.table, DiscardMail(key, discarded))
            if game.chance.random() > 0.5:
                do(game.table, TakeMailBack(key))
                do(game.table, DiscardMail(key, discarded))


def settle_papers(game: HonestGame) -> None:
    """Every paper that keeps the results from leaving is used or refused."""
    settle_quarantine(game)
    row = game.phase()
    if row is None:
        return
    with game.site.store.begin() as session:
        phase = session.get_one(PhaseRow, row.id)
        for sheet in records.submissions(session, row.id):
            held = session.get_one(SubmissionRow, sheet.id)
            if held.fate == "held" and held.received_at <= phase.deadline and not any(
                str(flag).startswith("refused") for flag in held.flags
            ):
                act = game.chance.choice((choose, refuse))
                act(session, phase, held, game)
                session.flush()


def papers_left(game: HonestGame, row: PhaseRow) -> bool:
    with game.site.store() as session:
        return bool(unsettled_papers(session, session.get_one(PhaseRow, row.id), game.table.variant))
