"""Taking mail in, with the same behaviour from Dovecot, pymap and a Maildir."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import select

from demo.mail_server import DemoMailServer
from service.config import MailIn
from service.mail.mailbox.imap import ImapSource
from service.mail.mailbox.ingest import FETCH_TRIES, IngestCounts, watch
from service.mail.mailbox.maildir import MaildirSource
from service.mail.mailbox.source import MailboxError, MailboxLocation, MailFault, RawMail, Signal, WaitingMail
from service.operations.findings import FindingState
from service.operations.health import Health
from service.operations.mailbox_status import MailboxStatus
from service.store.blobs import key_of
from service.store.tables import EventRow, MailState
from tests.support.mails import simple, wait_for
from tests.support.servers.dovecot import Dovecot
from tests.support.servers.mailboxes import (
    STAMP,
    ImapBox,
    Mailbox,
    MaildirBox,
    NoDoneFolder,
    imap_settings,
    mails,
    places,
    take,
)
from tests.support.site import NOON, Site


@pytest.fixture(params=["dovecot", "pymap", "maildir"])
def mailbox(request: pytest.FixtureRequest, tmp_path: Path) -> Mailbox:
    if request.param == "maildir":
        root = tmp_path / "Maildir"
        for part in ("new", "cur", "tmp"):
            (root / part).mkdir(parents=True)
        return MaildirBox(root)
    if request.param == "pymap":
        demo: DemoMailServer = request.getfixturevalue("pymap_server")
        return ImapBox(demo.settings())
    return ImapBox(imap_settings(request.getfixturevalue("dovecot")))


def test_a_mail_is_kept_whole_noted_queued_and_moved(site: Site, mailbox: Mailbox) -> None:
    """SUB-01: with the date and time of its receipt. SUB-15: its bytes unaltered."""
    raw = simple(1, size=3000)
    mailbox.deliver(raw)
    source = mailbox.source()
    assert take(site, source) == IngestCounts(new=1)
    source.close()
    (row,) = mails(site)
    assert row.sha256 == key_of(raw)
    assert site.blobs.read(row.sha256) == raw
    assert (row.size, row.received_at, row.stored_at) == (len(raw), STAMP, NOON)
    assert (row.state, row.reason) == (MailState.STORED, None)
    assert list(site.jobs.queue) == [("mail", f"mail:{row.sha256}", {"mail": row.sha256})]
    assert mailbox.contents("INBOX") == []
    assert mailbox.contents("Galloper") == [raw]
    assert [location.moved_at for location in places(site)] == [NOON]


def test_an_empty_mailbox_is_no_trouble(site: Site, mailbox: Mailbox) -> None:
    source = mailbox.source()
    assert take(site, source) == IngestCounts()
    source.wait(0.05, threading.Event())
    assert take(site, source) == IngestCounts()
    source.close()


def test_several_mails_come_in_one_look_and_the_next_brings_only_what_is_new(
    site: Site, mailbox: Mailbox
) -> None:
    for number in range(1, 4):
        mailbox.deliver(simple(number))
    source = mailbox.source()
    assert take(site, source) == IngestCounts(new=3)
    mailbox.deliver(simple(4))
    assert take(site, source) == IngestCounts(new=1)
    source.close()
    assert len(mailbox.contents("Galloper")) == 4


def test_the_same_bytes_twice_are_one_mail(site: Site, mailbox: Mailbox) -> None:
    """SUB-12."""
    mailbox.deliver(simple(1))
    mailbox.deliver(simple(1))
    source = mailbox.source()
    assert take(site, source) == IngestCounts(new=1, repeats=1)
    source.close()
    assert len(mails(site)) == 1
    # Both locations are remembered, or the second would be fetched again at every look.
    assert len(places(site)) == 2
    assert len(site.jobs.queue) == 1
    assert mailbox.contents("INBOX") == []


def test_the_same_message_id_with_other_words_is_another_mail(site: Site, mailbox: Mailbox) -> None:
    mailbox.deliver(simple(1))
    # The Message-ID is the sender's word and proves nothing (fault 9); the bytes decide.
    mailbox.deliver(simple(1) + b"P.S. hold Kintyre\r\n")
    source = mailbox.source()
    assert take(site, source) == IngestCounts(new=2)
    source.close()


def test_of_a_mail_that_is_too_large_only_the_header_is_fetched(site: Site, mailbox: Mailbox) -> None:
    raw = simple(1, size=60_000)
    mailbox.deliver(raw)
    mailbox.deliver(simple(2))
    source = mailbox.source(max_bytes=50_000)
    assert take(site, source) == IngestCounts(new=2)
    source.close()
    large = next(row for row in mails(site) if row.reason == "too_large")
    assert large.size == len(raw)
    assert large.state == MailState.STORED
    stored = site.blobs.read(large.sha256)
    assert b"Subject: Powick Bridge" in stored
    assert b"See the sheet" not in stored
    assert len(stored) < 1000
    assert len(site.jobs.queue) == 2
    assert len(mailbox.contents("Galloper")) == 2


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\r\n",
        b"no header at all",
        b"Message-ID: <\r\n\r\nx",
        # Headers on which Python's own classes raise: an open bracket or quote, deep nesting, a line break.
        b'Message-ID: <a@[\r\nCc: "\r\n\r\n',
        b"From: " + b"(" * 2000 + b"\r\n\r\nx",
        b"Subject: =?utf-8?q?=0D=0ABcc:_x?=\r\n\r\n\xff\xfe",
    ],
)
def test_bytes_that_parsers_choke_on_are_none_of_the_inboxs_business(
    site: Site, dovecot: Dovecot, raw: bytes
) -> None:
    box = ImapBox(imap_settings(dovecot))
    if raw:
        box.deliver(raw)
    box.deliver(simple(9))
    source = box.source()
    # Fault 15: taking in reads no header, so the next mail comes in whatever the first one holds.
    assert take(site, source).new == (2 if raw else 1)
    source.close()
    assert box.contents("INBOX") == []


def test_a_mailbox_rebuilt_from_a_backup_brings_nothing_twice(site: Site, dovecot: Dovecot) -> None:
    box = ImapBox(imap_settings(dovecot))
    raws = [simple(n) for n in range(3)]
    for raw in raws:
        box.deliver(raw)
    source = box.source()
    assert take(site, source) == IngestCounts(new=3)
    before = {location.uidvalidity for location in places(site)}
    dovecot.rebuild()
    for raw in raws:
        box.deliver(raw)
    box.deliver(simple(7))
    with pytest.raises(MailboxError):
        # The server cuts sessions of the folder that it rebuilt.
        take(site, source)
    assert take(site, source) == IngestCounts(new=1, repeats=3)
    source.close()
    assert len(mails(site)) == 4
    assert len({location.uidvalidity for location in places(site)} - before) == 1
    assert box.contents("INBOX") == []


def test_read_by_another_program_is_still_taken_in(site: Site, dovecot: Dovecot) -> None:
    # Fault 10: another client has opened it. Every mail in the folder is fetched, so no flag matters.
    dovecot.append(simple(1), STAMP, flags=(rb"\Seen",))
    source = ImapBox(imap_settings(dovecot)).source()
    assert take(site, source) == IngestCounts(new=1)
    source.close()


def test_taking_in_does_not_mark_as_read(site: Site, dovecot: Dovecot) -> None:
    dovecot.append(simple(1), STAMP)
    source = ImapBox(imap_settings(dovecot)).source()
    take(site, source)
    source.close()
    with dovecot.client() as client:
        # Looked at in the folder that mails are moved to; FETCH BODY without PEEK would have set \Seen on the
        # way.
        client.select_folder("Galloper", readonly=True)
        assert client.search("UNSEEN") == client.search("ALL") != []


class Stubborn(NoDoneFolder):
    """A mailbox whose first mail cannot be fetched."""

    def __init__(self) -> None:
        self.fetched: list[str] = []
        self.quarantined: list[str] = []
        self.moved: list[str] = []

    def list_waiting(self, since: datetime | None = None) -> Sequence[WaitingMail]:
        return [WaitingMail(MailboxLocation("a", "f", "1", uid), 10, STAMP) for uid in ("1", "2")]

    def fetch(self, waiting: WaitingMail) -> RawMail | None:
        self.fetched.append(waiting.place.uid)
        if waiting.place.uid == "1":
            raise MailFault("garbled")
        return RawMail(b"good", is_whole=True)

    def move_to_done(self, places: Sequence[MailboxLocation]) -> Mapping[MailboxLocation, MailboxLocation]:
        self.moved += [place.uid for place in places]
        return {}

    def quarantine(self, place: MailboxLocation) -> None:
        self.quarantined.append(place.uid)

    def wait(self, seconds: float, stop: Signal) -> None:
        stop.wait(seconds)

    def close(self) -> None:
        pass


def test_a_mail_that_cannot_be_fetched_goes_to_quarantine_and_does_not_hold_up_the_next(site: Site) -> None:
    source = Stubborn()
    assert take(site, source) == IngestCounts(new=1, unreadable=1)
    assert source.fetched == ["1"] * FETCH_TRIES + ["2"]
    assert (source.quarantined, source.moved) == (["1"], ["2"])
    with site.store() as session:
        assert session.scalars(select(EventRow.what)).all() == ["mail_unreadable"]
    facts = Health(
        site.store, site.clock, MailboxStatus(site.clock), site.blobs.root.parent, lambda: False
    ).findings()
    # If it stays so, the coordinator gets a letter.
    queue = next(fact for fact in facts if fact.name == "Queue")
    assert queue.state is FindingState.TROUBLE
    assert "1 mail of the last 24 hours could not be fetched" in queue.sentence


def test_a_full_disk_leaves_the_mail_where_it_is_and_says_so(
    site: Site, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    mailbox.deliver(simple(1))
    source, stop, reports = mailbox.source(), threading.Event(), list[str]()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    # Fault 28: where a disk fills up late, write succeeds and only fsync tells.
    monkeypatch.setattr("service.store.blobs.os.fsync", full)
    thread = threading.Thread(target=watch, args=(source, lambda: take(site, source), stop, reports.append))
    thread.start()
    assert wait_for(lambda: reports)
    assert reports[0].startswith("Mail cannot be stored (No space left on device)")
    assert mails(site) == []
    assert len(mailbox.contents("INBOX")) == 1
    monkeypatch.undo()
    assert wait_for(lambda: mails(site))
    stop.set()
    thread.join(10)
    assert mailbox.contents("INBOX") == []


@pytest.fixture
def watching(site: Site) -> Iterator[list[tuple[threading.Event, threading.Thread]]]:
    threads: list[tuple[threading.Event, threading.Thread]] = []
    yield threads
    for stop, thread in threads:
        stop.set()
        thread.join(15)
        assert not thread.is_alive()


def test_a_push_brings_mail_in_at_once(
    site: Site, dovecot: Dovecot, watching: list[tuple[threading.Event, threading.Thread]]
) -> None:
    source, stop, reports = ImapBox(imap_settings(dovecot)).source(), threading.Event(), list[str]()
    thread = threading.Thread(
        target=watch, args=(source, lambda: take(site, source), stop, reports.append, 120.0)
    )
    watching.append((stop, thread))
    thread.start()
    assert wait_for(lambda: reports == [""])
    # By now it waits in IDLE, where it would stay for two minutes.
    time.sleep(0.2)
    started = time.monotonic()
    dovecot.deliver(simple(1))
    assert wait_for(lambda: mails(site))
    # Not at the end of the two minutes; 40 s leave room for a loaded machine.
    assert time.monotonic() - started < 40
    assert wait_for(lambda: len(dovecot.contents("Galloper")) == 1)


@pytest.mark.slow
@pytest.mark.parametrize("server", ["dovecot", "pymap_server"])
def test_a_mail_that_comes_while_another_is_moved_is_not_waited_for(
    server: str, request: pytest.FixtureRequest
) -> None:
    # Its news is among the answers to other commands, and IDLE does not repeat it.
    running = request.getfixturevalue(server)
    box = ImapBox(running.settings() if server == "pymap_server" else imap_settings(running))
    source = box.source()
    for number in range(1, 6):
        box.deliver(simple(number))
        (first,) = source.list_waiting()
        box.deliver(simple(number + 100))
        source.move_to_done([first.place])
        started = time.monotonic()
        source.wait(60, threading.Event())
        assert time.monotonic() - started < 30
        (second,) = source.list_waiting()
        source.move_to_done([second.place])
    source.close()


def test_a_maildir_is_found_out_without_a_push(
    site: Site, tmp_path: Path, watching: list[tuple[threading.Event, threading.Thread]]
) -> None:
    for part in ("new", "cur", "tmp"):
        (tmp_path / "M" / part).mkdir(parents=True)
    box = MaildirBox(tmp_path / "M")
    source, stop = box.source(), threading.Event()
    thread = threading.Thread(
        target=watch, args=(source, lambda: take(site, source), stop, lambda _: None, 60.0)
    )
    watching.append((stop, thread))
    thread.start()
    time.sleep(0.1)
    box.deliver(simple(1))
    assert wait_for(lambda: mails(site), 20)


def test_a_maildir_that_is_none_is_named(tmp_path: Path) -> None:
    source = MaildirSource(MailIn(kind="maildir", path=str(tmp_path / "nowhere")))
    with pytest.raises(MailboxError, match=r"nowhere is not a readable Maildir .* check mail_in\.path"):
        source.list_waiting()


def test_a_maildir_file_that_vanishes_meanwhile_is_no_trouble(tmp_path: Path) -> None:
    for part in ("new", "cur", "tmp"):
        (tmp_path / part).mkdir()
    box = MaildirBox(tmp_path)
    box.deliver(simple(1))
    source = box.source()
    (waiting,) = source.list_waiting()
    shutil.rmtree(tmp_path / "new")
    (tmp_path / "new").mkdir()
    assert source.fetch(waiting) is None
    source.move_to_done([waiting.place])


class Meddled(ImapSource):
    """A mailbox in which another mail program deletes a mail just before one of our commands."""

    def __init__(self, dovecot: Dovecot, before: str, subject: str) -> None:
        super().__init__(imap_settings(dovecot))
        self._dovecot, self._before, self._subject = dovecot, before, subject

    def _meddle(self, command: str) -> None:
        if command == self._before:
            with self._dovecot.client() as client:
                client.select_folder("INBOX")
                client.delete_messages(client.search(["SUBJECT", self._subject]))
                client.expunge()

    def fetch(self, waiting: WaitingMail) -> RawMail | None:
        self._meddle("fetch")
        return super().fetch(waiting)

    def move_to_done(self, places: Sequence[MailboxLocation]) -> Mapping[MailboxLocation, MailboxLocation]:
        self._meddle("move")
        return super().move_to_done(places)


@pytest.mark.parametrize(("before", "kept"), [("fetch", [2]), ("move", [1, 2])])
def test_a_mail_that_another_program_deletes_under_way_holds_up_no_other(
    site: Site, dovecot: Dovecot, before: str, kept: Sequence[int]
) -> None:
    """MBX-06: deleted before its bytes came it is gone; afterwards it is stored here."""
    for number in (1, 2):
        dovecot.deliver(simple(number))
    source = Meddled(dovecot, before, "Orders, v1")
    assert take(site, source) == IngestCounts(new=len(kept), gone=2 - len(kept))
    source.close()
    stored = [site.blobs.load(row.sha256) for row in mails(site)]
    assert [any(b"Orders, v%d" % number in raw for raw in stored) for number in (1, 2)] == [1 in kept, True]
    assert not dovecot.contents("INBOX")
    assert [b"Orders, v2" in raw for raw in dovecot.contents("Galloper")] == [True]
