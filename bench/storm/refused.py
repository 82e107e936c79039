"""Mail comes in while what the service is on is slow or states no (fault 28a): nothing is killed.

A round hands over a few mails and lays one hindrance in the way for a while: the relay answers 451, or takes
seconds for each letter; another connection holds the database, once for longer than anybody waits for it; the
mail server refuses connections; the disk is full; the machine's clock is put back an hour. Afterwards
everything unfinished is finished, as in the kill storm, and counted as there: every mail is stored once and
used once, and each receipt is sent once.
"""

from __future__ import annotations

import random
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import select, text

from bench.figure import Figure
from bench.servers.dovecot import Dovecot
from bench.servers.smtp_sink import SmtpSink
from bench.storm.kill import count_outcome, database_of, finish, loss_sentences, mails_of
from bench.storm.parts import Database, StormSizes
from bench.storm.site import StormError, StormProcess, StormSite, storm_site
from service.store.tables import OutboxRow, OutboxState

HELD = 40.0  # seconds; `service.store.engine` waits 30
LASTS = (2.0, 6.0)  # seconds of any other hindrance
BACK_MINUTES = "-60"
DISK = "size=96m"


def measure(sizes: StormSizes, database: Database) -> Iterator[Figure]:
    """The figures of the part. Raises StormError, after the figures if they show something lost or
    doubled."""
    with database_of(database) as url, tempfile.TemporaryDirectory(prefix="galloper-refused-") as folder:
        server, sink = Dovecot().start(), SmtpSink().start()
        try:
            with _small_disk(Path(folder)) as disk, storm_site(
                Path(folder) / "disk", url=url, server=server, sink=sink) as place:
                met = _Storm(place, server, sink, disk, sizes).run()
                finish(place, server, sizes.mails)
                count, unsent = count_outcome(place, server, sink), _unsent(place)
        finally:
            sink.stop()
            server.remove()
    prefix = f"storm of refusals on {database.value}, {sizes.mails} mails, {sizes.kills} hindrances: "
    expected = str(sizes.mails)
    yield Figure(f"{prefix}hindrances met", met.total(), "times", target=str(sizes.kills),
                 how=", ".join(f"{name} {number}" for name, number in sorted(met.items())))
    yield Figure(f"{prefix}mails stored", count.stored, "mails", target=expected)
    yield Figure(f"{prefix}mails at their end, used", count.used, "mails", target=expected,
                 how=count.others or None)
    yield Figure(f"{prefix}receipts that arrived", count.receipts, "letters", target=expected,
                 how=unsent or None)
    yield Figure(f"{prefix}receipts that arrived twice", count.twice, "letters", target="0")
    yield Figure(f"{prefix}mails left in the mailbox", count.waiting, "mails", target="0")
    wrong = loss_sentences(count, sizes.mails)
    if count.twice:
        wrong.append(f"{count.twice} receipts arrived twice, and nothing was killed")
    if wrong:
        raise StormError(f"{prefix}{'; '.join(wrong)}")


def _unsent(place: StormSite) -> str:
    """The letters that have not left, in words."""
    with place.store() as session:
        rows = session.scalars(select(OutboxRow).where(OutboxRow.state != OutboxState.SENT)).all()
        return "; ".join(f"{row.kind} {row.state} after {row.tries}, due {row.due_at:%H:%M}: {row.error}"
                         for row in rows)


class _Storm:
    """The hindrances, each once before any comes again."""

    def __init__(
        self, place: StormSite, server: Dovecot, sink: SmtpSink, disk: Path | None, sizes: StormSizes
    ) -> None:
        self._place, self._server, self._sink, self._disk = place, server, sink, disk
        self._sizes = sizes
        self._chance = random.Random(sizes.seed)  # noqa: S311 no secret
        self._process: StormProcess | None = None
        self._has_held = False

    def run(self) -> Counter[str]:
        """Hand all mails over with the hindrances in the way; how often each was met."""
        kinds: dict[str, Callable[[], None]] = {
            "relay refuses": self._relay_refuses, "relay is slow": self._relay_is_slow,
            "database is held": self._database_is_held, "mailbox refuses": self._mailbox_refuses,
            "clock is put back": self._clock_is_put_back,
        }
        if self._disk is not None:
            kinds["disk is full"] = self._disk_is_full
        waiting, met, order = mails_of(self._place, self._sizes.mails), Counter[str](), list[str]()
        self._chance.shuffle(waiting)
        per_round = max(1, len(waiting) // max(1, self._sizes.kills))
        try:
            self._process = self._start()
            for _ in range(self._sizes.kills):
                if not order:
                    order = self._chance.sample(sorted(kinds), len(kinds))
                for _ in range(min(per_round, len(waiting))):
                    self._server.deliver(waiting.pop())
                kind = order.pop()
                kinds[kind]()
                met[kind] += 1
            for mail in waiting:
                self._server.deliver(mail)
            self._process.end()
        except BaseException:
            if self._process is not None:
                self._process.kill()
            raise
        return met

    def _start(self, *clock: str) -> StormProcess:
        process = StormProcess(self._place, "site", *clock)
        process.ready()
        return process

    def _restart(self, *clock: str) -> None:
        assert self._process is not None
        self._process.end()
        self._process = self._start(*clock)

    def _wait(self) -> None:
        time.sleep(self._chance.uniform(*LASTS))

    def _relay_refuses(self) -> None:
        self._sink.at_data = lambda _letter: "451 4.3.0 not now"
        self._wait()
        self._sink.at_data = lambda _letter: None

    def _relay_is_slow(self) -> None:
        def slow(_letter: object) -> None:
            time.sleep(1.5)

        self._sink.at_data = slow
        self._wait()
        self._sink.at_data = lambda _letter: None

    def _database_is_held(self) -> None:
        with self._place.engine.connect() as connection:
            if self._place.engine.dialect.name == "postgresql":
                connection.execute(text("LOCK TABLE mails, outbox, submissions IN ACCESS EXCLUSIVE MODE"))
            else:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            if self._has_held:
                self._wait()
            else:
                time.sleep(HELD)
            self._has_held = True
            connection.rollback()

    def _mailbox_refuses(self) -> None:
        self._server.stop()
        self._wait()
        self._server.start()

    def _clock_is_put_back(self) -> None:
        self._restart(BACK_MINUTES)
        self._wait()
        self._restart()

    def _disk_is_full(self) -> None:
        assert self._disk is not None
        ballast = self._disk / "ballast"
        with ballast.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(4096))
        self._wait()
        ballast.unlink()


@contextmanager
def _small_disk(folder: Path) -> Iterator[Path | None]:
    """A small file system for the site; None where nothing may be mounted."""
    disk = folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(  # noqa: S603 our own command
        ["mount", "-t", "tmpfs", "-o", DISK, "tmpfs", str(disk)],  # noqa: S607 found on PATH
        check=False, capture_output=True)
    if mounted.returncode:
        yield None
        return
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)  # noqa: S603, S607 as above
