"""BOX-08: a letter goes to an address that its player has when it is sent, by a real SMTP server."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.games.acts.act import perform
from service.games.acts.seats import AddAddress, GiveSeat, Holder, RemoveAddress
from service.letters import render
from service.letters.facts import AnsweredMail
from service.mail.sending.compose import readdress
from service.mail.sending.hold import retry
from service.mail.sending.outbox import SendCounts, send_due
from service.notices.answers.replies import HELD, HeldFacts
from service.notices.broadcasts import DEADLINE_MOVED, DeadlineFacts
from service.notices.coordinator_notices import report_failed
from service.notices.letter_context import LetterContext
from service.record import chain
from service.store import records
from service.store.tables import AddressRow, EntryRow, GameRow, OutboxRow, OutboxState, SeatRow
from tests.support.acting import at, do
from tests.support.letters import SENDER, smtp
from tests.support.servers.smtp_sink import SmtpSink
from tests.support.table import COORDINATOR, KINDS, ORDERS, SUMMER, Table, address

POWER = "Montrose"
OLD, NEW = address(POWER), "new@montrose.example"


def writer(table: Table) -> LetterContext:
    """The table's writer, on a site that names a person for questions."""
    return replace(table.writer, sender=replace(table.writer.sender, contact="ada@example.org"))


def send(table: Table, sink: SmtpSink) -> SendCounts:
    return send_due(
        table.site.store, table.site.blobs, smtp(sink.port), table.site.clock,
        sender=SENDER, not_sent=partial(report_failed, writer(table)),
        addressees=KINDS.addressees)


def moved(table: Table, *, to: str = OLD) -> None:
    """Put the letter about a moved deadline to one address of the power's player."""
    with table.site.store.begin() as session:
        game = session.get_one(GameRow, table.game)
        facts = DeadlineFacts("m1", SUMMER, table.site.clock.now(), table.site.clock.now(), "Floods.")
        recipient = writer(table).recipient(session, to, POWER)
        letter = render.letter(DEADLINE_MOVED, writer(table).game_info(game), recipient, facts)
        assert writer(table).put(session, letter)


def answer(table: Table) -> None:
    """Put the answer to a mail of the power's player."""
    with table.site.store.begin() as session:
        facts = HeldFacts(AnsweredMail("m" * 64, table.site.clock.now(), "Orders"), "It waits.", "Wait.")
        info = writer(table).game_info(session.get_one(GameRow, table.game))
        assert writer(table).put(
            session, render.letter(HELD, info, writer(table).recipient(session, OLD, POWER), facts))


def change_address(table: Table) -> None:
    with table.site.store.begin() as session:
        perform(AddAddress(table.game, POWER, NEW), at(session, table))
        perform(RemoveAddress(table.game, POWER, OLD), at(session, table))


def give_seat(table: Table, holder: Holder) -> None:
    do(table, GiveSeat(table.game, POWER, holder, "They asked for it."))


def states(table: Table, kind: str) -> list[tuple[str, str]]:
    return [(row.recipient, row.state) for row in table.letters(kind)]


def recipients(sink: SmtpSink) -> list[str]:
    return [recipient for letter in sink.letters for recipient in letter.recipients]


def test_an_address_changed_before_sending(table: Table, smtp_sink: SmtpSink) -> None:
    moved(table)
    change_address(table)
    assert send(table, smtp_sink) == SendCounts(sent=1)
    (letter,) = smtp_sink.letters
    assert letter.recipients == (NEW,)
    # The envelope alone is not enough: the mail itself would show the address that was removed.
    assert letter.message["To"] == NEW
    assert OLD.encode() not in letter.data
    words = " ".join(letter.message.get_body(("plain",)).get_content().split())  # type: ignore[union-attr]
    assert words.endswith(f"Orders go to {ORDERS} Questions go to ada@example.org")
    (row,) = table.letters("deadline_moved")
    assert row.message_id == letter.message["Message-ID"]


def test_an_address_changed_during_retries(table: Table, smtp_sink: SmtpSink) -> None:
    smtp_sink.at_rcpt = lambda _address: "451 4.3.0 busy"
    moved(table)
    assert send(table, smtp_sink) == SendCounts(later=1)
    change_address(table)
    smtp_sink.at_rcpt = lambda _address: None
    table.site.clock.advance(timedelta(minutes=1))
    assert send(table, smtp_sink) == SendCounts(sent=1)
    assert recipients(smtp_sink) == [NEW]


def test_nobody_gets_the_same_letter_twice(table: Table, smtp_sink: SmtpSink) -> None:
    do(table, AddAddress(table.game, POWER, NEW))
    moved(table)
    moved(table, to=NEW)
    do(table, RemoveAddress(table.game, POWER, OLD))
    assert send(table, smtp_sink) == SendCounts(sent=1)
    assert recipients(smtp_sink) == [NEW]
    assert states(table, "deadline_moved") == [(OLD, OutboxState.CANCELLED), (NEW, OutboxState.SENT)]
    assert table.letters("coordinator_notice") == []


def test_the_seat_went_to_another_player(table: Table, smtp_sink: SmtpSink) -> None:
    moved(table)
    answer(table)
    give_seat(table, Holder("Blaise", "Europe/London", ("blaise@example.org",)))
    assert send(table, smtp_sink) == SendCounts(sent=2)
    # What is about the power goes to who plays it now; an answer goes to who wrote the mail.
    assert recipients(smtp_sink) == ["blaise@example.org", OLD]


def test_the_seat_was_left_empty(table: Table, smtp_sink: SmtpSink) -> None:
    moved(table)
    give_seat(table, Holder("", "", ()))
    assert send(table, smtp_sink) == SendCounts(sent=1)
    # The only letter shows the coordinator, and not from which address.
    assert recipients(smtp_sink) == [COORDINATOR]
    assert b"was not sent" in smtp_sink.letters[0].data
    assert OLD.encode() not in smtp_sink.letters[0].data
    assert states(table, "deadline_moved") == [(OLD, OutboxState.CANCELLED)]


def test_a_player_without_any_address(table: Table, smtp_sink: SmtpSink) -> None:
    answer(table)
    with table.site.store.begin() as session:
        player = records.seats(session, table.game)[POWER]
        session.delete(session.get_one(AddressRow, OLD))
    assert send(table, smtp_sink) == SendCounts(sent=1, failed=1)
    assert recipients(smtp_sink) == [COORDINATOR]
    assert states(table, "held") == [(OLD, OutboxState.FAILED)]
    # Once there is an address again, a person sends the letter again.
    with table.site.store.begin() as session:
        session.add(AddressRow(email=NEW, player_id=player))
        (row,) = session.scalars(select(OutboxRow).where(OutboxRow.kind == "held"))
        assert retry(session, row.id, table.site.clock.now())
    assert send(table, smtp_sink) == SendCounts(sent=1)
    assert recipients(smtp_sink) == [COORDINATOR, NEW]


def test_a_coordinator_who_played_still_hears_of_everything(table: Table, smtp_sink: SmtpSink) -> None:
    with table.site.store.begin() as session:
        seat = session.get_one(SeatRow, (table.game, POWER))
        session.add(AddressRow(email=COORDINATOR, player_id=seat.player_id))
        session.flush()
        answer_row = OutboxRow(key="x", kind="held", recipient=OLD, subject="A letter",
                               error="no address")
        answer_row.id, answer_row.game_id = 7, table.game
        report_failed(writer(table), session, answer_row)
        session.delete(session.get_one(AddressRow, COORDINATOR))
    assert send(table, smtp_sink) == SendCounts(sent=1)
    assert recipients(smtp_sink) == [COORDINATOR]


def test_the_record_says_what_became_of_a_letter(table: Table, smtp_sink: SmtpSink) -> None:
    moved(table)
    give_seat(table, Holder("", "", ()))
    send(table, smtp_sink)
    with table.site.store() as session:
        (row,) = session.scalars(select(OutboxRow).where(OutboxRow.kind == "deadline_moved"))
        assert entries(session, row.id)[-1].find('"became":"cancelled"') > 0
        assert chain.root(session, table.game).number


def entries(session: Session, letter: int) -> list[str]:
    return list(session.scalars(select(EntryRow.body).where(
        EntryRow.what == "letter", EntryRow.fact == str(letter)).order_by(EntryRow.number)))


def test_a_folded_to_is_replaced_whole() -> None:
    long = "a" * 60 + "@" + "b" * 30 + ".example"
    data = f"From: a@b.example\r\nTo:\r\n {long}\r\nSubject: To: nobody\r\n\r\nTo: stays\r\n".encode()
    assert readdress(data, NEW) == (
        b"From: a@b.example\r\nTo: " + NEW.encode() + b"\r\nSubject: To: nobody\r\n\r\nTo: stays\r\n")
