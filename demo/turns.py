"""The turns of the story, one after the other: mails, deadline, doubtful lines, results."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from sqlalchemy import func, select

from demo.arrivals import Arrivals
from demo.checks import Findings, check_phase, check_site
from demo.doubts import DoubtfulLines
from demo.letters import show_letter
from demo.stage import Stage
from demo.waiting import DemoError, meanwhile
from service.games.phases import phase_of
from service.store.tables import OutboxRow, OutboxState, PhaseRow, PhaseState


@dataclass(slots=True)
class Turns:
    """Plays a story on a stage. `hands`: the visitor reads the doubtful lines."""

    stage: Stage
    hands: bool
    findings: Findings = field(default_factory=Findings)

    def play(self) -> None:
        """Play the phases of the story in order, each from its mails to its results, and check the site."""
        stage = self.stage
        arrivals = Arrivals(stage.story, stage.site.store, stage.clock, stage.server, stage.teller,
                            stage.patience)
        doubts = DoubtfulLines(stage.story, stage.site.store, stage.coordinator, stage.teller, stage.patience,
                               stage.root / "doubtful")
        for number, title in enumerate(stage.story.phases()):
            phase = self._open_phase(title)
            stage.teller.title(f"{title}. Orders until {phase.deadline:%A %-d %B %Y, %H:%M} GMT")
            arrivals.deliver(title, phase)
            self._send_letters()
            self._close(phase)
            self._read(title, phase, doubts)
            self._send(title, phase)
            if number == 0:
                # One letter is enough: the others are at the desk.
                opened = show_letter(stage.story, stage.site.store, stage.site.blobs, phase.id,
                                     stage.root / "opened", stage.teller)
                has_picture = opened is not None and opened.picture is not None
                self.findings.expect("letters opened in passing", has_picture,
                                     f"{title}: no letter with a picture could be opened")
        meanwhile(stage.teller, "checking every letter, picture and position",
                  lambda: check_site(self.findings, stage.site, stage.story))

    def _open_phase(self, title: str) -> PhaseRow:
        """The phase of a title ("Summer 1642 Movement"), once it is open; moves the clock to its hour."""
        with self.stage.site.store() as session:
            rows = [row for row in session.scalars(select(PhaseRow)) if str(phase_of(row)) == title]
        if not rows:
            raise DemoError(f"{title} is not on the calendar")
        open_now(self.stage, rows[0], title)
        return rows[0]

    def _close(self, phase: PhaseRow) -> None:
        self.stage.clock.set(phase.deadline + timedelta(minutes=1))
        self.stage.site.look()
        closed = {PhaseState.CLOSED, PhaseState.READY}
        self.stage.patience.until("the deadline", lambda: state_of(self.stage, phase.id) in closed)
        self.stage.teller.say("The deadline has passed. Until now the sheets were sealed; now they can be "
                              "read.", indent=2)

    def _read(self, title: str, phase: PhaseRow, doubts: DoubtfulLines) -> None:
        powers = self.stage.site.load(self.stage.story.variant).powers
        before = doubts.count
        if self.hands:
            doubts.read_by_hand(phase.id)
        else:
            doubts.read_by_script(phase.id, title, {power.name: power.id for power in powers.values()})
            if doubts.count > before:
                self.stage.teller.say()
        self.stage.patience.until("the turn to be judged",
                                  lambda: state_of(self.stage, phase.id) == PhaseState.READY)

    def _send(self, title: str, phase: PhaseRow) -> None:
        stage = self.stage
        meanwhile(stage.teller, "drawing the results for every player",
                  lambda: stage.coordinator.approve(phase.id))
        stage.patience.until("the results to be approved",
                             lambda: state_of(stage, phase.id) == PhaseState.SENT)
        self._send_letters()
        for line in check_phase(self.findings, stage.site, stage.story, title, phase.id):
            stage.teller.say(line[:1].upper() + line[1:] + ".", indent=2)
        # The results are followed by jobs of their own: the next phase opens, reminders are planned.
        stage.clock.advance(timedelta(minutes=5))
        stage.site.look()
        stage.patience.until("the work after the results", lambda: stage.site.jobs.wait_idle(0.3))

    def _send_letters(self) -> None:
        self.stage.site.look()
        self.stage.patience.until("the letters to leave", lambda: self._count_unsent() == 0)

    def _count_unsent(self) -> int:
        unsent = OutboxRow.state.in_([OutboxState.QUEUED, OutboxState.SENDING])
        with self.stage.site.store() as session:
            return session.scalar(select(func.count()).select_from(OutboxRow).where(unsent)) or 0


def state_of(stage: Stage, phase_id: int) -> str:
    """The state of a phase."""
    with stage.site.store() as session:
        return session.get_one(PhaseRow, phase_id).state


def open_now(stage: Stage, phase: PhaseRow, title: str) -> None:
    """Move the clock to the hour of a phase and wait until it is open."""
    stage.clock.set(max(stage.clock.now(), phase.opens_at))
    stage.site.look()
    stage.patience.until(f"{title} to open", lambda: state_of(stage, phase.id) == PhaseState.OPEN)


