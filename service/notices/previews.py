"""Letters as one power of one game would get them now, from the game's own facts: a coordinator can read them
before anybody else does. Nothing is sent, filed or drawn, and no sheet is opened: results are those already
judged, or what the position gives without a single order. Each kind of letter brings its own sample
(`service.letters.kinds.Occasion`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from maps.variant import Variant
from service.games import ballots
from service.games.phases import phase_of, position_of, resolution_of
from service.games.results import unit_text
from service.intake.verdicts.explanations import canonical_subject
from service.letters import render
from service.letters.facts import Closing, GameInfo, Recipient
from service.letters.kinds import AnyKind
from service.letters.language import ENGLISH, OwnWording
from service.mail.sending.compose import Addressee, OutLetter
from service.notices.letter_context import LetterContext
from service.store import records
from service.store.tables import GameRow, PhaseRow, PhaseState, SubmissionRow


@dataclass(frozen=True, slots=True)
class Preview:
    """One letter, and a sentence that shows which of its facts are the game's and which are made up because
    they have not happened yet."""

    letter: OutLetter
    basis: str


@dataclass(frozen=True, slots=True)
class Previews:
    """The writer of previews for one power of one game, with all that samples are made from; with `language`
    and `wording`, as if its player had chosen the one and the game worded its letters by the other."""

    letters: LetterContext
    session: Session
    game: GameRow
    power: str
    language: str = ""
    wording: OwnWording | None = None

    def of(self, kind: AnyKind) -> Preview:
        """The preview of one kind of letter that has an occasion."""
        if kind.occasion is None:
            raise ValueError(f"a letter of kind {kind.name!r} has no preview")
        sample = kind.occasion.sample(self)
        to = self.you if kind.addressee is Addressee.COORDINATOR else self.to
        return Preview(render.letter(kind, self.info, to, sample.facts, phase=sample.phase), sample.basis)

    # What samples are made from

    @property
    def info(self) -> GameInfo:
        """The game as letters name it, in the wording asked for."""
        info = self.letters.game_info(self.game)
        return info if self.wording is None else replace(info, wording=self.wording)

    @property
    def variant(self) -> Variant:
        """The game's board and rules."""
        return self.letters.load(self.game.variant)

    @property
    def name(self) -> str:
        """The power's name."""
        return self.variant.powers[self.power].name

    @property
    def to(self) -> Recipient:
        """The power's player at their first address, or a reader who cannot exist."""
        addresses = records.addresses(self.session, self.game.id).get(self.power, ())
        # RFC 2606 reserves .invalid: no such mailbox can exist.
        address = addresses[0] if addresses else "nobody@example.invalid"
        to = self.letters.recipient(self.session, address, self.name)
        return replace(to, language=self.language or to.language)

    @property
    def you(self) -> Recipient:
        """The coordinator."""
        return Recipient(self.letters.sender.coordinator, language=self.language or ENGLISH)

    def phase(self) -> PhaseRow:
        """The phase that takes orders; else the first that is not sent, else the last one."""
        rows = records.phases(self.session, self.game.id)
        return records.open_phase(self.session, self.game.id) or next(
            (row for row in rows if row.state != PhaseState.SENT), rows[-1])

    @property
    def other(self) -> str:
        """Another power, or the power itself in a game of one."""
        return next((power for power in self.variant.powers if power != self.power), self.power)

    def closing(self) -> Closing:
        """That phase and its deadline."""
        phase = self.phase()
        return Closing(phase_of(phase), phase.deadline)

    def subject(self, phase: Phase, version: int = 1) -> str:
        """The canonical subject of a sheet of the power."""
        return canonical_subject(self.game.name, self.name, phase, version)

    def newest_sheet(self) -> SubmissionRow | None:
        """The power's newest sheet for the phase in play, if one came by mail."""
        return self.session.scalar(
            select(SubmissionRow)
            .where(SubmissionRow.phase_id == self.phase().id, SubmissionRow.power == self.power,
                   SubmissionRow.sha256.is_not(None))
            .order_by(SubmissionRow.id.desc()).limit(1))

    @property
    def next_version(self) -> int:
        """The version that the power's next sheet has."""
        return ballots.next_version(self.session, self.phase().id, self.power)

    def judged(self, kind: PhaseKind) -> tuple[PhaseRow | None, Resolution | None]:
        """The newest phase of a kind that is judged, with its resolution; or (None, None)."""
        judged = {PhaseState.READY, PhaseState.SENT}
        rows = [row for row in records.phases(self.session, self.game.id)
                if row.kind == kind and row.resolution is not None and row.state in judged]
        return (rows[-1], resolution_of(rows[-1])) if rows else (None, None)

    def position(self) -> Position:
        """The position of the newest phase that has one."""
        rows = [row for row in records.phases(self.session, self.game.id) if row.position is not None]
        return position_of(rows[-1]) if rows else self.variant.start

    def units(self) -> tuple[str, ...]:
        """The power's units as they are, in words."""
        units = self.position().units
        return tuple(sorted(unit_text(self.variant, unit) for unit in units if unit.power == self.power))

    def coming(self, kind: PhaseKind) -> Closing:
        """The next phase of a kind that is not over, or the last, with its deadline."""
        rows = [row for row in records.phases(self.session, self.game.id) if row.kind == kind]
        row = next((row for row in rows if row.state != PhaseState.SENT), rows[-1])
        return Closing(phase_of(row), row.deadline)

    def first_of(self, kind: PhaseKind) -> Phase:
        """The game's first phase of a kind."""
        return next(
            phase_of(row) for row in records.phases(self.session, self.game.id) if row.kind == kind)
