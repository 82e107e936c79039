"""Own mail is what we issued, and nothing else: a Message-ID in our outbox, or our own address (BOX-01)."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import select

from service.games.refused import Refused
from service.intake.ignored_mails import TakeIgnoredBack, judge_again, repeats, waiting
from service.mail.mailbox import ingest
from service.store.tables import EventRow, MailState
from tests.support.acting import do
from tests.support.mail_builder import mail, multipart, part, picture, stamp, text
from tests.support.site import Site
from tests.support.table import COORDINATOR, SERVER, Table, address, open_table

DAY = timedelta(days=1)
MONTROSE = address("Montrose")


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site)


def sheet(table: Table, *headers: str, shade: int = 90, version: int = 1) -> bytes:
    """A sheet of Montrose with these headers."""
    return mail(table.subject("Montrose", version), MONTROSE, headers=headers,
                parts=[text(), part(picture(shade))],
                stamps=[stamp(MONTROSE.rpartition("@")[2], server=SERVER)])


def test_a_message_id_of_our_outbox_is_ours_and_one_of_our_domain_is_not(table: Table) -> None:
    """BOX-01: the running site looks into its outbox."""
    sent_at = table.phase().opens_at + DAY
    apple = sheet(table, "Message-Id: <55E3F2C4-94F9-43CB-AA39-06DBA4E37A56@galloper.example>")
    assert table.take(apple, sent_at).state == MailState.USED
    (receipt,) = table.letters("receipt")
    assert receipt.message_id.endswith("@galloper.example>")
    answer = sheet(table, f"In-Reply-To: {receipt.message_id}", shade=91, version=2)
    assert table.take(answer, sent_at).state == MailState.USED
    reflected = table.take(sheet(table, f"Message-ID: {receipt.message_id}", shade=92, version=3), sent_at)
    assert (reflected.state, reflected.reason) == (MailState.IGNORED, "own_mail")
    assert len(table.submissions()) == 2


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("Auto-Submitted: auto-replied", "auto_reply"),
        ("Message-ID: {receipt}", "own_mail"),
        # A player's own program bounces, redirects or edits a letter of ours and keeps its Message-ID.
        ("Resent-From: player@montrose.example\r\nMessage-ID: {receipt}", "own_mail"),
    ],
)
def test_an_ignored_mail_of_a_player_with_an_attachment_is_told_and_counts_once_taken_back(
    table: Table, header: str, reason: str
) -> None:
    """BOX-01: taken back after the deadline it counts in time, by the time of its receipt."""
    table.take(table.mail("Ormond"), table.phase().opens_at + DAY)
    (receipt,) = table.letters("receipt")
    raw = sheet(table, header.format(receipt=receipt.message_id))
    deadline = table.phase().deadline
    row = table.take(raw, deadline)
    assert (row.state, row.reason) == (MailState.IGNORED, reason)
    (notice,) = table.letters("coordinator_notice")
    words = table.words(notice)
    for part_of_notice in (MONTROSE, "not proved", "Player Montrose", "Powick Bridge, Montrose",
                           table.subject("Montrose"), "If you do nothing, it does not count"):
        assert part_of_notice in words
    assert notice.recipient == COORDINATOR
    with table.site.store() as session:
        assert [mail.sha256 for mail in waiting(session)] == [row.sha256]
    table.site.clock.set(deadline + DAY)
    table.site.jobs.register(ingest.WORK, table.handle_mail)
    take_back(table, row.sha256)
    assert table.site.jobs.queue[-1][0] == ingest.WORK
    table.process(row.sha256)
    submission = table.submissions()[-1]
    assert (submission.power, submission.received_at, submission.sha256) == (
        "Montrose", deadline, row.sha256)
    assert [event for event in events(table) if event[0].startswith("ignored")] == [
        ("ignored_mail_taken_back", "Ada")]
    with pytest.raises(Refused):
        take_back(table, row.sha256)
    with table.site.store() as session:
        assert waiting(session) == []


def test_what_is_taken_back_still_has_to_be_proved(table: Table) -> None:
    """BOX-01, SUB-14: a forged sender is not answered, no matter who takes the mail back."""
    raw = mail(table.subject("Montrose"), MONTROSE, headers=["Auto-Submitted: auto-replied"],
               parts=[text(), part(picture())], stamps=[stamp("montrose.example", "fail", SERVER)])
    row = table.take(raw, table.phase().opens_at + DAY)
    take_back(table, row.sha256)
    table.process(row.sha256)
    row = table.mail_row(row.sha256)
    assert (row.state, row.reason) == (MailState.QUARANTINED, "auth_failed")
    assert {to for _, to in table.written_letters()} == {COORDINATOR}


def test_what_no_player_can_miss_is_not_told(table: Table) -> None:
    """BOX-01: strangers, mails without attachments, reports with a copy of our own letter."""
    when = table.phase().opens_at + DAY
    auto = "Auto-Submitted: auto-replied"
    montrose = [stamp("montrose.example", server=SERVER)]
    table.take(mail("Away", "mallory@else.example", headers=[auto]), when)
    table.take(mail("Away", MONTROSE, headers=[auto], parts=[text("Back on Monday.")], stamps=montrose), when)
    copy = b"Content-Type: message/rfc822\r\n\r\nSubject: Results\r\n" + part(picture())
    table.take(mail("Read: Results", MONTROSE, stamps=montrose, body=multipart(
        [text("Seen."), b"Content-Type: message/disposition-notification\r\n\r\nDisposition: displayed\r\n",
         copy], "multipart/report; report-type=disposition-notification")), when)
    assert table.letters() == []
    with table.site.store() as session:
        assert waiting(session) == []


def test_two_hundred_automatic_answers_bring_one_notice_and_are_all_listed(table: Table) -> None:
    """BOX-01: a vacation program with a picture in its signature."""
    when = table.phase().opens_at + DAY
    for number in range(30):
        table.take(sheet(table, "Auto-Submitted: auto-replied", f"X-Number: {number}"), when)
    assert table.written_letters() == [("coordinator_notice", COORDINATOR)]
    with table.site.store() as session:
        assert len(waiting(session)) == 30


def test_a_repeat_is_listed_and_points_to_the_sheet_on_file(table: Table) -> None:
    """BOX-01: the earlier mail counts, so there is neither a notice nor a way to file it twice."""
    when = table.phase().opens_at + DAY
    table.take(sheet(table), when)
    repeat = table.take(sheet(table, "X-Copy: 1"), when)
    assert (repeat.state, repeat.reason) == (MailState.IGNORED, "duplicate")
    assert table.letters("coordinator_notice") == []
    with table.site.store() as session:
        assert ([row.sha256 for row in repeats(session)], waiting(session)) == ([repeat.sha256], [])
    with pytest.raises(Refused, match="already on file"):
        take_back(table, repeat.sha256)


def take_back(table: Table, sha256: str) -> None:
    size = len(table.site.blobs.read(sha256))
    do(table, TakeIgnoredBack(sha256, size, partial(judge_again, table.site.jobs)))


def events(table: Table) -> list[tuple[str, str]]:
    """Kind and actor of every event."""
    with table.site.store() as session:
        return [(row.what, row.actor) for row in session.scalars(select(EventRow).order_by(EventRow.id))]
