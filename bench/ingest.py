"""How long a player waits for the receipt of a mail, on one core.

From the moment when a mail server is handed the mail until a mail server has been handed the receipt, with
the sheet read after the receipt (reading off) and before it (reading on). Nothing is left out: Dovecot
announces the mail by IDLE, one worker judges it, the letter leaves by SMTP, as in `galloper serve`; the
servers and this program share the core. The mails are those of the demo's summer, one at a time. The first
one with reading loads the networks and is reported by itself. Processor time is next to the clock's: on a
machine that has other work, the difference is that work.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from sqlalchemy import func, select

from bench.figure import print_line
from bench.process import one_core, processor_seconds
from bench.servers.dovecot import PASSWORD, USER, Dovecot
from bench.servers.smtp_sink import SmtpSink
from bench.storm.site import wait_for
from demo.open_game import open_game
from demo.story import AUTHSERV, Story, read_story
from service.bootstrap import Running, Site, open_site
from service.config import MailIn, MailOut, Settings
from service.store.tables import OutboxRow, OutboxState

ORDERS, COORDINATOR = "orders@galloper.example", "coordinator@galloper.example"
LOST_SECONDS = 120.0  # after so long a receipt counts as lost
# Seconds that a receipt may take, without and with the reading of the sheet before it (docs/scaling.md).
LIMITS = {False: 5.0, True: 15.0}
HOW = "from LMTP into Dovecot to SMTP out, pushed by IDLE"
POLL_SECONDS = 0.05
# A mail is handed over once the site has been idle for so long and waits for a push.
IDLE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Wait:
    """From mail to receipt, in seconds: by the clock, and of the processor, which a busy machine changes
    less."""

    seconds: float
    processor: float


class NoReceipt(RuntimeError):
    """A receipt did not come, or the site did not come to rest; the sentence names the mail."""


def run(count: int, out: TextIO, progress: TextIO) -> int:
    """Print the figures as JSON lines. 1 with a sentence on `progress` if a receipt does not come or a server
    is missing."""
    with one_core():
        try:
            for reading in (False, True):
                _measure(count, out, progress, reading=reading)
        except RuntimeError as error:
            print(f"{error}", file=progress, flush=True)
            return 1
    return 0


def _measure(count: int, out: TextIO, progress: TextIO, *, reading: bool) -> None:
    waits = _waits(count, reading=reading, progress=progress)
    label = "receipt, reading on" if reading else "receipt, reading off"
    if reading:
        _print(out, f"{label}, first mail of a process", waits[0], LIMITS[reading])
        waits = waits[1:] or waits
    middle = Wait(
        statistics.median(wait.seconds for wait in waits), statistics.median(wait.processor for wait in waits)
    )
    _print(out, f"{label}, median of {len(waits)}", middle, LIMITS[reading])
    longest = max(waits, key=lambda wait: wait.seconds)
    _print(out, f"{label}, longest of {len(waits)}", longest, LIMITS[reading])


def _print(out: TextIO, label: str, wait: Wait, limit: float) -> None:
    load = round(os.getloadavg()[0], 1)
    print_line(out, what=label, value=round(wait.seconds, 2), unit="s", limit=limit,
               processor=round(wait.processor, 2), cores=1, load=load, how=HOW)


def _waits(count: int, *, reading: bool, progress: TextIO) -> list[Wait]:
    """The waits for the receipts of `count` mails, on its own site."""
    story = read_story()
    mails = [mail for mail in story.mails_of("Summer 1642 Movement") if mail.fate == "accepted"][:count]
    server, sink = Dovecot().start(), SmtpSink().start()
    try:
        with tempfile.TemporaryDirectory(prefix="galloper-ingest-") as folder:
            site = _site(Path(folder), story, server, sink, reading=reading)
            running = Running(site)
            running.start()
            try:
                waits: list[Wait] = []
                for mail in mails:
                    state = "on" if reading else "off"
                    print(f"mail {len(waits) + 1} of {len(mails)}, reading {state}", file=progress)
                    _wait_until_idle(site, mail.name)
                    raw = mail.to_bytes(ORDERS, datetime.now(UTC))
                    waits.append(_wait_for_receipt(site, server, raw, len(waits) + 1, mail.name))
                return waits
            finally:
                running.stop()
                site.engine.dispose()
    finally:
        sink.stop()
        server.remove()


def _wait_for_receipt(site: Site, server: Dovecot, raw: bytes, number: int, name: str) -> Wait:
    """Hand over the mail of that number and wait for its receipt."""
    begun, spent = time.monotonic(), processor_seconds()
    server.deliver(raw)
    if not wait_for(lambda: _count_receipts(site) >= number, LOST_SECONDS, step=POLL_SECONDS):
        raise NoReceipt(f"no receipt for the mail {name} within {LOST_SECONDS:.0f} seconds")
    return Wait(time.monotonic() - begun, processor_seconds() - spent)


def _wait_until_idle(site: Site, name: str) -> None:
    """Wait until the mailbox was polled and no job runs: players write one at a time, so the reading of the
    mail before must not slow this one down."""
    polled = wait_for(lambda: site.health.mailbox.good_at is not None, LOST_SECONDS)
    if not polled or not site.jobs.wait_idle(LOST_SECONDS):
        raise NoReceipt(f"the site did not come to rest before the mail {name} within {LOST_SECONDS:.0f} "
                        f"seconds")
    time.sleep(IDLE_SECONDS)


def _count_receipts(site: Site) -> int:
    """Receipts that the sink has taken."""
    sent = select(func.count()).select_from(OutboxRow).where(
        OutboxRow.kind == "receipt", OutboxRow.state == OutboxState.SENT)
    with site.store() as session:
        return session.scalar(sent) or 0


def _site(folder: Path, story: Story, server: Dovecot, sink: SmtpSink, *, reading: bool) -> Site:
    site = open_site(Settings(
        data=str(folder / "data"), order_address=ORDERS, coordinator=COORDINATOR,
        mail_in=MailIn(host="127.0.0.1", port=server.imap, tls=False, user=USER, password=PASSWORD,
                       trusted_authserv_ids=(AUTHSERV,)),
        mail_out=MailOut(host="127.0.0.1", port=sink.port, starttls=False, sender=f"Galloper <{ORDERS}>")))
    open_game(site, story, datetime.now(UTC).date(), {"reading": reading})
    return site
