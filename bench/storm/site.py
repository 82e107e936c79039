"""A site of many games for the storms: its settings, its players' mails, and `bench.storm.child` in
processes."""

from __future__ import annotations

import io
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import IO

import numpy as np
from PIL import Image
from sqlalchemy import Engine
from sqlalchemy.orm import Session

import maps
from bench.servers.dovecot import PASSWORD, USER, Dovecot
from bench.servers.smtp_sink import SmtpSink
from maps.variant import Variant
from service.clock import SystemClock
from service.config import DEFAULT_CONNECTIONS, MailIn, MailOut, Settings, Web
from service.games import create
from service.games.deadlines import PhaseWindow
from service.games.turns import extend_calendar
from service.intake.verdicts.explanations import canonical_subject
from service.record.sessions import sessions
from service.site_folder import key_of
from service.store.engine import Store, migrate, open_engine
from service.store.tables import GameRow, PhaseRow

ORDERS, AUTHSERV, DOMAIN = "orders@galloper.example", "mx.galloper.example", "players.example"
SETTINGS = "settings.json"
VARIANT = "w3k"
# The first day of every game; the storm shows when the first phase opens and closes.
START = date(2027, 3, 1)
LOG_END = 1500  # bytes of a process's log that an error quotes


class StormError(RuntimeError):
    """The storm cannot be measured, or something was lost; the sentence shows what."""


@dataclass(frozen=True, slots=True)
class StormSite:
    """A site in a folder, and the database through which the storm looks at it."""

    folder: Path
    settings: Settings
    engine: Engine
    variant: Variant

    @property
    def store(self) -> Store:
        """The storm's own sessions, next to those of the processes."""
        return sessions(self.engine, key=key_of(self.settings, self.engine))


@contextmanager
def storm_site(
    folder: Path, *, url: str = "", server: Dovecot | None = None, sink: SmtpSink | None = None,
    connections: int = DEFAULT_CONNECTIONS,
) -> Iterator[StormSite]:
    """A new site in an empty folder, on SQLite unless `url` names a database, to which each process has
    `connections`. Mail comes from `server` and goes to `sink`; without them it comes from a folder and goes
    to one."""
    folder.mkdir(parents=True, exist_ok=True)
    box = folder / "box"
    for part in ("new", "cur", "tmp"):
        (box / part).mkdir(parents=True, exist_ok=True)
    mail_in = MailIn(kind="maildir", path=str(box), trusted_authserv_ids=(AUTHSERV,))
    if server is not None:
        mail_in = MailIn(host="127.0.0.1", port=server.imap, tls=False, user=USER, password=PASSWORD,
                         trusted_authserv_ids=(AUTHSERV,))
    sender = f"Galloper <{ORDERS}>"
    mail_out = MailOut(kind="folder", path=str(folder / "outbox"), sender=sender)
    if sink is not None:
        mail_out = MailOut(host="127.0.0.1", port=sink.port, starttls=False, sender=sender)
    settings = Settings(
        data=str(folder / "data"), database=url, database_connections=connections, order_address=ORDERS,
        coordinator="coordinator@galloper.example", mail_in=mail_in, mail_out=mail_out,
        web=Web(secure_cookies=False))
    (folder / SETTINGS).write_text(settings.model_dump_json(), encoding="utf-8")
    migrate(settings.database_url)
    engine = open_engine(settings.database_url)
    try:
        yield StormSite(folder, settings, engine, maps.load(VARIANT))
    finally:
        engine.dispose()


# Games and mails
# ----------------------------------------------------------------------------------------------------


def title(number: int) -> str:
    """The name of a game by its number, from 0."""
    return f"Storm {number}"


def address(number: int, power: str) -> str:
    """The address of a power's player: every player of every game has another."""
    return f"{power.lower().replace(' ', '-')}.{number}@{DOMAIN}"


def add_games(place: StormSite, count: int, *, deadline: datetime | None = None, first: int = 0) -> list[int]:
    """Add games of ten powers, numbered from `first`, with their first phase open; the ids of those phases.
    Without a `deadline` they close in 30 days."""
    now = SystemClock().now()
    end = deadline or now + timedelta(days=30)
    window = PhaseWindow(place.variant.start.phase, now - timedelta(days=1), end)
    phase_ids = []
    for number in range(first, first + count):
        with place.store.begin() as session:
            phase_ids.append(_add_game(session, place.variant, number, window, now))
    return phase_ids


def _add_game(session: Session, variant: Variant, number: int, window: PhaseWindow, now: datetime) -> int:
    seats = [create.GameSeat(power, f"Player of {power} in {title(number)}", mail=(address(number, power),))
             for power in variant.powers]
    new = create.NewGame(title(number), variant.slug, START, seats)
    row: PhaseRow = create.create(session, new, variant, window, now)
    extend_calendar(session, session.get_one(GameRow, row.game_id), variant)
    return row.id


def order_mail(place: StormSite, number: int, power: str, version: int, photo: bytes) -> bytes:
    """A player's mail with one photograph for a game's open phase; the trusted server vouches for it."""
    name = place.variant.powers[power].name
    message = EmailMessage()
    message["Authentication-Results"] = f"{AUTHSERV}; dmarc=pass header.from={DOMAIN}"
    message["From"] = address(number, power)
    message["To"] = ORDERS
    message["Subject"] = canonical_subject(title(number), name, place.variant.start.phase, version)
    message["Message-ID"] = f"<{number}.{power.replace(' ', '-')}.{version}@{DOMAIN}>"
    message.set_content("See the sheet.\n")
    message.add_attachment(photo, maintype="image", subtype="jpeg", filename="sheet.jpg")
    return message.as_bytes().replace(b"\n", b"\r\n")


def photograph(number: int, size: int = 0) -> bytes:
    """A small JPEG, different for each number, padded to `size` bytes with what a decoder ignores."""
    chance = np.random.default_rng(number)
    shades = chance.integers(90, 250, (30, 24, 3), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(shades).resize((480, 600), Image.Resampling.BICUBIC).save(out, "JPEG")
    data = out.getvalue()
    return data + random.Random(number).randbytes(max(0, size - len(data)))  # noqa: S311 no secret


# Processes
# ----------------------------------------------------------------------------------------------------------


class StormProcess:
    """`python -m bench.storm.child` on a site: a process that may be killed at any instant."""

    def __init__(self, place: StormSite, role: str, *arguments: str, core: int | None = None) -> None:
        """With a `core` it runs on that one alone, counted round among those that this process may use."""
        self._log_path = place.folder / "processes.log"
        self._log = self._log_path.open("ab")
        with _on_core(core):
            self._process = subprocess.Popen(  # noqa: S603 our own command
                # A separate session: a kill takes the children that open files with it, as a power cut
                # would.
                [sys.executable, "-m", "bench.storm.child", str(place.folder), role, *arguments],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, start_new_session=True)
        self._ready = False

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def processor_seconds(self) -> float:
        """Processor seconds that it has used so far, with the children that it waited for."""
        # proc(5): utime, stime, cutime and cstime are fields 14 to 17; the second field may hold spaces.
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def ready(self) -> None:
        """Wait until it has started; returns at once the next time. Raises StormError."""
        if not self._ready:
            self.answer()
            self._ready = True

    def answer(self) -> str:
        """The next line that it prints; the first is "ready". Raises StormError if it ends instead."""
        line = _pipe(self._process.stdout).readline().decode().strip()
        if not line:
            self.kill()
            raise StormError(f"a process of the storm ended: {self._log_tail()}")
        return line

    def tell(self, words: str) -> None:
        """Write a line to it."""
        stdin = _pipe(self._process.stdin)
        stdin.write(f"{words}\n".encode())
        stdin.flush()

    def kill(self) -> None:
        """SIGKILL to it and to the children that open its files: a power cut."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._close()

    def end(self) -> None:
        """Let it finish its work. Raises StormError if it fails or does not end within two minutes."""
        _pipe(self._process.stdin).close()
        try:
            status = self._process.wait(120)
        except subprocess.TimeoutExpired:
            self.kill()
            raise StormError("a process of the storm does not end") from None
        self._close()
        if status:
            raise StormError(f"a process of the storm failed: {self._log_tail()}")

    def _log_tail(self) -> str:
        return self._log_path.read_text(errors="replace")[-LOG_END:]

    def _close(self) -> None:
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._log):
            with suppress(OSError):
                _pipe(pipe).close()


@contextmanager
def _on_core(core: int | None) -> Iterator[None]:
    """Processes started here run on one core alone."""
    cores = os.sched_getaffinity(0)
    if core is not None:
        # Set before the start: a thread that is older keeps all cores.
        os.sched_setaffinity(0, {sorted(cores)[core % len(cores)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise StormError("a process of the storm has no pipe")
    return pipe


def wait_for(condition: Callable[[], object], seconds: float, step: float = 0.1) -> bool:
    """True if a condition came true within `seconds`, asked every `step` seconds."""
    give_up_at = time.monotonic() + seconds
    while time.monotonic() < give_up_at:
        if condition():
            return True
        time.sleep(step)
    return bool(condition())
