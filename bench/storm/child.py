"""A process of a storm: a whole site without its desk, or one part of it, until its standard input ends.

    python -m bench.storm.child FOLDER ROLE [ARGUMENT]

Roles: `site` takes in, works and sends, as `galloper serve` does, with its clock ARGUMENT minutes ahead if
there is one; `hasty` is a site whose clock runs ARGUMENT times as fast; `worker` only works, and knows the
job APPROVE; `reader` is a worker that spends ARGUMENT processor seconds on each sheet; `intake` takes the
mailbox in once for each line of its standard input; `bare` fetches the same mails by IMAPClient alone, from
folder ARGUMENT. It prints
"ready" first. Photographs are opened as usual, but not read.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread

from imapclient import IMAPClient

from bench.process import peak_mib
from bench.storm.site import SETTINGS
from ocr.page import Box, Page, Reading, ReadLine, Status, Strike
from service.bootstrap import TEND_SECONDS, Running, Site, open_site
from service.clock import Clock, SystemClock
from service.config import Settings
from service.intake.sheets.recognizer import RecognizedPage
from service.mail.mailbox.ingest import take_in

MB_PER_MIB = 1.048576

# The job that approves a judged phase, in place of the coordinator: {"phase": id}.
APPROVE = "bench-approve"


class OneOrderRecognizer:
    """Reading switched off: every photograph is a page with one order, which any board passes over. A page
    without a line would be no sheet (ARR-03)."""

    def recognize(self, data: bytes, name: str) -> tuple[RecognizedPage, ...]:
        """See `service.intake.sheets.recognizer.Recognizer`."""
        corners = Box(((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)))
        line = ReadLine(corners, (), "Army London holds", 0.99, Strike())
        page = Page(1, 0, 0.0, (line,))
        return (RecognizedPage(data, Reading(Status.READ, pages=(page,))),)


class CostlyRecognizer(OneOrderRecognizer):
    """Spends processor seconds on each photograph, as reading does."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def recognize(self, data: bytes, name: str) -> tuple[RecognizedPage, ...]:
        """See `service.intake.sheets.recognizer.Recognizer`."""
        end = time.thread_time() + self._seconds
        while time.thread_time() < end:
            pass
        return super().recognize(data, name)


class AheadClock:
    """The machine's clock, set ahead: what would be tried again later is tried now."""

    def __init__(self, ahead: timedelta) -> None:
        self._ahead = ahead

    def now(self) -> datetime:
        """See `service.clock.Clock`."""
        return SystemClock().now() + self._ahead


class HastyClock:
    """A clock that was right when it was made, and runs `pace` times as fast since."""

    def __init__(self, pace: float) -> None:
        self._pace, self._begun, self._since = pace, SystemClock().now(), time.monotonic()

    def now(self) -> datetime:
        """See `service.clock.Clock`."""
        return self._begun + timedelta(seconds=(time.monotonic() - self._since) * self._pace)


def main(folder: Path, role: str, argument: str = "") -> None:
    """Be one process of a storm."""
    logging.basicConfig(level=logging.WARNING)
    settings = Settings.model_validate_json((folder / SETTINGS).read_text(encoding="utf-8"))
    match role:
        case "bare":
            _bare(settings, argument)
        case "intake":
            _intake(_site(settings))
        case "worker":
            _work(open_site(settings, recognizer=OneOrderRecognizer(), polls=False))
        case "reader":
            _work(open_site(settings, recognizer=CostlyRecognizer(float(argument)), polls=False))
        case "site":
            _serve(_site(settings, AheadClock(timedelta(minutes=float(argument))) if argument else None))
        case "hasty":
            _serve(_site(settings, HastyClock(float(argument))))
        case _:
            raise SystemExit(f"unknown role {role}")


def _site(settings: Settings, clock: Clock | None = None) -> Site:
    return open_site(settings, clock=clock, recognizer=OneOrderRecognizer())


def _serve(site: Site) -> None:
    running = Running(site)
    running.start()
    print("ready", flush=True)
    sys.stdin.read()
    running.stop()
    site.engine.dispose()


def _work(site: Site) -> None:
    site.jobs.register(APPROVE, lambda payload: site.approve_phase(int(payload["phase"]), "bench"))
    stop = Event()

    def tend() -> None:
        while not stop.is_set():
            site.jobs.tend(datetime.now(UTC))
            stop.wait(TEND_SECONDS)

    site.jobs.start()
    tending = Thread(target=tend)
    tending.start()
    print("ready", flush=True)
    sys.stdin.read()
    stop.set()
    tending.join()
    site.jobs.stop()
    site.engine.dispose()


def _intake(site: Site) -> None:
    """Take the mailbox in, each time measured, over one connection, as the poller does."""
    source = site.account.source()

    def poll() -> int:
        return take_in(source, site.store, site.blobs, site.jobs, site.clock).new

    source.list_waiting()
    _measure_each(poll)
    source.close()
    site.engine.dispose()


def _bare(settings: Settings, folder: str) -> None:
    """IMAPClient alone: fetch each mail whole, one by one, and store nothing."""
    incoming = settings.mail_in
    with IMAPClient(incoming.host, incoming.port, ssl=False) as client:
        client.login(incoming.user, incoming.password)

        def fetch() -> int:
            client.select_folder(folder, readonly=True)
            uids = client.search("ALL")
            return sum(len(client.fetch([uid], ["BODY.PEEK[]"])[uid][b"BODY[]"]) > 0 for uid in uids)

        _measure_each(fetch)


def _measure_each(act: Callable[[], int]) -> None:
    """Act once for each line of standard input; print how many mails, how long, and the peak memory in MB."""
    print("ready", flush=True)
    for _ in sys.stdin:
        begun, spent = time.monotonic(), time.process_time()
        count = act()
        values = {
            "mails": count, "seconds": time.monotonic() - begun, "cpu": time.process_time() - spent,
            "peak_mb": peak_mib() * MB_PER_MIB,
        }
        print(json.dumps(values), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
