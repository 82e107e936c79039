"""A mail is given up if its job failed three times or killed its worker each time. Its bytes are stored, and
the coordinator is informed, as is a proved sender, so that no turn is lost unseen (OUT-03, SUB-14)."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
from datetime import timedelta
from email import message_from_bytes, policy
from pathlib import Path

import pytest
from sqlalchemy import select

from service.cli.games import create_game
from service.intake import process_mail
from service.site_folder import opened, settings_of
from service.store.tables import EventRow, MailRow, MailState, OutboxRow, OutboxState, OutsideNoticeRow
from tests.service.cli.test_serve import _orders
from tests.support.mail_builder import mail, part, picture, stamp
from tests.support.mails import wait_for
from tests.support.own_site import deliver, game_file, own_site
from tests.support.site import Site
from tests.support.table import COORDINATOR, SERVER, Table, address, open_table

MONTROSE = address("Montrose")
NOTICE = ("coordinator_notice", COORDINATOR)


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site)


def give_up(table: Table, raw: bytes, *, late: bool = False) -> MailRow:
    """The fate of a mail whose work failed, and of the work that this leaves in the queue."""
    phase = table.phase()
    key = table.arrive(raw, phase.deadline + timedelta(hours=1) if late else phase.opens_at)
    table.give_up(key, "the worker stopped at every attempt")
    assert table.site.jobs.queue[-1] == (
        process_mail.TELL_WORK,
        f"{process_mail.TELL_WORK}:{key}",
        {"mail": key},
    )
    for _ in range(2):  # cut off after its commit, it runs again
        table.tell_sender(key)
    return table.mail_row(key)


def test_its_player_is_told_that_it_is_safe_and_was_not_opened_and_what_to_send(table: Table) -> None:
    raw = table.mail("Montrose")
    row = give_up(table, raw)
    assert (row.state, row.reason, row.sender) == (MailState.QUARANTINED, "could_not_be_handled", MONTROSE)
    assert table.site.blobs.read(row.sha256) == raw
    assert table.written_letters() == [NOTICE, ("rejection", MONTROSE)]
    letter_text = table.words(table.letters("rejection")[0])
    for phrase in ("safe", "our machine could not open it", "The coordinator will look at it",
                   "again as JPEG", table.subject("Montrose")):
        assert phrase in letter_text
    assert table.submissions() == []
    assert ("unless you file it before its phase is "
            "judged") in table.words(table.letters("coordinator_notice")[0])


def test_nobody_is_told_who_is_not_proved_and_registered_and_no_machine(table: Table) -> None:
    forged = [
        table.mail("Montrose", shade, result=result)
        for shade, result in ((10, "fail"), (20, "none"), (30, "temperror"))
    ]
    stranger = mail(table.subject("Montrose"), "mallory@else.example", parts=[part(picture())],
                    stamps=[stamp("else.example", server=SERVER)])
    # RFC 3834: an automatic mail is never answered, or two machines write to each other without end.
    machine = b"Auto-Submitted: auto-replied\r\n" + table.mail("Montrose")
    rows = [give_up(table, raw) for raw in (*forged, stranger, machine)]
    assert {row.state for row in rows} == {MailState.QUARANTINED}
    assert [row.sender for row in rows[:3]] == [None] * 3
    assert table.written_letters() == [NOTICE]
    with table.site.store() as session:
        assert len(session.scalars(select(OutsideNoticeRow)).all()) == 5


def test_who_wrote_too_late_hears_that_and_is_not_asked_for_another_photograph(table: Table) -> None:
    give_up(table, table.mail("Montrose"), late=True)
    assert table.written_letters() == [NOTICE, ("receipt_late", MONTROSE)]


def test_a_photograph_sent_again_is_no_repeat_of_the_mail_given_up(table: Table) -> None:
    give_up(table, table.mail("Montrose"))
    row = table.take(table.mail("Montrose", note="Again, as JPEG."), table.phase().opens_at)
    assert row.state == MailState.USED
    assert table.written_letters()[2:] == [("receipt", MONTROSE)]


DYING = """
import sys
import service.bootstrap, service.jobs
service.jobs.MOST_RESTARTS, service.jobs.REST, service.bootstrap.TEND_SECONDS = 1, (0.0,), 1.0
from tests.support.processes import killed_child
killed_child.main()
"""
"""A site whose worker dies whenever it opens a mail; given up at the second death instead of the
twenty-first."""


@pytest.mark.slow
def test_a_mail_that_no_worker_survives_is_answered_by_the_next_one(tmp_path: Path) -> None:
    """Faults 17 and 22 together: real deaths of real processes, and the letters as they left."""
    folder = own_site(tmp_path / "site")
    assert create_game(folder, game_file(tmp_path), io.StringIO()) == 0
    deliver(folder, _orders())
    command = [sys.executable, "-c", DYING, str(folder), "service.intake.process_mail.open_mail", "before"]
    root = Path(__file__).parents[3]
    for _ in range(2):
        assert (
            subprocess.run(command, cwd=root, check=False, timeout=120, stderr=subprocess.PIPE).returncode
            == -signal.SIGKILL
        )
    last = subprocess.Popen(command, cwd=root, stderr=subprocess.PIPE)
    try:
        with opened(settings_of(folder)) as store:
            def told() -> bool:
                with store() as session:
                    sent = session.scalars(
                        select(OutboxRow.kind).where(OutboxRow.state == OutboxState.SENT)
                    ).all()
                return {"rejection", "coordinator_notice"} <= set(sent)

            assert wait_for(told, 90)
            with store() as session:
                assert session.scalars(select(MailRow.state)).all() == [MailState.QUARANTINED]
                assert session.scalars(
                    select(EventRow.what).where(EventRow.what == "mail_given_up")
                ).all() == ["mail_given_up"]
                ids = set(
                    session.scalars(
                        select(OutboxRow.message_id).where(
                            OutboxRow.kind.in_(["rejection", "coordinator_notice"])
                        )
                    )
                )
        assert last.poll() is None
    finally:
        last.kill()
        last.communicate()
    letters = [
        message_from_bytes(path.read_bytes(), policy=policy.default)
        for path in (folder / "outbox").glob("*.eml")
    ]
    left = sorted(str(letter["To"]) for letter in letters if letter["Message-ID"] in ids)
    assert left == ["ada@example.org", "coordinator@galloper.example"]
