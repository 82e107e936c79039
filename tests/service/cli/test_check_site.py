"""`galloper check`: a line for each thing a site is on, and 1 when one must be mended."""

from __future__ import annotations

import io
import os
import socket
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from demo.mail_server import DemoMailServer
from ocr.engines import Recognition
from ocr.engines.ppocr import ModelError, PpOcr
from service.cli import check_site as site_check
from service.cli.check_site import check_site
from service.cli.check_storage import check_photographs
from service.cli.users import add_user
from service.config import ConfigError, MailIn, MailOut, Settings
from service.feature import features
from service.mail.mailbox import imap_client
from service.operations.findings import Finding, FindingState
from service.pictures.drawing import fonts
from service.site_folder import settings_of
from service.store.engine import migrate
from tests.support.own_site import SETTINGS, deliver, own_site
from tests.support.servers.certificates import make_certificate
from tests.support.servers.dovecot import free_port
from tests.support.servers.smtp_sink import SmtpSink

AREAS = [
    "settings", "mailbox", "stamps", "sending", "clock", "disk", "database", "reader", "pictures", "users",
    "jail", "files", "key", "photos",
]


def _checked(folder: Path) -> tuple[int, dict[str, tuple[str, str]]]:
    """The exit code, and by area its mark and sentence."""
    out = io.StringIO()
    code = check_site(folder, out)
    rows = [line.split(None, 2) for line in out.getvalue().splitlines()]
    return code, {area: (mark, sentence) for mark, area, sentence in rows}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return own_site(tmp_path / "site")


@pytest.fixture
def settings(folder: Path) -> Settings:
    return settings_of(folder)


def _out(settings: Settings, **changes: object) -> Settings:
    return settings.model_copy(update={"mail_out": settings.mail_out.model_copy(update=changes)})


def _in(settings: Settings, **changes: object) -> Settings:
    return settings.model_copy(update={"mail_in": settings.mail_in.model_copy(update=changes)})


def test_a_sound_site_has_a_line_for_everything_and_nothing_is_changed(folder: Path) -> None:
    code, lines_by_area = _checked(folder)
    assert list(lines_by_area) == AREAS + [name for feature in features() for name in feature.site_tests()]
    # Its mailbox is a folder, whose stamps prove nothing about the clock.
    assert {area: mark for area, (mark, _) in lines_by_area.items()
            if mark != "ok" and area in AREAS} == {
        "stamps": "note", "clock": "note", "users": "note"}
    assert code == 0
    assert not list((folder / "outbox").iterdir())
    # Opening a SQLite database creates its file.
    assert not (folder / "data" / "galloper.sqlite").exists()


def test_servers_that_do_not_answer_are_a_sentence_each_and_the_rest_is_tested(tmp_path: Path) -> None:
    port = free_port()
    lines = SETTINGS.replace('kind = "maildir"\npath = "box"', f'host = "127.0.0.1"\nport = {port}')
    lines = lines.replace('kind = "folder"\npath = "outbox"', f'host = "127.0.0.1"\nport = {port}')
    code, lines_by_area = _checked(own_site(tmp_path / "site", lines))
    assert code == 1
    assert list(lines_by_area) == AREAS + [name for feature in features() for name in feature.site_tests()]
    assert {area for area, (mark, _) in lines_by_area.items() if mark == "MEND"} == {"mailbox", "sending"}
    assert f"There is no answer from 127.0.0.1:{port}; check mail_in.host and mail_in.port" in lines_by_area[
        "mailbox"][1]
    assert (f"There is no answer from 127.0.0.1:{port}; check mail_out.host and "
            f"mail_out.port") in lines_by_area["sending"][1]


def test_settings_that_cannot_be_read_end_the_check(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="galloper init"):
        check_site(tmp_path / "nowhere", io.StringIO())


# Mailbox
# ----------------------------------------------------------------------------------------------------------


def test_a_mailbox_is_logged_in_to_and_left_as_it_is(
    settings: Settings, pymap_server: DemoMailServer
) -> None:
    pymap_server.append(b"Subject: Orders\r\n\r\nHello.\r\n", datetime.now(UTC))
    at_server = pymap_server.settings().model_copy(update={"trusted_authserv_ids": ("mx.galloper.example",)})
    site = settings.model_copy(update={"mail_in": at_server})
    # Twice: a check that moved or fetched the mail would not find it again.
    for _ in range(2):
        finding = site_check.check_mailbox(site)
        assert finding.state is FindingState.WELL
        assert "1 mail(s) wait" in finding.sentence
    refused = site_check.check_mailbox(_in(site, password="wrong"))
    assert refused.state is FindingState.TROUBLE
    assert "check mail_in.user and mail_in.password" in refused.sentence


def test_without_a_server_to_trust_no_sheet_would_be_taken(settings: Settings) -> None:
    finding = site_check.check_mailbox(_in(settings, trusted_authserv_ids=(), own_proof=False))
    assert finding.state is FindingState.TROUBLE
    assert "mail_in.provider nor mail_in.trusted_authserv_ids" in finding.sentence
    # BOX-03: signatures are checked here then.
    by_signature = site_check.check_mailbox(_in(settings, trusted_authserv_ids=()))
    assert by_signature.state is FindingState.NOTE
    assert "signed it (DKIM)" in by_signature.sentence


def test_a_maildir_that_is_not_there_is_told(tmp_path: Path) -> None:
    finding = site_check.check_mailbox(settings_of(own_site(tmp_path / "site", box=False)))
    assert finding.state is FindingState.TROUBLE
    assert "check mail_in.path" in finding.sentence


# Sending
# ----------------------------------------------------------------------------------------------------------


def test_the_relay_is_greeted_and_nothing_is_sent(settings: Settings, smtp_sink: SmtpSink) -> None:
    relay = MailOut(host="127.0.0.1", port=smtp_sink.port, starttls=False, sender="g@galloper.example")
    finding = site_check.check_sending(settings.model_copy(update={"mail_out": relay}))
    assert finding.state is FindingState.WELL, finding.sentence
    # Someone who checks a site every day must not mail anybody.
    assert smtp_sink.letters == []


def test_a_relay_without_starttls_or_login_is_told(settings: Settings, smtp_sink: SmtpSink) -> None:
    relay = MailOut(host="127.0.0.1", port=smtp_sink.port, sender="g@galloper.example")
    for mail_out in (relay, relay.model_copy(update={"starttls": False, "user": "g", "password": "x"})):
        finding = site_check.check_sending(settings.model_copy(update={"mail_out": mail_out}))
        assert finding.state is FindingState.TROUBLE
        assert "offers no STARTTLS or no login" in finding.sentence


def test_a_certificate_that_nobody_trusts_is_told(settings: Settings, tmp_path: Path) -> None:
    sink = SmtpSink(certificate=make_certificate(tmp_path)).start()
    try:
        relay = MailOut(host="localhost", port=sink.port, sender="g@galloper.example")
        finding = site_check.check_sending(settings.model_copy(update={"mail_out": relay}))
    finally:
        sink.stop()
    assert finding.state is FindingState.TROUBLE
    assert "is not trusted" in finding.sentence


def test_a_relay_whose_name_nobody_knows_is_told(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    finding = site_check.check_sending(_out(settings, kind="smtp", host="smtp.example.org"))
    assert finding.state is FindingState.TROUBLE
    assert "check mail_out.host" in finding.sentence


def test_a_machine_without_a_network_is_told_so(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """INS-05: what `unshare --net` gives; the name in the settings may be right and is not blamed."""
    def silent(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", silent)
    incoming = MailIn(host="imap.example.org", user="orders", password="x")
    for words in (
        site_check.check_sending(_out(settings, kind="smtp", host="smtp.example.org")).sentence,
        imap_client.sentence(incoming, _failure("imap.example.org"), "open"),
    ):
        assert "no name server answers; check the network of this machine" in words
        assert "There is no computer" not in words


def _failure(host: str) -> Exception:
    with pytest.raises(OSError, match="resolution") as caught:
        socket.create_connection((host, 993))
    return caught.value


@pytest.mark.parametrize(
    ("host", "password", "encrypted", "clear"),
    [
        ("imap.example.org", "secret", False, True),
        ("192.0.2.1", "secret", False, True),
        ("imap.example.org", "secret", True, False),
        ("imap.example.org", "", False, False),
        # What goes over loopback stays on this machine.
        ("127.0.0.1", "secret", False, False),
        ("::1", "secret", False, False),
        ("localhost", "secret", False, False),
    ],
)
def test_a_password_that_would_travel_for_all_to_read(
    host: str, password: str, encrypted: bool, clear: bool
) -> None:
    assert site_check.sends_password_in_clear(host, password, encrypted=encrypted) is clear


# Clock
# ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("greeting", "instant"),
    [
        # Sendmail and Exim end their greeting with the time, Postfix gives none.
        (("220 mx.example.org ESMTP Sendmail 8.15.2/8.15.2; Mon, 1 Mar 2027 08:00:00 "
          "+0100"), datetime(2027, 3, 1, 7, tzinfo=UTC)),
        (("220 mx.example.org ESMTP Exim 4.96 Mon, 01 Mar 2027 07:00:00 "
          "+0000"), datetime(2027, 3, 1, 7, tzinfo=UTC)),
        ("220 mx.example.org ESMTP Postfix (Debian)", None),
        # "Mon," alone must not be taken for the beginning of a date.
        ("220 mx Mon, and no date", None),
        ("220 mx ESMTP; Mon, 99 Mar 2027 07:00:00 +0000", None),
        ("", None),
    ],
)
def test_the_time_in_a_greeting(greeting: str, instant: datetime | None) -> None:
    assert site_check.time_in_greeting(greeting) == instant


@contextmanager
def _greeter(line: str) -> Iterator[int]:
    """A server that states one line to anyone who comes, until the end; gives its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(10)

        def greet() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(line.encode() + b"\r\n")

        thread = threading.Thread(target=greet)
        thread.start()
        yield server.getsockname()[1]
        thread.join()


@pytest.mark.parametrize(
    ("minutes", "state"), [(0, FindingState.WELL), (10, FindingState.TROUBLE), (-10, FindingState.TROUBLE)]
)
def test_the_clock_is_compared_with_the_relays_greeting(
    settings: Settings, minutes: int, state: FindingState
) -> None:
    relay_time = datetime.now(UTC) + timedelta(minutes=minutes)
    with _greeter(f"220 mx.example.org ESMTP Sendmail; {format_datetime(relay_time)}") as port:
        finding = site_check.check_clock(_out(settings, kind="smtp", host="127.0.0.1", port=port))
    assert finding.state is state
    assert "the greeting of the mail server" in finding.sentence


def test_a_mail_that_waits_cannot_have_come_in_the_future(folder: Path, settings: Settings) -> None:
    deliver(folder, b"Subject: Orders\n\nHello.\n", received_at=datetime.now(UTC) - timedelta(days=3))
    before = site_check.check_clock(settings)
    # SUB-09: in a folder the stamps are its disk's own, which has nothing about the world's time.
    assert before.state is FindingState.NOTE
    assert "newest mail that waits" in before.sentence
    assert "set this machine's clock by NTP" in before.sentence
    deliver(folder, b"Subject: Orders\n\nHello again.\n", received_at=datetime.now(UTC) + timedelta(hours=1))
    finding = site_check.check_clock(settings)
    assert finding.state is FindingState.TROUBLE
    assert "set the clock" in finding.sentence


def test_a_year_that_cannot_be_is_told(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    # A machine without a battery for its clock starts in 1970.
    past = SimpleNamespace(now=lambda _zone: datetime(1970, 1, 1, tzinfo=UTC))
    monkeypatch.setattr(site_check, "datetime", past)
    finding = site_check.check_clock(settings)
    assert finding == Finding("clock", FindingState.TROUBLE, ("the clock of this machine is at 01 Jan 1970; "
                                                            "set the date of this machine"))


def test_with_nothing_to_compare_it_says_so(settings: Settings) -> None:
    assert "compared with the calendar only" in site_check.check_clock(settings).sentence


# Disk and database
# --------------------------------------------------------------------------------------------------


def test_a_folder_that_cannot_be_written_is_told_by_its_setting(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="check the setting data"):
        site_check.check_disk(settings.model_copy(update={"data": str(tmp_path / "file" / "data")}))
    with pytest.raises(ConfigError, match=r"check the setting mail_out\.path"):
        site_check.check_sending(_out(settings, path=str(tmp_path / "file" / "outbox")))


def test_a_full_disk_is_told(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    # 300 MB is less than a game year of photographs.
    monkeypatch.setattr("shutil.disk_usage", lambda _path: SimpleNamespace(free=300_000_000))
    finding = site_check.check_disk(settings)
    assert finding.state is FindingState.TROUBLE
    assert "only 300 MB are free" in finding.sentence


def test_the_shape_of_the_tables_is_told_and_not_changed(settings: Settings) -> None:
    path = Path(settings.data) / "galloper.sqlite"
    assert "will be created" in site_check.check_database(settings).sentence
    migrate(settings.database_url)
    assert site_check.check_database(settings).state is FindingState.WELL
    assert "is up to date" in site_check.check_database(settings).sentence
    for revision, state, words in (
        # A newer program was here before: its tables are never taken back.
        ("9999", FindingState.TROUBLE, "newer Galloper"),
        (None, FindingState.WELL, "the next start brings them to"),
    ):
        with sqlite3.connect(path) as connection:
            connection.execute("DELETE FROM alembic_version")
            if revision:
                connection.execute("INSERT INTO alembic_version VALUES (?)", (revision,))
        connection.close()
        finding = site_check.check_database(settings)
        assert finding.state is state
        assert words in finding.sentence


def test_a_file_that_is_no_database_is_told(settings: Settings) -> None:
    path = Path(settings.data) / "galloper.sqlite"
    path.parent.mkdir()
    path.write_bytes(b"a letter, and no database at all" * 200)
    finding = site_check.check_database(settings)
    assert finding.state is FindingState.TROUBLE
    assert "file is not a database" in finding.sentence


# Reader, pictures, users
# --------------------------------------------------------------------------------------------


def test_networks_that_are_missing_or_misread_are_told(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(_self: PpOcr, _crops: object) -> tuple[Recognition, ...]:
        raise ModelError("rec.onnx: No such file or directory")

    monkeypatch.setattr(PpOcr, "read", missing)
    assert site_check.check_reader(settings) == Finding(
        "reader", FindingState.TROUBLE, "rec.onnx: No such file or directory; run tools/setup again")
    # Networks that load and read nonsense are as bad as none.
    monkeypatch.setattr(PpOcr, "read", lambda _self, _crops: (Recognition("Amny Landan", 0.4),))
    finding = site_check.check_reader(settings)
    assert finding.state is FindingState.TROUBLE
    assert "Amny Landan" in finding.sentence


def test_a_tesseract_without_english_is_told(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "tesseract"
    program.write_text('#!/bin/sh\necho "List of available languages (1):"\necho osd\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    finding = site_check.check_reader(settings)
    assert finding.state is FindingState.TROUBLE
    assert "lacks the data of the language eng" in finding.sentence
    assert "only they read sheets" in finding.sentence


def test_a_missing_tesseract_is_told(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    finding = site_check.check_reader(settings)
    assert finding.state is FindingState.TROUBLE
    assert "install tesseract-ocr" in finding.sentence


def test_a_missing_font_is_told(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(fonts.FACES, "bold", "NoSuchFace.otf")
    # Widths measured by earlier tests would hide that the font is missing.
    fonts._face.cache_clear()
    fonts.width.cache_clear()
    finding = site_check.check_pictures(settings)
    assert finding.state is FindingState.TROUBLE
    assert "NoSuchFace.otf is missing; install fonts-ebgaramond" in finding.sentence


def test_somebody_must_be_able_to_sign_in(
    folder: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert site_check.check_users(settings).state is FindingState.NOTE
    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse battery\n"))
    add_user(folder, "Ada", io.StringIO())
    assert site_check.check_users(settings) == Finding(
        "users", FindingState.WELL, "1 can sign in at the desk"
    )


@pytest.mark.parametrize(
    ("photo_store", "state", "words"),
    [("", FindingState.WELL, "blobs"), ("memory://bucket", FindingState.WELL, "returns what is stored"),
     # Nothing can be written below /proc, not even by root.
     ("file:///proc/nowhere", FindingState.TROUBLE, "cannot be used"),
     ("nonsense://x", FindingState.TROUBLE, "photo_store: ")],
)
def test_the_store_of_photographs_is_tried(
    settings: Settings, photo_store: str, state: FindingState, words: str
) -> None:
    finding = site_check.run_test(
        "specimen", check_photographs, settings.model_copy(update={"photo_store": photo_store})
    )
    assert (finding.state, words in finding.sentence) == (state, True)


def test_a_test_that_fails_itself_is_a_line_like_the_others(settings: Settings) -> None:
    def broken(_settings: Settings) -> Finding:
        raise ZeroDivisionError("by nought")

    finding = site_check.run_test("specimen", broken, settings)
    assert finding.state is FindingState.TROUBLE
    assert "ZeroDivisionError: by nought" in finding.sentence
