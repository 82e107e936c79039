"""Half an hour of traffic on one process: does it leak memory, files, connections, or rows?

Mails of `soak_games` games come in by LMTP at a steady pace, or `pace` times as fast, which the site's clock
is then too, some of them twice, every tenth from a stranger; receipts leave by SMTP; now and then a game's
deadline comes and its phase is judged. Memory, open files and connections of the process are recorded once a
second. A leak shows as growth in the second half: its last tenth is compared with its first. At the end the
tables of what is under way are empty, or hold a row for each process and game at most.
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
    StormError,
    StormProcess,
    StormSite,
    add_games,
    address,
    order_mail,
    photograph,
    storm_site,
    wait_for,
)
from service.clock import SystemClock
from service.store.tables import (
    EventRow,
    LeaseRow,
    MailboxDrainRow,
    MailRow,
    MailState,
    PhaseRow,
    RecordPendingRow,
    WorkerRow,
)

PASSING = {RecordPendingRow: 0, WorkerRow: 1, LeaseRow: 1, MailboxDrainRow: 1}
"""Tables of what is under way, and how many rows each has at most once everything is done."""
DEADLINE_MAILS = 20  # mails between two games' deadlines
DOUBLED_SHARE = 0.2  # of mails that come a second time
PHOTO_BYTES = 500_000
DRAIN_SECONDS = 120  # for the last mails to be used


@dataclass(frozen=True, slots=True)
class SoakSample:
    """The resources of a process at one instant: megabytes of resident memory, open files, sockets among
    them."""

    memory_mb: float
    files: int
    sockets: int


def measure(sizes: StormSizes, database: Database) -> Iterator[Figure]:
    """The figures of the part. Raises StormError, after the figures if a mail was never processed."""
    with database_of(database) as url, tempfile.TemporaryDirectory(prefix="galloper-soak-") as folder:
        server, sink = Dovecot().start(), SmtpSink().start()
        try:
            with storm_site(Path(folder), url=url, server=server, sink=sink) as place:
                phases = add_games(place, sizes.soak_games)
                role = ("site",) if sizes.pace == 1 else ("hasty", str(sizes.pace))
                process = StormProcess(place, *role)
                try:
                    process.ready()
                    samples, sent = _traffic(place, server, process, phases, sizes)
                finally:
                    process.kill()
                waiting, left = _count_waiting(place), _left_rows(place)
        finally:
            sink.stop()
            server.remove()
    judged = f", {left.pop('judged')} games judged"
    pace = "" if sizes.pace == 1 else f" at {sizes.pace:g} times its pace"
    size = (f"{sizes.minutes:g} minutes of traffic{pace}, {sizes.soak_games} games, {sent} mails, "
            f"{database.value}")
    yield from _figures(samples, size)
    yield Figure("soak: mails without an end", waiting, "mails", of=sent, target="0")
    how = ", ".join(f"{name} {count}" for name, count in sorted(left.items()))
    yield Figure("soak: rows of what is under way, left behind", sum(left.values()), "rows", target="0",
                 how=how + judged)
    if waiting:
        raise StormError(f"soak: {waiting} of {sent} mails came to no end")


def _left_rows(place: StormSite) -> dict[str, int]:
    """Rows above what may be left in each table of what is under way; and how many games were judged."""
    with place.store() as session:
        left = {table.__tablename__: max(0, (session.scalar(
            select(func.count()).select_from(table)) or 0) - most) for table, most in PASSING.items()}
        left["judged"] = session.scalar(
            select(func.count()).select_from(EventRow).where(EventRow.what == "phase_judged")) or 0
    return left


def _traffic(
    place: StormSite, server: Dovecot, process: StormProcess, phases: Sequence[int], sizes: StormSizes
) -> tuple[list[SoakSample], int]:
    """Send the mails and sample the process once a second; the samples, and how many mails were sent."""
    mails = _mails(place, sizes)
    seconds = sizes.mail_seconds / sizes.pace
    samples, sent, closed = list[SoakSample](), 0, 0
    begun = time.monotonic()
    while time.monotonic() - begun < sizes.minutes * 60 / sizes.pace:
        while sent * seconds <= time.monotonic() - begun:
            for mail in next(mails):
                server.deliver(mail)
            sent += 1
            if sent % DEADLINE_MAILS == 0 and closed < len(phases) // 2:
                closed += 1  # from the last game backwards, while mails come for the first ones
                _close(place, phases[-closed])
        samples.append(sample_process(process.pid))
        time.sleep(1.0)
    wait_for(lambda: not server.contents() and not _count_waiting(place), DRAIN_SECONDS, step=1.0)
    return samples, sent


def _mails(place: StormSite, sizes: StormSizes) -> Iterator[list[bytes]]:
    """One mail after the other, each in a list with its double if it has one."""
    chance = random.Random(sizes.seed)  # noqa: S311 no secret
    seats = [(game, power) for game in range(sizes.soak_games) for power in sorted(place.variant.powers)]
    for number in itertools.count():
        game, power = seats[number % len(seats)]
        mail = order_mail(place, game, power, 1 + number // len(seats), photograph(number, PHOTO_BYTES))
        if number % 10 == 9:
            mail = mail.replace(address(game, power).encode(), f"stranger{number}@{DOMAIN}".encode())
        yield [mail, mail] if chance.random() < DOUBLED_SHARE else [mail]


def _close(place: StormSite, phase: int) -> None:
    with place.store.begin() as session:
        session.execute(
            update(PhaseRow)
            .where(PhaseRow.id == phase)
            .values(deadline=SystemClock().now() + timedelta(seconds=1))
        )


def _count_waiting(place: StormSite) -> int:
    """Mails that are stored and not yet processed."""
    with place.store() as session:
        return (
            session.scalar(select(func.count()).select_from(MailRow).where(MailRow.state == MailState.STORED))
            or 0
        )


def sample_process(pid: int) -> SoakSample:
    """A process as the kernel sees it (proc(5)). Raises StormError if it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        open_files = [_target(link) for link in Path(f"/proc/{pid}/fd").iterdir()]
    except OSError as error:
        raise StormError(f"the process of the soak is gone ({error.strerror})") from error
    resident = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return SoakSample(
        int(resident.split()[1]) / 1000, len(open_files),
        sum(target.startswith("socket") for target in open_files)
    )


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:  # the process closed it between the listing and here
        return ""


def _figures(samples: Sequence[SoakSample], size: str) -> Iterator[Figure]:
    half = samples[len(samples) // 2:]
    tenth = max(1, len(half) // 10)
    # The first half is the start: caches fill, modules load.
    first, last = half[:tenth], half[-tenth:]
    before = statistics.median(sample.memory_mb for sample in first)
    after = statistics.median(sample.memory_mb for sample in last)
    growth = round(100 * (after / before - 1), 1)
    yield Figure("soak: growth of memory in the second half", growth, "%", target="under 5",
                 how=f"{size}; from {before:.0f} to {after:.0f} MB")
    for label, unit, counts in (
        ("open files", "files", [sample.files for sample in half]),
        ("connections", "sockets", [sample.sockets for sample in half]),
    ):
        # The least of a tenth: work under way holds some files and sockets for a moment.
        at_half, at_end = min(counts[:tenth]), min(counts[-tenth:])
        method = f"{at_end} at the end; the least of a tenth, since what is under way holds some for a moment"
        yield Figure(f"soak: {label} more at the end than at half time", at_end - at_half, unit, target="0",
                     how=method)
