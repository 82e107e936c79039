"""`galloper serve` as a person runs it: a process that takes mail in, answers at the desk, and stops when
asked."""

from __future__ import annotations

import io
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sqlalchemy import select
from sqlalchemy.orm import Session

from service.cli.games import create_game
from service.cli.serve import run_site
from service.clock import SystemClock
from service.mail.account import open_source
from service.mail.mailbox import mark
from service.mail.sending import outbox
from service.mail.sending.outbox import OutLetter
from service.site_folder import SiteError, opened, settings_of
from service.store.blobs import Blobs
from service.store.tables import MailRow, MailState, OutboxRow, OutboxState, PhaseRow, SubmissionRow
from service.web.server import WebError
from tests.support.mails import wait_for
from tests.support.own_site import SETTINGS, deliver, game_file, own_site
from tests.support.servers.dovecot import free_port

PATIENCE = 40.0


class Served:
    """A `galloper serve` in its own process; `said` is its standard error so far."""

    def __init__(self, folder: Path) -> None:
        self.said: list[str] = []
        self._process = subprocess.Popen(
            [sys.executable, "-m", "service.cli.main", "serve", str(folder)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3],
        )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self._process.stderr is not None
        self.said.extend(iter(self._process.stderr.readline, ""))

    def heard(self, words: str) -> bool:
        return any(words in line for line in list(self.said))

    def running(self) -> bool:
        return self._process.poll() is None

    def end(self, number: signal.Signals) -> int:
        """Send a signal and wait for the end; gives the exit code."""
        self._process.send_signal(number)
        code = self._process.wait(PATIENCE)
        self._listener.join(PATIENCE)
        return code

    def close(self) -> None:
        if self.running():
            self._process.kill()
        self._process.wait()
        self._listener.join()
        for stream in (self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    """A site that is begun in this very process leaves its signals as they were."""
    numbers = (signal.SIGTERM, signal.SIGINT)
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


@pytest.fixture
def served() -> Iterator[list[Served]]:
    processes: list[Served] = []
    yield processes
    for process in processes:
        process.close()


def _serve(served: list[Served], folder: Path) -> Served:
    served.append(Served(folder))
    assert wait_for(lambda: served[-1].heard("The desk is at") or not served[-1].running(), PATIENCE)
    return served[-1]


def _blank_photograph() -> bytes:
    """A picture of nothing: the mail is used, and its sender is informed that no sheet could be read."""
    noise = np.random.default_rng(1).integers(120, 130, (480, 640, 3), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(noise).save(out, "JPEG")
    return out.getvalue()


def _orders() -> bytes:
    message = EmailMessage()
    message["Authentication-Results"] = "mx.galloper.example; dmarc=pass header.from=example.org"
    message["From"] = "ada@example.org"
    message["To"] = "orders@galloper.example"
    message["Subject"] = "Powick Bridge, Montrose, Summer 1642, Movement Orders, v1"
    message["Message-ID"] = "<1@example.org>"
    message.set_content("See the sheet.")
    message.add_attachment(_blank_photograph(), maintype="image", subtype="jpeg", filename="sheet.jpg")
    return message.as_bytes()


def _mail_states(session: Session) -> list[str]:
    return list(session.scalars(select(MailRow.state)))


@pytest.mark.slow
def test_mail_is_taken_in_from_a_box_that_comes_late_and_the_site_stops_cleanly(
    tmp_path: Path, served: list[Served]
) -> None:
    # The mailbox is missing at first: a site starts without it and goes on trying.
    folder = own_site(tmp_path / "site", box=False)
    assert create_game(folder, game_file(tmp_path), io.StringIO()) == 0
    site = _serve(served, folder)
    assert wait_for(lambda: site.heard("is not a readable Maildir"), PATIENCE)
    assert site.running()
    assert site.heard("galloper user")  # no one may sign in yet

    own_site(folder)
    deliver(folder, _orders())
    with opened(settings_of(folder)) as store:

        def read() -> bool:
            with store() as session:
                return session.scalar(select(SubmissionRow.read_at)) is not None

        assert wait_for(read, PATIENCE), site.said
        with store() as session:
            assert _mail_states(session) == [MailState.USED]
    assert site.heard("Taking in mail from")
    assert list((folder / "box" / ".Galloper" / "cur").iterdir())
    assert wait_for(lambda: len(list((folder / "outbox").glob("*.eml"))) >= 1, PATIENCE)

    address = next(m[1] for line in site.said if (m := re.search(r"The desk is at (\S+)", line)))
    with urllib.request.urlopen(address, timeout=10) as answer:
        assert answer.status == 200
        assert "password" in answer.read().decode()

    # Two programs on one SQLite file would take up each other's work.
    with pytest.raises(SiteError, match="Another process of galloper serves this site already"):
        run_site(folder)

    assert site.end(signal.SIGTERM) == 0
    assert site.said[-1].startswith("galloper: Stopped.")
    assert not any("Traceback" in line for line in site.said)


@pytest.mark.slow
def test_with_both_mail_servers_away_nothing_is_lost(tmp_path: Path, served: list[Served]) -> None:
    port = free_port()
    site_settings = SETTINGS.replace('kind = "maildir"\npath = "box"', f'host = "127.0.0.1"\nport = {port}')
    site_settings = site_settings.replace('kind = "folder"\npath = "outbox"',
        f'host = "127.0.0.1"\nport = {port}')
    folder = own_site(tmp_path / "site", site_settings, box=False)
    create_game(folder, game_file(tmp_path), io.StringIO())
    settings = settings_of(folder)
    letter = OutLetter("welcome:1", "welcome", "ada@example.org", "Welcome", "Your game has begun.")
    with opened(settings) as store, store.begin() as session:
        outbox.put(session, Blobs(Path(settings.data) / "blobs"), letter,
                   sender=settings.mail_out.sender, now=datetime.now(UTC))

    def tried() -> str | None:
        with store() as session:
            return session.scalar(select(OutboxRow.error).where(OutboxRow.error.is_not(None)))

    with opened(settings) as store:
        site = _serve(served, folder)
        assert wait_for(tried, PATIENCE), site.said
        sentence = (f"There is no answer from 127.0.0.1:{port}; check mail_in.host and mail_in.port, or "
                    "start the mail server.")
        assert wait_for(lambda: site.heard(sentence), PATIENCE)
        assert site.end(signal.SIGINT) == 0
        assert sum(sentence in line for line in site.said) == 1  # said once, though it was tried again
        with store() as session:
            rows = session.scalars(select(OutboxRow)).all()
            assert "welcome:1" in {row.key for row in rows}
            # A relay that is away costs a letter none of its tries.
            assert {(row.state, row.tries) for row in rows} == {(OutboxState.QUEUED, 0)}
            errors = [row.error for row in rows if row.error]
            assert errors
            assert all(f"There is no answer from 127.0.0.1:{port}" in error for error in errors)
            # The calendar was made without any mail server.
            assert len(list(session.scalars(select(PhaseRow)))) == 9
    assert not any("Traceback" in line for line in site.said)


def test_a_mailbox_of_another_site_is_one_sentence(tmp_path: Path) -> None:
    """MBX-01: it took a sheet of the other site's player, and wrote twelve notices."""
    ours, other = own_site(tmp_path / "ours"), own_site(tmp_path / "other")
    (other / "box").rename(tmp_path / "unused")
    (other / "box").symlink_to(ours / "box")
    with opened(settings_of(ours)) as store:
        mark.claim(open_source(settings_of(ours).mail_in), store, SystemClock())
    deliver(ours, _orders())
    with pytest.raises(SiteError, match="Another Galloper site reads this mailbox"):
        run_site(other)
    assert len(list((ours / "box" / "new").iterdir())) == 1


def test_a_port_that_is_taken_is_one_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        folder = own_site(tmp_path / "site", SETTINGS.replace("port = 0", f"port = {taken}"))
        with pytest.raises(WebError, match=rf"127\.0\.0\.1:{taken} cannot be used"):
            run_site(folder)


def test_a_data_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder = own_site(tmp_path / "site", SETTINGS.replace('"data"', f'"{tmp_path / "file" / "data"}"'))
    with pytest.raises(SiteError, match="check the setting data"):
        run_site(folder)
