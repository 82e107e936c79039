"""One stored mail to its final state: used, refused, quarantined or ignored, and who gets a letter."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import select, update

from adjudicator.calendar import Phase, PhaseKind
from service.intake import filing, process_mail
from service.mail.mailbox import ingest
from service.store import records
from service.store.tables import EventRow, MailRow, MailState, OutboxRow, OutboxState, PageRow, PhaseState
from tests.support.mail_builder import mail, part, pdf, picture, stamp, text
from tests.support.site import Site
from tests.support.table import COORDINATOR, SERVER, Table, address, open_table

MONTROSE = address("Montrose")
DAY = timedelta(days=1)


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site)


def test_a_good_mail_is_used_filed_queued_and_acknowledged(table: Table) -> None:
    """SUB-01: orders, with the moment of receipt."""
    row = table.take(table.mail("Montrose"), table.phase().opens_at + DAY)
    assert (row.state, row.reason) == (MailState.USED, None)
    (submission,) = table.submissions()
    assert (submission.power, submission.sender, submission.version, submission.fate, submission.read_at) == (
        "Montrose", MONTROSE, 1, "counts", None)  # fmt: skip
    assert (submission.phase_id, submission.received_at) == (table.phase().id, table.phase().opens_at + DAY)
    assert list(table.site.jobs.queue) == [
        (filing.READ_WORK, f"read:{submission.id}", {"submission": submission.id})
    ]
    assert table.written_letters() == [("receipt", MONTROSE)]
    assert "version 1" in table.words(table.letters()[0])


def test_pictures_are_kept_in_their_order_with_room_for_pages(table: Table) -> None:
    """SUB-10, SUB-15: one sheet, with its files as they came, in the order of the mail."""
    sheets = pdf(2)
    raw = mail(
        table.subject("Montrose"),
        MONTROSE,
        parts=[text(), part(sheets, "application/pdf", "a.pdf"), part(picture(30))],
        stamps=[stamp("montrose.example", server=SERVER)],
    )
    table.take(raw, table.phase().opens_at)
    with table.site.store() as session:
        pages = session.scalars(select(PageRow).order_by(PageRow.ordinal)).all()
    assert [page.ordinal for page in pages] == [0, filing.PAGES_PER_FILE]
    assert [table.site.blobs.read(page.original) for page in pages] == [sheets, picture(30)]


def test_mails_that_a_deadline_waits_for_are_judged_first(table: Table) -> None:
    """PHA-03: one whose sender's DNS did not answer is due now, and one that lost its job has another."""
    site, now, hour = table.site, table.site.clock.now(), timedelta(hours=1)
    stored = {"new": (now, None), "late": (now - hour, now + hour), "lost": (now - hour, None),
              "other": (now - hour, now + hour)}
    with site.store.begin() as session:
        session.add_all(
            MailRow(sha256=key, size=9, received_at=at, stored_at=at, try_again_at=again)
            for key, (at, again) in stored.items())
    keys = ["new", "late", "lost"]
    process_mail.hasten(site.store, site.jobs, site.clock, 7, keys)
    assert site.jobs.hastened == [f"{ingest.WORK}:{key}" for key in keys]
    assert list(site.jobs.queue) == [(ingest.WORK, f"{ingest.WORK}:lost:deadline-7", {"mail": "lost"})]
    with site.store() as session:
        again = {row.sha256: row.try_again_at for row in session.scalars(select(MailRow))}
    assert again == dict.fromkeys(stored, None) | {"late": now, "other": now + hour}


def test_a_mail_is_judged_once(table: Table) -> None:
    key = table.arrive(table.mail("Montrose"), table.phase().opens_at)
    table.process(key)
    table.process(key)
    assert len(table.submissions()) == 1
    assert len(table.letters()) == 1


def test_a_mail_that_is_not_stored_is_no_error(table: Table) -> None:
    table.process("0" * 64)
    assert table.written_letters() == []


NEVER = Phase(1650, "Summer", PhaseKind.RETREAT)


@pytest.mark.parametrize(
    ("subject", "photo", "reason"),
    [
        ("Powick Bridge - Montrose - Summer 1650 - Retreat Orders - v1", True, "wrong_phase"),
        ("Powick Bridge - Montrose - Winter 1643 - Movement Orders - v1", True, "phase_type_mismatch"),
        ("Powick Bridge - Montrose - Summer 1642 - Movement Orders - v1", False, "no_photo"),
    ],
)
def test_what_the_sender_can_mend_is_refused(table: Table, subject: str, photo: bool, reason: str) -> None:
    parts = [text("Army Aberdeen moves to The Mearns"), *([part(picture())] if photo else [])]
    raw = mail(subject, MONTROSE, parts=parts, stamps=[stamp("montrose.example", server=SERVER)])
    row = table.take(raw, table.phase().opens_at)
    assert (row.state, row.reason) == (MailState.REFUSED, reason)
    assert table.written_letters() == [("rejection", MONTROSE)]
    assert table.submissions() == []
    assert table.site.blobs.read(row.sha256) == raw


def test_a_stranger_is_quarantined_and_never_answered(table: Table) -> None:
    """SUB-14."""
    raw = mail(
        table.subject("Montrose"), "mallory@else.example", stamps=[stamp("else.example", server=SERVER)]
    )
    row = table.take(raw, table.phase().opens_at)
    assert (row.state, row.reason) == (MailState.QUARANTINED, "unknown_sender")
    assert table.written_letters() == [("coordinator_notice", COORDINATOR)]
    assert table.submissions() == []


def test_another_players_power_is_quarantined_and_its_owner_hears_nothing(table: Table) -> None:
    """SUB-14: the coordinator is informed, not the power's own player."""
    row = table.take(table.mail("Montrose", subject=table.subject("Argyll")), table.phase().opens_at)
    assert (row.state, row.reason) == (MailState.QUARANTINED, "sender_not_power")
    assert ("coordinator_notice", COORDINATOR) in table.written_letters()
    assert address("Argyll") not in {to for _, to in table.written_letters()}
    assert table.submissions() == []


@pytest.mark.parametrize("result", ["fail", "none", "temperror"])
def test_nothing_is_answered_before_the_sender_is_proved(table: Table, result: str) -> None:
    """SUB-14: a forged address of the power's own player."""
    row = table.take(table.mail("Montrose", result=result), table.phase().opens_at)
    assert (row.state, row.reason) == (MailState.QUARANTINED, "auth_failed")
    assert table.written_letters() == [("coordinator_notice", COORDINATOR)]
    # Only the coordinator reads who the mail states it is from.
    assert f"From: {MONTROSE} (Player Montrose) (not proved)" in table.words(table.letters()[0])


def test_a_forged_copy_does_not_make_the_players_own_mail_a_repeat(table: Table) -> None:
    # Anyone who knows a player's photograph could otherwise send a copy first, and the sheet would not count.
    table.take(table.mail("Montrose", result="fail"), table.phase().opens_at)
    row = table.take(table.mail("Montrose"), table.phase().opens_at)
    assert row.state == MailState.USED
    assert len(table.submissions()) == 1


def test_machines_are_ignored_and_never_answered(table: Table) -> None:
    raw = mail(
        # RFC 3834, section 2: what carries this field gets no automatic answer, or two machines write for
        # ever.
        table.subject("Montrose"), MONTROSE, headers=["Auto-Submitted: auto-replied"],
        stamps=[stamp("montrose.example", server=SERVER)], parts=[text()],
    )  # fmt: skip
    row = table.take(raw, table.phase().opens_at)
    assert (row.state, row.reason) == (MailState.IGNORED, "auto_reply")
    assert table.written_letters() == []


def test_a_bounce_marks_the_letter_that_did_not_arrive(table: Table) -> None:
    table.take(table.mail("Montrose"), table.phase().opens_at)
    with table.site.store.begin() as session:
        session.execute(update(OutboxRow).values(state=OutboxState.SENT))
    (receipt,) = table.letters("receipt")
    report = (
        b"Return-Path: <>\r\nFrom: MAILER-DAEMON@mx.example\r\nTo: orders@galloper.example\r\n"
        b"Subject: Undelivered Mail\r\nMIME-Version: 1.0\r\n"
        b'Content-Type: multipart/report; report-type=delivery-status; boundary="cut"\r\n\r\n'
        b"--cut\r\nContent-Type: text/plain\r\n\r\nNo such box.\r\n"
        b"--cut\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\n"
        b"Final-Recipient: rfc822; " + MONTROSE.encode() + b"\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n"
        b"--cut\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: " + receipt.message_id.encode() +
        b"\r\nSubject: received\r\n\r\nhello\r\n--cut--\r\n"
    )  # fmt: skip
    row = table.take(report, table.phase().opens_at)
    assert (row.state, row.reason) == (MailState.IGNORED, "bounce")
    (receipt,) = table.letters("receipt")
    assert receipt.state == OutboxState.FAILED
    # The coordinator is informed which letter and whose (PHA-09), without an address; and only once, however
    # often the bounce comes.
    table.take(report + b"\r\n", table.phase().opens_at)
    assert table.written_letters() == [("receipt", MONTROSE), ("coordinator_notice", COORDINATOR)]
    words = table.words(table.letters()[-1])
    assert ("A letter to Player Montrose (Powick Bridge, Montrose) came back as undeliverable: "
            "Powick Bridge - Montrose") in words
    assert "its reader does not have it, because there is no such address (5.1.1)." in words
    assert MONTROSE not in words


def test_the_same_paper_mailed_again_is_one_paper_with_one_receipt(table: Table) -> None:
    """SUB-12."""
    table.take(table.mail("Montrose"), table.phase().opens_at)
    row = table.take(table.mail("Montrose", note="In case the first was lost."), table.phase().opens_at + DAY)
    assert (row.state, row.reason) == (MailState.IGNORED, "duplicate")
    assert len(table.submissions()) == 1
    assert table.written_letters() == [("receipt", MONTROSE)]


def test_a_new_version_is_another_paper(table: Table) -> None:
    """SUB-01: revisions come to the same address as orders."""
    table.take(table.mail("Montrose"), table.phase().opens_at)
    row = table.take(
        table.mail("Montrose", 150, subject=table.subject("Montrose", 2)), table.phase().opens_at + DAY
    )
    assert row.state == MailState.USED
    assert [submission.version for submission in table.submissions()] == [1, 2]
    assert "version 1" in table.words(table.letters("receipt")[1])


# Around the deadline


def test_at_the_deadline_is_in_time_and_a_second_later_is_late(table: Table) -> None:
    deadline = table.phase().deadline
    # Fault 13: the receiving server's stamp decides, and the second of the deadline itself is still in time.
    assert table.take(table.mail("Montrose"), deadline).state == MailState.USED
    row = table.take(table.mail("Argyll"), deadline + timedelta(seconds=1))
    assert (row.state, row.reason) == (MailState.REFUSED, "late")
    assert table.written_letters() == [("receipt", MONTROSE), ("receipt_late", address("Argyll"))]
    assert [submission.power for submission in table.submissions()] == ["Montrose"]


@pytest.mark.parametrize("state", [PhaseState.CLOSED, PhaseState.READY])
def test_what_was_stamped_in_time_counts_although_it_is_handed_over_after_the_close(
    table: Table, state: PhaseState
) -> None:
    phase = table.phase()
    # The mail server may hand over late what it stamped in time; refusing it would cost a turn.
    table.set_phase(state=state)
    table.site.clock.set(phase.deadline + timedelta(minutes=20))
    row = table.take(table.mail("Montrose"), phase.deadline - timedelta(seconds=3))
    assert row.state == MailState.USED
    assert [submission.phase_id for submission in table.submissions()] == [phase.id]


def test_a_mail_for_a_phase_whose_results_are_out_is_late_and_is_told_what_is_open(table: Table) -> None:
    table.set_phase(1, state=PhaseState.SENT)
    table.set_phase(2, state=PhaseState.SENT)
    table.set_phase(3, state=PhaseState.OPEN)
    row = table.take(table.mail("Montrose"), table.phase(3).opens_at)
    assert (row.state, row.reason) == (MailState.REFUSED, "late")
    assert table.written_letters() == [("receipt_late", MONTROSE)]
    words = table.words(table.letters()[0])
    assert "Summer 1642" in words
    assert f"{table.phase(3).deadline:%a %-d %b %Y, 07:00 GMT}" in words


def test_a_late_mail_sent_again_is_answered_once(table: Table) -> None:
    late = table.phase().deadline + timedelta(minutes=1)
    table.take(table.mail("Montrose"), late)
    row = table.take(table.mail("Montrose", note="Again."), late + timedelta(hours=1))
    assert (row.state, row.reason) == (MailState.IGNORED, "duplicate")
    assert table.written_letters() == [("receipt_late", MONTROSE)]


@pytest.mark.parametrize("first_after", [False, True])
def test_a_late_mail_sent_again_is_answered_once_whatever_phase_is_open_by_then(
    table: Table, first_after: bool
) -> None:
    """Late while its phase was being read, or after the results: for the player it is the same answer."""
    late = table.phase().deadline + timedelta(minutes=1)
    table.set_phase(1, state=PhaseState.CLOSED)
    if first_after:
        _results_are_out(table)
    assert table.take(table.mail("Montrose"), late).reason == "late"
    _results_are_out(table)
    row = table.take(table.mail("Montrose", note="Again."), table.phase(3).opens_at + timedelta(hours=1))
    assert (row.state, row.reason) == (MailState.IGNORED, "duplicate")
    assert table.written_letters() == [("receipt_late", MONTROSE)]


def _results_are_out(table: Table) -> None:
    table.set_phase(1, state=PhaseState.SENT)
    table.set_phase(2, state=PhaseState.SENT)
    table.set_phase(3, state=PhaseState.OPEN)


# Storms and failures


def test_at_most_five_refusals_a_day_go_to_one_address(table: Table) -> None:
    wrong = table.subject("Montrose", 1, NEVER)
    refused = [
        table.take(table.mail("Montrose", shade, subject=wrong), table.phase().opens_at)
        for shade in range(0, 140, 20)
    ]
    assert len({row.sha256 for row in refused}) == 7
    assert [row.state for row in refused] == 5 * [MailState.REFUSED] + 2 * [MailState.QUARANTINED]
    assert table.written_letters() == [("rejection", MONTROSE)] * 5 + [("coordinator_notice", COORDINATOR)]
    # The limit is for one address and for refusals: others are answered, and so is a good sheet.
    table.take(table.mail("Argyll", 1, subject=table.subject("Argyll", 1, NEVER)), table.phase().opens_at)
    assert table.written_letters()[6:] == [("rejection", address("Argyll"))]
    table.take(table.mail("Montrose"), table.phase().opens_at)
    assert table.written_letters()[7:] == [("receipt", MONTROSE)]
    table.site.clock.advance(timedelta(days=1, minutes=1))
    table.take(table.mail("Montrose", 210, subject=wrong), table.site.clock.now())
    assert table.written_letters()[8:] == [("rejection", MONTROSE)]


def test_a_mail_that_cannot_be_handled_is_quarantined_with_its_bytes_and_the_coordinator_is_told(
    table: Table,
) -> None:
    raw = table.mail("Montrose")
    key = table.arrive(raw, table.phase().opens_at)
    table.give_up(key, "ZeroDivisionError: in the subject Powick Bridge, Montrose")
    row = table.mail_row(key)
    assert (row.state, row.reason) == (MailState.QUARANTINED, "could_not_be_handled")
    assert table.site.blobs.read(key) == raw
    assert table.written_letters() == [("coordinator_notice", COORDINATOR)]
    with table.site.store() as session:
        event = session.scalars(select(EventRow).where(EventRow.what == "mail_given_up")).one()
    # The text of the fault quotes the mail, so only its kind is noted.
    assert event.detail == {"mail": key[:12], "fault": "ZeroDivisionError"}
    table.give_up(key, "ZeroDivisionError: again")
    assert len(table.letters()) == 1


def test_giving_up_leaves_a_mail_that_came_to_an_end(table: Table) -> None:
    row = table.take(table.mail("Montrose"), table.phase().opens_at)
    table.give_up(row.sha256, "OSError: later")
    assert table.mail_row(row.sha256).state == MailState.USED
    assert table.written_letters() == [("receipt", MONTROSE)]


def test_a_mail_too_large_to_fetch_is_judged_by_its_head(table: Table) -> None:
    head = table.mail("Montrose").partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
    key = table.site.blobs.put(head)
    with table.site.store.begin() as session:
        records.add_mail(session, key, 90_000_000, table.phase().opens_at, table.site.clock.now(),
                         reason=ingest.TOO_LARGE)  # fmt: skip
    table.process(key)
    row = table.mail_row(key)
    assert (row.state, row.reason) == (MailState.REFUSED, "too_large")
    assert table.written_letters() == [("rejection", MONTROSE)]


def test_no_event_holds_an_address_or_a_subject(table: Table) -> None:
    table.take(table.mail("Montrose"), table.phase().opens_at)
    table.take(table.mail("Argyll", result="fail"), table.phase().opens_at)
    with table.site.store() as session:
        details = [str(event.detail) for event in session.scalars(select(EventRow))]
        letters = session.scalars(select(OutboxRow)).all()
    assert letters
    # Events are entries of the record too, which the archive of the game carries on.
    assert not [detail for detail in details if "@" in detail or "Powick" in detail]
