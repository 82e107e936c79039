"""`galloper demo`: a story on loopback mail with the real IMAP, queue, reader, desk, judge, letters."""

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
from demo.checks import Findings, check_phase, check_site
from demo.coordinator import NAME, PASSWORD, ScriptedCoordinator
from demo.mail_server import DemoMailServer
from demo.open_game import open_game
from demo.story import AUTHSERV, DEFAULT_VARIANT, Story, StoryMail, story_of
from service.bootstrap import Running, Site, open_site
from service.clock import SimulatedClock
from service.config import MailOut, Settings, Web
from service.games.phases import phase_of
from service.pictures import board_plan
from service.store.tables import (
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

# Seconds after which the mailbox is opened again: the demo's mail server may lose sight of mails that came
# while others were moved away, and the story waits no longer than PATIENCE_SECONDS.
KEEP_ALIVE_SECONDS = 15

START = date(2027, 3, 1)
ORDERS = "orders@galloper.example"
COORDINATOR = "coordinator@galloper.example"
# The longest wait for any one event before the demo gives up and says what it waited for.
PATIENCE_SECONDS = 180.0

DESK_PORT = 8642
# A file that marks a folder as a demo's own, even if the demo stopped at its first step.
MARK_FILE = "demo.txt"

Say = Callable[[str], None]

_REMARKS = {
    "superseded": "a later version will replace it", "quarantined": "it will wait for the coordinator",
    "rejected": "it will be refused, with the reason", "ignored": "it will not be answered",
}


class DemoError(UserFacingError):
    """The demo did not come to its end; the sentence says what it waited for."""


@dataclass(slots=True)
class Demo:
    """One run: the site, its clock, its mail server and its desk."""

    story: Story
    site: Site
    clock: SimulatedClock
    server: DemoMailServer
    coordinator: ScriptedCoordinator
    say: Say
    findings: Findings = field(default_factory=Findings)

    def play(self) -> None:
        """Play the phases of the story in order, each from its mails to its results, and check the site."""
        for title in self.story.phases():
            phase = self._open_phase(title)
            self.say(f"\n{title}: closes {phase.deadline:%a %-d %b %Y, %H:%M} GMT")
            self._deliver(title, phase)
            self._close(phase)
            self._read(title, phase)
            self._send(title, phase)
        check_site(self.findings, self.site, self.story)

    def _open_phase(self, title: str) -> PhaseRow:
        """The phase of a title ("Summer 1642 Movement"), once it is open; moves the clock to its hour."""
        with self.site.store() as session:
            rows = [row for row in session.scalars(select(PhaseRow)) if str(phase_of(row)) == title]
        if not rows:
            raise DemoError(f"{title} is not on the calendar")
        phase = rows[0]
        self.clock.set(max(self.clock.now(), phase.opens_at))
        self.site.look()
        self._wait_until(f"{title} to open", lambda: self._state(phase.id) == PhaseState.OPEN)
        return phase

    def _deliver(self, title: str, phase: PhaseRow) -> None:
        """Send the phase's mails, spread evenly between its opening and its deadline."""
        mails = self.story.mails_of(title)
        count_before = self._count_mails()
        # The hours before the first and after the last mail keep both away from the edges of the phase.
        begin = max(phase.opens_at, self.clock.now()) + timedelta(hours=3)
        step = (phase.deadline - begin - timedelta(hours=2)) / max(1, len(mails))
        for index, mail in enumerate(mails):
            received_at = (begin + index * step).replace(microsecond=0)
            self.clock.set(max(received_at, self.clock.now()))
            self.server.append(mail.to_bytes(ORDERS, received_at), received_at)
            self.say(f"  {received_at:%d %b %H:%M}  mail from {mail.sender.partition('@')[0]:8} "
                     f"“{mail.subject}”{_remark(mail)}")
        total = count_before + len(mails)
        self._wait_until(f"{len(mails)} mails taken in", lambda: self._count_mails() >= total)
        self._wait_until("every mail to be processed", lambda: self._count_mails(MailState.STORED) == 0)
        self._wait_until("every sheet to be read", lambda: self._count_unread() == 0)
        self._send_letters()
        with self.site.store() as session:
            by_state = select(MailRow.state, func.count()).group_by(MailRow.state)
            states = dict(session.execute(by_state).tuples().all())
        counts = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
        self.say(f"  mails so far: {counts}")

    def _close(self, phase: PhaseRow) -> None:
        self.clock.set(phase.deadline + timedelta(minutes=1))
        self.site.look()
        closed = {PhaseState.CLOSED, PhaseState.READY}
        self._wait_until("the phase to close", lambda: self._state(phase.id) in closed)
        self.say(f"  deadline passed at {phase.deadline:%H:%M} GMT; the sheets are unsealed")

    def _read(self, title: str, phase: PhaseRow) -> None:
        powers = self.site.load(self.story.variant).powers
        written = {power.name: self.story.written_lines(title, power.id) for power in powers.values()}
        decided = self.coordinator.read_lines(phase.id, written)
        self._wait_until("the phase to be judged", lambda: self._state(phase.id) == PhaseState.READY)
        self.say(f"  the coordinator read {decided} doubtful lines at the desk; the turn is judged")

    def _send(self, title: str, phase: PhaseRow) -> None:
        self.coordinator.approve(phase.id)
        self._wait_until("the results to be approved", lambda: self._state(phase.id) == PhaseState.SENT)
        self._send_letters()
        for line in check_phase(self.findings, self.site, self.story, title, phase.id):
            self.say(f"  {line}")
        # The results are followed by jobs of their own: the next phase opens, reminders are planned.
        self.clock.advance(timedelta(minutes=5))
        self.site.look()
        self.site.jobs.wait_idle(PATIENCE_SECONDS)

    def _send_letters(self) -> None:
        self.site.look()
        self._wait_until("the letters to leave", lambda: self._count_unsent() == 0)

    def _wait_until(self, event: str, happened: Callable[[], bool]) -> None:
        give_up_at = time.monotonic() + PATIENCE_SECONDS
        while not happened():
            if time.monotonic() > give_up_at:
                raise DemoError(f"waited {PATIENCE_SECONDS:.0f} s for {event}")
            time.sleep(0.05)

    def _state(self, phase_id: int) -> str:
        with self.site.store() as session:
            return session.get_one(PhaseRow, phase_id).state

    def _count_mails(self, state: MailState | None = None) -> int:
        with self.site.store() as session:
            query = select(func.count()).select_from(MailRow)
            return session.scalar(query if state is None else query.where(MailRow.state == state)) or 0

    def _count_unread(self) -> int:
        query = select(func.count()).select_from(SubmissionRow).where(SubmissionRow.read_at.is_(None))
        with self.site.store() as session:
            return session.scalar(query) or 0

    def _count_unsent(self) -> int:
        unsent = OutboxRow.state.in_([OutboxState.QUEUED, OutboxState.SENDING])
        with self.site.store() as session:
            return session.scalar(select(func.count()).select_from(OutboxRow).where(unsent)) or 0


def run_demo(*, fast: bool, folder: Path | None, keep: bool, variant: str = DEFAULT_VARIANT) -> int:
    """Play the story of a variant and return the program's exit code, 1 if anything was wrong.

    With `fast` nobody needs to watch, and the site is deleted afterwards unless `keep` is set; otherwise the
    desk stays open at the end. Raises NoStory for a variant that has none.
    """
    started = time.monotonic()
    story = story_of(variant)
    temporary = folder is None and fast
    root = Path(tempfile.mkdtemp(prefix="galloper-demo-")) if temporary else (folder or Path("demo-site"))
    if root.exists() and not temporary:
        # Only a folder that an earlier demo wrote is emptied.
        if any(root.iterdir()) and not any((root / mark).exists() for mark in (MARK_FILE, "outbox")):
            sentence = f"{root} holds something else; choose another folder with --dir."
            print(f"galloper: {sentence}", file=sys.stderr)
            return 1
        shutil.rmtree(root)
    root.mkdir(parents=True, exist_ok=True)
    note = "The site of a demo. The next demo in this folder deletes it.\n"
    (root / MARK_FILE).write_text(note, encoding="utf-8")
    try:
        return _run(story, root, fast=fast, started=started)
    except DemoError as error:
        print(f"galloper: the demo stopped: {error}. Its site is in {root}.", file=sys.stderr)
        temporary = False  # what is left of the site shows why
        return 1
    finally:
        if temporary and not keep:
            shutil.rmtree(root, ignore_errors=True)


def _run(story: Story, root: Path, *, fast: bool, started: float) -> int:
    # 1. A site as a coordinator would set it up, with a mailbox of its own and a clock that the story moves.
    server = DemoMailServer()
    server.start()
    clock = SimulatedClock(datetime.fromisoformat(f"{START}T07:00:00+00:00"))
    site = open_site(_settings(root, server), clock=clock)
    open_game(site, story, START)
    with site.store.begin() as session:
        sessions.add_user(session, NAME, PASSWORD, clock.now())
    running = Running(site, report=_report_trouble)
    web = _web_server(site, fast=fast)
    # 2. Everything that `galloper serve` runs.
    running.start()
    web.start()
    # Placing the map's names takes seconds; the first sheets are read meanwhile.
    threading.Thread(target=board_plan, args=(story.variant,), name="galloper-map", daemon=True).start()
    say: Say = lambda text: print(text, flush=True)  # noqa: E731
    # 3. The story, and what it proved.
    try:
        _greet(say, story, web.address, root, fast=fast)
        coordinator = ScriptedCoordinator(web.address)
        coordinator.sign_in()
        demo = Demo(story, site, clock, server, coordinator, say)
        demo.play()
        code = demo.findings.report(say, time.monotonic() - started)
        if not fast:
            _stay_open(say, web.address, root)
        return code
    finally:
        web.stop()
        running.stop()
        server.stop()


def _web_server(site: Site, *, fast: bool) -> WebServer:
    """The desk at its usual port, or at any free one if that is taken: a demo should not fail on it."""
    try:
        return WebServer(site.desk(), "127.0.0.1", 0 if fast else DESK_PORT)
    except WebError:
        return WebServer(site.desk(), "127.0.0.1", 0)


def _settings(root: Path, server: DemoMailServer) -> Settings:
    trusted = {"trusted_authserv_id": AUTHSERV, "keep_alive_seconds": KEEP_ALIVE_SECONDS}
    return Settings(
        data=str(root),
        order_address=ORDERS,
        coordinator=COORDINATOR,
        mail_in=server.settings().model_copy(update=trusted),
        mail_out=MailOut(kind="folder", path=str(root / "outbox"), sender=f"Galloper <{ORDERS}>"),
        web=Web(secure_cookies=False),
    )


def _greet(say: Say, story: Story, address: str, root: Path, *, fast: bool) -> None:
    powers = f"{_count_word(len(story.players))} powers"
    say(f"A game of {story.variant} called “{story.game}”, {powers}, on loopback mail.")
    say("Nothing leaves this machine.")
    say(f"Letters go to {root / 'outbox'}; the desk is at {address}")
    if not fast:
        say(f"Sign in there as “{NAME}” with the password “{PASSWORD}” and watch.")
        say("A scripted coordinator reads along.")


def _count_word(number: int) -> str:
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[number] if number < len(words) else str(number)


def _report_trouble(text: str) -> None:
    if text:
        print(f"  {text}", file=sys.stderr)


def _remark(mail: StoryMail) -> str:
    return f"  ({_REMARKS[mail.fate]})" if mail.fate in _REMARKS else ""


def _stay_open(say: Say, address: str, root: Path) -> None:
    say(f"\nThe desk stays open at {address} (Letters shows every mail that left). Press Ctrl-C to end.")
    say(f"The site is in {root}.")
    if not sys.stdin.isatty():
        return
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        say("\nEnded.")
