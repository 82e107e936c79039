"""The machine's receipt for a sheet: at once when it arrives, or, if the game's option says so, once it is
read, with each line as the machine read it and a picture of the sheet with every line boxed (OUT-02, Q-14).

The reading is of letters alone, and of the order that they give: no legality, no outcome, no board (INK-14).
It goes to the sender's own registered
address only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from difflib import SequenceMatcher

from sqlalchemy import select
from sqlalchemy.orm import Session

from adjudicator.calendar import Phase, PhaseKind
from maps.variant import Variant
from reading.vocabulary import orders_of
from service import pictures
from service.facts.files import NO_ORDERS
from service.facts.sheets import PHOTO_DOUBTS, Fate, SheetFlag
from service.games import ballots
from service.games.lines import PART, SettledLine, line_numbers, lines_of
from service.games.options import options_of
from service.games.phases import phase_of
from service.games.results import order_text
from service.games.sealed_lots import draw_of
from service.intake.verdicts.context import IntakeContext
from service.intake.verdicts.explanations import canonical_subject, explain
from service.intake.verdicts.verdict import Verdict, VerdictKind
from service.letters import render
from service.letters.facts import Closing, GameInfo, LetterFacts, Recipient, proof_file
from service.letters.kinds import Contents, LetterKind, Occasion, Sample
from service.letters.language import Sentence
from service.mail.authentication.trust import NOBODY
from service.mail.sending.compose import Attachment, OutLetter, Rank
from service.notices.answers.files import file_notes, files_of
from service.notices.attachments import turned
from service.notices.previews import Previews
from service.pictures import BoxedLine
from service.record.game_key import SignedReceipt, signed_receipt
from service.store import records
from service.store.blobs import BlobError, Blobs
from service.store.tables import (
    GameRow,
    LineState,
    LotContributionRow,
    MailRow,
    PageRow,
    PhaseRow,
    PhaseState,
    SubmissionRow,
)


@dataclass(frozen=True, slots=True)
class ReadBack:
    """A line as the machine read it, for the player who wrote it: its number on the sheet, "" for a line of
    the heading, its letters, whether the machine is unsure of them, and whether the line is struck out.
    `order`: the order that these letters give, in the handbook's words, with a question mark behind each word
    in doubt; "" where there is none, or the letters say the same."""

    number: str
    text: str
    unsure: bool = False
    struck: bool = False
    order: str = ""


@dataclass(frozen=True, slots=True)
class ArrivedSheet:
    """A sheet that arrived by mail. `version` is None if none was written, `photographs` counts those that
    open, `digest` is the SHA-256 of the mail, `signed` its entry in the record and what proves it.
    `is_typed`: the orders were typed into the mail, and its only photograph is our drawing of that text."""

    received_at: datetime
    phase: Phase
    version: int | None
    photographs: int
    digest: str
    signed: SignedReceipt | None = None
    is_typed: bool = False


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a sheet that came does not count yet, and what would settle it at once."""

    problem: str
    remedy: str


@dataclass(frozen=True, slots=True)
class ReceiptFacts(LetterFacts):
    """The receipt for a sheet (OUT-02). `replaces` is the version that it replaces; `notes` are sentences
    about its number or its pictures; `subject` is one to copy for a further version, or "". `message_ids` are
    those of the mail it answers. `closing` is the phase's own deadline, for a late sheet that of the phase
    that its power is asked for next, None if there is none. `opens`: when that phase opens, None if it is
    open. `reading` has the sheet's lines if the game shows them; `first_counts`: in this game
    no later sheet replaces the first (Q-60). `trouble`: the sheet was read and does not count yet.
    `has_other`, of a late sheet: whether another sheet of its power came in time and counts."""

    sheet: ArrivedSheet
    closing: Closing | None
    opens: datetime | None = None
    replaces: int | None = None
    notes: tuple[str, ...] = ()
    subject: str = ""
    message_ids: tuple[str, ...] = ()
    reading: tuple[ReadBack, ...] = ()
    first_counts: bool = False
    trouble: Trouble | None = None
    has_other: bool = False

    @property
    def letter_key(self) -> str:
        """See `LetterFacts`."""
        return self.sheet.digest

    @property
    def letter_phase(self) -> Phase:
        """See `LetterFacts`."""
        return self.sheet.phase

    @property
    def replies_to(self) -> tuple[str, ...]:
        """See `LetterFacts`."""
        return self.message_ids

    @property
    def proof(self) -> Attachment | None:
        """See `LetterFacts`."""
        return None if self.sheet.signed is None else proof_file(self.sheet.signed.file(), "receipt.json")


def nobody() -> IntakeContext:
    """A context without games, for explanations that need none."""
    return IntakeContext(frozenset(), NOBODY, ())


def shows_reading(session: Session, phase: PhaseRow) -> bool:
    """Whether receipts of this game show each line as the machine read it."""
    return options_of(session.get_one(GameRow, phase.game_id)).reading


def waits_for_reading(session: Session, submission: SubmissionRow, phase: PhaseRow) -> bool:
    """Whether the receipt of this sheet waits until it is read: where the game shows readings, and where a
    first look has doubts about the photograph, so that one letter states both that it came and whether it
    could be read (SEC-07)."""
    has_doubt = not PHOTO_DOUBTS.isdisjoint(submission.flags)
    return has_doubt or shows_reading(session, phase)


def facts_of(
    session: Session, submission: SubmissionRow, phase: PhaseRow, verdict: Verdict, power: str,
    trouble: Trouble | None = None, *, is_over: bool = False,
) -> ReceiptFacts:
    """The facts of a receipt, without any reading. `power` is the name as printed, `trouble` why the sheet
    does not count yet. `is_over`: the deadline has passed, so no new version is offered (LET-01)."""
    mail = session.get_one(MailRow, submission.sha256)
    game = session.get_one(GameRow, phase.game_id)
    number = ballots.next_version(session, phase.id, submission.power)
    counts = submission.fate != Fate.HELD and verdict.flags.isdisjoint(ballots.BEHIND)
    replaced = None if verdict.before is None else verdict.before.named_version
    words, first = explain(verdict, nobody()), options_of(game).first_counts
    message_id = mail.verdict_fields.get("message_id")
    # ARR-05: a rule of a mailbox sent it on, and an answer would go to its first writer.
    is_forwarded = bool(mail.verdict_fields.get("forwarded"))
    sheet = ArrivedSheet(submission.received_at, phase_of(phase), submission.version, verdict.photos,
                         mail.sha256, signed_receipt(session, submission, phase.game_id),
                         is_typed=SheetFlag.TYPED in submission.flags)
    return ReceiptFacts(
        sheet, None if is_over else Closing(phase_of(phase), phase.deadline),
        opens=phase.opens_at if phase.state == PhaseState.WAITING else None,
        replaces=replaced if counts and trouble is None else None,
        # The notes state that a doubtful photograph counts as it is.
        notes=tuple(note for note in ("" if trouble else words.remedy, _word(session, mail.sha256),
                                      *file_notes(files_of(session, submission))) if note),
        trouble=trouble,
        subject="" if first or is_over else canonical_subject(game.name, power, phase_of(phase), number),
        first_counts=first, message_ids=(str(message_id),) if message_id and not is_forwarded else (),
    )


def _word(session: Session, mail: str) -> str:
    """The sentence about a word for the lots that came with a sheet; "" if none came."""
    row = session.scalars(select(LotContributionRow).where(LotContributionRow.mail == mail)).first()
    if row is None:
        return ""
    draw = draw_of(session.get_one(PhaseRow, row.phase_id))
    if draw is not None and draw.uses_beacon:
        return Sentence("Your word for the lots is stored, but changes nothing: the lots of this game come "
                        "from a public beacon.")
    return Sentence("Your word for the lots of this phase is stored: %(word)s.", word=row.word)


def verdict_of(session: Session, submission: SubmissionRow, phase: PhaseRow, power: str) -> Verdict:
    """The verdict on a sheet that was filed, as far as its receipt needs it."""
    game = session.get_one(GameRow, phase.game_id)
    stored = session.get_one(MailRow, submission.sha256).verdict_fields
    came = ballots.arrival_of(session, submission, phase)
    pages = records.pages(session, submission.id)
    photos = (int(stored.get("photos") or 0) or len(pages)) - sum(page.note in NO_ORDERS for page in pages)
    return Verdict(
        VerdictKind.ACCEPTED, None, game=game.name, power=power, season=phase.season, year=phase.year,
        kind=phase_of(phase).kind, version=submission.version, photos=photos,
        flags=frozenset(submission.flags) - ballots.ARRIVAL_MARKS | came.marks, before=came.before,
        sender=submission.sender)


def read_letter(
    session: Session, blobs: Blobs, info: GameInfo, to: Recipient, submission: SubmissionRow, phase: PhaseRow,
    variant: Variant, *, is_over: bool = False,
) -> OutLetter:
    """The receipt for a sheet that was read: its lines in words, and a picture of each page with every line
    boxed. `is_over` as for `facts_of`."""
    verdict = verdict_of(session, submission, phase, to.power)
    lines = lines_of(session, [submission.id])[submission.id]
    numbers = line_numbers(lines)
    # A person cuts a part out of the machine's lines; a receipt shows the machine's reading alone.
    numbered = [(numbers.get(line.id, ""), line) for line in lines if line.kind != PART]
    kind = phase_of(phase).kind
    back = tuple(
        ReadBack(
            number, line.text.partition("\n")[0], unsure=_unsure(line), struck=line.struck,
            order=_order_in_words(line, variant, kind, submission.power or ""))
        for number, line in numbered)
    facts = replace(facts_of(session, submission, phase, verdict, to.power, is_over=is_over), reading=back)
    attached = []
    for page_number, page in enumerate(records.pages(session, submission.id), start=1):
        page_lines = [(number, line) for number, line in numbered if line.page_id == page.id]
        if page.upright is not None and page_lines:
            attached += _picture(blobs, page, page_lines, f"reading-{page_number}.jpg")
    return receipt(info, to, facts, attached)


def receipt(
    info: GameInfo, to: Recipient, facts: ReceiptFacts, pictures: Sequence[Attachment] = ()
) -> OutLetter:
    """The receipt, with the file that proves it."""
    return render.letter(RECEIPT, info, to, facts, attached=pictures)


def _order_in_words(line: SettledLine, variant: Variant, kind: PhaseKind, power: str) -> str:
    """See `ReadBack.order`."""
    # A code shows its writer nothing: "F ESX H" was taken for Eskdale, and the receipt showed "F ESX H".
    if line.machine_order is None or line.struck:
        return ""

    def in_words(order: str) -> str:
        orders = orders_of(variant, kind, power, order, line.ordinal)
        return "; ".join(order_text(variant, each) for each in orders)

    words = in_words(line.machine_order)
    if _unsure(line):
        others = (str(candidate["order"]) for candidate in line.candidates if candidate["order"])
        rival = next((order for order in others if order != line.machine_order), None)
        if rival is not None:
            words = _doubted(words, in_words(rival))
    return "" if _plain_words(words) == _plain_words(line.text.partition("\n")[0]) else words


def _plain_words(text: str) -> list[str]:
    return [word.strip(".,;:") for word in text.casefold().split() if word != "the"]


def _doubted(words: str, rival: str) -> str:
    """Words with a question mark behind each that another reading has not."""
    order_words = words.split()
    changes = SequenceMatcher(None, order_words, rival.split(), autojunk=False).get_opcodes()
    return " ".join(
        f"{word}?" if change != "equal" else word
        for change, begin, end, _, _ in changes for word in order_words[begin:end])


def _unsure(line: SettledLine) -> bool:
    return line.state is LineState.OPEN


def _picture(
    blobs: Blobs, page: PageRow, numbered: Sequence[tuple[str, SettledLine]], name: str
) -> list[Attachment]:
    try:
        data, corners = turned(blobs.read(page.upright or ""), page, [line for _, line in numbered])
        boxed = [
            BoxedLine(
                number, tuple(corners[line.id]), line.text.partition("\n")[0], _unsure(line), line.struck
            )
            for number, line in numbered
        ]
        return [Attachment(name, "image/jpeg", pictures.reading_picture(data, boxed))]
    # A receipt must not fail for a picture: without it the letter still has the page's lines in words.
    except (pictures.SheetUnusable, BlobError, OSError):
        return []


# The kinds of these letters
# --------------------------------------------------------------------------------------------------


def _made_up_sheet(seat: Previews, received_at: datetime) -> ArrivedSheet:
    """A sheet of the power that never came."""
    # A digest like any other: zeros would look like a fault.
    digest = hashlib.sha256(f"a sheet of {seat.power}, {received_at}".encode()).hexdigest()
    return ArrivedSheet(received_at, seat.closing().phase, seat.next_version, 1, digest)


def _receipt_sample(seat: Previews) -> Sample[ReceiptFacts]:
    closing, row = seat.closing(), seat.newest_sheet()
    if row is None:
        sheet = _made_up_sheet(seat, seat.letters.clock.now())
        basis = "As if a first sheet for this phase had just come; its numbers are made up."
    else:
        pages = records.pages(seat.session, row.id)
        sheet = ArrivedSheet(row.received_at, closing.phase, row.version, len(pages), row.sha256 or "")
        basis = "This power's newest sheet for this phase, as it came."
    facts = ReceiptFacts(sheet, closing, subject=seat.subject(closing.phase, (sheet.version or 0) + 1))
    return Sample(facts, basis)


def _receipt_late_sample(seat: Previews) -> Sample[ReceiptFacts]:
    closed = seat.phase()
    # After a deadline a later phase is open: not one of retreats, for which most players have no unit.
    after = next((row for row in records.phases(seat.session, seat.game.id)
                  if row.ordinal > closed.ordinal and row.kind != PhaseKind.RETREAT), closed)
    late = ReceiptFacts(
        _made_up_sheet(seat, closed.deadline + timedelta(minutes=5)),
        Closing(phase_of(after), after.deadline), subject=seat.subject(phase_of(after)),
        has_other=seat.newest_sheet() is not None)
    return Sample(late, "As if a sheet came five minutes late and the next phase were open.")


RECEIPT = LetterKind(
    "receipt", ReceiptFacts, "Receipt for a sheet in time",
    Occasion("the sender", "a sheet arrives in time", _receipt_sample),
    # Where receipts show each line as read, the desk's page of a letter showed orders before the deadline.
    rank=Rank.ANSWER, answers_mail=True, contents=Contents.SHEET)
"""The machine's receipt for a sheet (OUT-02). It shows what arrived, never what it means."""

RECEIPT_LATE = LetterKind(
    "receipt_late", ReceiptFacts, "Receipt for a sheet that is too late",
    Occasion("the sender", "a sheet arrives after its deadline", _receipt_late_sample),
    rank=Rank.ANSWER, answers_mail=True, is_counted=True)
"""The answer to a sheet that came after the deadline and is not executed (CAL-03, Q-34)."""
