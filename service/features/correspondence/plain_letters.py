"""Plain letters: a text without a sheet, from a proved player to the coordinator (BOX-10).

"Three more days, please?" is correspondence and no failed submission. A mail that names a sheet in its
subject and brings none stays a refusal, since its player meant orders; unless it answers a letter of ours,
whose subject names one too.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.facts.files import FileFate, OtherKind
from service.facts.refusals import RefusalReason
from service.features.correspondence import letters as letters_of
from service.intake import load_context as contexts
from service.intake.load_context import LETTER
from service.intake.mail_handlers import ClaimBasis, JudgedMail
from service.intake.verdicts.context import IntakeContext
from service.intake.verdicts.rules import judge_mail
from service.intake.verdicts.verdict import Verdict, VerdictKind
from service.mail.body.quotation import LetterText, split_quoted
from service.mail.message import BodyState, IncomingMail
from service.notices.answers.replies import ANSWERS_A_DAY, answers_today
from service.notices.letter_context import LetterContext
from service.store import records
from service.store.tables import CorrespondenceRow, GameRow, MailRow, MailState, OutboxRow, SeatRow

REPEATED_WITHIN = timedelta(days=30)
"""A letter with the words of one that came in this time is that one again."""

_NO_SHEET_NAMED = {
    RefusalReason.SUBJECT_UNPARSED, RefusalReason.UNKNOWN_GAME, RefusalReason.AMBIGUOUS_GAME,
    RefusalReason.UNKNOWN_POWER, RefusalReason.AMBIGUOUS_POWER,
}
_SHEET_NAMED = {
    RefusalReason.SENDER_NOT_POWER, RefusalReason.UNKNOWN_SENDER, RefusalReason.PHASE_TYPE_MISMATCH,
    RefusalReason.WRONG_PHASE, RefusalReason.LATE, RefusalReason.NO_PHOTO, RefusalReason.NOT_BOLD,
}


@dataclass(frozen=True, slots=True)
class PlainLetter:
    """A letter as it is stored. `names_sheet`: its subject names a whole sheet, so its player may have
    forgotten the photograph. `game_id`: the game it is about, None if that is not known."""

    player_id: int
    text: LetterText
    files: tuple[str, ...]
    names_sheet: bool
    game_id: str | None


@dataclass(frozen=True, slots=True)
class LetterHandler:
    """Keeps plain letters to the coordinator and acknowledges them."""

    letters: LetterContext
    basis: ClassVar = ClaimBasis.TEXT

    def take(self, session: Session, judged: JudgedMail) -> bool:
        """Keep the letter that a mail is; False if it is none."""
        mail, verdict = judged.mail, judged.verdict
        if verdict.reason is RefusalReason.DUPLICATE and not mail.pictures:
            # Without photographs a repeat is known by its subject alone, and two letters may have the same.
            verdict = judge_mail(mail, judged.received_at, judged.context)
        letter = letter_in(session, verdict, mail, judged.context)
        if letter is None:
            return False
        row = take_letter(
            session, judged.key, judged.received_at, letter, verdict, mail, self.letters.clock.now())
        if row is not None:
            self._tell(session, row, names_sheet=letter.names_sheet)
        return True

    def _tell(self, session: Session, row: CorrespondenceRow, *, names_sheet: bool) -> None:
        address = session.get_one(MailRow, row.sha256).sender or ""
        # Past the limit the sender gets no answer, but the coordinator still hears of the letter.
        game = None if row.game_id is None else session.get_one(GameRow, row.game_id)
        if answers_today(session, self.letters, address, game) < ANSWERS_A_DAY:
            letters_of.acknowledge(session, self.letters, row, names_sheet=names_sheet)
        letters_of.notify(session, self.letters, row)


def is_letter(
    verdict: Verdict, mail: IncomingMail, text: LetterText, context: IntakeContext, *, answers_us: bool
) -> bool:
    """Whether a refused mail is a plain letter. Its sender is proved, since `verdict` came so far."""
    if verdict.verdict is not VerdictKind.REJECTED or verdict.sender is None:
        return False
    if context.registered_address(verdict.sender) is None or mail.body is not BodyState.READ:
        return False
    # What may be a sheet is a sheet, also if it does not open.
    if mail.pictures or mail.encrypted or mail.overflow or not (text.has_words or _attached(mail)):
        return False
    # Where orders may be typed, bold words under any subject may be meant as orders.
    if mail.bold and any(
        game.takes_typed_orders and game.registered_address(verdict.sender) for game in context.games
    ):
        return False
    if verdict.reason in _SHEET_NAMED:
        return answers_us
    is_half_named = verdict.version is not None or None not in {verdict.power, verdict.season}
    return verdict.reason in _NO_SHEET_NAMED and (answers_us or not is_half_named)


def _attached(mail: IncomingMail) -> tuple[str, ...]:
    """The names of the files without a picture that a person attached to a letter."""
    none = {OtherKind.DRAWING, OtherKind.LINK}
    return tuple(
        file.name for file in mail.other_files if file.fate is FileFate.OTHER and file.kind not in none)


def letter_in(
    session: Session, verdict: Verdict, mail: IncomingMail, context: IntakeContext
) -> PlainLetter | None:
    """The plain letter that a judged mail is; None for any other mail."""
    player = None if verdict.sender is None else records.player_of(session, verdict.sender)
    if player is None:
        return None
    answered = next(iter(contexts.answered_letters(session, mail)), None)
    text = split_quoted(mail.text)
    if not is_letter(verdict, mail, text, context, answers_us=answered is not None):
        return None
    return PlainLetter(
        player.id, text, _attached(mail), names_sheet=verdict.reason in _SHEET_NAMED,
        game_id=_game(session, verdict, answered, player.id))


def take_letter(
    session: Session, key: str, received_at: datetime, letter: PlainLetter, verdict: Verdict,
    mail: IncomingMail, now: datetime,
) -> CorrespondenceRow | None:
    """Keep the letter, in the caller's transaction: claim STORED -> USED, or IGNORED for one that came
    before. None if there is nothing new in it, or another process was faster."""
    repeated = _repeats(session, letter, mail, received_at)
    state, reason = (
        (MailState.IGNORED, RefusalReason.DUPLICATE.value) if repeated else (MailState.USED, LETTER)
    )
    if not records.end_mail(session, key, state, reason, contexts.dump_verdict(verdict, mail)):
        return None
    records.log_event(session, now, Event[f"MAIL_{state.name}"], detail={"mail": key[:12], "reason": reason})
    if repeated:
        return None
    contexts.note_sender(session, key, verdict.sender or "")
    row = CorrespondenceRow(
        player_id=letter.player_id, game_id=letter.game_id, sha256=key, at=received_at, subject=mail.subject,
        words=letter.text.new, quoted=letter.text.quoted, files=list(letter.files))
    session.add(row)
    session.flush()
    return row


def _game(session: Session, verdict: Verdict, answered: OutboxRow | None, player_id: int) -> str | None:
    """The game that a letter is about: the one it names or answers in, else its player's only one."""
    own = set(session.scalars(select(SeatRow.game_id).where(SeatRow.player_id == player_id)))
    named = session.scalar(select(GameRow.id).where(GameRow.name == verdict.game)) if verdict.game else None
    for game_id in (named, None if answered is None else answered.game_id):
        if game_id in own:
            return game_id
    return next(iter(own)) if len(own) == 1 else None


def _repeats(session: Session, letter: PlainLetter, mail: IncomingMail, received_at: datetime) -> bool:
    """Whether the same words came from the same player before: a server may hand a mail over twice."""
    return session.scalar(select(CorrespondenceRow.id).where(
        CorrespondenceRow.player_id == letter.player_id, CorrespondenceRow.by.is_(None),
        CorrespondenceRow.subject == mail.subject, CorrespondenceRow.words == letter.text.new,
        CorrespondenceRow.quoted == letter.text.quoted,
        CorrespondenceRow.at > received_at - REPEATED_WITHIN).limit(1)) is not None
