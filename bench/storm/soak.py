"""Half an hour of traffic on one process: does it keep what it should have let go?

Mails of `soak_games` games come in by LMTP at a steady pace, or `pace` times as fast, some of them twice,
every tenth from a stranger; receipts leave by SMTP; in turn a game's deadline comes and its phase is judged.
Meanwhile the memory, the open files and the connections of the process are noted once a second. Leaks show as
a second half that goes on growing: its last tenth is held against its first.
"""

from __future__ import annotations

import itertools
import random
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from sqlalchemy import func, select, update

from bench.figure import Figure
from bench.servers.dovecot import Dovecot
from bench.servers.smtp_sink import SmtpSink
from bench.storm.kill import database_of
from bench.storm.parts import Database, StormSizes
from bench.storm.site import (
    DOMAIN,
    StormFault,
    StormPlace,
    StormProcess,
    add_games,
    address,
    orders,
    photograph,
    place,
    wait_for,
)
from service.clock import SystemClock
from service.store.tables import MailRow, MailState, PhaseRow

MAIL_SECONDS = 2.0
"""Between two mails: fifty games of ten powers send as many in less than twenty minutes."""
DEADLINE_MAILS = 20
"""After so many mails the deadline of one more game comes."""
TWICE = 0.2
"""Share of mails that come a second time."""
PHOTO_BYTES = 500_000


@dataclass(frozen=True, slots=True)
class SoakSample:
    """What a process holds at an instant."""

    memory_mb: float
    files: int
    sockets: int


def measure(sizes: StormSizes, database: Database) -> Iterator[Figure]:
    """The figures of the part. Raises StormFault, after the figures where a mail came to no end."""
    with database_of(database) as url, tempfile.TemporaryDirectory(prefix="galloper-soak-") as folder:
        server, sink = Dovecot().start(), SmtpSink().start()
        try:
            with place(Path(folder), url=url, server=server, sink=sink) as at:
                room = StormProcess(at, "site")
                try:
                    phases = add_games(at, sizes.soak_games)
                    room.ready()
                    samples, sent = _traffic(at, server, room, phases, sizes)
                finally:
                    room.kill()
                waiting = _waiting(at)
        finally:
            sink.stop()
            server.remove()
    pace = "" if sizes.pace == 1 else f" at {sizes.pace:g} times its pace"
    yield from _figures(samples, (f"{sizes.minutes:g} minutes of traffic{pace}, {sizes.soak_games} games, "
                                  f"{sent} mails, {database.value}"))
    yield Figure("soak: mails without an end", waiting, "mails", of=sent, target="0")
    if waiting:
        raise StormFault(f"soak: {waiting} of {sent} mails came to no end")


def _traffic(
    at: StormPlace, server: Dovecot, room: StormProcess, phases: Sequence[int], sizes: StormSizes
) -> tuple[list[SoakSample], int]:
    mails = _mails(at, sizes)
    seconds = MAIL_SECONDS / sizes.pace
    samples, sent, closed = list[SoakSample](), 0, 0
    begun = time.monotonic()
    while time.monotonic() - begun < sizes.minutes * 60 / sizes.pace:
        while sent * seconds <= time.monotonic() - begun:
            for mail in next(mails):
                server.deliver(mail)
            sent += 1
            if sent % DEADLINE_MAILS == 0 and closed < len(phases) // 2:
                closed += 1  # from the last game backwards, while mails come for the first ones
                _close(at, phases[-closed])
        samples.append(look(room.pid))
        time.sleep(1.0)
    wait_for(lambda: not server.contents() and not _waiting(at), 120, step=1.0)
    return samples, sent


def _mails(at: StormPlace, sizes: StormSizes) -> Iterator[list[bytes]]:
    """One mail after the other, some of them twice."""
    chance = random.Random(sizes.seed)  # noqa: S311 no secret
    seats = [(game, power) for game in range(sizes.soak_games) for power in sorted(at.variant.powers)]
    for number in itertools.count():
        game, power = seats[number % len(seats)]
        mail = orders(at, game, power, 1 + number // len(seats), photograph(number, PHOTO_BYTES))
        if number % 10 == 9:
            mail = mail.replace(address(game, power).encode(), f"stranger{number}@{DOMAIN}".encode())
        yield [mail, mail] if chance.random() < TWICE else [mail]


def _close(at: StormPlace, phase: int) -> None:
    with at.store.begin() as session:
        session.execute(
            update(PhaseRow)
            .where(PhaseRow.id == phase)
            .values(deadline=SystemClock().now() + timedelta(seconds=1))
        )


def _waiting(at: StormPlace) -> int:
    with at.store() as session:
        return (
            session.scalar(select(func.count()).select_from(MailRow).where(MailRow.state == MailState.STORED))
            or 0
        )


def look(pid: int) -> SoakSample:
    """A process as the kernel sees it. Raises StormFault when it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        open_files = [_target(one) for one in Path(f"/proc/{pid}/fd").iterdir()]
    except OSError as error:
        raise StormFault(f"the process of the soak is gone ({error.strerror})") from error
    resident = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return SoakSample(
        int(resident.split()[1]) / 1000, len(open_files), sum(one.startswith("socket") for one in open_files)
    )


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:  # closed meanwhile
        return ""


def _figures(samples: Sequence[SoakSample], size: str) -> Iterator[Figure]:
    half = samples[len(samples) // 2:]
    tenth = max(1, len(half) // 10)
    first, last = half[:tenth], half[-tenth:]
    before, after = _middle([s.memory_mb for s in first]), _middle([s.memory_mb for s in last])
    yield Figure(("soak: growth of memory in the second "
                  "half"), round(100 * (after / before - 1), 1), "%", target="under 5",
                 how=f"{size}; from {before:.0f} to {after:.0f} MB")
    for what, unit, held in (
        ("open files", "files", [s.files for s in half]),
        ("connections", "sockets", [s.sockets for s in half]),
    ):
        at_half, at_end = min(held[:tenth]), min(held[-tenth:])
        yield Figure(f"soak: {what} more at the end than at half time", at_end - at_half, unit, target="0",
                     how=(f"{at_end} at the end; the least of a tenth, since what is under way holds some "
                          f"for a moment"))


def _middle(values: Sequence[float]) -> float:
    return statistics.median(values)
