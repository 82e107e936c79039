"""A site of many games for the storms: its settings, its players' mails, and `storm_child` over it in
processes of their own."""

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
from service.config import MailIn, MailOut, Settings, Web
from service.games import create
from service.games.deadlines import PhaseWindow
from service.games.lots import fresh_seed
from service.games.turns import extend_calendar
from service.intake.explanations import canonical_subject
from service.record.chain import sessions
from service.store.engine import Store, migrate, open_engine
from service.store.tables import GameRow, PhaseRow

ORDERS, AUTHSERV, DOMAIN = "orders@galloper.example", "mx.galloper.example", "players.example"
SETTINGS = "settings.json"
VARIANT = "w3k"
START = date(2027, 3, 1)
"""T+0 of every game; their first phase opens and closes when the storm says."""
START_SECONDS = 180.0


class StormFault(RuntimeError):
    """The storm cannot be measured; the sentence says why."""


@dataclass(frozen=True, slots=True)
class StormPlace:
    """A site in a folder, and the database over which the storm looks at it."""

    folder: Path
    settings: Settings
    engine: Engine
    variant: Variant

    @property
    def store(self) -> Store:
        """Sessions of its own, beside those of the processes."""
        return sessions(self.engine)


@contextmanager
def place(
    folder: Path, *, url: str = "", server: Dovecot | None = None, sink: SmtpSink | None = None
) -> Iterator[StormPlace]:
    """A new site in an empty folder, on SQLite unless `url` names a database. Mail comes from `server` and
    leaves to `sink`; where there is none, from and to folders."""
    folder.mkdir(parents=True, exist_ok=True)
    box = folder / "box"
    for part in ("new", "cur", "tmp"):
        (box / part).mkdir(parents=True, exist_ok=True)
    coming = (
        MailIn(kind="maildir", path=str(box), trusted_authserv_id=AUTHSERV)
        if server is None
        else MailIn(
            host="127.0.0.1",
            port=server.imap,
            tls=False,
            user=USER,
            password=PASSWORD,
            trusted_authserv_id=AUTHSERV,
        )
    )
    sender = f"Galloper <{ORDERS}>"
    leaving = MailOut(kind="folder", path=str(folder / "outbox"), sender=sender) if sink is None else MailOut(
        host="127.0.0.1", port=sink.port, starttls=False, sender=sender)
    settings = Settings(
        data=str(folder / "data"), database=url, order_address=ORDERS,
        coordinator="coordinator@galloper.example",
        mail_in=coming, mail_out=leaving, web=Web(secure_cookies=False))
    (folder / SETTINGS).write_text(settings.model_dump_json(), encoding="utf-8")
    migrate(settings.database_url)
    engine = open_engine(settings.database_url)
    try:
        yield StormPlace(folder, settings, engine, maps.load(VARIANT))
    finally:
        engine.dispose()


# Games and mails
# ----------------------------------------------------------------------------------------------------


def title(number: int) -> str:
    """What the storm's games are called, from 0 on."""
    return f"Storm {number}"


def address(number: int, power: str) -> str:
    """The player of a power in a game: each has an address of their own."""
    return f"{power.lower().replace(' ', '-')}.{number}@{DOMAIN}"


def add_games(at: StormPlace, count: int, *, deadline: datetime | None = None, first: int = 0) -> list[int]:
    """So many games of ten powers, numbered from `first`, with their first phase open; the ids of those
    phases. Far off, unless `deadline` says."""
    now = SystemClock().now()
    end = deadline or now + timedelta(days=30)
    window = PhaseWindow(at.variant.start.phase, now - timedelta(days=1), end)
    found = []
    for number in range(first, first + count):
        with at.store.begin() as session:
            found.append(_add_game(session, at.variant, number, window, now))
    return found


def _add_game(session: Session, variant: Variant, number: int, window: PhaseWindow, now: datetime) -> int:
    seats = [create.GameSeat(power, f"Player of {power} in {title(number)}", mail=(address(number, power),))
             for power in variant.powers]
    new = create.NewGame(title(number), variant.slug, START, seats)
    row: PhaseRow = create.create(session, new, variant, window, fresh_seed(), now)
    extend_calendar(session, session.get_one(GameRow, row.game_id), variant)
    return row.id


def orders(at: StormPlace, number: int, power: str, version: int, photo: bytes) -> bytes:
    """A player's mail for a game's open phase with one photograph, vouched for by the trusted server."""
    name = at.variant.powers[power].name
    message = EmailMessage()
    message["Authentication-Results"] = f"{AUTHSERV}; dmarc=pass header.from={DOMAIN}"
    message["From"] = address(number, power)
    message["To"] = ORDERS
    message["Subject"] = canonical_subject(title(number), name, at.variant.start.phase, version)
    message["Message-ID"] = f"<{number}.{power.replace(' ', '-')}.{version}@{DOMAIN}>"
    message.set_content("See the sheet.\n")
    message.add_attachment(photo, maintype="image", subtype="jpeg", filename="sheet.jpg")
    return message.as_bytes().replace(b"\n", b"\r\n")


def photograph(number: int, size: int = 0) -> bytes:
    """A small JPEG that no other number has, filled up to `size` bytes with what a decoder passes over."""
    chance = np.random.default_rng(number)
    shades = chance.integers(90, 250, (30, 24, 3), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(shades).resize((480, 600), Image.Resampling.BICUBIC).save(out, "JPEG")
    data = out.getvalue()
    return data + random.Random(number).randbytes(max(0, size - len(data)))  # noqa: S311 no secret


# Processes
# ----------------------------------------------------------------------------------------------------------


class StormProcess:
    """`python -m bench.storm.child` over a place: a process of its own that may be killed at any instant."""

    def __init__(self, at: StormPlace, role: str, *arguments: str, core: int | None = None) -> None:
        """With a `core` it runs on that one alone, of those this process may use, counted round."""
        self._log = (at.folder / "rooms.log").open("ab")
        with _on(core):
            self._process = subprocess.Popen(  # noqa: S603 our own command
                [sys.executable, "-m", "bench.storm.child", str(at.folder), role, *arguments],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, start_new_session=True)
        self._log_at = at.folder / "rooms.log"
        self._ready = False

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    def processor_seconds(self) -> float:
        """What it has spent so far, with the children that it waited for."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def ready(self) -> None:
        """Wait until it has begun; at once where that was waited for before. Raises StormFault."""
        if not self._ready:
            self.answer()
            self._ready = True

    def answer(self) -> str:
        """The next line it says: "ready" first. Raises StormFault when it ends instead."""
        said = _pipe(self._process.stdout).readline().decode().strip()
        if not said:
            self.kill()
            raise StormFault(f"a room of the storm ended: {self._log_at.read_text(errors='replace')[-1500:]}")
        return said

    def tell(self, words: str) -> None:
        """Say a line to it."""
        stdin = _pipe(self._process.stdin)
        stdin.write(f"{words}\n".encode())
        stdin.flush()

    def kill(self) -> None:
        """SIGKILL to it and to the children that open its files: a power cut."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._close()

    def end(self) -> None:
        """Let it finish in order. Raises StormFault when it fails, or does not end in two minutes."""
        _pipe(self._process.stdin).close()
        try:
            status = self._process.wait(120)
        except subprocess.TimeoutExpired:
            self.kill()
            raise StormFault("a room of the storm does not end") from None
        self._close()
        if status:
            raise StormFault(f"a room of the storm failed: "
                             f"{self._log_at.read_text(errors='replace')[-1500:]}")

    def _close(self) -> None:
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._log):
            with suppress(OSError):
                _pipe(pipe).close()


@contextmanager
def _on(core: int | None) -> Iterator[None]:
    """What is started here runs on one core alone: set beforehand, so that no thread of it is older."""
    mine = os.sched_getaffinity(0)
    if core is not None:
        os.sched_setaffinity(0, {sorted(mine)[core % len(mine)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, mine)


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise StormFault("a room of the storm has no pipe")
    return pipe


def wait_for(condition: Callable[[], object], seconds: float, step: float = 0.1) -> bool:
    """Whether a condition came true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(step)
    return bool(condition())
