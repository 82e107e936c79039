"""A site with the sample at its desk, and `galloper serve` for it in a separate process."""

from __future__ import annotations

import mailbox
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy.orm import Session

import maps
from bench.desk.sample import DeskSample, SampleLine, SamplePage
from bench.servers.ports import free_port
from maps.variant import Variant
from service.clock import SystemClock
from service.config import Settings
from service.games import create
from service.games.acts.act import ActTable, perform
from service.games.acts.games import BeginGame
from service.games.deadlines import schedule
from service.record import chain
from service.site_folder import FILE, opened, settings_of
from service.store.blobs import Blobs
from service.store.tables import LineRow, LineState, PageRow, PhaseRow, PhaseState, SeatRow, SubmissionRow
from service.web import sessions

NAME, PASSWORD = "Ada", "a desk that is only measured"
GAME = "Powick Bridge"
_START_SECONDS = 120.0
SETTINGS = """\
data = "{data}"
order_address = "orders@galloper.example"
coordinator = "coordinator@galloper.example"
[mail_in]
kind = "maildir"
path = "box"
trusted_authserv_ids = ["mx.galloper.example"]
[mail_out]
kind = "folder"
path = "outbox"
sender = "Galloper <orders@galloper.example>"
[web]
port = {port}
secure_cookies = false
"""


class NotServed(Exception):
    """`galloper serve` ended or did not answer in time."""


@dataclass(frozen=True, slots=True)
class SheetLocation:
    """A site's folder with the sample at its desk. `token`: of a signed-in browser; `truth`: lines by id."""

    folder: Path
    settings: Settings
    phase: int
    token: str
    truth: dict[int, SampleLine]


def make(folder: Path, sample: DeskSample, port: int = 0) -> SheetLocation:
    """A new site in an empty folder: one game whose first phase has just closed, with the sample's pages from
    its powers in turn. Takes a free port unless one is given."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FILE).write_text(SETTINGS.format(data="data", port=port or free_port()), encoding="utf-8")
    mailbox.Maildir(str(folder / "box"), create=True)
    settings, variant, now = settings_of(folder), maps.load(sample.variant), SystemClock().now()
    with opened(settings) as store, store.begin() as session:
        phase = closed_game(session, GAME, variant, now)
        sessions.add_user(session, NAME, PASSWORD, now)
        session.flush()
        token = sessions.sign_in(session, NAME, PASSWORD, now)
        assert token is not None
        truth = lay_out(session, sample, phase, Blobs(Path(settings.data) / "blobs"))
    return SheetLocation(folder, settings, phase.id, token, truth)


def closed_game(session: Session, name: str, variant: Variant, now: datetime) -> PhaseRow:
    """A game with a player for each power, whose first phase closed within the last day."""
    plan = schedule(now.date(), variant.calendar, variant.start.phase, 1)[0]
    first_day = (now - (plan.deadline - plan.opens) - timedelta(days=1)).date()
    window = schedule(first_day, variant.calendar, variant.start.phase, 1)[0]
    seats = [
        create.GameSeat(power, f"Player of {power}",
                        mail=(f"{power.lower().replace(' ', '-')}@players.example",))
        for power in variant.powers
    ]
    new = create.NewGame(name, variant.slug, first_day, seats)
    phase = perform(BeginGame(new, variant), ActTable(session, "bench", window.opens)).outcome
    chain.seal(session)  # while the phase is open: the record takes a seed of lots only before the deadline
    phase.state, phase.closed_at = PhaseState.CLOSED, now
    session.flush()
    return phase


def lay_out(session: Session, sample: DeskSample, phase: PhaseRow, blobs: Blobs) -> dict[int, SampleLine]:
    """File the sample's pages for a phase, one submission a power; the lines by their row's id."""
    powers = sorted(maps.load(sample.variant).powers)
    truth: dict[int, SampleLine] = {}
    for seat, power in enumerate(powers):
        pages = sample.pages[seat::len(powers)]
        if pages:
            submission = _submission(session, phase, power)
            for ordinal, page in enumerate(pages):
                truth |= _add_page(session, submission, ordinal, page, blobs.put(sample.picture(page)))
    return truth


def _submission(session: Session, phase: PhaseRow, power: str) -> SubmissionRow:
    seat = session.get_one(SeatRow, (phase.game_id, power))
    row = SubmissionRow(
        phase_id=phase.id, power=power, player_id=seat.player_id, sender=f"{power.lower()}@players.example",
        received_at=phase.deadline - timedelta(hours=3), version=1, semantic_key=power,
        read_at=phase.deadline)
    session.add(row)
    session.flush()
    return row


def _add_page(
    session: Session, submission: SubmissionRow, ordinal: int, page: SamplePage, key: str
) -> dict[int, SampleLine]:
    row = PageRow(submission_id=submission.id, ordinal=ordinal, original=key, upright=key)
    session.add(row)
    session.flush()
    rows = [(line, _line_row(row.id, number, line)) for number, line in enumerate(page.lines)]
    session.add_all(line_row for _, line_row in rows)
    session.flush()
    return {line_row.id: line for line, line_row in rows}


def _line_row(page: int, ordinal: int, line: SampleLine) -> LineRow:
    return LineRow(
        page_id=page, ordinal=ordinal, box=line.box, kind=line.kind, struck=line.struck, text=line.text,
        order=line.read_as, confidence=line.confidence, status=LineState.OPEN, candidates=line.candidates)


class Server:
    """A command that serves a desk, in a process, started in the folder `cwd` if one is given; `kill` ends it
    as a power cut would."""

    def __init__(self, command: Sequence[str], address: str, cwd: Path | None = None) -> None:
        self._command, self._cwd = command, cwd
        self.address = address
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Serve; returns once it answers with a page. Raises NotServed."""
        self.process = subprocess.Popen(  # noqa: S603 our own command
            self._command, cwd=self._cwd, stderr=subprocess.DEVNULL)
        give_up_at = time.monotonic() + _START_SECONDS
        while True:
            try:
                urllib.request.urlopen(f"{self.address}/sign-in", timeout=5).close()  # noqa: S310 loopback
            except (urllib.error.URLError, ConnectionError, TimeoutError) as error:
                if time.monotonic() > give_up_at or self.process.poll() is not None:
                    self.kill()  # one that is only slow would go on serving
                    raise NotServed(f"{' '.join(self._command)} does not serve {self.address} "
                                    f"({error})") from error
                time.sleep(0.05)
            else:
                return

    def kill(self) -> None:
        """SIGKILL, whatever it is doing."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def serving(place: SheetLocation) -> Server:
    """`galloper serve` for a site, not yet started."""
    return serving_folder(place.folder, place.settings)


def serving_folder(folder: Path, settings: Settings) -> Server:
    """`galloper serve` for the site in a folder, with its settings, not yet started."""
    address = f"http://{settings.web.host}:{settings.web.port}"
    return Server([sys.executable, "-m", "service.cli.main", "serve", str(folder)], address)
