"""How fast mail is taken in, beside a bare IMAPClient loop over the same mails on the same server.

Rounds of equal size go to the two in turn, since the machine is not always equally fast: the loop fetches a
round whole and keeps nothing; then the site takes the same round in, stored on disk, with its row and its
work committed and the mail moved away. Reading is off: nothing works on the mails meanwhile.
"""

from __future__ import annotations

import json
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.figure import Figure
from bench.servers.dovecot import Dovecot
from bench.storm.parts import StormSizes
from bench.storm.site import StormFault, StormPlace, StormProcess, add_games, orders, photograph, place

ROUNDS, MOST_IN_A_ROUND = 5, 100
SHARE, MEMORY = "at least 0.8", "under 200"


def measure(sizes: StormSizes) -> Iterator[Figure]:
    """The figures of the part. Raises StormFault."""
    server = Dovecot().start()
    try:
        with (
            tempfile.TemporaryDirectory(prefix="galloper-rate-") as folder,
            place(Path(folder), server=server) as at,
        ):
            add_games(at, 1)
            yield from _rounds(at, server, sizes)
    finally:
        server.remove()


def _rounds(at: StormPlace, server: Dovecot, sizes: StormSizes) -> Iterator[Figure]:
    intake, bare = StormProcess(at, "intake"), StormProcess(at, "bare", "INBOX")
    try:
        for room in (intake, bare):
            room.ready()
        ours, theirs, cpu, peak, done = list[float](), list[float](), list[float](), 0.0, 0
        while done < sizes.rate_mails:
            count = min(MOST_IN_A_ROUND, max(1, sizes.rate_mails // ROUNDS), sizes.rate_mails - done)
            _fill(at, server, done, count, sizes.photo_bytes)
            done += count
            theirs.append(_round(bare, count)[0])
            rate, seconds, peak = _round(intake, count)
            ours.append(rate)
            cpu.append(seconds)
    finally:
        intake.kill()
        bare.kill()
    size = (f"{sizes.rate_mails} mails with {sizes.photo_bytes / 1e6:g} MB of photograph, {len(ours)} rounds "
            f"in turn")
    yield Figure(
        "mails taken in, median round", round(statistics.median(ours), 1), "mails/s", of=done, how=size
    )
    yield Figure(("mails fetched by a bare IMAPClient loop, median "
                  "round"), round(statistics.median(theirs), 1), "mails/s", of=done)
    shares = [own / other for own, other in zip(ours, theirs, strict=True)]
    yield Figure(("rate of taking in beside the bare loop, median "
                  "round"), round(statistics.median(shares), 2), "", of=done,
                 target=SHARE, how=f"rounds from {min(shares):.2f} to {max(shares):.2f}")
    yield Figure("processor time of taking one mail in", round(1000 * sum(cpu) / done, 1), "ms", of=done)
    yield Figure("peak memory of the process that takes in", round(peak), "MB", target=MEMORY)


def _fill(at: StormPlace, server: Dovecot, first: int, count: int, size: int) -> None:
    powers = sorted(at.variant.powers)
    with server.client() as client:
        for number in range(first, first + count):
            mail = orders(at, 0, powers[number % len(powers)], number + 1, photograph(number, size))
            client.append("INBOX", mail)


def _round(room: StormProcess, count: int) -> tuple[float, float, float]:
    """Mails a second, processor seconds and peak MB of one round."""
    room.tell("go")
    said = json.loads(room.answer())
    if said["mails"] != count:
        raise StormFault(f"{said['mails']} mails of {count} were fetched")
    return count / said["seconds"], said["cpu"], said["peak_mb"]
