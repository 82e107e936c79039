"""Cheats under cover of something honest: of another act's event, of a mail that was never one, of a letter
that did leave; and two honest plays that look like cheats.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.facts.roles import Role
from service.games.acts.act import ResultsCorrection, perform
from service.games.acts.deadlines import Pause
from service.games.acts.results import CorrectResults
from service.games.acts.seats import AddAddress, GiveSeat, Holder, RemoveAddress
from service.intake.quarantine import DiscardMail
from service.notices import results_facts
from service.notices.answers import receipts
from service.notices.answers.replies import Replies
from service.record import references
from service.store import records
from service.store.tables import EntryRow, MailRow, MailState, OutboxRow, OutboxState, PhaseRow, SubmissionRow
from service.web.accounts import AddPerson
from tests.service.archive.cheats.on_sheets import chosen, forged_sheet
from tests.service.archive.cheats.table import (
    AFTER,
    BEFORE,
    KEEPER,
    OPERATOR,
    WITH_PLAYER,
    Cheat,
    Forge,
    both,
    exchange,
    sql,
)
from tests.support import keeper
from tests.support.acting import at, do, enter
from tests.support.altered import packed, unpacked
from tests.support.keeper import OTHER, SHORT, VICTIM, Evidence, mailed, recognize
from tests.support.table import Table, address, picture

SPRING = 2
OWN_ADDRESS = "mallory@keeper.example"
NAME_THAT_HIDES = "\x1b[2K\x1b[1A\x1b[2K\rPowick Bridge: 97 entries, unbroken.\x1b[8m"
"""A name that, printed on a terminal as it is, wipes the line of the alarm and writes a good one."""


def _another_version(table: Table) -> bytes:
    """The cheated player's third version, which she keeps."""
    raw = mailed(VICTIM, 3, 140, table.site.clock.now())
    table.sent.append(raw)
    return raw


def _ordered_from_a_lent_address(table: Table) -> None:
    """An address of the keeper's is hers for as long as a ninth version takes."""
    now = table.site.clock.now()
    do(table, AddAddress(table.game, VICTIM, OWN_ADDRESS), now=now)
    raw = mailed(VICTIM, 9, 140, now).replace(address(VICTIM).encode(), OWN_ADDRESS.encode())
    domains = (address(VICTIM).rpartition("@")[2], OWN_ADDRESS.rpartition("@")[2])
    raw = raw.replace(f"header.from={domains[0]}".encode(), f"header.from={domains[1]}".encode())
    assert table.take(raw, now).state == MailState.USED
    recognize(table, table.submissions()[-1].id, moved=True, doubtful=False)
    do(table, RemoveAddress(table.game, VICTIM, OWN_ADDRESS), now=now)


def _option_under_another_act(table: Table) -> None:
    """The entry of a changed option is next to the event of a new return address."""
    with table.site.store.begin() as session:
        enter(session, table.site.clock.now(), "Ada", Event.RETURN_ADDRESS_CHANGED, game_id=table.game)
        session.connection().exec_driver_sql(
            "UPDATE games SET options = json_set(options, '$.first_counts', json('true'))")


def _seat_under_another_seat(table: Table) -> None:
    """One seat passes on at the desk, and in the same transaction hers goes to a third player."""
    holder = Holder("Newcomer", "Europe/London", ("new@friends.example",))
    with table.site.store.begin() as session:
        perform(GiveSeat(table.game, SHORT, holder, "the old one moved away"), at(session, table))
        session.flush()
        session.connection().exec_driver_sql(
            f"UPDATE seats SET player_id = (SELECT player_id FROM seats WHERE power = '{OTHER}') "
            f"WHERE power = '{VICTIM}'")


@contextmanager
def in_place(module: Any, name: str, value: object) -> Iterator[None]:
    """A part of the program exchanged for one act of the play."""
    usual = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, usual)


def _filed_ahead(table: Table) -> None:
    """The program, changed by its operator, files her third version for the phase after this one."""
    follower = next(phase for phase in table.phases() if phase.ordinal == keeper.in_play(table).ordinal + 2)
    usual: Callable[..., Any] = records.add_submission

    def add_submission(session: Session, **values: Any) -> Any:
        return usual(session, **{**values, "phase_id": follower.id})

    raw, count = _another_version(table), len(table.submissions())
    with in_place(records, "add_submission", add_submission):
        table.take(raw, table.site.clock.now())
    assert [sheet.phase_id for sheet in table.submissions()[count:]] == [follower.id]


def _read_as_asking(table: Table) -> None:
    """The reading of her third version states that its words ask for an old one."""
    table.take(_another_version(table), table.site.clock.now())
    number = table.submissions()[-1].id
    recognize(table, number, moved=True, doubtful=False)
    with table.site.store.begin() as session:
        session.get_one(SubmissionRow, number).instruction = 0


def _called_no_order(table: Table) -> None:
    """Her third version is stored and called the answer of a machine."""
    key = table.arrive(_another_version(table), table.site.clock.now())
    with table.site.store.begin() as session:
        mail = session.get_one(MailRow, key)
        mail.state, mail.reason, mail.sender = MailState.IGNORED.value, "automatic", address(VICTIM)


def _receipt_that_stays(table: Table) -> Forge:
    """A sheet of the keeper's is put in for her; its receipt is written, and given up."""
    raw = mailed(VICTIM, 9, 200, table.site.clock.now())
    number = forged_sheet(table, VICTIM, raw, picture(200), known=True)
    with table.site.store.begin() as session:
        sheet = session.get_one(SubmissionRow, number)
        phase = session.get_one(PhaseRow, sheet.phase_id)
        verdict = receipts.verdict_of(session, sheet, phase, VICTIM)
        Replies(table.writer).receipt(session, sheet, phase, verdict)
    with table.site.store.begin() as session:
        letter = session.scalars(
            select(OutboxRow).where(OutboxRow.kind == "receipt").order_by(OutboxRow.id.desc())).first()
        assert letter is not None
        letter.state = OutboxState.CANCELLED.value
        hidden = letter.id
    return _without_her(lambda name: name.startswith(f"{hidden:03}-"))


def _without_her(is_missing: Callable[[str], bool]) -> Forge:
    """The evidence without some letters of the cheated player: she never had them."""

    def forge(shown: Evidence) -> Evidence:
        hers: Mapping[str, bytes] = shown.letters[VICTIM]
        left = {name: data for name, data in hers.items() if not is_missing(name)}
        return replace(shown, letters={**shown.letters, VICTIM: left})

    return forge


def _results_weeks_late(table: Table) -> None:
    """All have their results at once, she three weeks later."""
    keeper.go_on(table)

    def leave(*, hers: bool) -> None:
        with table.site.store.begin() as session:
            for letter in session.scalars(select(OutboxRow).where(OutboxRow.kind == "final_results")):
                if (letter.recipient == address(VICTIM)) is hers:
                    letter.state, letter.sent_at = OutboxState.SENT.value, table.site.clock.now()

    leave(hers=False)
    table.site.clock.set(table.site.clock.now() + timedelta(days=21))
    leave(hers=True)


def _corrected_for_others(table: Table) -> None:
    """A correction is written while her address is out of the table."""
    with table.site.engine.begin() as connection:
        number = connection.exec_driver_sql(
            f"SELECT player_id FROM addresses WHERE email = '{address(VICTIM)}'").scalar_one()
    sql(f"DELETE FROM addresses WHERE email = '{address(VICTIM)}'")(table)
    correction = ResultsCorrection(
        "Montrose stands in Perth.", "Montrose stands in Atholl.", "Orders from Perth are void.", OTHER)
    do(table, CorrectResults(table.phase(SPRING).id, correction, "key"), circulars=keeper.broadcasts(table))
    sql(f"INSERT INTO addresses (email, player_id) VALUES ('{address(VICTIM)}', {number})")(table)


def _stamped_nine_minutes_early(table: Table) -> None:
    """A friend's mail from eight minutes after the deadline is stamped with the minute before it."""
    deadline = keeper.in_play(table).deadline
    early, late = deadline - timedelta(minutes=1), deadline + timedelta(minutes=8)
    table.site.clock.set(late)
    table.take(mailed(OTHER, 2, 150, early, received_at=late), early)
    recognize(table, table.submissions()[-1].id, moved=True)


def _root_before_the_judging(table: Table) -> None:
    """A version is chosen at the desk; the results name the entry before the judging as the record's end, and
    mention nothing."""
    chosen(table)
    usual = references.root_mark

    def root_mark(session: Session, phase: PhaseRow) -> Any:
        mark = usual(session, phase)
        if mark is None:
            return None
        before = session.get_one(EntryRow, (phase.game_id, mark.number - 1))
        return type(mark)(before.number, before.link)

    exchange(references, "root_mark", root_mark)
    exchange(results_facts, "notable_of", lambda *_facts: ())


def _another_readme(_table: Table) -> Forge:
    """The archive advises its reader to check it otherwise."""
    advice = b"This archive needs no check. Its root: " + b"0" * 64 + b". Run the checker of evil.example.\n"
    return both(lambda data: packed({**unpacked(data), "README.txt": advice}))


def _name_that_hides(table: Table) -> None:
    with table.site.store.begin() as session:
        enter(
            session, table.site.clock.now(), NAME_THAT_HIDES, Event.SHEET_CHOSEN, game_id=table.game,
            detail={"phase_id": SPRING, "power": VICTIM, "submission": 1, "why": "because so"})


def _put_away(table: Table) -> None:
    """Her third version is not proved to be hers, and the coordinator puts it away without an answer."""
    now = table.site.clock.now()
    raw = mailed(VICTIM, 3, 140, now)
    for method in (b"dmarc", b"spf", b"dkim"):
        raw = raw.replace(method + b"=pass", method + b"=fail")
    table.sent.append(raw)
    assert table.take(raw, now).state == MailState.QUARANTINED
    do(table, DiscardMail(hashlib.sha256(raw).hexdigest(), "this is surely a forgery"), now=now)


def _friend_at_the_desk(table: Table) -> None:
    """A friend becomes a coordinator while sheets come in."""
    do(table, AddPerson("friend", "a long password", Role.COORDINATOR))


CHEATS = (
    Cheat("her mail is put away by hand without an answer", KEEPER, BEFORE, "sheets", _put_away, "C15",
          is_named=True),
    Cheat("a friend becomes a coordinator while sheets come in", KEEPER, BEFORE, "sheets",
          _friend_at_the_desk, "C15", is_named=True),
    Cheat("the keeper lends her an address, orders from it, and takes it away", KEEPER, BEFORE, "sheets",
          _ordered_from_a_lent_address, "C15", is_named=True),
    Cheat("an option is changed beside the event of another act", KEEPER, BEFORE, "sheets",
          _option_under_another_act, "C13"),
    Cheat("her seat is given away beside the event of another seat", KEEPER, BEFORE, "sheets",
          _seat_under_another_seat, "C13"),
    Cheat("a version is filed for a later phase from the start", OPERATOR, BEFORE, "sheets", _filed_ahead,
          "C25"),
    Cheat("the reading says that a version asks for another", OPERATOR, BEFORE, "sheets", _read_as_asking,
          "C2"),
    Cheat("a version is called no order mail", OPERATOR, BEFORE, "sheets", _called_no_order, "C25",
          is_named=True),
    Cheat("a sheet is put in for her, and its receipt is held back", OPERATOR, BEFORE, "sheets",
          _receipt_that_stays, "C3"),
    Cheat("her results leave three weeks late", OPERATOR, AFTER, "ready", _results_weeks_late, "C15",
          is_named=True),
    Cheat("a correction is told to her rivals alone", KEEPER, AFTER, "sent", _corrected_for_others, "C15"),
    Cheat("a friend's mail is stamped nine minutes early", WITH_PLAYER, BEFORE, "sheets",
          _stamped_nine_minutes_early, "C4"),
    Cheat("results name the entry before the judging", OPERATOR, BEFORE, "closed", _root_before_the_judging,
          "C25"),
    Cheat("the archive advises another way to check it", KEEPER, AFTER, "sent", _another_readme, "3",
          is_named=True),
    Cheat("a name would hide the alarm on a terminal", OPERATOR, AFTER, "sent", _name_that_hides, "C8"),
)


def _clock_behind(table: Table) -> None:
    """The site's clock is seven minutes behind the mail server's."""
    stamped: datetime = table.site.clock.now() + timedelta(minutes=7)
    table.take(mailed(OTHER, 2, 150, stamped), stamped)
    recognize(table, table.submissions()[-1].id, moved=True, doubtful=False)


def _paused(table: Table) -> None:
    """The coordinator pauses the game for ten days, and everybody is informed."""
    do(table, Pause(table.game, "10", "the coordinator is ill"), circulars=keeper.broadcasts(table))


HONEST = (
    Cheat("the site's clock is seven minutes behind the mail server", "nobody", BEFORE, "sheets",
          _clock_behind, ""),
    Cheat("the game is paused for ten days", "nobody", BEFORE, "sheets", _paused, ""),
)
"""Plays of which neither checker may say anything."""
