"""Two processes and a relay that counts connections, as providers do (SCA-04)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from bench.servers.postgres import Postgres, binaries
from bench.servers.smtp_sink import SmtpSink
from bench.storm.site import SETTINGS, StormProcess, StormSite, storm_site
from service.clock import SystemClock
from service.mail.sending.outbox import OutLetter, put
from service.store.blobs import Blobs
from service.store.tables import OutboxRow, OutboxState
from tests.support.mails import wait_for
from tests.support.table import KINDS

MOST, MAPS, REQUESTS = 3, 120, 6


def write(place: StormSite, kind: str, count: int) -> None:
    with place.store.begin() as session:
        for number in range(count):
            letter = OutLetter(f"{kind}/{number}", kind, f"{number}@players.example", kind, "Words",
                               rank=KINDS.by_name[kind].rank)
            put(session, Blobs(Path(place.settings.data) / "blobs"), letter, sender="G <o@galloper.example>",
                now=SystemClock().now())


def count(place: StormSite, state: OutboxState) -> int:
    with place.store() as session:
        return session.scalar(
            select(func.count()).select_from(OutboxRow).where(OutboxRow.state == state)) or 0


@pytest.mark.slow
def test_two_processes_stay_within_the_connections_of_the_provider(tmp_path: Path) -> None:
    """SCA-04: the relay refuses the fourth connection and is never asked for it; what a clock runs for leaves
    first, whichever process has it; one process is killed, and the other goes on with its connections."""
    if binaries() is None:
        pytest.skip("PostgreSQL's server is not installed")
    cluster, sink = Postgres().start(), SmtpSink(most=MOST, seconds=0.3).start()
    try:
        with storm_site(tmp_path, url=cluster.url(), sink=sink) as place:
            out = place.settings.mail_out.model_copy(update={"connections": MOST})
            settings = place.settings.model_copy(update={"mail_out": out})
            (place.folder / SETTINGS).write_text(settings.model_dump_json(), encoding="utf-8")
            write(place, "year_end_results", MAPS)
            processes = [StormProcess(place, "site") for _ in range(2)]
            try:
                for process in processes:
                    process.ready()
                assert wait_for(lambda: len(sink.letters) >= 10, 60)
                write(place, "retreat_request", REQUESTS)
                before = len(sink.letters)
                assert wait_for(lambda: requests(sink) == REQUESTS, 60)
                # Those that were in a person's hands already, and those that arrived while they were written.
                behind = len(sink.letters) - before - REQUESTS
                assert behind <= 2 * MOST
                claimed = count(place, OutboxState.SENDING)
                assert claimed <= MOST
                # Both look for letters every second, so each has had its chances by then.
                assert wait_for(lambda: len(sink.letters) >= MAPS * 2 / 3, 60)
                processes.pop(0).kill()
                assert wait_for(lambda: not count(place, OutboxState.QUEUED), 120)
                # The killed process may have left letters in its hands: ten minutes later they go once more.
                with place.store.begin() as session:
                    session.execute(update(OutboxRow).where(OutboxRow.state == OutboxState.SENDING)
                                    .values(claimed_until=SystemClock().now(), due_at=SystemClock().now()))
                assert wait_for(lambda: not count(place, OutboxState.SENDING), 60)
            finally:
                for process in processes:
                    process.kill()
        assert (sink.refused, sink.peak) == (0, MOST)
        times = Counter((letter.message["Subject"], letter.recipients) for letter in sink.letters)
        assert len(times) >= MAPS + REQUESTS - MOST
        assert sum(times.values()) - len(times) <= MOST
    finally:
        sink.stop()
        cluster.stop()


def requests(sink: SmtpSink) -> int:
    return sum(letter.message["Subject"] == "retreat_request" for letter in sink.letters)
