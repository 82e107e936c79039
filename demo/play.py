"""`galloper demo`: a story on loopback mail, with every real part: IMAP, queue, reader, desk, judge,
letters."""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path

from sqlalchemy import func, select

from adjudicator.errors import UserFacingError
from demo.checks import Findings, check_round, check_whole
from demo.coordinator import NAME, PASSWORD, Hand
from demo.mail_server import DemoMailServer
from demo.story import AUTHSERV, USUAL, Story, StoryMail, story_of
from maps.variant import Variant
from service.bootstrap import Running, Site, open_site
from service.clock import SimulatedClock
from service.config import MailOut, Settings, Web
from service.games import create
from service.games.deadlines import schedule
from service.games.lots import fresh_seed
from service.games.phases import phase_of
from service.games.turns import extend_calendar
from service.pictures import plan_of
from service.store.tables import (
    GameRow,
    MailRow,
    MailState,
    OutboxRow,
    OutboxState,
    PhaseRow,
    PhaseState,
    SubmissionRow,
)
from service.web import sessions
from service.web.server import WebError, WebServer

KEEP_ALIVE = 15
"""Seconds after which the folder is opened anew: the demo's mail server may lose sight of mails that came
while others were moved on, and the story waits no longer than three minutes."""

START = date(2027, 3, 1)
ORDERS = "orders@galloper.example"
COORDINATOR = "coordinator@galloper.example"
PATIENCE = 180.0
"""Seconds to wait for any one thing before the demo gives up and says what it waited for."""

MARK = "demo.txt"
"""A file by which a folder is known as a demo's, also where it stopped at its first step."""

Say = Callable[[str], None]


class DemoFault(UserFacingError):
    """The demo did not come to its end; the sentence says at what."""


@dataclass(slots=True)
class Demo:
    """One run: the site, its clock, its mail server and its desk."""

    story: Story
    site: Site
    clock: SimulatedClock
    server: DemoMailServer
    hand: Hand
    say: Say
    findings: Findings = field(default_factory=Findings)

    def play(self, rounds: tuple[str, ...]) -> None:
        """The rounds of the story in order, each from its mails to its results."""
        for round_ in rounds:
            phase = self._phase_of(round_)
            self.say(f"\n{round_}: closes {phase.deadline:%a %-d %b %Y, %H:%M} GMT")
            self._deliver(round_, phase)
            self._close(phase)
            self._read(round_, phase)
            self._send(round_, phase)
        check_whole(self.findings, self.site, self.story)

    def _phase_of(self, round_: str) -> PhaseRow:
        """The phase of a round, once it is open: the clock goes on to its hour."""
        with self.site.store() as session:
            rows = [row for row in session.scalars(select(PhaseRow)) if str(phase_of(row)) == round_]
        if not rows:
            raise DemoFault(f"{round_} is not on the calendar")
        phase = rows[0]
        self.clock.set(max(self.clock.now(), phase.opens_at))
        self.site.look()
        self._wait(f"{round_} to open", lambda: self._state(phase.id) == PhaseState.OPEN)
        return phase

    def _deliver(self, round_: str, phase: PhaseRow) -> None:
        mails = self.story.mails_of(round_)
        before = self._count_mails()
        begin = max(phase.opens_at, self.clock.now()) + timedelta(hours=3)
        step = (phase.deadline - begin - timedelta(hours=2)) / max(1, len(mails))
        for at, mail in enumerate(mails):
            received = (begin + at * step).replace(microsecond=0)
            self.clock.set(max(received, self.clock.now()))
            self.server.append(mail.to_bytes(ORDERS, received), received)
            self.say(f"  {received:%d %b %H:%M}  mail from {mail.sender.partition('@')[0]:8} "
                     f"“{mail.subject}”{_remark(mail)}")
        self._wait(f"{len(mails)} mails taken in", lambda: self._count_mails() >= before + len(mails))
        self._wait("every mail to have an end", lambda: self._count_mails(MailState.STORED) == 0)
        self._wait("every sheet to be read", lambda: self._unread() == 0)
        self._letters()
        with self.site.store() as session:
            ends = dict(
                session.execute(select(MailRow.state, func.count()).group_by(MailRow.state)).tuples().all()
            )
        self.say("  mails so far: " + ", ".join(f"{n} {state}" for state, n in sorted(ends.items())))

    def _close(self, phase: PhaseRow) -> None:
        self.clock.set(phase.deadline + timedelta(minutes=1))
        self.site.look()
        self._wait(
            "the phase to close", lambda: self._state(phase.id) in {PhaseState.CLOSED, PhaseState.READY}
        )
        self.say(f"  deadline passed at {phase.deadline:%H:%M} GMT; the sheets are unsealed")

    def _read(self, round_: str, phase: PhaseRow) -> None:
        powers = self.site.load(self.story.variant).powers
        written = {p.name: self.story.written(round_, p.id) for p in powers.values()}
        decided = self.hand.read_lines(phase.id, written)
        self._wait("the phase to be judged", lambda: self._state(phase.id) == PhaseState.READY)
        self.say(f"  the coordinator read {decided} doubtful lines at the desk; the turn is judged")

    def _send(self, round_: str, phase: PhaseRow) -> None:
        self.hand.approve(phase.id)
        self._wait("the results to be approved", lambda: self._state(phase.id) == PhaseState.SENT)
        self._letters()
        lines = check_round(self.findings, self.site, self.story, round_, phase.id)
        for line in lines:
            self.say(f"  {line}")
        self.clock.advance(timedelta(minutes=5))
        self.site.look()
        self.site.jobs.wait_idle(PATIENCE)

    def _letters(self) -> None:
        self.site.look()
        self._wait("the letters to leave", lambda: self._waiting_letters() == 0)

    def _wait(self, what: str, done: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not done():
            if time.monotonic() > end:
                raise DemoFault(f"waited {PATIENCE:.0f} s for {what}")
            time.sleep(0.05)

    def _state(self, phase_id: int) -> str:
        with self.site.store() as session:
            return session.get_one(PhaseRow, phase_id).state

    def _count_mails(self, state: MailState | None = None) -> int:
        with self.site.store() as session:
            query = select(func.count()).select_from(MailRow)
            return session.scalar(query if state is None else query.where(MailRow.state == state)) or 0

    def _unread(self) -> int:
        with self.site.store() as session:
            return session.scalar(
                select(func.count()).select_from(SubmissionRow).where(SubmissionRow.read_at.is_(None))) or 0

    def _waiting_letters(self) -> int:
        with self.site.store() as session:
            return session.scalar(select(func.count()).select_from(OutboxRow).where(
                OutboxRow.state.in_([OutboxState.QUEUED, OutboxState.SENDING]))) or 0


def run_demo(*, fast: bool, folder: Path | None, keep: bool, variant: str = USUAL) -> int:
    """Play the story of a variant. With `fast` no hand is needed and everything is checked; else the desk
    stays open at the end.

    Raises NoStory for a variant of which there is none.
    """
    started = time.monotonic()
    story = story_of(variant)
    temporary = folder is None and fast
    place = Path(tempfile.mkdtemp(prefix="galloper-demo-")) if temporary else (folder or Path("demo-site"))
    if place.exists() and not temporary:
        if any(place.iterdir()) and not any((place / mark).exists() for mark in (MARK, "outbox")):
            print((f"galloper: {place} holds something else; choose another folder with "
                   f"--dir."), file=sys.stderr)
            return 1
        shutil.rmtree(place)
    place.mkdir(parents=True, exist_ok=True)
    (place / MARK).write_text(("A demo's site: the next demo that is given this folder begins it "
                               "anew.\n"), encoding="utf-8")
    try:
        return _run(story, place, fast=fast, started=started)
    except DemoFault as fault:
        print(f"galloper: the demo stopped: {fault}. Its site lies in {place}.", file=sys.stderr)
        temporary = False
        return 1
    finally:
        if temporary and not keep:
            shutil.rmtree(place, ignore_errors=True)


def _run(story: Story, place: Path, *, fast: bool, started: float) -> int:
    server = DemoMailServer()
    server.start()
    clock = SimulatedClock(datetime.fromisoformat(f"{START}T07:00:00+00:00"))
    site = open_site(_settings(place, server), clock=clock)
    variant = site.load(story.variant)
    _create(site, story, variant, clock)
    running = Running(site, report=_trouble)
    web = _web(site, fast=fast)
    running.start()
    web.start()
    # Placing the map's names takes seconds; the first sheets are read meanwhile.
    threading.Thread(target=plan_of, args=(variant.slug,), name="galloper-map", daemon=True).start()
    say: Say = lambda text: print(text, flush=True)  # noqa: E731
    try:
        _greet(say, story, web.address, place, fast=fast)
        hand = Hand(web.address)
        hand.sign_in()
        demo = Demo(story, site, clock, server, hand, say)
        demo.play(story.rounds())
        code = demo.findings.report(say, time.monotonic() - started)
        if not fast:
            _stay(say, web.address, place)
        return code
    finally:
        web.stop()
        running.stop()
        server.stop()


def _web(site: Site, *, fast: bool) -> WebServer:
    """The desk at its usual port, or at any free one when that is taken: a demo should not fail on it."""
    try:
        return WebServer(site.desk(), "127.0.0.1", 0 if fast else 8642)
    except WebError:
        return WebServer(site.desk(), "127.0.0.1", 0)


def _settings(place: Path, server: DemoMailServer) -> Settings:
    return Settings(
        data=str(place),
        order_address=ORDERS,
        coordinator=COORDINATOR,
        mail_in=server.settings().model_copy(
            update={"trusted_authserv_id": AUTHSERV, "keep_alive_seconds": KEEP_ALIVE}
        ),
        mail_out=MailOut(kind="folder", path=str(place / "outbox"), sender=f"Galloper <{ORDERS}>"),
        web=Web(secure_cookies=False),
    )


def _create(site: Site, story: Story, variant: Variant, clock: SimulatedClock) -> None:
    seats = [
        create.GameSeat(power, name, "Europe/London", (mail,)) for power,
        (name, mail) in story.players.items()
    ]
    new = create.NewGame(story.game, story.variant, START, seats)
    first = schedule(START, variant.calendar, variant.start.phase, 1)[0]
    with site.store.begin() as session:
        sessions.add_user(session, NAME, PASSWORD, clock.now())
        row = create.create(session, new, variant, first, fresh_seed(), clock.now())
        extend_calendar(session, session.get_one(GameRow, row.game_id), variant)


def _greet(say: Say, story: Story, address: str, place: Path, *, fast: bool) -> None:
    say(f"A game of {story.variant} called “{story.game}”, {_count(len(story.players))} powers, on loopback "
        f"mail. Nothing leaves this machine.")
    say(f"Letters go to {place / 'outbox'}; the desk is at {address}")
    if not fast:
        say(f"Sign in there as “{NAME}” with the password “{PASSWORD}” and watch. A scripted coordinator "
            f"reads along.")


def _count(number: int) -> str:
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[number] if number < len(words) else str(number)


def _trouble(text: str) -> None:
    if text:
        print(f"  {text}", file=sys.stderr)


def _remark(mail: StoryMail) -> str:
    return "" if mail.fate == "accepted" else f"  ({mail.fate} to come)"


def _stay(say: Say, address: str, place: Path) -> None:
    say(f"\nThe desk stays open at {address} (Letters shows every mail that left). Press Ctrl-C to end.")
    say(f"The site lies in {place}.")
    if not sys.stdin.isatty():
        return
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        say("\nEnded.")
