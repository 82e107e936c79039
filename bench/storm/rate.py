"""How fast mail is taken in, next to a bare IMAPClient loop over the same mails on the same server.

Rounds of equal size go to the two in turn, since the machine is not always equally fast. The loop fetches a
round whole and stores nothing; then the site takes the same round in: bytes on disk, row and job committed,
the mail moved away. Reading is off, so no job runs on the mails meanwhile.
"""

from __future__ import annotations

import json
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.figure import Figure
from bench.servers.dovecot import Dovecot
from bench.storm.parts import StormSizes
from bench.storm.site import (
    StormError,
    StormProcess,
    StormSite,
    add_games,
    order_mail,
    photograph,
    storm_site,
)

ROUNDS, MAX_PER_ROUND = 5, 100
RATE_TARGET, MEMORY_TARGET = "at least 0.8", "under 200"  # MB


@dataclass(frozen=True, slots=True)
class _Round:
    """One round of mails. `peak_mb`: the most memory that the process has held so far."""

    mails_per_second: float
    processor_seconds: float
    peak_mb: float


def measure(sizes: StormSizes) -> Iterator[Figure]:
    """The figures of the part. Raises StormError."""
    server = Dovecot().start()
    try:
        with (
            tempfile.TemporaryDirectory(prefix="galloper-rate-") as folder,
            storm_site(Path(folder), server=server) as place,
        ):
            add_games(place, 1)
            yield from _rounds(place, server, sizes)
    finally:
        server.remove()


def _rounds(place: StormSite, server: Dovecot, sizes: StormSizes) -> Iterator[Figure]:
    intake, bare = StormProcess(place, "intake"), StormProcess(place, "bare", "INBOX")
    try:
        for process in (intake, bare):
            process.ready()
        our_rounds, bare_rounds = list[_Round](), list[_Round]()
        mail_count = 0
        while mail_count < sizes.rate_mails:
            count = min(MAX_PER_ROUND, max(1, sizes.rate_mails // ROUNDS), sizes.rate_mails - mail_count)
            _fill(place, server, mail_count, count, sizes.photo_bytes)
            mail_count += count
            # The bare loop first: it leaves the mails where they are.
            bare_rounds.append(_run_round(bare, count))
            our_rounds.append(_run_round(intake, count))
    finally:
        intake.kill()
        bare.kill()
    yield from _figures(our_rounds, bare_rounds, mail_count, sizes)


def _figures(
    our_rounds: Sequence[_Round], bare_rounds: Sequence[_Round], mail_count: int, sizes: StormSizes
) -> Iterator[Figure]:
    ours, theirs = [r.mails_per_second for r in our_rounds], [r.mails_per_second for r in bare_rounds]
    method = (
        f"{sizes.rate_mails} mails with {sizes.photo_bytes / 1e6:g} MB of photograph, {len(ours)} rounds "
        f"in turn")
    our_rate, bare_rate = round(statistics.median(ours), 1), round(statistics.median(theirs), 1)
    yield Figure("mails taken in, median round", our_rate, "mails/s", of=mail_count, how=method)
    yield Figure("mails fetched by a bare IMAPClient loop, median round", bare_rate, "mails/s", of=mail_count)
    ratios = [our / bare for our, bare in zip(ours, theirs, strict=True)]
    yield Figure("rate of taking in beside the bare loop, median round", round(statistics.median(ratios), 2),
                 "", of=mail_count, target=RATE_TARGET,
                 how=f"rounds from {min(ratios):.2f} to {max(ratios):.2f}")
    milliseconds = 1000 * sum(r.processor_seconds for r in our_rounds) / mail_count
    yield Figure("processor time of taking one mail in", round(milliseconds, 1), "ms", of=mail_count)
    peak = round(our_rounds[-1].peak_mb)
    yield Figure("peak memory of the process that takes in", peak, "MB", target=MEMORY_TARGET)


def _fill(place: StormSite, server: Dovecot, first: int, count: int, size: int) -> None:
    powers = sorted(place.variant.powers)
    with server.client() as client:
        for number in range(first, first + count):
            mail = order_mail(place, 0, powers[number % len(powers)], number + 1, photograph(number, size))
            client.append("INBOX", mail)


def _run_round(process: StormProcess, count: int) -> _Round:
    process.tell("go")
    answer = json.loads(process.answer())
    if answer["mails"] != count:
        raise StormError(f"{answer['mails']} mails of {count} were fetched")
    return _Round(count / answer["seconds"], answer["cpu"], answer["peak_mb"])
