"""Faults of mail coming in, from the mailbox to the verdict (docs/faults.md numbers them): each once,
whatever happens."""

from __future__ import annotations

import io
import struct
import zlib
from dataclasses import replace
from datetime import date, timedelta
from email.utils import format_datetime

import pytest
from PIL import Image, ImageDraw
from sqlalchemy import select

from ocr.image.formats import PictureFormat
from service.games.ballots import executed
from service.intake.sheets.recognizer import OpenerProbe
from service.jobs import DbosJobs
from service.mail.mime.image_types import Probe
from service.store.tables import MailRow, MailState, PhaseState
from tests.support.mail_builder import mail, part, picture, stamp, text
from tests.support.servers.dovecot import Dovecot
from tests.support.servers.mailboxes import ImapBox, imap_settings, mails, take
from tests.support.site import Site
from tests.support.table import COORDINATOR, SERVER, Table, address, open_table

MONTROSE = address("Montrose")
PAST = date(2026, 3, 1)
"""T+0 of a game whose mails Dovecot can stamp: it takes no stamp in the future."""


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site)


@pytest.fixture
def past(site: Site) -> Table:
    return open_table(site, start=PAST)


def montrose_mail(
    table: Table,
    version: int = 1,
    *,
    headers: tuple[str, ...] = (),
    photo: bytes = b"",
    name: str = "sheet.jpg",
) -> bytes:
    """Montrose's mail, with more headers, another photograph, or another name for it."""
    return mail(table.subject("Montrose", version), MONTROSE,
                parts=[text(), part(photo or picture(90 + version), name=name)],
                stamps=[stamp("montrose.example", server=SERVER)], headers=headers)  # fmt: skip


def lit_page(number: int) -> bytes:
    """A photograph of a written page at which a first look finds nothing, so that its receipt leaves at once
    (SEC-07): dark ones wait for their reading."""
    sheet = Image.new("L", (1200, 1600), 225)
    pen = ImageDraw.Draw(sheet)
    for line in range(12):
        pen.text((90, 120 + 110 * line), f"{number}. Army London to Surrey", fill=30, font_size=60)
    out = io.BytesIO()
    sheet.save(out, "JPEG", quality=92)
    return out.getvalue()


@pytest.mark.parametrize(
    "headers", [(), ("Message-ID: <same@montrose.example>",)], ids=["without", "one for two mails"]
)
def test_9_the_message_id_is_never_what_a_mail_is_known_by(table: Table, headers: tuple[str, ...]) -> None:
    """Fault 9."""
    opens = table.phase().opens_at
    rows = [table.take(montrose_mail(table, version, headers=headers), opens) for version in (1, 2)]
    assert [row.state for row in rows] == [MailState.USED] * 2
    assert [submission.version for submission in table.submissions()] == [1, 2]
    # Our own Message-IDs differ even where the players' are missing or the same.
    assert len({row.message_id for row in table.letters("receipt")}) == 2


def test_11_a_version_that_comes_late_does_not_replace_a_newer_one(table: Table) -> None:
    """Fault 11."""
    opens = table.phase().opens_at
    table.take(montrose_mail(table, 3), opens + timedelta(hours=1))
    row = table.take(montrose_mail(table, 2), opens + timedelta(hours=2))
    assert row.state == MailState.USED  # kept in the history
    # The version counts, not the order in which mails arrive.
    third, second = table.submissions()
    assert (third.version, second.version, second.flags) == (3, 2, ["superseded"])
    with table.site.store() as session:
        assert executed(session, table.phase())["Montrose"] == third.id
    assert "Version 3 is on file and counts before it" in table.words(table.letters("receipt")[1])


def test_12_one_number_on_two_papers_keeps_both_and_is_flagged(table: Table) -> None:
    """Fault 12."""
    opens = table.phase().opens_at
    # Other photographs under one number: a repeat would be the same pictures, so nothing may be dropped here.
    for photo in (picture(30), picture(200)):
        table.take(montrose_mail(table, 2, photo=photo), opens)
    first, second = table.submissions()
    assert (first.version, second.version) == (2, 2)
    assert (first.flags, second.flags) == ([], ["version_conflict"])


def test_13_the_senders_date_does_not_make_a_late_mail_early(table: Table) -> None:
    """Fault 13."""
    deadline = table.phase().deadline
    # Only the receiving server's stamp decides; this header is the sender's to write.
    early = f"Date: {format_datetime(deadline - timedelta(hours=1))}"
    row = table.take(montrose_mail(table, headers=(early,)), deadline + timedelta(seconds=1))
    assert (row.state, row.reason) == (MailState.REFUSED, "late")
    assert table.written_letters() == [("receipt_late", MONTROSE)]


def test_14_a_mail_that_lies_in_the_mailbox_when_the_deadline_fires_counts(
    past: Table, dovecot: Dovecot
) -> None:
    """Fault 14, with a real mailbox that no one looked into before."""
    phase = past.phase()
    box = ImapBox(imap_settings(dovecot))
    # One second on either side of the deadline, both in the mailbox before anybody looks.
    box.deliver(montrose_mail(past), phase.deadline - timedelta(seconds=1))
    box.deliver(montrose_mail(past, 2), phase.deadline + timedelta(seconds=1))
    source = box.source()

    def drain() -> None:
        take(past.site, source)

    past.on_drain = drain
    past.site.clock.set(phase.deadline + timedelta(minutes=1))
    past.close_phase(phase.id)
    source.close()
    assert [(submission.version, submission.received_at) for submission in past.submissions()] == [
        (1, phase.deadline - timedelta(seconds=1))
    ]
    assert past.phase().state == PhaseState.CLOSED  # judged once its sheet is read
    # The deadline waits for the mail that came in time alone; the late one is answered by its own job.
    with past.site.store() as session:
        late = session.scalars(select(MailRow.sha256).where(MailRow.state == MailState.STORED)).one()
    past.process(late)
    assert past.written_letters() == [("receipt", MONTROSE), ("receipt_late", MONTROSE)]


def test_15_headers_that_parsers_choke_on_do_not_hold_up_the_next_mail(past: Table, dovecot: Dovecot) -> None:
    """Fault 15, from a real mailbox to the verdict."""
    opens = past.phase().opens_at
    box = ImapBox(imap_settings(dovecot))
    # Broken Message-IDs, an open quote, a line end in an encoded word, two thousand open brackets.
    odd = ("Message-ID: <", "Message-ID: <a@[", 'Cc: "', ("Cc: =?utf-8?q?=0D=0ABcc=3A_x?= "
                                                          "<a@b>"), "Cc: " + "(" * 2000)
    for number, header in enumerate(odd, start=1):
        box.deliver(montrose_mail(past, number, headers=(header,)), opens)
    box.deliver(montrose_mail(past, 9), opens)
    source = box.source()
    past.site.jobs.register("mail", past.handle_mail)
    past.site.jobs.register("read", lambda _: None)
    take(past.site, source)
    source.close()
    past.site.jobs.run()
    assert [submission.version for submission in past.submissions()] == [1, 2, 3, 4, 5, 9]
    for letter in past.letters():
        assert past.message(letter)["Bcc"] is None


@pytest.mark.slow
def test_16_a_mail_of_forty_megabytes_is_refused_by_its_size_and_told_once(
    past: Table, dovecot: Dovecot
) -> None:
    """Fault 16, at the default limit; the mail is in the mailbox twice."""
    # 30 MB grow to more than 40 in base64.
    raw = montrose_mail(past, photo=picture() + bytes(30_000_000))
    assert len(raw) > 40_000_000
    box = ImapBox(imap_settings(dovecot))
    for _ in range(2):
        box.deliver(raw, past.phase().opens_at)
    source = box.source(box.settings.max_bytes)
    take(past.site, source)
    source.close()
    past.site.jobs.register("mail", past.handle_mail)
    past.site.jobs.run()
    (row,) = mails(past.site)
    assert (row.state, row.reason, row.size) == (MailState.REFUSED, "too_large", len(raw))
    assert len(past.site.blobs.read(row.sha256)) < 2000  # its header; the body was never fetched
    assert past.written_letters() == [("rejection", MONTROSE)]


class Poisoned:
    """A probe that fails on one photograph, as an unforeseen fault would."""

    def __init__(self, poison: bytes) -> None:
        self._poison = poison
        self._inner = OpenerProbe()
        self.tries = 0

    def probe(self, data: bytes, kind: PictureFormat, seconds: float = 60.0) -> Probe:
        if data == self._poison:
            self.tries += 1
            raise ZeroDivisionError
        return self._inner.probe(data, kind, seconds)


@pytest.mark.slow
def test_17_a_mail_that_fails_three_times_goes_to_quarantine_and_the_next_is_used(table: Table) -> None:
    """Fault 17, with the real queue."""
    probe = Poisoned(picture(10))
    jobs = DbosJobs(table.site.engine, poll_seconds=0.1, pauses=(0.1, 0.1))
    replace(table, probe=probe).register_intake(jobs)
    raw = montrose_mail(table, photo=picture(10))
    next_one = montrose_mail(table, 2, photo=lit_page(2))
    keys = [table.arrive(mail, table.phase().opens_at) for mail in (raw, next_one)]
    jobs.start()
    with table.site.store.begin() as session:
        for key in keys:
            jobs.enqueue(session, "mail", f"mail:{key}", {"mail": key})
    idle = jobs.wait_idle(60)
    jobs.stop()
    assert idle
    assert probe.tries == 3
    bad, good = (table.mail_row(key) for key in keys)
    assert (bad.state, bad.reason) == (MailState.QUARANTINED, "could_not_be_handled")
    # Its bytes stay, so that a person can still file it.
    assert table.site.blobs.read(keys[0]) == raw
    assert good.state == MailState.USED
    assert sorted(table.written_letters()) == [("coordinator_notice", COORDINATOR), ("receipt", MONTROSE)]


def test_18_a_stamp_that_only_looks_like_the_trusted_servers_proves_nothing(table: Table) -> None:
    """Fault 18."""
    # Our name with more behind it, with a 1 for an l, and inside a comment as RFC 8601 allows before the
    # name.
    looks = ["mx.galloper.example.evil.example", "mx.gal1oper.example", "(mx.galloper.example) evil.example"]
    for number, server in enumerate(looks, start=1):
        forged = mail(table.subject("Montrose", number), MONTROSE, parts=[text(), part(picture(number))],
                      stamps=[stamp("montrose.example", server=server)])  # fmt: skip
        row = table.take(forged, table.phase().opens_at)
        assert (row.state, row.reason) == (MailState.QUARANTINED, "auth_failed")
    assert {recipient for _, recipient in table.written_letters()} == {COORDINATOR}
    assert table.submissions() == []


@pytest.mark.slow
def test_19_two_hundred_machines_in_a_minute_are_answered_by_nothing(table: Table) -> None:
    """Fault 19."""
    opens = table.phase().opens_at
    machine = (
        "Auto-Submitted: auto-replied",
        "X-Autoreply: yes",
        "Precedence: auto_reply",
        "Auto-Submitted: auto-generated",
    )
    for number in range(200):
        received_at = opens + timedelta(seconds=number * 0.3)
        # Three of four are automatic answers, the fourth is a bounce without a report part.
        if number % 4:
            raw = montrose_mail(table, number + 1, headers=(machine[number % 4],))
        else:
            raw = mail(f"Undeliverable {number}", "mailer-daemon@montrose.example",
                       headers=("Auto-Submitted: auto-replied",),
                       from_lines=["From: mailer-daemon@montrose.example"],
                       parts=[text(f"It came back {number}.")])  # fmt: skip
        assert table.take(raw, received_at).state == MailState.IGNORED
    # The answers bring a photograph, so the coordinator hears of them once (BOX-01), and no one else.
    assert [recipient for _, recipient in table.written_letters()] == [COORDINATOR]


@pytest.mark.parametrize(
    "name", ["../../../../etc/cron.d/x", "..\\..\\x.jpg", "", "/etc/passwd", "a\x00b.jpg", "x" * 3000, "CON"]
)
def test_20_names_of_attachments_never_become_paths(table: Table, name: str) -> None:
    """Fault 20."""
    before = set(table.site.blobs.root.parent.rglob("*"))
    row = table.take(montrose_mail(table, photo=picture(77), name=name), table.phase().opens_at)
    assert row.state == MailState.USED
    new_files = [path for path in set(table.site.blobs.root.parent.rglob("*")) - before
                 if path.is_file() and not path.name.startswith("galloper.sqlite")]
    assert new_files
    # Files of any ending are looked at: with an ending left out of the search a name could have become one
    # unseen.
    assert all(len(path.name) == 64 and path.parents[1] == table.site.blobs.root for path in new_files)


def test_20_a_file_is_what_it_holds_and_not_what_it_is_called(table: Table) -> None:
    """Fault 20: no bytes at all, and words that are called a picture."""
    opens = table.phase().opens_at
    for number, data in enumerate((b"", b"GIF89a but no picture", b"%PDF-1.7 but no pages"), start=1):
        raw = mail(table.subject("Montrose", number), MONTROSE,
                   parts=[text(), part(data), part(picture(number))],
                   stamps=[stamp("montrose.example", server=SERVER)])  # fmt: skip
        # A file that is not a picture costs nothing next to a sound photograph; alone, as below, it is
        # refused.
        assert table.take(raw, opens).state == MailState.USED
    only = mail(
        table.subject("Montrose", 8),
        MONTROSE,
        parts=[text(), part(b"")],
        stamps=[stamp("montrose.example", server=SERVER)],
    )
    assert table.take(only, opens).state == MailState.REFUSED


def black_png(width: int, height: int) -> bytes:
    """A whole PNG of one bit a pixel, every row of it there."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packer, row = zlib.compressobj(9), bytes(1 + -(-width // 8))
    rows = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.mark.slow
def test_21_a_picture_that_would_unfold_to_gigabytes_is_refused_and_the_next_is_used(table: Table) -> None:
    """Fault 21, with the real child that opens pictures."""
    # 2.5 thousand million pixels in less than 400 kB.
    bomb = black_png(50_000, 50_000)
    assert len(bomb) < 400_000
    opening = replace(table, probe=OpenerProbe())
    opens = table.phase().opens_at
    for number, photo in enumerate((bomb, black_png(12_500, 10_000), lit_page(3)), start=1):
        opening.process(table.arrive(montrose_mail(table, number, photo=photo), opens))
    assert [submission.version for submission in table.submissions()] == [3]
    assert table.written_letters() == [("rejection", MONTROSE)] * 2 + [("receipt", MONTROSE)]
