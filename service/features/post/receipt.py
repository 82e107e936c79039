"""The receipt for a letter that came by post."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from adjudicator.calendar import Phase
from service.games import ballots
from service.games.phases import phase_of
from service.intake.verdicts.explanations import arrival_notes
from service.letters import render
from service.letters.facts import Closing, KeyedFacts
from service.letters.kinds import LetterKind, Occasion, Sample
from service.mail.sending.compose import Rank
from service.notices.letter_context import LetterContext
from service.notices.previews import Previews
from service.store import records
from service.store.tables import GameRow, PhaseRow, PostalOriginalRow, SubmissionRow


@dataclass(frozen=True, slots=True)
class PostedFacts(KeyedFacts):
    """The receipt for a letter that came by post (SUB-16). `received` is the day as logged, `arrived_at` the
    moment that decides (UTC), `postmark` a day or ""; `version` is None if none was logged. `has_scan`: a
    scan is on file and is read; without one the letter is only ticked as received. `closing` is the phase's
    own deadline, `is_late` whether the letter came after it, `has_other` whether another sheet of its power
    counts. `notes`: how its version stands to those on file. `key` names the letter for ever."""

    phase: Phase
    arrived_at: datetime
    closing: Closing
    version: int | None = None
    postmark: str = ""
    has_scan: bool = True
    is_late: bool = False
    has_other: bool = False
    notes: tuple[str, ...] = ()

    @property
    def letter_phase(self) -> Phase:
        """See `LetterFacts`."""
        return self.phase


def put_receipt(
    session: Session, letters: LetterContext, row: PostalOriginalRow, phase: PhaseRow, arrived_at: datetime
) -> int:
    """Inform the player of a letter that it was logged, at each of their addresses (SUB-16); how many letters
    that are."""
    game = session.get_one(GameRow, phase.game_id)
    submission = (
        None if row.submission_id is None else session.get_one(SubmissionRow, row.submission_id))
    variant = letters.load(game.variant)
    facts = PostedFacts(
        str(row.id), phase_of(phase), arrived_at, Closing(phase_of(phase), phase.deadline),
        None if submission is None else submission.version,
        "" if row.postmark is None else f"{row.postmark:%-d %B %Y}",
        has_scan=submission is not None, is_late=arrived_at > phase.deadline,
        has_other=any(power == row.power and (submission is None or key != submission.id)
                      for power, key in ballots.executed(session, phase).items()),
        notes=() if submission is None else _notes(session, submission, phase))
    count = 0
    for address in records.addresses(session, game.id).get(row.power, ()):
        to = letters.recipient(session, address, variant.powers[row.power].name)
        count += letters.put(
            session, render.letter(RECEIPT_POSTED, letters.game_info(game), to, facts), phase)
    return count


def _notes(session: Session, submission: SubmissionRow, phase: PhaseRow) -> tuple[str, ...]:
    came = ballots.arrival_of(session, submission, phase)
    return tuple(arrival_notes(came.marks, came.before, submission.version))


def _receipt_posted_sample(seat: Previews) -> Sample[PostedFacts]:
    closing = seat.closing()
    facts = PostedFacts("preview", closing.phase, seat.letters.clock.now(), closing, version=1)
    return Sample(facts, "As if you had logged a letter with a scan.")


RECEIPT_POSTED = LetterKind(
    "receipt_posted", PostedFacts, "Receipt for a letter that came by post",
    Occasion("the player", "you log a letter that came by post", _receipt_posted_sample),
    rank=Rank.ANSWER, folder="features/post")
"""The receipt for a letter that came by post (SUB-16)."""
