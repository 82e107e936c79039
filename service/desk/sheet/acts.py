"""What a person does to a whole sheet: choose the version that is executed, file it for another power of its
sender, or add a line that the machine missed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from adjudicator.errors import UserFacingError
from service.desk.reading.shape import make_room
from service.facts.events import Event
from service.facts.options import ReviewMode
from service.facts.sheets import Fate, SheetFlag
from service.games import decisions
from service.games.approval import right_sheet
from service.games.approval.papers import REFUSED, refusal_of
from service.games.approval.right_sheet import SheetQuestion
from service.games.decisions import Act, Decision, DecisionKind
from service.record import chain
from service.store.records import claim_phase, end_choice, log_event
from service.store.tables import (
    LineRow,
    LineState,
    PageRow,
    PhaseRow,
    PhaseState,
    SeatRow,
    SubmissionRow,
)

LEAST_REASON = 10
DISAGREES, ONLY_CHANGES, REFILED = "heading_disagrees", "only_changes", "was filed for "
FORM_DISAGREES, CODE_DISAGREES = "form_disagrees", "code_disagrees"
"""Flags of a sheet: why it is held, and for which power a held sheet was filed first."""

_DISAGREEING = frozenset({DISAGREES, FORM_DISAGREES, CODE_DISAGREES})


class ActRefused(UserFacingError):
    """The act was not done; the sentence says why, that nothing was changed, and what to do."""


def reason_of(text: str) -> str:
    """A reason without needless blanks, at most 500 letters. Raises ActRefused for less than ten letters."""
    reason = " ".join(text.split())[:500]
    if len(reason) < LEAST_REASON:
        raise ActRefused("Nothing was changed: this needs a reason in a sentence. It stays on record.")
    return reason


def choose(session: Session, phase: PhaseRow, submission: SubmissionRow, why: str, by: str,
        now: datetime) -> None:
    """Execute this sheet whatever the rule of versions says (Q-07). A held sheet is released by it.

    The reason is logged. A judged phase goes back to the desk, since its results came from another sheet.
    Raises ActRefused for a sheet that came late, and without a reason.
    """
    why = reason_of(why)
    # SUB-13: a late sheet is kept and never executed, whoever chooses it.
    if submission.received_at > phase.deadline:
        raise ActRefused(
            "Nothing was changed: this sheet came after the deadline and cannot be executed. What came in "
            "time still counts."
        )
    _clear(session, phase, submission.power)
    session.refresh(submission)
    released = [SheetFlag.RELEASED] if submission.fate == Fate.HELD else []
    other_flags = [flag for flag in submission.flags
                   if flag != SheetFlag.CHOICE_ENDED and not str(flag).startswith(REFUSED)]
    submission.flags = [*other_flags, SheetFlag.CHOSEN, *released]
    # Choosing a held sheet releases it; taking the choice back holds it again (`SheetFlag.RELEASED`).
    submission.fate = Fate.COUNTS if released else submission.fate
    back_to_desk(session, phase)
    log_event(session, now, Event.SHEET_CHOSEN, game_id=phase.game_id, actor=by,
              detail={"phase_id": phase.id, "power": submission.power, "submission": submission.id,
                  "why": why})


def refuse(session: Session, phase: PhaseRow, submission: SubmissionRow, why: str, by: str,
        now: datetime) -> None:
    """Settle a sheet: it does not count, for a reason that all players read in the results (LET-01). If it
    counted until now, as the wrong sheet may (LET-03), the phase goes back to the desk. Raises ActRefused."""
    why = reason_of(why)
    if submission.received_at > phase.deadline or refusal_of(submission.flags) is not None:
        raise ActRefused("Nothing was changed: this sheet came late or is refused already, so it does not "
                         "count.")
    if SheetFlag.CHOSEN in submission.flags:
        _clear(session, phase, submission.power)
        session.refresh(submission)
    by_hand = [] if submission.fate == Fate.HELD else [SheetFlag.SET_ASIDE]
    submission.fate, submission.flags = Fate.HELD, [*submission.flags, *by_hand, f"{REFUSED}{why}"]
    session.flush()
    if by_hand:
        back_to_desk(session, phase)
    log_event(session, now, Event.SHEET_REFUSED, game_id=phase.game_id, actor=by,
              detail={"phase_id": phase.id, "power": submission.power, "submission": submission.id,
                  "why": why})


def take_refusal_back(
    session: Session, phase: PhaseRow, submission: SubmissionRow, by: str, now: datetime
) -> None:
    """Put a refused sheet back to where it was: set aside, or counting by the rule of versions. Raises
    ActRefused."""
    if refusal_of(submission.flags) is None:
        raise ActRefused("Nothing was changed: this sheet was not refused.")
    counted = SheetFlag.SET_ASIDE in submission.flags
    submission.flags = [flag for flag in submission.flags
                        if flag != SheetFlag.SET_ASIDE and not str(flag).startswith(REFUSED)]
    if counted:
        submission.fate = Fate.COUNTS
        back_to_desk(session, phase)
    log_event(session, now, Event.SHEET_REFUSAL_TAKEN_BACK, game_id=phase.game_id, actor=by,
              detail={"phase_id": phase.id, "power": submission.power, "submission": submission.id})


def is_right(
    session: Session, phase: PhaseRow, submission: SubmissionRow, questions: Sequence[SheetQuestion], by: str,
    now: datetime,
) -> None:
    """Note that a person looked at a sheet and says it is the right one (LET-03); its questions are not asked
    again. Raises ActRefused if none is open."""
    sheet_questions = [question for question in questions if question.submission == submission.id]
    if not sheet_questions:
        raise ActRefused("Nothing was changed: nothing is asked about this sheet now.")
    right_sheet.answer(submission, sheet_questions)
    log_event(session, now, Event.SHEET_LOOKED_AT, game_id=phase.game_id, actor=by,
              detail={"phase_id": phase.id, "power": submission.power, "submission": submission.id,
                  "questions": [question.sentence for question in sheet_questions]})


def leave_to_rule(session: Session, phase: PhaseRow, power: str, why: str, by: str, now: datetime) -> None:
    """Take a choice back: the rule of versions decides again, and a sheet that was held is held again.
    Raises ActRefused."""
    why = reason_of(why)
    if not _clear(session, phase, power):
        raise ActRefused("Nothing was changed: no version of this power was chosen by hand.")
    back_to_desk(session, phase)
    log_event(session, now, Event.SHEET_CHOICE_TAKEN_BACK, game_id=phase.game_id, actor=by,
              detail={"phase_id": phase.id, "power": power, "why": why})


def other_powers(session: Session, phase: PhaseRow, submission: SubmissionRow) -> list[str]:
    """The other powers of the game that the sender of a sheet commands."""
    # An unknown sender commands nothing, so there is no power to file it for.
    if submission.player_id is None:
        return []
    return list(session.scalars(
        select(SeatRow.power).where(SeatRow.game_id == phase.game_id,
            SeatRow.player_id == submission.player_id,
                                    SeatRow.power != submission.power).order_by(SeatRow.power)))


def refile(
    session: Session, phase: PhaseRow, submission: SubmissionRow, power: str, why: str, by: str, now: datetime
) -> None:
    """File a sheet for another power of its sender, as its heading says (Q-07); the rule of versions decides
    among that power's sheets. A sheet that was held because heading and subject disagree counts there, and
    is held again if it is filed back.

    Raises ActRefused for a power that is not the sender's, or that has the same sheet already.
    """
    why = reason_of(why)
    if power not in other_powers(session, phase, submission):
        raise ActRefused("Nothing was changed: the sender of this sheet does not command that power.")
    # SUB-12: the same sheet twice is one submission, also after it is filed anew.
    same = select(SubmissionRow.id).where(SubmissionRow.phase_id == phase.id, SubmissionRow.power == power,
                                          SubmissionRow.semantic_key == submission.semantic_key)
    if session.scalar(same) is not None:
        raise ActRefused("Nothing was changed: that power has the very same sheet already.")
    # The choice was made among the old power's sheets and says nothing about the new one's.
    if SheetFlag.CHOSEN in submission.flags:
        _clear(session, phase, submission.power)
        session.refresh(submission)
    before, flags = (
        submission.power, [flag for flag in submission.flags
                           if flag not in {*_DISAGREEING, f"{REFILED}{power}"}],
    )
    # Filed back: what its heading says disagrees with its subject again, so it is held again.
    back = f"{REFILED}{power}" in submission.flags
    if back:
        submission.fate, flags = Fate.HELD, [*flags, DISAGREES]
    elif _DISAGREEING & set(submission.flags):
        submission.fate = Fate.HELD if ONLY_CHANGES in flags else Fate.COUNTS
        flags = [*flags, f"{REFILED}{before}"]
    submission.power, submission.flags = power, flags
    session.flush()
    if submission.read_at is not None:
        chain.note_reading(session, submission.id)
    back_to_desk(session, phase)
    log_event(session, now, Event.SHEET_FILED_ANEW, game_id=phase.game_id, actor=by,
              detail={"phase_id": phase.id, "from": before, "to": power, "submission": submission.id,
                  "why": why})


def back_to_desk(session: Session, phase: PhaseRow) -> bool:
    """Take a judged phase whose results are not sent back to the desk; decisions are kept. False if it was
    not judged."""
    return claim_phase(
        session, phase.id, PhaseState.READY, PhaseState.CLOSED, resolution=None, judged_at=None
    )


def _clear(session: Session, phase: PhaseRow, power: str) -> bool:
    # Lock the phase first: two people who choose at once must not both leave a chosen sheet.
    session.execute(select(PhaseRow.id).where(PhaseRow.id == phase.id).with_for_update())
    return end_choice(session, phase.id, power)


def add_line(
    session: Session, act: Act, page: PageRow, box: Sequence[Sequence[float]], after: int, text: str,
    order: str | None,
) -> int | None:
    """Add a line that the machine missed, as a person reads it: the new line's id, or None if this act was
    filed before.

    It is a line of kind "part" that counts only while its decision does, so `U` at the desk removes it.
    `box`: four corners in pixels of the upright picture. `after`: the ordinal of the line above it, -1 for
    the top.
    """
    if not decisions.begin(session, act, DecisionKind.DECIDE):
        return None
    make_room(session, page.id, after, 1)
    # The text of the row is the machine's reading, which the second reader finds in the edit box; so what the
    # first one wrote must not be there.
    alone = session.get_one(PhaseRow, act.phase_id).review == ReviewMode.NONE
    row = LineRow(page_id=page.id, ordinal=after + 1, box=[list(point) for point in box], kind=decisions.PART,
                  text=text if alone else "", confidence=0.0, status=LineState.NOT_ORDER, candidates=[])
    session.add(row)
    session.flush()
    decisions.end(session, act, [Decision(row.id, LineState.READ, text, order)])
    return row.id
