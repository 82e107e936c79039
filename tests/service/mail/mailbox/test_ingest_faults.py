"""What goes wrong between the mailbox and us, with a real Dovecot behind a proxy that misbehaves."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import pytest
from imapclient import IMAPClient
from sqlalchemy import func, select

from service.config import MailIn
from service.mail.mailbox.drain import MailboxDrain
from service.mail.mailbox.imap import ImapSource
from service.mail.mailbox.ingest import PAUSES, IngestCounts, take_in, watch
from service.mail.mailbox.source import MailboxError, Signal, WaitingMail
from service.store.tables import MailRow
from tests.support.mails import simple, wait_for
from tests.support.servers.dovecot import PASSWORD, USER, Dovecot, free_port
from tests.support.servers.proxy import Proxy
from tests.support.site import Site


@dataclass
class Watch:
    """A poller in a thread, and what it reports for the status page."""

    site: Site
    source: ImapSource
    reports: list[str] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None

    def start(self) -> Watch:
        def take() -> IngestCounts:
            site = self.site
            drain = MailboxDrain(lambda _until: self.source, site.store, site.blobs, site.jobs, site.clock)
            return drain.look(self.source)

        self.thread = threading.Thread(
            target=watch, args=(self.source, take, self.stop, self.reports.append, 120.0)
        )
        self.thread.start()
        return self

    def end(self) -> None:
        self.stop.set()
        assert self.thread is not None
        self.thread.join(20)
        assert not self.thread.is_alive()


@pytest.fixture
def proxy(dovecot: Dovecot) -> Iterator[Proxy]:
    between = Proxy(dovecot.imap).start()
    yield between
    between.stop()


@pytest.fixture
def start_watch(site: Site) -> Iterator[Callable[[ImapSource], Watch]]:
    watches: list[Watch] = []

    def start(source: ImapSource) -> Watch:
        watches.append(Watch(site, source).start())
        assert wait_for(lambda: bool(watches[-1].reports))
        # Until it waits in IDLE.
        time.sleep(0.2)
        return watches[-1]

    yield start
    for started in watches:
        started.end()


def settings(port: int, **more: object) -> MailIn:
    return MailIn.model_validate(
        {"host": "127.0.0.1", "port": port, "tls": False, "user": USER, "password": PASSWORD, **more}
    )


def count(site: Site) -> int:
    with site.store() as session:
        return session.scalar(select(func.count()).select_from(MailRow)) or 0


def test_a_server_that_dies_while_we_wait_is_found_again(
    site: Site, dovecot: Dovecot, start_watch: Callable[[ImapSource], Watch]
) -> None:
    # A try while Dovecot starts may hang as long as a read may; by default that and the longest pause are as
    # long as the wait below.
    watching = start_watch(ImapSource(settings(dovecot.imap), read_seconds=5.0))
    dovecot.kill()
    assert wait_for(lambda: len(watching.reports) >= 3, 20)
    assert "was lost" in watching.reports[1]
    assert "no answer" in watching.reports[2]
    started = time.process_time()
    time.sleep(2)
    spent = time.process_time() - started
    dovecot.start()
    dovecot.deliver(simple(1))
    # The next try comes after the longest pause at the latest; on a busy machine Dovecot starts slowly.
    assert wait_for(lambda: count(site) == 1, PAUSES[-1] + 30)
    assert wait_for(lambda: watching.reports[-1] == "")
    # Processor time in two seconds without a server: no busy loop.
    assert spent < 0.5
    # The pauses grow.
    assert len(watching.reports) < 8


class LateSource(ImapSource):
    """A mailbox into which a mail comes after each of the first two looks, just before the listing that
    follows it."""

    def __init__(self, dovecot: Dovecot) -> None:
        super().__init__(settings(dovecot.imap))
        self._dovecot, self._listings = dovecot, 0

    def list_waiting(self, since: datetime | None = None) -> Sequence[WaitingMail]:
        self._listings += 1
        if self._listings in {2, 4}:
            self._dovecot.append(simple(self._listings))
        return super().list_waiting(since)


def test_a_mail_that_comes_before_the_listing_after_a_look_does_not_wait_for_the_keep_alive(
    site: Site, dovecot: Dovecot, start_watch: Callable[[ImapSource], Watch]
) -> None:
    # The server had pushed it by then, and IDLE does not repeat it: on a busy machine it waited for 240 s.
    start_watch(LateSource(dovecot))
    assert wait_for(lambda: count(site) == 2, 60)


class EmptyHandedSource(ImapSource):
    """A mailbox that lists a mail and never hands it out."""

    listings = 0

    def list_waiting(self, since: datetime | None = None) -> Sequence[WaitingMail]:
        self.listings += 1
        return super().list_waiting(since)

    def fetch(self, waiting: WaitingMail) -> None:
        return None

    def wait(self, seconds: float, stop: Signal) -> None:
        stop.wait(seconds)


def test_a_mail_that_is_listed_and_never_handed_out_is_not_asked_for_without_end(
    site: Site, dovecot: Dovecot, start_watch: Callable[[ImapSource], Watch]
) -> None:
    dovecot.append(simple(1))
    source = EmptyHandedSource(settings(dovecot.imap))
    start_watch(source)
    # Two listings in a look, and one look more.
    assert wait_for(lambda: source.listings == 4)
    time.sleep(0.5)
    assert source.listings == 4


def test_a_network_that_swallows_everything_is_noticed_and_survived(
    site: Site, dovecot: Dovecot, proxy: Proxy, start_watch: Callable[[ImapSource], Watch]
) -> None:
    watching = start_watch(ImapSource(settings(proxy.port, keep_alive_seconds=1), read_seconds=0.7))
    proxy.silent = True
    assert wait_for(lambda: len(watching.reports) > 1 and watching.reports[-1], 20)
    assert "does not answer in time" in watching.reports[-1]
    proxy.silent = False
    dovecot.deliver(simple(1))
    assert wait_for(lambda: count(site) == 1 and not watching.reports[-1], 60)


def test_a_connection_cut_in_the_middle_of_a_body_leaves_no_half_mail(
    site: Site, dovecot: Dovecot, proxy: Proxy
) -> None:
    raw = simple(1, size=1_500_000)
    dovecot.append(raw)
    source = ImapSource(settings(proxy.port))
    source.list_waiting()
    proxy.cut_after = proxy.from_server + 700_000
    with pytest.raises(MailboxError):
        take_in(source, site.store, site.blobs, site.jobs, site.clock)
    assert count(site) == 0
    # Fault 3: bytes are stored only when whole; a half mail would have its own digest and count as
    # another.
    assert list(site.blobs.root.rglob("*")) == []
    assert take_in(source, site.store, site.blobs, site.jobs, site.clock) == IngestCounts(new=1)
    source.close()
    with site.store() as session:
        assert site.blobs.read(session.scalars(select(MailRow.sha256)).one()) == raw


def test_a_mail_on_which_the_connection_breaks_every_time_comes_last(
    site: Site, dovecot: Dovecot, proxy: Proxy
) -> None:
    dovecot.append(simple(1, size=500_000))
    dovecot.append(simple(2))
    source = ImapSource(settings(proxy.port))
    source.list_waiting()
    proxy.cut_after = proxy.from_server + 100_000
    with pytest.raises(MailboxError):
        take_in(source, site.store, site.blobs, site.jobs, site.clock)
    assert [waiting.place.uid for waiting in source.list_waiting()] == ["2", "1"]
    source.close()


def test_a_mail_of_two_megabytes_above_the_limit_is_never_carried_over(
    site: Site, dovecot: Dovecot, proxy: Proxy
) -> None:
    dovecot.append(simple(1, size=1_500_000))
    source = ImapSource(settings(proxy.port, max_bytes=1_000_000))
    assert take_in(source, site.store, site.blobs, site.jobs, site.clock) == IngestCounts(new=1)
    source.close()
    assert proxy.from_server < 20_000
    with site.store() as session:
        row = session.scalars(select(MailRow)).one()
    assert row.reason == "too_large"
    # 1,500,000 bytes in base64.
    assert row.size > 2_000_000


def test_waiting_ends_when_asked_to(dovecot: Dovecot) -> None:
    source, stop = ImapSource(settings(dovecot.imap)), threading.Event()
    threading.Timer(0.3, stop.set).start()
    started = time.monotonic()
    source.wait(60, stop)
    assert time.monotonic() - started < 3
    # The connection is still good.
    assert source.list_waiting() == []
    source.close()


def test_idle_is_left_at_the_keep_alive_limit(dovecot: Dovecot) -> None:
    source = ImapSource(settings(dovecot.imap, keep_alive_seconds=1))
    started = time.monotonic()
    source.wait(600, threading.Event())
    assert 0.9 < time.monotonic() - started < 4
    source.close()


def test_after_a_quiet_while_the_folder_is_opened_anew(
    dovecot: Dovecot, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The demo's mail server lost sight of two mails that came while others were moved; opening the folder
    # again finds such mails.
    opened: list[str] = []
    select = IMAPClient.select_folder

    def counted(client: IMAPClient, folder: str, readonly: bool = False) -> object:
        opened.append(folder)
        return select(client, folder, readonly)

    monkeypatch.setattr(IMAPClient, "select_folder", counted)
    source = ImapSource(settings(dovecot.imap))
    source.list_waiting()
    source.wait(0.3, threading.Event())
    assert opened == ["INBOX", "INBOX"]
    threading.Timer(0.3, lambda: dovecot.deliver(simple(1))).start()
    source.wait(60, threading.Event())
    # After news the folder is not opened again.
    assert opened == ["INBOX", "INBOX"]
    assert len(source.list_waiting()) == 1
    source.close()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"password": "wrong"}, r"refused the login; check mail_in\.user and mail_in\.password"),
        ({"folder": "Orders"}, r"has no folder Orders; check mail_in\.folder"),
        ({"tls": True}, r"No encryption could be agreed .* mail_in\.port"),
        ({"host": "nowhere.invalid"}, r"with the name nowhere\.invalid; check mail_in\.host"),
    ],
)
def test_each_trouble_gives_one_sentence_that_says_what_to_check(
    dovecot: Dovecot, change: dict[str, object], says: str
) -> None:
    source = ImapSource(settings(dovecot.imap, **change))
    with pytest.raises(MailboxError, match=says) as caught:
        source.list_waiting()
    assert "\n" not in str(caught.value)
    assert PASSWORD not in str(caught.value)


def test_an_unreachable_server_gives_one_sentence() -> None:
    source = ImapSource(settings(free_port()))
    with pytest.raises(
        MailboxError, match=r"^There is no answer from 127\.0\.0\.1:\d+; check .* or start the mail server\.$"
    ):
        source.list_waiting()


def test_encryption_needs_a_certificate_that_is_trusted(site: Site, dovecot_tls: Dovecot) -> None:
    dovecot_tls.append(simple(1))
    over_tls = settings(dovecot_tls.imaps, tls=True, host="localhost")
    # The certificate is its own issuer: without being told of it no one may trust it, and no password is
    # sent.
    with pytest.raises(MailboxError, match="certificate"):
        ImapSource(over_tls).list_waiting()
    trusting = ImapSource(over_tls, context=ssl.create_default_context(cafile=str(dovecot_tls.certificate)))
    assert take_in(trusting, site.store, site.blobs, site.jobs, site.clock) == IngestCounts(new=1)
    trusting.wait(0.3, threading.Event())
    trusting.close()


def test_the_connection_is_encrypted_in_place_on_the_plain_port(
    site: Site, dovecot_tls: Dovecot, monkeypatch: pytest.MonkeyPatch
) -> None:
    # 143 on a real server.
    monkeypatch.setattr("service.mail.mailbox.imap._STARTTLS_PORT", dovecot_tls.imap)
    dovecot_tls.append(simple(1))
    upgraded = settings(dovecot_tls.imap, tls=True, host="localhost")
    with pytest.raises(MailboxError, match="certificate"):
        ImapSource(upgraded).list_waiting()
    trusting = ImapSource(upgraded, context=ssl.create_default_context(cafile=str(dovecot_tls.certificate)))
    assert take_in(trusting, site.store, site.blobs, site.jobs, site.clock) == IngestCounts(new=1)
    trusting.close()


def test_where_folders_have_a_prefix_ours_get_it_too(site: Site) -> None:
    server = Dovecot(prefix="INBOX.").start()
    try:
        server.append(simple(1))
        source = ImapSource(settings(server.imap))
        assert take_in(source, site.store, site.blobs, site.jobs, site.clock) == IngestCounts(new=1)
        source.close()
        assert server.contents("INBOX.Galloper") == [simple(1)]
    finally:
        server.remove()
