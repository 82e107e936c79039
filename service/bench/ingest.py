"""How long a player waits for the receipt of a mail: from the moment it lies in the mailbox until the receipt has left, on one
core, with the reading of the sheet after the receipt and before it.

The mails are those of the demo's Summer, one at a time, into a Maildir; letters leave into a folder. The first one with
reading loads the networks and is reported by itself.
"""

from __future__ import annotations

import json
import mailbox
import os
import statistics
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from sqlalchemy import func, select

from service import games
from service.bootstrap import Site, open_site
from service.config import MailIn, MailOut, Settings
from service.deadlines import schedule
from service.demo_story import AUTHSERV, Story, tell
from service.lots import fresh_seed
from service.receipts import OPTION
from service.store.tables import GameRow, OutboxRow, OutboxState
from service.turns import extend_calendar

ORDERS, COORDINATOR = "orders@galloper.example", "coordinator@galloper.example"
LONGEST = 120.0
"""Seconds after which a receipt counts as lost."""
LIMITS = {False: 5.0, True: 15.0}
"""Seconds that a receipt may take, without and with the reading of the sheet before it."""
_STEP = 0.02


class NoReceipt(RuntimeError):
    """A receipt did not come; the sentence names the mail."""


def run(count: int, out: TextIO, progress: TextIO) -> int:
    """Print the figures as JSON lines. Raises NoReceipt."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        for reading in (False, True):
            waits = _waits(count, reading=reading, progress=progress)
            what = "receipt, reading on" if reading else "receipt, reading off"
            if reading:
                _say(out, f"{what}, first mail of a process", waits[0], LIMITS[reading])
                waits = waits[1:] or waits
            _say(out, f"{what}, median of {len(waits)}", statistics.median(waits), LIMITS[reading])
            _say(out, f"{what}, longest of {len(waits)}", max(waits), LIMITS[reading])
    finally:
        os.sched_setaffinity(0, cores)
    return 0


def _say(out: TextIO, what: str, seconds: float, limit: float) -> None:
    print(json.dumps({"what": what, "value": round(seconds, 2), "unit": "s", "limit": limit, "cores": 1}), file=out, flush=True)


def _waits(count: int, *, reading: bool, progress: TextIO) -> list[float]:
    story = tell()
    mails = [one for one in story.mails_of("Summer 1642 Movement") if one.fate == "accepted"][:count]
    with tempfile.TemporaryDirectory(prefix="galloper-ingest-") as folder:
        site = _site(Path(folder), story, reading=reading)
        box = mailbox.Maildir(str(Path(folder) / "box"), create=True)
        site.jobs.start()
        try:
            found = []
            for at, one in enumerate(mails, start=1):
                print(f"mail {at} of {len(mails)}, reading {'on' if reading else 'off'}", file=progress)
                begun = time.monotonic()
                box.add(one.to_bytes(ORDERS, datetime.now(UTC)))
                found.append(_until_receipt(site, at, one.name) - begun)
                # What is still to be read of this mail must not slow the next one down: players write one at a time.
                site.jobs.wait_idle(LONGEST)
            return found
        finally:
            site.jobs.stop()
            site.engine.dispose()


def _until_receipt(site: Site, wanted: int, name: str) -> float:
    end = time.monotonic() + LONGEST
    site.take_in()
    while time.monotonic() < end:
        with site.store() as session:
            state = session.scalar(select(func.count()).select_from(OutboxRow).where(
                OutboxRow.kind == "receipt", OutboxRow.state == OutboxState.SENT)) or 0
            waiting = session.scalar(select(func.count()).select_from(OutboxRow).where(
                OutboxRow.kind == "receipt", OutboxRow.state == OutboxState.QUEUED)) or 0
        if state >= wanted:
            return time.monotonic()
        if waiting:
            site.look()
        time.sleep(_STEP)
    raise NoReceipt(f"no receipt for the mail {name} within {LONGEST:.0f} seconds")


def _site(folder: Path, story: Story, *, reading: bool) -> Site:
    site = open_site(Settings(
        data=str(folder / "data"), order_address=ORDERS, coordinator=COORDINATOR,
        mail_in=MailIn(kind="maildir", path=str(folder / "box"), trusted_authserv_id=AUTHSERV),
        mail_out=MailOut(kind="folder", path=str(folder / "outbox"), sender=f"Galloper <{ORDERS}>")))
    variant, now = site.load(story.variant), datetime.now(UTC)
    seats = [games.Seat(power, name, "Europe/London", (own,)) for power, (name, own) in story.players.items()]
    new = games.NewGame(story.game, story.variant, now.date(), seats, options={OPTION: reading})
    first = schedule(now.date(), variant.calendar, variant.start.phase, 1)[0]
    with site.store.begin() as session:
        row = games.create(session, new, variant, first, fresh_seed(), now)
        extend_calendar(session, session.get_one(GameRow, row.game_id), variant)
    return site
