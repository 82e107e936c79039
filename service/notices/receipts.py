"""The machine's receipt for a paper: at once as it arrives, or, where the game asks for it, once it is read,
with each line as the machine read it and a picture of the sheet with every line boxed (OUT-02, Q-14).

The reading is of letters alone: no legality, no outcome, no board. It goes to the sender's own registered
address only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service import pictures
from service.games.lines import SettledLine, lines_of
from service.games.options import FIRST_COUNTS
from service.games.phases import phase_of
from service.intake.context import IntakeContext
from service.intake.explanations import canonical_subject, explain
from service.intake.verdict import Verdict, VerdictKind
from service.letters import render
from service.letters.facts import Closing, GameInfo, ReadBack, ReceiptFacts, Recipient
from service.mail.compose import Attachment, OutLetter
from service.notices.attachments import turned
from service.pictures import BoxedLine
from service.record.references import sheet_mark
from service.store import records
from service.store.blobs import BlobError, Blobs
from service.store.tables import (
    GameRow,
    LineState,
    LotContributionRow,
    MailRow,
    PageRow,
    PhaseRow,
    SubmissionRow,
)

OPTION = "reading"
"""The game's option: whether a receipt shows each line as the machine read it."""


def nobody() -> IntakeContext:
    """A context without games, for words that need none."""
    return IntakeContext(frozenset(), "", "", ())


def waits_for_reading(session: Session, phase: PhaseRow) -> bool:
    """Whether receipts of this game leave only once the sheet is read."""
    return bool(session.get_one(GameRow, phase.game_id).options.get(OPTION, False))


def facts_of(
    session: Session, submission: SubmissionRow, phase: PhaseRow, verdict: Verdict, power: str
) -> ReceiptFacts:
    """What a receipt says of a paper, without any reading. `power` is the name as printed."""
    mail = session.get_one(MailRow, submission.sha256)
    game = session.get_one(GameRow, phase.game_id)
    number = max(submission.version or 0, verdict.version_on_file or 0) + 1
    counts = "superseded" not in submission.flags and submission.version is not None
    words, first = explain(verdict, nobody()), bool(game.options.get(FIRST_COUNTS, False))
    message_id = (mail.verdict or {}).get("message_id")
    return ReceiptFacts(
        key=mail.sha256, received_at=submission.received_at, phase=phase_of(phase),
        version=submission.version,
        photographs=verdict.photos, digest=mail.sha256, closing=Closing(phase_of(phase), phase.deadline),
        replaces=verdict.version_on_file if counts and not first else None,
        notes=tuple(one for one in (words.remedy, _word(session, mail.sha256)) if one),
        subject="" if first else canonical_subject(game.name, power, phase_of(phase), number),
        first_counts=first,
        answers=(str(message_id),) if message_id else (),
        record=sheet_mark(session, submission, phase.game_id),
    )


def _word(session: Session, mail: str) -> str:
    """What is said of a word for the lots that came with a sheet."""
    row = session.scalars(select(LotContributionRow).where(LotContributionRow.mail == mail)).first()
    return "" if row is None else f"Your word for the lots of this phase is kept: {row.word}."


def verdict_of(session: Session, submission: SubmissionRow, phase: PhaseRow, power: str) -> Verdict:
    """The verdict on a paper that was filed, as far as its receipt needs it."""
    game = session.get_one(GameRow, phase.game_id)
    kept = session.get_one(MailRow, submission.sha256).verdict or {}
    on_file = session.scalar(select(func.max(SubmissionRow.version)).where(
        SubmissionRow.phase_id == phase.id, SubmissionRow.power == submission.power,
        SubmissionRow.id < submission.id))
    photos = int(kept.get("photos") or 0) or len(records.pages(session, submission.id))
    return Verdict(
        VerdictKind.ACCEPTED, None, game=game.name, power=power, season=phase.season, year=phase.year,
        kind=phase_of(phase).kind, version=submission.version, photos=photos,
        flags=frozenset(submission.flags),
        version_on_file=on_file, sender=submission.sender)


def read_letter(
    session: Session, blobs: Blobs, info: GameInfo, to: Recipient, submission: SubmissionRow, phase: PhaseRow
) -> OutLetter:
    """The receipt of a paper that was read: its lines in words, and a picture of each page with every line
    boxed. A page whose picture cannot be opened is left out; its lines stand in the words all the same."""
    verdict = verdict_of(session, submission, phase, to.power)
    lines = lines_of(session, [submission.id])[submission.id]
    numbered = list(enumerate((line for line in lines if line.kind != "part"), start=1))
    back = tuple(ReadBack(at, line.text.partition("\n")[0], unsure=_unsure(line), struck=line.struck)
                 for at, line in numbered)
    facts = replace(facts_of(session, submission, phase, verdict, to.power), reading=back)
    made = []
    for at, page in enumerate(records.pages(session, submission.id), start=1):
        own = [(number, line) for number, line in numbered if line.page_id == page.id]
        if page.upright is not None and own:
            made += _picture(blobs, page, own, f"reading-{at}.jpg")
    return render.receipt(info, to, facts, made)


def _unsure(line: SettledLine) -> bool:
    return line.state is LineState.OPEN


def _picture(
    blobs: Blobs, page: PageRow, own: Sequence[tuple[int, SettledLine]], name: str
) -> list[Attachment]:
    try:
        data, corners = turned(blobs.read(page.upright or ""), page, [line for _, line in own])
        boxed = [
            BoxedLine(
                number, tuple(corners[line.id]), line.text.partition("\n")[0], _unsure(line), line.struck
            )
            for number, line in own
        ]
        return [Attachment(name, "image/jpeg", pictures.reading_picture(data, boxed))]
    except (pictures.SheetUnusable, BlobError, OSError):
        return []
