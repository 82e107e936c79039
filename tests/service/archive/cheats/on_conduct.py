"""Cheats that a stranger invented who read docs/record.md: with roles, approvals, letters that never came,
restores that never were, and rows past the triggers."""

from __future__ import annotations

import email.utils
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from service.facts.events import Event
from service.games import decisions
from service.games.acts.act import ResultsCorrection
from service.games.acts.results import CorrectResults
from service.games.decisions import Decision, ReviewAction
from service.notices.broadcasts import Broadcasts
from service.store.tables import LineState, PhaseRow, UserRow
from tests.service.archive.cheats.on_archives import _by, _of_players
from tests.service.archive.cheats.on_sheets import V1, V2
from tests.service.archive.cheats.table import (
    AFTER,
    BEFORE,
    KEEPER,
    OPERATOR,
    WITH_PLAYER,
    Chain,
    Cheat,
    Impossible,
    Play,
    sha,
    sql,
    without_triggers,
)
from tests.support import keeper
from tests.support.acting import do, enter
from tests.support.keeper import OTHER, SPRING, VICTIM, Evidence
from tests.support.table import Table, address

SPRING_NUMBER = 2


def _line(sheet: int, ordinal: int) -> str:
    return f"page_id IN (SELECT id FROM pages WHERE submission_id = {sheet}) AND ordinal = {ordinal}"


def _number_of(table: Table, sheet: int, ordinal: int) -> int:
    with table.site.engine.connect() as connection:
        return int(connection.exec_driver_sql(
            f"SELECT id FROM lines WHERE {_line(sheet, ordinal)}").scalar_one())


def _decided_once_known(table: Table) -> None:
    """The phase is judged, the coordinator sees what follows, and calls an order no order; then it is judged
    again. Each act is one of the desk."""
    line, row = _number_of(table, V2, 1), keeper.in_play(table)
    with table.site.store.begin() as session:
        decisions.file(session, ReviewAction("once-known", row.id, "Ada", table.site.clock.now()),
                       [Decision(line, LineState.NOT_ORDER, "")])
    table.judge_phase(row.id)


def _operator_decides(table: Table) -> None:
    """A person who may only run the machine decides a line."""
    row, line = keeper.in_play(table), _number_of(table, V2, 1)
    with table.site.store.begin() as session:
        session.add(UserRow(name="Oscar", password="-", role="operator", created_at=table.site.clock.now()))
    with table.site.store.begin() as session:
        decisions.file(session, ReviewAction("by-operator", row.id, "Oscar", table.site.clock.now()),
                       [Decision(line, LineState.VOID, "A Nowhere H")])


def _act_of_nobody(table: Table) -> None:
    """A sheet is chosen, with the act that belongs to it, in the name of no one who may."""
    row = keeper.in_play(table)
    with table.site.store.begin() as session:
        session.connection().exec_driver_sql(
            f"UPDATE submissions SET flags = '[\"chosen\"]' WHERE id = {V1}")
        enter(session, table.site.clock.now(), "Mallory", Event.SHEET_CHOSEN, game_id=table.game,
              detail={"phase_id": row.id, "power": VICTIM, "submission": V1, "why": "because so"})


def _sent_by_hand(table: Table) -> None:
    """The results are marked as sent past the program; no letter is written, no one approves."""
    row, sent_at = keeper.in_play(table), table.site.clock.now().strftime("%Y-%m-%d %H:%M:%S.%f")
    sql(f"UPDATE phases SET state = 'sent', sent_at = '{sent_at}' WHERE id = {row.id}")(table)
    follower = next(phase for phase in table.phases() if phase.ordinal == row.ordinal + 1)
    with table.site.store.begin() as session:
        phase = session.get_one(PhaseRow, follower.id)
        phase.position = {**(row.resolution or {})["resolution"]} and {
            "format": (row.resolution or {})["format"],
            "position": (row.resolution or {})["resolution"]["position"]}


def _closed_by_hand(table: Table) -> None:
    """The phase is closed past the program, at the right time but without emptying the mailbox."""
    row = keeper.in_play(table)
    table.site.clock.set(row.deadline + timedelta(minutes=2))
    sql(f"UPDATE phases SET state = 'closed' WHERE id = {row.id}")(table)


def _called_typed(table: Table) -> None:
    """A forged photograph is filed with a mail, and called typed, so that no one looks for it there."""
    from tests.service.archive.cheats.on_sheets import _other_photograph

    _other_photograph(table)
    sql("UPDATE submissions SET flags = '[\"typed\"]' WHERE id = (SELECT max(id) FROM submissions)")(table)


def _without_results(table: Table) -> None:
    """The letter with her results is given up before it leaves."""
    keeper.go_on(table)
    sql(f"UPDATE outbox SET state = 'cancelled' WHERE kind = 'final_results' "
        f"AND recipient = '{address(VICTIM)}' AND phase_id = {SPRING_NUMBER}")(table)


def _never_written(table: Table) -> None:
    """No results are written for her: her address is taken off while they are, and put back."""
    with table.site.engine.connect() as connection:
        number = connection.exec_driver_sql(
            f"SELECT player_id FROM addresses WHERE email = '{address(VICTIM)}'").scalar_one()
    sql(f"DELETE FROM addresses WHERE email = '{address(VICTIM)}'")(table)
    keeper.go_on(table)
    sql(f"INSERT INTO addresses (email, player_id) VALUES ('{address(VICTIM)}', {number})")(table)


def _false_restore(numbers: Callable[[int], int]) -> Play:
    """A restore that never was is entered, so that letters that do not fit are called lost."""

    def play(table: Table) -> None:
        from service.record import chain

        with table.site.store.begin() as session:
            root = chain.root(session, table.game)
            enter(session, table.site.clock.now(), "galloper restore", Event.RESTORED, game_id=table.game,
                  detail={"entries": numbers(root.number), "root": root.link})

    return play


def _corrected_in_silence(table: Table) -> None:
    """A correction is entered, and no letter is written."""
    row = table.phase(SPRING_NUMBER)
    error = ResultsCorrection("Montrose stands in Perth.", "Montrose stands in Atholl.",
                              "Nothing follows for the game.", "Argyll")
    do(table, CorrectResults(row.id, error, "key"), circulars=Broadcasts(table.writer))
    without_triggers("DELETE FROM outbox WHERE kind = 'correction'",
                     "DELETE FROM record WHERE what = 'letter' AND body LIKE '%\"correction\"%'")(table)


def _closed_entries(kind: str, **tells: object) -> Play:
    """Open entries of a kind are closed in the players' archive."""

    def close(chain: Chain) -> None:
        for entry in chain:
            body = entry.get("body")
            if body and body["what"] == kind and all(
                body["tells"].get(key) == value for key, value in tells.items()
            ):
                salt = entry.pop("salt")
                words = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
                phase = body["tells"].get("phase")
                entry["inner"] = sha(f"{salt}\n{words}".encode())
                entry["head"] = f"{kind} {phase if isinstance(phase, int) else '-'}"
                del entry["body"]

    return _by(_of_players(close))


def _came_early(shown: Evidence) -> Evidence:
    """The site's clock was put forward: her own mail server had the results before their deadline."""
    letters = {}
    for name, data in shown.letters[VICTIM].items():
        when = datetime.fromisoformat("2027-03-02T07:00:00+00:00")
        line = f"Received: from a by b; {email.utils.format_datetime(when)}\r\n".encode()
        letters[name] = line + data if "final" in name else data
    return replace(shown, letters=shown.letters | {VICTIM: letters})


def _begun_anew(table: Table) -> None:
    """The record is thrown away and begins again: each row is written as it is, so that triggers note it."""
    with table.site.engine.begin() as connection:
        for name in ("record", "record_heads", "record_due"):
            connection.exec_driver_sql(f"DELETE FROM {name}")
    with table.site.store.begin() as session:
        for statement in ("games SET name = name", "seats SET player_id = player_id",
                          "phases SET state = state"):
            session.connection().exec_driver_sql(f"UPDATE {statement}")


def _deadline_held(table: Table) -> None:
    """The deadline is moved past the triggers until a friend's late sheet is in."""
    row = keeper.in_play(table)
    late = row.deadline + timedelta(hours=2)
    without_triggers(f"UPDATE phases SET deadline = '{late + timedelta(hours=1):%Y-%m-%d %H:%M:%S.%f}' "
                     f"WHERE id = {row.id}")(table)
    table.site.clock.set(late)
    table.take(keeper.mailed(OTHER, 2, 170, late, phase=SPRING), late)
    keeper.recognize(table, table.submissions()[-1].id, moved=True)


CHEATS = (
    Cheat("a line is decided once the outcome is known", KEEPER, BEFORE, "ready", _decided_once_known, "C15",
          is_named=True),
    Cheat("the operator decides a line", OPERATOR, BEFORE, "closed", _operator_decides, "C8"),
    Cheat("a sheet is chosen in the name of nobody", KEEPER, BEFORE, "closed", _act_of_nobody, "C8"),
    Cheat("results are sent without an approval", KEEPER, BEFORE, "ready", _sent_by_hand, "C9"),
    Cheat("a phase is closed without emptying the mailbox", KEEPER, BEFORE, "sheets", _closed_by_hand, "C9"),
    Cheat("a forged photograph is called typed", OPERATOR, BEFORE, "sheets", _called_typed, "C5"),
    Cheat("her results never leave", KEEPER, AFTER, "ready", _without_results, "C15"),
    Cheat("her results are not written", OPERATOR, BEFORE, "ready", _never_written, "C15"),
    Cheat("a restore that never was is entered", KEEPER, BEFORE, "sheets", _false_restore(lambda n: n), "C15",
          is_named=True),
    Cheat("a restore that never was names an earlier end", KEEPER, BEFORE, "sheets",
          _false_restore(lambda n: n - 20), "C18"),
    Cheat("a correction is told to nobody", KEEPER, AFTER, "sent", _corrected_in_silence, "2"),
    Cheat("the log of the judging is closed", KEEPER, AFTER, "sent",
          _closed_entries("event", event="phase_judged"), "C16"),
    Cheat("a letter of the phase is closed", KEEPER, AFTER, "sent", _closed_entries("letter", phase=2),
          "C16"),
    Cheat("a sheet of the phase is closed", KEEPER, AFTER, "sent", _closed_entries("sheet", phase=2),
          "C16"),
    Cheat("the clock of the phase is closed", KEEPER, AFTER, "sent",
          _closed_entries("phase", phase=2, state="open"), "C16"),
    Cheat("who may sign in is closed", KEEPER, AFTER, "sent", _closed_entries("person"), "C16"),
    Cheat("results come before their deadline", OPERATOR, BEFORE, "sent", _by(_came_early), "C14",
          needs="letters"),
    Cheat("the record is begun again", OPERATOR, AFTER, "sent", _begun_anew, "6", needs="letters"),
    Cheat("a picture behind the orders is exchanged", KEEPER, BEFORE, "closed",
          sql("UPDATE pages SET upright = (SELECT original FROM pages WHERE submission_id = 2) "
              f"WHERE submission_id = {V2}"), "C17"),
    Cheat("the deadline is held past the triggers", WITH_PLAYER, BEFORE, "sheets", _deadline_held, "C10"),
    Cheat("the first sheet counts, past the triggers", OPERATOR, BEFORE, "closed",
          without_triggers("UPDATE games SET options = json_set(options, '$.first_counts', json('true'))"),
          "C17"),
    Cheat("a decision is put in past the triggers", OPERATOR, BEFORE, "closed", without_triggers(
        'INSERT INTO reviews (line_id, key, decision, text, order_text, "by", at, settles) '
        f"SELECT id, 'past', 'void', '', NULL, 'Ada', '2027-03-20 00:00:00.000000', 0 FROM lines "
        f"WHERE {_line(V2, 1)}"), "C17"),
    Cheat("a seat is exchanged past the triggers", OPERATOR, BEFORE, "closed", without_triggers(
        f"UPDATE seats SET player_id = (SELECT player_id FROM seats WHERE power = '{VICTIM}') "
        f"WHERE power = '{OTHER}'"), "C17"),
)

IMPOSSIBLE = (
    Impossible("the coordinator decides under the name of a second account", KEEPER,
               "two accounts of one person look like two people; `person` shows since when each is there"),
    Impossible("a backup that was taken before the last letters is put back, and nobody kept a letter",
               OPERATOR,
               "the restore is entered and told; what was lost is known to nobody but who remembers it"),
    Impossible("her letters are sent to another address", OPERATOR,
               "no entry has an address; she has no results, and asks"),
    Impossible("a mail is refused as unreadable though it is not", OPERATOR,
               "its sender gets the refusal and knows; the whole archive has the mail to look at"),
)
