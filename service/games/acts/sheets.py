"""Acts on a whole sheet: choose the version that is executed, refuse one, file it for another power of its
sender (Q-07, LET-01, LET-03).

They hold between the deadline and the results. Results that came from another sheet go back to the desk.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.facts.refusals import RefusalReason
from service.facts.sheets import FILED_FOR, REFUSED, Fate, SheetFlag
from service.games.acts.act import Act, ActTable, LoggedEvent, ReasonedAct
from service.games.acts.phases import back_to_desk
from service.games.approval import right_sheet
from service.games.approval.papers import refusal_of
from service.games.approval.right_sheet import SheetQuestion, open_questions
from service.games.refused import NotFound, Refused
from service.games.seal import at_the_desk, sealed
from service.store.records import end_choice, note_reading
from service.store.tables import PhaseRow, SeatRow, SubmissionRow

SEALED = ("Sealed until the deadline: no part of a sheet is shown before. Nothing was changed; its file is "
          "stored unchanged.")
NOT_NOW = "Nothing was changed: this phase is not at the desk. Earlier decisions stay."
NO_SHEET = "There is no such sheet. Nothing is lost: the page Sheets lists every sheet of a phase."

_DISAGREEING = frozenset({
    RefusalReason.HEADING_DISAGREES, RefusalReason.CODE_DISAGREES, RefusalReason.ANSWER_DISAGREES,
    SheetFlag.FORM_DISAGREES})


class SheetSealed(Refused):
    """The sheet may not be seen before its deadline."""


class NotAtTheDesk(Refused):
    """The sheet's phase is not at the desk: its deadline is ahead, or its results were sent."""


@dataclass(frozen=True, slots=True)
class FiledSheet:
    """A sheet with its phase."""

    row: SubmissionRow
    phase: PhaseRow


def filed_sheet(session: Session, sheet: int) -> FiledSheet:
    """A sheet that may be changed. Raises NotFound, SheetSealed, NotAtTheDesk."""
    row = session.get(SubmissionRow, sheet)
    if row is None:
        raise NotFound(NO_SHEET)
    phase = session.get_one(PhaseRow, row.phase_id)
    if sealed(phase):
        raise SheetSealed(SEALED)
    if not at_the_desk(phase):
        raise NotAtTheDesk(NOT_NOW)
    return FiledSheet(row, phase)


@dataclass(frozen=True, slots=True)
class ChooseSheet(ReasonedAct[None]):
    """Executes a sheet whatever the rule of versions decides (Q-07). A held sheet is released by it."""

    sheet: int
    why: str

    def check(self, table: ActTable) -> None:
        """Refuse a sheet that came late."""
        filed = filed_sheet(table.session, self.sheet)
        # SUB-13: a late sheet is stored and never executed, no matter who chooses it.
        if filed.row.received_at > filed.phase.deadline:
            raise Refused("Nothing was changed: this sheet came after the deadline and cannot count. Sheets "
                          "that came in time still count.")

    def change(self, table: ActTable) -> None:
        """Choose it, and no other sheet of its power."""
        filed = filed_sheet(table.session, self.sheet)
        row = filed.row
        _end_choice(table.session, filed.phase, row.power)
        table.session.refresh(row)
        released = [SheetFlag.RELEASED] if row.fate == Fate.HELD else []
        other_flags = [flag for flag in row.flags
                       if flag != SheetFlag.CHOICE_ENDED and not str(flag).startswith(REFUSED)]
        row.flags = [*other_flags, SheetFlag.CHOSEN, *released]
        # Choosing a held sheet releases it; taking the choice back holds it again (`SheetFlag.RELEASED`).
        row.fate = Fate.COUNTS if released else row.fate
        back_to_desk(table.session, filed.phase)

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The sheet and the reason."""
        return _event(table, Event.SHEET_CHOSEN, self.sheet, why=self.reason)


@dataclass(frozen=True, slots=True)
class RefuseSheet(ReasonedAct[None]):
    """Settles a sheet: it does not count, for a reason that all players read in the results (LET-01). If it
    counted until now, as the wrong sheet may (LET-03), the phase goes back to the desk."""

    sheet: int
    why: str

    def check(self, table: ActTable) -> None:
        """Refuse a sheet that does not count anyway."""
        filed = filed_sheet(table.session, self.sheet)
        if filed.row.received_at > filed.phase.deadline or refusal_of(filed.row.flags) is not None:
            raise Refused("Nothing was changed: this sheet came late or is refused already, so it does not "
                          "count.")

    def change(self, table: ActTable) -> None:
        """Set it aside."""
        filed = filed_sheet(table.session, self.sheet)
        row = filed.row
        if SheetFlag.CHOSEN in row.flags:
            _end_choice(table.session, filed.phase, row.power)
            table.session.refresh(row)
        by_hand = [] if row.fate == Fate.HELD else [SheetFlag.SET_ASIDE]
        row.fate, row.flags = Fate.HELD, [*row.flags, *by_hand, f"{REFUSED}{self.reason}"]
        table.session.flush()
        if by_hand:
            back_to_desk(table.session, filed.phase)

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The sheet and the reason."""
        return _event(table, Event.SHEET_REFUSED, self.sheet, why=self.reason)


@dataclass(frozen=True, slots=True)
class TakeRefusalBack(Act[None]):
    """Puts a refused sheet back to where it was: set aside, or counting by the rule of versions."""

    sheet: int

    def check(self, table: ActTable) -> None:
        """Refuse a sheet that was not refused."""
        if refusal_of(filed_sheet(table.session, self.sheet).row.flags) is None:
            raise Refused("Nothing was changed: this sheet was not refused.")

    def change(self, table: ActTable) -> None:
        """Take the flags of the refusal off."""
        filed = filed_sheet(table.session, self.sheet)
        row = filed.row
        counted = SheetFlag.SET_ASIDE in row.flags
        row.flags = [flag for flag in row.flags
                     if flag != SheetFlag.SET_ASIDE and not str(flag).startswith(REFUSED)]
        if counted:
            row.fate = Fate.COUNTS
            back_to_desk(table.session, filed.phase)

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The sheet."""
        return _event(table, Event.SHEET_REFUSAL_TAKEN_BACK, self.sheet)


@dataclass(frozen=True, slots=True)
class ConfirmSheet(Act[list[SheetQuestion]]):
    """Answers every open question about a sheet with yes: it is the right one (LET-03). They are not asked
    again."""

    sheet: int

    def check(self, table: ActTable) -> None:
        """Refuse a sheet about which nothing is asked."""
        if not self._questions(table):
            raise Refused("Nothing was changed: there is no open question about this sheet.")

    def change(self, table: ActTable) -> list[SheetQuestion]:
        """Note the answers; the questions."""
        questions = self._questions(table)
        right_sheet.answer(filed_sheet(table.session, self.sheet).row, questions)
        return questions

    def event(self, table: ActTable, outcome: list[SheetQuestion], letters: int) -> LoggedEvent:
        """The sheet and the questions in words."""
        return _event(table, Event.SHEET_LOOKED_AT, self.sheet,
                      questions=[question.sentence for question in outcome])

    def _questions(self, table: ActTable) -> list[SheetQuestion]:
        phase = filed_sheet(table.session, self.sheet).phase
        variant = table.load(table.game(phase.game_id).variant)
        return [question for question in open_questions(table.session, phase, variant)
                if question.submission == self.sheet]


@dataclass(frozen=True, slots=True)
class LeaveToRule(ReasonedAct[None]):
    """Takes back the choice among the sheets of this sheet's power: the rule of versions decides again, and a
    sheet that was held is held again."""

    sheet: int
    why: str

    def check(self, table: ActTable) -> None:
        """Refuse a sheet that may not be changed."""
        filed_sheet(table.session, self.sheet)

    def change(self, table: ActTable) -> None:
        """Refuse a power of which no sheet was chosen."""
        filed = filed_sheet(table.session, self.sheet)
        if not _end_choice(table.session, filed.phase, filed.row.power):
            raise Refused("Nothing was changed: no version of this power was chosen by hand.")
        back_to_desk(table.session, filed.phase)

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The power and the reason."""
        row = table.session.get_one(SubmissionRow, self.sheet)
        return LoggedEvent(Event.SHEET_CHOICE_TAKEN_BACK, table.any_phase(row.phase_id).game_id,
                     {"phase_id": row.phase_id, "power": row.power, "why": self.reason})


@dataclass(frozen=True, slots=True)
class RefileSheet(ReasonedAct[str]):
    """Files a sheet for another power of its sender, as its heading has it (Q-07); the rule of versions
    decides among that power's sheets. A sheet that was held because heading and subject disagree counts
    there, and is held again if it is filed back. The outcome is the power of before."""

    sheet: int
    power: str
    why: str

    def check(self, table: ActTable) -> None:
        """Refuse a power that is not the sender's, or that has the same sheet already."""
        filed = filed_sheet(table.session, self.sheet)
        if self.power not in other_powers(table.session, filed.phase, filed.row):
            raise Refused("Nothing was changed: the sender of this sheet does not command that power.")
        # SUB-12: the same sheet twice is one submission, also after it is filed again.
        same = select(SubmissionRow.id).where(
            SubmissionRow.phase_id == filed.phase.id, SubmissionRow.power == self.power,
            SubmissionRow.semantic_key == filed.row.semantic_key)
        if table.session.scalar(same) is not None:
            raise Refused("Nothing was changed: that power already has the same sheet.")

    def change(self, table: ActTable) -> str:
        """File it; the power of before."""
        session, filed = table.session, filed_sheet(table.session, self.sheet)
        row = filed.row
        # The choice was made among the old power's sheets and has no meaning for the new one's.
        if SheetFlag.CHOSEN in row.flags:
            _end_choice(session, filed.phase, row.power)
            session.refresh(row)
        before = row.power
        flags = [flag for flag in row.flags if flag not in {*_DISAGREEING, f"{FILED_FOR}{self.power}"}]
        # Filed back: its heading disagrees with its subject again, so it is held again.
        if f"{FILED_FOR}{self.power}" in row.flags:
            row.fate, flags = Fate.HELD, [*flags, RefusalReason.HEADING_DISAGREES]
        elif _DISAGREEING & set(row.flags):
            row.fate = Fate.HELD if RefusalReason.ONLY_CHANGES in flags else Fate.COUNTS
            flags = [*flags, f"{FILED_FOR}{before}"]
        row.power, row.flags = self.power, flags
        session.flush()
        if row.read_at is not None:
            note_reading(session, row.id)
        back_to_desk(session, filed.phase)
        return before

    def event(self, table: ActTable, outcome: str, letters: int) -> LoggedEvent:
        """Both powers and the reason."""
        row = table.session.get_one(SubmissionRow, self.sheet)
        return LoggedEvent(Event.SHEET_FILED_ANEW, table.any_phase(row.phase_id).game_id, {
            "phase_id": row.phase_id, "from": outcome, "to": self.power, "submission": self.sheet,
            "why": self.reason})


def other_powers(session: Session, phase: PhaseRow, submission: SubmissionRow) -> list[str]:
    """The other powers of the game that the sender of a sheet commands."""
    # An unknown sender commands nothing, so there is no power to file it for.
    if submission.player_id is None:
        return []
    return list(session.scalars(
        select(SeatRow.power)
        .where(SeatRow.game_id == phase.game_id, SeatRow.player_id == submission.player_id,
               SeatRow.power != submission.power)
        .order_by(SeatRow.power)))


def _event(table: ActTable, kind: Event, sheet: int, **detail: object) -> LoggedEvent:
    row = table.session.get_one(SubmissionRow, sheet)
    return LoggedEvent(kind, table.any_phase(row.phase_id).game_id,
                 {"phase_id": row.phase_id, "power": row.power, "submission": sheet, **detail})


def _end_choice(session: Session, phase: PhaseRow, power: str) -> bool:
    # Lock the phase first: two people who choose at once must not both leave a chosen sheet.
    session.execute(select(PhaseRow.id).where(PhaseRow.id == phase.id).with_for_update())
    return end_choice(session, phase.id, power)
