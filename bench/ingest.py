"""How long a player waits for the receipt of a mail: from the moment a mail server is handed the mail until a
mail server has been handed the receipt, with the reading of the sheet after the receipt and before it.

The whole way, as `galloper serve` goes it: Dovecot tells of the mail by IDLE, one worker judges it, the
letter leaves by SMTP. All of it, the servers and this program included, shares one core. The mails are those
of the demo's Summer, one at a time. The first one with reading loads the networks and is reported by itself.
Beside the clock's time stands the processor's: on a machine that has other work, the difference is that work.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from sqlalchemy import func, select

from bench.servers.dovecot import PASSWORD, USER, Dovecot
from bench.servers.smtp_sink import SmtpSink
from bench.storm.site import wait_for
from demo.story import AUTHSERV, Story, read_story
from service.bootstrap import Running, Site, open_site
from service.config import MailIn, MailOut, Settings
from service.games import create
from service.games.deadlines import schedule
from service.games.lots import fresh_seed
from service.games.turns import extend_calendar
from service.notices.receipts import OPTION
from service.store.tables import GameRow, OutboxRow, OutboxState

ORDERS, COORDINATOR = "orders@galloper.example", "coordinator@galloper.example"
LONGEST = 120.0
"""Seconds after which a receipt counts as lost."""
LIMITS = {False: 5.0, True: 15.0}
"""Seconds that a receipt may take, without and with the reading of the sheet before it."""
HOW = "from LMTP into Dovecot to SMTP out, pushed by IDLE"
_STEP = 0.05
IDLE_SECONDS = 1.0
"""A mail is handed over when the site has been at rest for so long and waits for a push."""


@dataclass(frozen=True, slots=True)
class Wait:
    """From mail to receipt: seconds by the clock, and of the processor, which hold on a busy machine too."""

    seconds: float
    processor: float


class NoReceipt(RuntimeError):
    """A receipt did not come, or the site came to no rest; the sentence names the mail."""


def run(count: int, out: TextIO, progress: TextIO) -> int:
    """Print the figures as JSON lines. 1 with a sentence on `progress` where a receipt does not come or a
    server is missing."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        for reading in (False, True):
            waits = _waits(count, reading=reading, progress=progress)
            what = "receipt, reading on" if reading else "receipt, reading off"
            if reading:
                _say(out, f"{what}, first mail of a process", waits[0], LIMITS[reading])
                waits = waits[1:] or waits
            by_length = sorted(waits, key=lambda one: one.seconds)
            middle = Wait(
                statistics.median(one.seconds for one in waits),
                statistics.median(one.processor for one in waits),
            )
            _say(out, f"{what}, median of {len(waits)}", middle, LIMITS[reading])
            _say(out, f"{what}, longest of {len(waits)}", by_length[-1], LIMITS[reading])
    except RuntimeError as error:
        print(f"{error}", file=progress, flush=True)
        return 1
    finally:
        os.sched_setaffinity(0, cores)
    return 0


def _say(out: TextIO, what: str, wait: Wait, limit: float) -> None:
    print(json.dumps({
        "what": what, "value": round(wait.seconds, 2), "unit": "s", "limit": limit,
        "processor": round(wait.processor, 2), "cores": 1,
        "load": round(os.getloadavg()[0], 1), "how": HOW}), file=out, flush=True)


def _spent() -> float:
    """Processor seconds of this process, which is the site, and of the children that opened its files."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def _waits(count: int, *, reading: bool, progress: TextIO) -> list[Wait]:
    story = read_story()
    mails = [one for one in story.mails_of("Summer 1642 Movement") if one.fate == "accepted"][:count]
    server, sink = Dovecot().start(), SmtpSink().start()
    try:
        with tempfile.TemporaryDirectory(prefix="galloper-ingest-") as folder:
            site = _site(Path(folder), story, server, sink, reading=reading)
            running = Running(site)
            running.start()
            try:
                found = []
                for at, one in enumerate(mails, start=1):
                    print(f"mail {at} of {len(mails)}, reading {'on' if reading else 'off'}", file=progress)
                    _at_rest(site, one.name)
                    raw = one.to_bytes(ORDERS, datetime.now(UTC))
                    begun, spent = time.monotonic(), _spent()
                    server.deliver(raw)
                    if not wait_for(lambda: _receipts(site) >= at, LONGEST, step=_STEP):  # noqa: B023 called here
                        raise NoReceipt(f"no receipt for the mail {one.name} within {LONGEST:.0f} seconds")
                    found.append(Wait(time.monotonic() - begun, _spent() - spent))
                return found
            finally:
                running.stop()
                site.engine.dispose()
    finally:
        sink.stop()
        server.remove()


def _at_rest(site: Site, name: str) -> None:
    """Wait until the mailbox has been looked into and nothing is under way: what is still to be read of the
    mail before must not slow this one down, since players write one at a time."""
    if not wait_for(lambda: site.health.mailbox.good_at is not None, LONGEST) or not site.jobs.wait_idle(
        LONGEST
    ):
        raise NoReceipt(f"the site came to no rest before the mail {name} within {LONGEST:.0f} seconds")
    time.sleep(IDLE_SECONDS)


def _receipts(site: Site) -> int:
    """Receipts that the server of those who play has taken."""
    with site.store() as session:
        return session.scalar(select(func.count()).select_from(OutboxRow).where(
            OutboxRow.kind == "receipt", OutboxRow.state == OutboxState.SENT)) or 0


def _site(folder: Path, story: Story, server: Dovecot, sink: SmtpSink, *, reading: bool) -> Site:
    site = open_site(Settings(
        data=str(folder / "data"), order_address=ORDERS, coordinator=COORDINATOR,
        mail_in=MailIn(host="127.0.0.1", port=server.imap, tls=False, user=USER, password=PASSWORD,
                       trusted_authserv_id=AUTHSERV),
        mail_out=MailOut(host="127.0.0.1", port=sink.port, starttls=False, sender=f"Galloper <{ORDERS}>")))
    variant, now = site.load(story.variant), datetime.now(UTC)
    seats = [
        create.GameSeat(power, name, "Europe/London", (own,)) for power, (name, own) in story.players.items()
    ]
    new = create.NewGame(story.game, story.variant, now.date(), seats, options={OPTION: reading})
    first = schedule(now.date(), variant.calendar, variant.start.phase, 1)[0]
    with site.store.begin() as session:
        row = create.create(session, new, variant, first, fresh_seed(), now)
        extend_calendar(session, session.get_one(GameRow, row.game_id), variant)
    return site
