"""A refused login is tried again at growing pauses, and settings are read again without a restart
(BOX-07)."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from io import BufferedRWPair
from pathlib import Path
from typing import Self

import pytest

from service.clock import SystemClock
from service.config import MailIn, MailOut
from service.mail.access.login import PAUSES, Login
from service.mail.access.oauth import NoToken, Tokens
from service.mail.account import LiveSource, LiveTransport, MailAccount
from service.mail.mailbox.imap import ImapSource
from service.mail.mailbox.imap_client import LoginRefused
from service.mail.mailbox.ingest import take_in, watch
from service.mail.mailbox.source import MailboxError
from service.mail.sending.outbox import SendCounts, send_due
from service.operations.findings import FindingState
from service.operations.health import Observation, check_mailbox
from service.operations.mailbox_status import MailboxStatus
from service.operations.reread_settings import SettingsReader, secret_files
from service.site_folder import settings_of
from tests.support.letters import LETTER, SENDER, write
from tests.support.mails import simple, wait_for
from tests.support.servers.dovecot import Dovecot
from tests.support.servers.mailboxes import imap_settings, mails
from tests.support.servers.provider import Provider
from tests.support.servers.proxy import Proxy
from tests.support.servers.smtp_sink import SmtpSink
from tests.support.site import Site

MINUTE = 60.0


@dataclass
class Saying:
    """An IMAP server that answers each login with these words; no real server can be made to use all of
    them. `logins` counts."""

    words: bytes
    logins: int = 0
    port: int = 0
    _listener: socket.socket | None = None

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, args=(self._listener,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._listener is not None
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _serve(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection, connection.makefile("rwb") as lines:
                    self._talk(lines)

    def _talk(self, lines: BufferedRWPair) -> None:
        lines.write(b"* OK ready\r\n")
        lines.flush()
        for line in lines:
            tag, _, command = line.partition(b" ")
            asks_abilities = command.upper().startswith(b"CAPABILITY")
            self.logins += not asks_abilities
            start = b"* CAPABILITY IMAP4rev1\r\n" if asks_abilities else b""
            lines.write(start + tag + b" " + (b"OK done" if asks_abilities else self.words) + b"\r\n")
            lines.flush()


class Seconds:
    """A clock to be moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_refused_login_is_tried_after_1_5_15_and_60_minutes_over_all_connections() -> None:
    """BOX-07: the poller, every deadline and the clock check log in as one user, and are counted as one."""
    assert [pause / MINUTE for pause in PAUSES] == [1, 5, 15, 60]
    clock, tries = Seconds(), []
    with Saying(b"NO [AUTHENTICATIONFAILED] Invalid credentials, try again (Failure)") as server:
        wrong = MailIn(host="127.0.0.1", port=server.port, tls=False, user="orders", password="wrong")
        login = Login(wrong, "mail_in", now=clock)
        # Ten seconds apart, as the poller and deadlines may ask, for three hours.
        while clock.now < 180 * MINUTE:
            before = server.logins
            with pytest.raises(LoginRefused, match=r"refused the login; check mail_in\.user"):
                ImapSource(wrong, login=login).list_waiting()
            if server.logins > before:
                tries.append(clock.now / MINUTE)
            clock.now += 10
    assert tries == [0, 1, 6, 21, 81, 141]


def test_a_relay_that_refuses_the_login_is_not_asked_at_every_look(site: Site) -> None:
    """BOX-07: letters are looked for every second."""
    sink = SmtpSink(token="good").start()
    provider = Provider().start()
    between = Proxy(sink.port).start()
    leaving = MailOut(host="127.0.0.1", port=between.port, starttls=False, sender=SENDER, user="orders",
                      oauth=provider.settings())
    account = MailAccount(MailIn(), leaving)
    transport = LiveTransport(account)
    write(site, LETTER)
    try:
        for _ in range(20):
            outcome = send_due(site.store, site.blobs, transport, site.clock, sender=SENDER)
        assert "The next try is 1 minute later" in outcome.down
        # A token may have been taken back, so the first refusal is followed by a try with a fresh one.
        assert (len(sink.logins), between.connections) == (2, 2)
        sink.token = "token-3"
        # Changed settings are tried at once.
        changed = leaving.model_copy(update={"oauth": provider.settings(scope="x")})
        assert account.change(account.mail_in, changed)
        assert send_due(site.store, site.blobs, transport, site.clock, sender=SENDER) == SendCounts(sent=1)
    finally:
        between.stop()
        provider.stop()
        sink.stop()


class Served:
    """A poller that reads its settings from a file, as `galloper serve` does."""

    def __init__(self, site: Site, folder: Path) -> None:
        self.site, self.folder = site, folder
        settings = settings_of(folder)
        self.account = MailAccount(settings.mail_in, settings.mail_out)
        self.status = MailboxStatus(SystemClock(), is_refused=lambda: self.account.login_in.is_refused)
        self.reader = SettingsReader(lambda: settings_of(folder), (folder / "galloper.toml", *secret_files()),
                                     self.account, self.status)
        self.stop = threading.Event()
        self.reports: list[str] = []
        source = LiveSource(self.account)

        def look() -> object:
            return self.status.look(lambda: take_in(source, site.store, site.blobs, site.jobs, site.clock))

        self.thread = threading.Thread(
            target=watch, args=(source, look, self.stop, self.status.recording(self.reports.append), 60.0),
            kwargs={"wake": self.status.wanted})
        self.thread.start()

    def shown(self) -> tuple[FindingState, str, bool]:
        with self.site.store() as session:
            finding = check_mailbox(Observation(
                session, self.status.clock.now(), self.status, self.folder, engines_loaded=False))
        return finding.state, finding.sentence, finding.is_urgent


def settings_file(folder: Path, port: int) -> None:
    (folder / "galloper.toml").write_text(
        'data = "data"\norder_address = "orders@galloper.example"\ncoordinator = "ada@galloper.example"\n'
        f'[mail_in]\nhost = "127.0.0.1"\nport = {port}\ntls = false\nuser = "orders"\n'
        '[mail_out]\nkind = "folder"\npath = "out"\nsender = "orders@galloper.example"\n')


@pytest.fixture
def secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dovecot: Dovecot) -> Path:
    settings_file(tmp_path, dovecot.imap)
    path = tmp_path / "password"
    path.write_text(dovecot.password)
    monkeypatch.setenv("GALLOPER_MAIL_IN__PASSWORD_FILE", str(path))
    return path


@pytest.mark.slow
def test_a_password_changed_under_way_is_told_at_once_and_the_new_one_is_used_without_a_restart(
    site: Site, dovecot: Dovecot, secret: Path, tmp_path: Path
) -> None:
    """BOX-07."""
    served = Served(site, tmp_path)
    try:
        assert wait_for(lambda: served.reports == [""])
        dovecot.change_password("next-one")
        assert wait_for(lambda: "refused the login" in served.reports[-1], 20)
        assert "The next try is 1 minute later" in served.reports[-1]
        state, sentence, is_urgent = served.shown()
        assert (state, is_urgent) == (FindingState.TROUBLE, True)
        assert "refused the login" in sentence
        dovecot.append(simple(1))
        assert not served.reader.look()  # nothing was written yet
        secret.write_text("next-one\n")
        # Not after a minute: a changed secret is tried as soon as it is read.
        assert served.reader.look()
        assert wait_for(lambda: len(mails(site)) == 1, 20)
        assert wait_for(lambda: served.reports[-1] == "", 20)
        assert served.shown()[0] is FindingState.WELL
    finally:
        served.stop.set()
        served.thread.join(20)


def test_a_settings_file_with_a_fault_changes_nothing_and_is_told(
    site: Site, dovecot: Dovecot, secret: Path, tmp_path: Path
) -> None:
    """BOX-07."""
    served = Served(site, tmp_path)
    try:
        assert wait_for(lambda: served.reports == [""])
        file = tmp_path / "galloper.toml"
        whole = file.read_text()
        file.write_text(whole.replace("tls = false", "tls = maybe"))
        assert not served.reader.look()
        state, sentence, _urgent = served.shown()
        assert state is FindingState.TROUBLE
        assert "galloper.toml" in sentence
        assert "stay in use" in sentence
        assert dovecot.password not in sentence
        # Told once, and read again only when it is written again, or when asked for.
        assert not served.reader.look()
        file.write_text(whole)
        assert not served.reader.look()
        assert served.shown()[0] is FindingState.WELL
        # What is read at the start alone is named.
        file.write_text(whole.replace('sender = "orders@', 'sender = "other@'))
        served.reader.look()
        assert served.account.mail_out.sender == "orders@galloper.example"
        assert "mail_out.sender: changed in the file, and used after the next restart" in served.shown()[1]
    finally:
        served.stop.set()
        served.thread.join(20)


def test_a_provider_that_refuses_a_token_is_left_alone_and_one_that_is_busy_is_not(dovecot: Dovecot) -> None:
    """BOX-07."""
    provider = Provider().start()
    try:
        settings = imap_settings(dovecot).model_copy(update={"oauth": provider.settings()})
        login = Login(settings, "mail_in")
        provider.fault = (503, b"busy")
        for _ in range(3):
            with pytest.raises(MailboxError, match=r"\(503\)"):
                ImapSource(settings, login=login).list_waiting()
        assert (len(provider.asked), login.is_refused) == (3, False)
        provider.fault = (400, b'{"error": "invalid_grant"}')
        for _ in range(3):
            with pytest.raises(LoginRefused, match=r"invalid_grant.* The next try is 1 minute later"):
                ImapSource(settings, login=login).list_waiting()
        assert (len(provider.asked), login.is_refused) == (4, True)
    finally:
        provider.stop()


def test_a_provider_of_tokens_that_drips_is_left_in_time() -> None:
    """BOX-07: a byte a second in the head or in the body of its answer."""
    provider = Provider().start()
    port = int(provider.address.rpartition(":")[2])
    for moment in (b"HTTP/", b"access_token"):
        between = Proxy(port, drip=0.1, drip_after=moment).start()
        try:
            settings = provider.settings().model_copy(
                update={"token_url": f"http://127.0.0.1:{between.port}/token"})
            started = time.monotonic()
            with pytest.raises(NoToken, match="TimeoutError"):
                Tokens(settings, "mail_in.oauth", seconds=0.5).token()
            assert time.monotonic() - started < 3
        finally:
            between.stop()
    provider.stop()


def test_too_many_connections_are_no_wrong_password() -> None:
    """BOX-07: no one is told to change a password, and the next try does not wait for minutes."""
    server = Dovecot(connections=1).start()
    try:
        settings = imap_settings(server)
        first = ImapSource(settings)
        first.list_waiting()
        login = Login(settings, "mail_in")
        with pytest.raises(MailboxError, match="allows no further connection") as caught:
            ImapSource(settings, login=login).list_waiting()
        assert not isinstance(caught.value, LoginRefused)
        assert not login.is_refused
        first.close()
        assert wait_for(lambda: _answers(ImapSource(settings, login=login)), 10)
    finally:
        server.remove()


def _answers(source: ImapSource) -> bool:
    try:
        source.list_waiting()
    except MailboxError:
        return False
    finally:
        source.close()
    return True


@pytest.mark.parametrize("words", [
    b"NO [ALERT] Too many simultaneous connections. (Failure)",
    b"NO [UNAVAILABLE] Temporary authentication failure.",
    b"NO [LIMIT] Rate limit hit",
])
def test_a_login_refused_for_another_reason_than_its_password_is_known_by_its_words(words: bytes) -> None:
    """BOX-07: the answers of Gmail, Dovecot and Yahoo."""
    with Saying(words) as server:
        login = Login(MailIn(), "mail_in")
        with pytest.raises(MailboxError, match="allows no further connection"):
            ImapSource(MailIn(host="127.0.0.1", port=server.port, tls=False, user="a", password="b"),
                       login=login).list_waiting()
        assert not login.is_refused
