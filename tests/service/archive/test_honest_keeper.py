"""TRU-01: an honest keeper is never accused, whatever the game goes through (letters of all players, both
editions, both checkers), and no character of a reason breaks a record (TRU-08)."""

from __future__ import annotations

import contextlib
import random
import sys
import unicodedata
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from service import scheduler
from service.games import lots
from service.games.acts.act import perform
from service.games.acts.deadlines import MoveDeadline
from service.games.acts.phases import JudgeWithoutMailbox, RollBack
from service.games.acts.results import CorrectBoard, TakeBackResults
from service.games.acts.sheets import ChooseSheet, RefuseSheet
from service.games.approval.approve import AnswerBy, time_to_answer
from service.games.decisions import Decision, ReviewAction, file, own_lines
from service.games.refused import Refused
from service.games.turns import NotReady
from service.games.written_board import written_board
from service.mail.mailbox.drain import DrainOutcome
from service.operations.mailbox_wait import MailboxWait
from service.store import records
from service.store.letter_parts import message_of
from service.store.tables import LineState, OutboxRow, OutboxState, PhaseRow, PhaseState, SubmissionRow
from tests.service.archive.cheats import on_clock
from tests.support import keeper
from tests.support.acting import at, do, enter
from tests.support.features import of_features
from tests.support.keeper import OTHER, SHORT, VICTIM, mailed, recognize
from tests.support.table import Table, address

Act = Callable[[Table, random.Random], None]
WHY = "The coordinator was ill."


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("game")
    keeper.start(folder)
    return folder


def _another_version(table: Table, chance: random.Random) -> None:
    row, now = keeper.in_play(table), table.site.clock.now()
    power, phase = chance.choice(keeper.PLAYERS), keeper.phase_of_row(row)
    if row.opens_at <= now < row.deadline - timedelta(hours=1):
        version = 1 + max((s.version or 0 for s in table.submissions() if s.power == power), default=0)
        raw = mailed(power, version, chance.randrange(300, 30_000), now, phase=phase)
        table.take(raw, now)
        newest = table.submissions()[-1]
        if newest.read_at is None:
            recognize(table, newest.id, doubtful=chance.random() < 0.5)


def _late_version(table: Table, chance: random.Random) -> None:
    row = keeper.in_play(table)
    if row.state == PhaseState.OPEN:
        late = row.deadline + timedelta(minutes=20)
        table.site.clock.set(late)
        table.take(mailed(OTHER, 50, chance.randrange(300, 30_000), late), late)


def _word(table: Table, _chance: random.Random) -> None:
    row, now = keeper.in_play(table), table.site.clock.now()
    if row.state == PhaseState.OPEN and now < row.deadline:
        with table.site.store.begin() as session:
            phase = session.get_one(PhaseRow, row.id)
            lots.add_word(session, phase, SHORT, "heather", now, mail=None, by="Ada")


def _choose_or_refuse(table: Table, chance: random.Random) -> None:
    row = keeper.in_play(table)
    if row.state not in {PhaseState.CLOSED, PhaseState.READY}:
        return
    with table.site.store.begin() as session:
        in_time = [each for each in records.submissions(session, row.id) if each.received_at <= row.deadline]
        if in_time:
            sheet = session.get_one(SubmissionRow, chance.choice(in_time).id)
            act = chance.choice((ChooseSheet, RefuseSheet))
            perform(act(sheet.id, "the player asked for it"), at(session, table))


def _rolled_back(table: Table, _chance: random.Random) -> None:
    row = keeper.in_play(table)
    if row.state == PhaseState.READY:
        do(table, RollBack(table.game, row.id, "a line was read wrongly"))


def _taken_back(table: Table, chance: random.Random) -> None:
    """Results that were sent are taken back; half of the time those before others that were sent."""
    sent = [row for row in table.phases() if row.state == PhaseState.SENT and row.resolution is not None]
    if sent:
        row = sent[-1] if chance.random() < 0.5 else sent[0]
        take_back(table, row.id)


def take_back(table: Table, phase_id: int) -> None:
    """Take the results of a phase back, and inform everybody."""
    do(table, TakeBackResults(phase_id, WHY), by="Ada", circulars=keeper.broadcasts(table))


def correct_board(table: Table) -> None:
    """Take a unit off the board that is in play, and inform everybody."""
    row = keeper.in_play(table)
    units, centres = written_board(table.variant, table.position(row.ordinal))
    fewer = units.partition("\n")[2]
    do(table, CorrectBoard(row.id, fewer, centres, WHY), by="Ada", circulars=keeper.broadcasts(table))


def _board_corrected(table: Table, _chance: random.Random) -> None:
    if keeper.in_play(table).position is not None:
        correct_board(table)


def _when_open(act: Callable[[Table], None]) -> Act:
    def play(table: Table, _chance: random.Random) -> None:
        row = keeper.in_play(table)
        if row.state == PhaseState.OPEN and table.site.clock.now() < row.deadline:
            act(table)

    return play


def _option(table: Table, _chance: random.Random) -> None:
    on_clock.option_changed(table)


def _seat(table: Table, _chance: random.Random) -> None:
    with table.site.store() as session:
        players = set(records.seats(session, table.game).values())
    if len(players) == len(keeper.PLAYERS):
        on_clock.seat_given(table)


def _played_on(table: Table, _chance: random.Random) -> None:
    keeper.go_on(table)


ACTS: tuple[Act, ...] = (
    _another_version, _late_version, _word, _choose_or_refuse, _rolled_back, _taken_back,
    _board_corrected, _option, _seat,
    _when_open(on_clock.moved), _when_open(on_clock.unsealed), _played_on,
    *of_features("KEEPER_ACTS").values(),
)
REFUSALS = (NotReady, Refused)
"""The program's own "no": nothing was changed."""


def accusations(saved: Path, folder: Path, seed: int) -> list[str]:
    """What the checkers accuse an honest keeper of: a game from the seed's stage, with acts by chance."""
    chance = random.Random(seed)
    stage = keeper.STAGES[seed % len(keeper.STAGES)]
    with keeper.opened(folder / "site", saved / stage) as table:
        for act in chance.choices(ACTS, k=chance.randrange(1, 5)):
            if chance.random() < 0.5:
                table.site.clock.set(table.site.clock.now() + timedelta(minutes=chance.randrange(1, 300)))
            with contextlib.suppress(*REFUSALS):
                act(table, chance)
        # A mail in quarantine keeps the results from leaving; what is on record then must be sound too.
        with contextlib.suppress(NotReady):
            if chance.random() < 0.8:
                keeper.go_on(table)
        shown = keeper.evidence(table)
    checkers = (keeper.galloper(folder / "galloper"), keeper.independent(folder / "tool"))
    return [f"seed {seed}, {stage}: {alarm}" for archive in (shown.whole, shown.players) for check in checkers
            if (alarm := check(archive, shown.shown(keeper.PLAYERS))[0])]


@pytest.mark.parametrize("seed", [
    2, 4, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (0, 1, 3, 5))])
def test_an_honest_keeper_is_not_accused(saved: Path, tmp_path: Path, seed: int) -> None:
    assert accusations(saved, tmp_path, seed) == []


def _put_right(table: Table, ahead: timedelta) -> None:
    """The clock was fast, and is set back while the program runs."""
    before = table.site.clock.now()
    table.site.clock.set(before - ahead)
    scheduler.note_set_back(table.site.store, before, table.site.clock.now())


def _sheet_now(table: Table, version: int) -> None:
    now = table.site.clock.now()
    table.take(mailed(VICTIM, version, 500 + version, now), now)
    recognize(table, table.submissions()[-1].id, moved=True, doubtful=False)


def _closed_by_a_fast_clock(table: Table) -> None:
    row = keeper.in_play(table)
    table.site.clock.set(row.deadline + timedelta(minutes=1))
    table.close_phase(row.id)
    _put_right(table, timedelta(minutes=11))
    # In time by the mail server's clock, though the phase is closed.
    _sheet_now(table, 3)


def _put_back_over_a_deadline(table: Table) -> None:
    row = keeper.in_play(table)
    table.site.clock.set(row.deadline - timedelta(hours=1))
    _sheet_now(table, 3)
    table.site.clock.set(row.deadline + timedelta(hours=1))
    table.take(mailed(OTHER, 4, 600, table.site.clock.now()), table.site.clock.now())
    _put_right(table, timedelta(hours=3))
    _sheet_now(table, 5)
    # The mail server's clock is right, and the site's is behind now.
    late = row.deadline + timedelta(hours=1, minutes=5)
    table.take(mailed(OTHER, 6, 601, late), late)


@pytest.mark.slow
@pytest.mark.parametrize("play", [_closed_by_a_fast_clock, _put_back_over_a_deadline])
def test_who_sets_a_wrong_clock_is_not_accused(
    saved: Path, tmp_path: Path, play: Callable[[Table], None]
) -> None:
    """TRU-12: a jump of the clock over a deadline, while the program runs, is entered and named in
    results."""
    with keeper.opened(tmp_path / "site", saved / "sheets") as table:
        play(table)
        keeper.go_on(table)
        shown = keeper.evidence(table)
    results = next(data for name, data in sorted(shown.letters[VICTIM].items()) if "results" in name
                   and b"set back" in data)
    assert results
    for check in (keeper.galloper(tmp_path / "galloper"), keeper.independent(tmp_path / "tool")):
        for archive in (shown.whole, shown.players):
            assert check(archive, shown.shown(keeper.PLAYERS))[0] == ""


@pytest.mark.slow
def test_who_was_away_and_opens_a_phase_again_is_not_accused(saved: Path, tmp_path: Path) -> None:
    """PHA-01: results leave a month late, the next letter to a player never leaves, and the coordinator first
    goes on without her and then opens the phase again."""
    with keeper.opened(tmp_path / "site", saved / "ready") as table:
        row, clock = keeper.in_play(table), table.site.clock
        clock.set(clock.now() + timedelta(days=30))
        with pytest.raises(NotReady, match="Choose a deadline"):
            table.approve_phase(row.id, "Ada")
        with table.site.store() as session:
            answer = time_to_answer(session, session.get_one(PhaseRow, row.id), table.load, clock.now())
        assert answer is not None
        table.approve_phase(row.id, "Ada", AnswerBy(answer.proposed, WHY))
        with table.site.store.begin() as session:
            session.execute(update(OutboxRow).where(OutboxRow.power == VICTIM, OutboxRow.phase_id == row.id)
                            .values(state=OutboxState.FAILED, sent_at=None))
        following = keeper.in_play(table)
        table.open_phase(following.id)
        clock.set(following.deadline + timedelta(minutes=2))
        waits = MailboxWait(table.site.store, clock, table.writer, DrainOutcome)
        assert waits.must_wait(following.id)
        do(table, JudgeWithoutMailbox(table.game, following.id, WHY), by="Ada")
        table.close_phase(following.id)
        assert table.phase(following.ordinal).state == PhaseState.READY
        clock.set(clock.now() + timedelta(hours=1))
        later = clock.now() + timedelta(days=3)
        again = MoveDeadline(
            table.game, following.id, f"{later:%Y-%m-%d}", f"{later:%H:%M}", WHY, later=True)
        do(table, again, by="Ada", circulars=keeper.broadcasts(table))
        assert table.phase(following.ordinal).state == PhaseState.OPEN
        with table.site.store.begin() as session:
            session.execute(update(OutboxRow).where(OutboxRow.state == OutboxState.FAILED)
                            .values(state=OutboxState.SENT, sent_at=clock.now()))
        keeper.go_on(table)
        shown = keeper.evidence(table)
    for check in (keeper.galloper(tmp_path / "galloper"), keeper.independent(tmp_path / "tool")):
        for archive in (shown.whole, shown.players):
            assert check(archive, shown.shown(keeper.PLAYERS))[0] == ""


@pytest.mark.slow
def test_who_takes_results_back_and_judges_again_is_not_accused(saved: Path, tmp_path: Path) -> None:
    """PHA-04: results are taken back after those of the next phase were sent too, a line is read otherwise,
    and both are judged and sent again. Then a unit is put where it
    should be. The checkers find nothing wrong at any time, also in earlier letters."""
    checks = (keeper.galloper(tmp_path / "galloper"), keeper.independent(tmp_path / "tool"))
    with keeper.opened(tmp_path / "site", saved / "ready") as table:
        keeper.go_on(table)
        first, now = keeper.in_play(table), table.site.clock.now()
        table.take(mailed(VICTIM, 1, 4000, now, phase=keeper.phase_of_row(first)), now)
        sheet = table.submissions()[-1].id
        recognize(table, sheet, moved=True, doubtful=False)
        keeper.go_on(table, 2)
        following = [row for row in table.phases() if row.resolution is not None][-1]
        before = table.resolution(first.ordinal)
        take_back(table, first.id)
        assert [table.phase(row.ordinal).state for row in (first, following)] == ["closed", "waiting"]
        shown = [keeper.evidence(table)]
        act = ReviewAction("again", first.id, "Ada", table.site.clock.now())
        with table.site.store.begin() as session:
            line = next(line for line in own_lines(session, sheet) if line.order is not None)
            file(session, act, [Decision(line.id, LineState.VOID, "unread")])
        table.judge_phase(first.id)
        assert table.resolution(first.ordinal) != before
        table.approve_however_late(first.id, "Ada")
        shown.append(keeper.evidence(table))
        correct_board(table)
        keeper.go_on(table, 2)
        shown.append(keeper.evidence(table))
        letters = [message_of(table.site.blobs, row) for row in table.letters()
                   if row.kind == "final_results" and row.phase_id == first.id
                   and row.recipient == address(VICTIM)]
    assert ["corrected" in letter["subject"] for letter in letters] == [False, True]
    text = letters[1].get_body(("plain",))
    assert text is not None
    assert "Montrose: no order; before: Army Atholl holds." in " ".join(text.get_content().split())
    for evidence in shown:
        for check in checks:
            for archive in (evidence.whole, evidence.players):
                assert check(archive, evidence.shown(keeper.PLAYERS))[0] == ""


def test_no_character_of_a_reason_breaks_a_record(saved: Path, tmp_path: Path) -> None:
    """Each character that `str.splitlines` breaks a line at, and each other of its kinds: C1 controls, line
    and paragraph separators (Unicode 15, 5.8)."""
    breaks = [character for number in range(sys.maxunicode + 1)
              if not 0xD800 <= number <= 0xDFFF
              and (unicodedata.category(character := chr(number)) in {"Zl", "Zp"} or 0x80 <= number <= 0x9F
                   or len(f"a{character}b".splitlines()) > 1)]
    assert {"\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"} <= set(breaks)
    with keeper.opened(tmp_path / "site", saved / "spring") as table:
        with table.site.store.begin() as session:
            for character in breaks:
                enter(session, table.site.clock.now(), "Ada", "looked", game_id=table.game,
                      detail={"why": f"because{character}of this"})
        shown = keeper.evidence(table)
    for check in (keeper.galloper(tmp_path / "galloper"), keeper.independent(tmp_path / "tool")):
        for archive in (shown.whole, shown.players):
            assert check(archive, shown.shown((VICTIM,)))[0] == ""
