"""Cheats with the clock, the seal, options, seats, lots, and with the log."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from service.facts.options import YES_OR_NO
from service.games import lots
from service.games.acts.deadlines import MoveDeadline
from service.games.acts.games import ChangeOption
from service.games.acts.phases import RollBack, Unseal
from service.games.acts.results import CorrectBoard, TakeBackResults
from service.games.acts.seats import GiveSeat, Holder
from service.games.written_board import written_board
from service.notices.broadcasts import Broadcasts
from service.store.tables import GameRow, PhaseRow
from tests.service.archive.cheats.table import (
    AFTER,
    BEFORE,
    KEEPER,
    OPERATOR,
    PLAYER,
    WITH_PLAYER,
    Cheat,
    Impossible,
    Play,
    sql,
)
from tests.support import keeper
from tests.support.acting import do
from tests.support.keeper import OTHER, SHORT, VICTIM, mailed, recognize
from tests.support.table import Table

SPRING = 2
"""The number of the phase in which the sheets are."""


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")


def _deadline(hours: int, *, late_sheet: bool = False) -> Play:
    """The deadline of the phase in play, moved by hand by some hours from now."""

    def play(table: Table) -> None:
        row = keeper.in_play(table)
        if late_sheet:
            table.site.clock.set(row.deadline + timedelta(hours=2))
        moment = table.site.clock.now() + timedelta(hours=hours)
        sql(f"UPDATE phases SET deadline = '{_stamp(moment)}' WHERE id = {row.id}")(table)
        if late_sheet:
            table.take(mailed(OTHER, 2, 160, table.site.clock.now()), table.site.clock.now())
            recognize(table, table.submissions()[-1].id, moved=True)

    return play


def _closed_early(table: Table) -> None:
    sql(f"UPDATE phases SET state = 'closed' WHERE id = {keeper.in_play(table).id}")(table)


def _move(table: Table, circulars: Broadcasts | None) -> None:
    row = keeper.in_play(table)
    day = (row.deadline + timedelta(days=2)).date().isoformat()
    do(table, MoveDeadline(table.game, row.id, day, "", "for a friend", later=True), circulars=circulars)


def moved(table: Table) -> None:
    """The coordinator's own act, with its letters."""
    _move(table, keeper.broadcasts(table))


def _moved_in_silence(table: Table) -> None:
    _move(table, None)


def unsealed(table: Table) -> None:
    """The coordinator's own act: the sheets are opened before the deadline, with a reason."""
    do(table, Unseal(keeper.in_play(table).id, "I wanted to know what they plan"))


def _unsealed_and_forgotten(table: Table) -> None:
    unsealed(table)
    sql("UPDATE phases SET unsealed_at = NULL, unsealed_by = NULL, unsealed_why = NULL",
        "DELETE FROM events WHERE what = 'phase_unsealed'")(table)


def _judged_again(table: Table) -> None:
    sql(f"UPDATE phases SET state = 'closed' WHERE id = {SPRING}")(table)
    table.site.clock.set(table.site.clock.now() + timedelta(hours=1))
    table.judge_phase(SPRING)
    sql(f"UPDATE phases SET state = 'sent' WHERE id = {SPRING}")(table)


def _taken_back(table: Table) -> None:
    sql(f"UPDATE phases SET state = 'closed', resolution = NULL, judged_at = NULL WHERE id = {SPRING}")(table)


def _rolled_back(table: Table) -> None:
    do(table, RollBack(table.game, SPRING, "let us see what else comes"))


class _Silent(Broadcasts):
    """A door of letters that writes no announcement."""

    def results_taken_back(self, *_told: object) -> int:
        return 0

    def board_corrected(self, *_told: object) -> int:
        return 0


def results_taken_back(table: Table) -> None:
    """The coordinator's own act: results that were sent are judged again."""
    do(table, TakeBackResults(SPRING, "I would read a line otherwise"), circulars=keeper.broadcasts(table))


def _taken_back_in_silence(table: Table) -> None:
    do(table, TakeBackResults(SPRING, "I would read a line otherwise"), circulars=_Silent(table.writer))


def _sent_anew_to_some(table: Table) -> None:
    results_taken_back(table)
    keeper.go_on(table)
    sql(f"UPDATE outbox SET state = 'cancelled' WHERE power = '{VICTIM}' AND key LIKE '%/again-%'")(table)


def _board_corrected_in_silence(table: Table) -> None:
    row = keeper.in_play(table)
    units, centres = written_board(table.variant, table.position(row.ordinal))
    do(table, CorrectBoard(row.id, units.partition("\n")[2], centres, "a unit too many"),
       circulars=_Silent(table.writer))


def option_changed(table: Table) -> None:
    """The coordinator's own act: one option of the game is changed."""
    with table.site.store() as session:
        name = next(iter(YES_OR_NO))
        text = "no" if session.get_one(GameRow, table.game).options.get(name, False) else "yes"
    do(table, ChangeOption(table.game, name, text, "because it suits me"))


def seat_given(table: Table) -> None:
    """The coordinator's own act: a seat passes to another player."""
    do(table, GiveSeat(table.game, OTHER, Holder("Mallory", "Europe/London", ("mallory@friends.example",)),
                       "an old friend of mine"))


def _word_behind(table: Table) -> None:
    """The same after the deadline, into the table, with an arrival from before."""
    row = keeper.in_play(table)
    arrival = row.deadline - timedelta(hours=1)
    table.site.clock.set(row.deadline + timedelta(minutes=5))
    with table.site.store.begin() as session:
        phase = session.get_one(PhaseRow, row.id)
        lots.add_word(session, phase, SHORT, "heather", arrival, mail=None, by="Ada")


def _word_changed(table: Table) -> None:
    row = keeper.in_play(table)
    with table.site.store.begin() as session:
        phase = session.get_one(PhaseRow, row.id)
        lots.add_word(session, phase, SHORT, "heather", row.opens_at, mail=None, by="Ada")
    sql("UPDATE lot_words SET word = 'thistle'")(table)


CHEATS = (
    Cheat("the deadline is moved to now by hand", KEEPER, BEFORE, "sheets", _deadline(0), "C10"),
    Cheat("the deadline is moved on by hand", KEEPER, BEFORE, "sheets", _deadline(1000), "C10"),
    Cheat("the deadline is moved for a late sheet", WITH_PLAYER, BEFORE, "sheets",
          _deadline(3, late_sheet=True), "C10"),
    Cheat("a phase opens at another time", KEEPER, BEFORE, "sheets",
          sql("UPDATE phases SET opens_at = '2027-03-01 00:00:00.000000' WHERE ordinal = 4"), "C10"),
    Cheat("the deadline is moved, and only results tell", KEEPER, BEFORE, "sheets", moved, "C15",
          is_named=True),
    Cheat("the deadline is moved, and no letter is written", KEEPER, BEFORE, "sheets", _moved_in_silence,
          "C10"),
    Cheat("a phase is closed before its deadline", KEEPER, BEFORE, "sheets", _closed_early, "C9"),
    Cheat("the sheets are opened early, with a reason", KEEPER, BEFORE, "sheets", unsealed, "C15",
          is_named=True),
    Cheat("the sheets are opened early, and that is deleted", KEEPER, BEFORE, "sheets",
          _unsealed_and_forgotten, "C9"),
    Cheat("the judging is taken back by hand", KEEPER, BEFORE, "ready", _taken_back, "C9"),
    Cheat("the judging is rolled back at the desk", KEEPER, BEFORE, "ready", _rolled_back, "C15",
          is_named=True),
    Cheat("a phase is judged again after its results", KEEPER, AFTER, "sent", _judged_again, "C9"),
    Cheat("the judging is taken back after its results", KEEPER, AFTER, "sent",
          sql(f"UPDATE phases SET resolution = NULL, judged_at = NULL WHERE id = {SPRING}"), "C9"),
    Cheat("results that were sent are taken back", KEEPER, AFTER, "sent", results_taken_back, "C15",
          is_named=True),
    Cheat("results are taken back, and no letter is written", KEEPER, AFTER, "sent", _taken_back_in_silence,
          "C15"),
    Cheat("results are sent again, but not to all", KEEPER, AFTER, "sent", _sent_anew_to_some, "C15"),
    Cheat("the board is corrected, and no letter is written", KEEPER, AFTER, "sent",
          _board_corrected_in_silence, "C15"),
    Cheat("an option is changed at the desk", KEEPER, BEFORE, "sheets", option_changed, "C15", is_named=True),
    Cheat("the first sheet counts, by hand", KEEPER, BEFORE, "closed",
          sql("UPDATE games SET options = json_set(options, '$.first_counts', json('true'))"), "C13"),
    Cheat("a house rule is changed by hand", KEEPER, BEFORE, "closed",
          sql("UPDATE games SET options = json_set(options, '$.house_rules.supply_sent', 'all')"), "C13"),
    Cheat("how many people read a line is changed by hand", KEEPER, BEFORE, "sheets",
          sql("UPDATE phases SET review = 'doubtful' WHERE ordinal = 4"), "C13"),
    Cheat("a seat is given away by hand", KEEPER, BEFORE, "sheets",
          sql(f"UPDATE seats SET player_id = (SELECT player_id FROM seats WHERE power = '{VICTIM}') "
              f"WHERE power = '{OTHER}'"), "C13"),
    Cheat("a seat is given to a friend at the desk", KEEPER, BEFORE, "sheets", seat_given, "C15",
          is_named=True),
    Cheat("a word for the lots is entered after the deadline", WITH_PLAYER, BEFORE, "winter", _word_behind,
          "C19"),
    Cheat("a word for the lots is exchanged", KEEPER, BEFORE, "winter", _word_changed, "C17"),
    Cheat("an event of the log is deleted", KEEPER, AFTER, "sent",
          sql("DELETE FROM events WHERE what = 'phase_judged'"), "C17"),
    Cheat("an event of the log is changed", KEEPER, AFTER, "sent",
          sql("UPDATE events SET actor = 'nobody' WHERE what = 'results_approved'"), "C17"),
    Cheat("a letter is deleted", KEEPER, AFTER, "sent",
          sql("DELETE FROM outbox WHERE kind = 'final_results'"), "C17"),
)

IMPOSSIBLE = (
    Impossible("a mail is swallowed before the mailbox", OPERATOR,
               "nothing of it is on record; a player without a receipt asks"),
    Impossible("a mail is deleted from the mailbox before it is fetched", OPERATOR, "the same"),
    Impossible("the operator reads the sheets in the database or on the disk", OPERATOR,
               "reading leaves no trace"),
    Impossible("the keeper tells a player what others ordered", WITH_PLAYER,
               "words between two people leave no trace"),
    Impossible("a player gives two versions to two readers of her own letters", PLAYER,
               "her letters are hers"),
    Impossible("a player sends orders for a friend under the friend's address", PLAYER,
               "who holds a mailbox is its owner; the mail server's proof is all there is"),
)
