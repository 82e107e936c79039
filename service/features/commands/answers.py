"""Answers to mail commands: nothing that another player may not know, and nothing that changes the game
(BOX-11).

They have the sender's own sheet, what all players may see, and letters that the sender had before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from email.message import EmailMessage
from typing import ClassVar

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from maps.variant import Variant
from service.facts.events import Event
from service.features.commands.mail_command import Command, MailCommand, command_in
from service.games import ballots
from service.games.lines import PART, lines_of
from service.games.phases import phase_ahead, phase_due, phase_of
from service.intake import load_context as contexts
from service.intake.mail_handlers import ClaimBasis, JudgedMail
from service.intake.verdicts.explanations import canonical_subject
from service.letters import render
from service.letters.facts import AnsweredMail, AnswerToMail, Closing, Recipient
from service.letters.kinds import LetterKind, Occasion, Sample
from service.mail.mime.parts import payload_of
from service.mail.sending.compose import Attachment, OutLetter, Rank, words_of
from service.notices.answers import receipts
from service.notices.broadcasts import WELCOME
from service.notices.letter_context import LetterContext
from service.notices.order_sheets import blank_sheet
from service.notices.previews import Previews
from service.notices.results_facts import DRAFT_RESULTS, FINAL_RESULTS, YEAR_END_RESULTS
from service.store import records
from service.store.blobs import BlobError
from service.store.letter_parts import message_of
from service.store.tables import GameRow, LineState, MailState, OutboxRow, PhaseRow, SubmissionRow

A_DAY = 5
"""Answers to one player within 24 hours, in one game. One more states that these are enough, and then
none."""
REASON = "command"
"""The stored reason of a mail that asked for an answer and brought no sheet."""
_WITH_MAP = (WELCOME.name, YEAR_END_RESULTS.name)
_RESULTS = (DRAFT_RESULTS.name, FINAL_RESULTS.name, YEAR_END_RESULTS.name)


@dataclass(frozen=True, slots=True)
class OwnSheet:
    """A power's own orders on file. `posted`: the sheet that counts came by post. `held`: a sheet
    waits for the coordinator. `unsure`: lines that the machine is unsure of, None where the game does not
    show readings or the sheet was not read. The rest as in `ArrivedSheet`, None if no sheet counts."""

    received_at: datetime | None = None
    version: int | None = None
    digest: str = ""
    posted: bool = False
    held: bool = False
    unsure: int | None = None


@dataclass(frozen=True, slots=True)
class CommandFacts(AnswerToMail):
    """The answer to a mail command (BOX-11). `command` is its word in small letters, `most` the answers a
    day, `number` which of them this is, above `most` for the last word of a day. `sheet` belongs to "status".
    `subject` is the one of the next sheet, "" if none is due; `map_page` is the public page of the map, or
    ""."""

    command: str
    number: int
    most: int
    closing: Closing | None = None
    sheet: OwnSheet = OwnSheet()
    subject: str = ""
    first_counts: bool = False
    map_page: str = ""


@dataclass(frozen=True, slots=True)
class CommandHandler:
    """Answers mail commands. Such a mail is not a submission: no later mail is compared with it."""

    letters: LetterContext
    basis: ClassVar = ClaimBasis.WHOLE_SUBJECT

    def take(self, session: Session, judged: JudgedMail) -> bool:
        """Answer the command of a mail; False if the mail has none."""
        mail, asked = judged.mail, command_in(judged.mail, judged.verdict, judged.context)
        if asked is None:
            return False
        about = contexts.dump_verdict(replace(judged.verdict, game=asked.game, power=asked.power), mail)
        if records.end_mail(session, judged.key, MailState.USED, REASON, about):
            ids = (mail.message_id,) if mail.message_id else ()
            answered = AnsweredMail(judged.key, judged.received_at, mail.subject, ids)
            is_answered = answer(session, self.letters, asked, answered)
            records.log_event(session, self.letters.clock.now(), Event.MAIL_COMMAND, detail={
                "mail": judged.key[:12], "command": asked.command.value, "answered": is_answered})
        return True


def answer(session: Session, letters: LetterContext, asked: MailCommand, mail: AnsweredMail) -> bool:
    """Put the answer to a command into the outbox; False if the player had enough of them."""
    game = session.scalars(select(GameRow).where(GameRow.name == asked.game)).one()
    variant = letters.load(game.variant)
    power = next(power.id for power in variant.powers.values() if power.name == asked.power)
    number = _answers_today(session, letters, game, power) + 1
    if number > A_DAY + 1:
        return False
    to = letters.recipient(session, asked.address, asked.power)
    if asked.command is Command.RESULTS and number <= A_DAY:
        again = _results_again(session, letters, game, power, to, mail)
        if again is not None:
            return letters.put(session, again)
    phase = phase_due(session, game.id, power)
    if phase is None and asked.command is Command.SHEET:
        # Results name the next sheet before its phase is open, and one that comes then is stored.
        phase = phase_ahead(session, game.id, power)
    facts = facts_of(session, asked, mail, number, phase, power)
    base = letters.sender.base_url.rstrip("/")
    facts = replace(facts, map_page=f"{base}/public/{game.id}/map" if base else "")
    attached = _attached(session, letters, asked, game, variant, phase, power, to) if number <= A_DAY else []
    return letters.put(session, render.letter(
        COMMAND, letters.game_info(game), to, facts, attached=attached))


def _answers_today(session: Session, letters: LetterContext, game: GameRow, power: str) -> int:
    addresses = records.addresses(session, game.id).get(power, ())
    return session.scalar(select(func.count()).select_from(OutboxRow).where(
        OutboxRow.kind == COMMAND.name, OutboxRow.game_id == game.id, OutboxRow.recipient.in_(addresses),
        OutboxRow.due_at > letters.clock.now() - timedelta(days=1))) or 0


def facts_of(
    session: Session, asked: MailCommand, mail: AnsweredMail, number: int, phase: PhaseRow | None, power: str
) -> CommandFacts:
    """The answer to a command; `number` is which of the day's answers it is, `phase` the one of
    `phase_due`."""
    if phase is None:
        return CommandFacts(mail, asked.command.value, number, A_DAY)
    sheet = _own_sheet(session, phase, power)
    on_file, first = ballots.on_file(session, phase.id, power), ballots.first_counts(session, phase)
    subject = canonical_subject(asked.game, asked.power, phase_of(phase), ballots.version_after(on_file))
    return CommandFacts(
        mail, asked.command.value, number, A_DAY, Closing(phase_of(phase), phase.deadline), sheet,
        subject="" if first and on_file else subject, first_counts=first)


def _own_sheet(session: Session, phase: PhaseRow, power: str) -> OwnSheet:
    """A power's orders on file, in the words of its receipts."""
    own_sheets = ballots.on_file(session, phase.id, power)
    is_held = any(sheet.held for sheet in own_sheets)
    ballot = ballots.count(own_sheets, phase.deadline, first=ballots.first_counts(session, phase)).get(power)
    if ballot is None:
        return OwnSheet(held=is_held)
    row = session.get_one(SubmissionRow, ballot.submission.id)
    return OwnSheet(row.received_at, row.version, row.sha256 or "", posted=row.sha256 is None, held=is_held,
                    unsure=_unsure(session, phase, row))


def _unsure(session: Session, phase: PhaseRow, row: SubmissionRow) -> int | None:
    # What a receipt does not show, this answer does not show either.
    if row.read_at is None or not receipts.shows_reading(session, phase):
        return None
    lines = lines_of(session, [row.id])[row.id]
    return sum(line.state is LineState.OPEN for line in lines if line.kind != PART)


def _attached(
    session: Session, letters: LetterContext, asked: MailCommand, game: GameRow, variant: Variant,
    phase: PhaseRow | None, power: str, to: Recipient,
) -> list[Attachment]:
    if asked.command is Command.SHEET and phase is not None:
        closing = Closing(phase_of(phase), phase.deadline)
        return [blank_sheet(variant, letters.game_info(game), closing, power, to)]
    if asked.command is Command.MAP:
        # Drawing one takes seconds, in which no other mail could be filed. Each power has it in a letter.
        stored = (_stored(letters, row) for row in _rows(session, game, power, _WITH_MAP, asked.power))
        maps = (file for mail in stored if mail is not None for file in _files(mail))
        return [file for file in maps if file.name.startswith(f"{game.id}-map-")][:1]
    return []


def _results_again(
    session: Session, letters: LetterContext, game: GameRow, power: str, to: Recipient, mail: AnsweredMail
) -> OutLetter | None:
    """The power's newest letter with results under its own Message-ID; None if there is none."""
    row = next(iter(_rows(session, game, power, _RESULTS, to.power)), None)
    stored = None if row is None else _stored(letters, row)
    if row is None or stored is None:
        return None
    text, html = stored.get_body(("plain",)), stored.get_body(("html",))
    return OutLetter(
        key=f"{game.id}/{COMMAND.name}/{to.address}/{to.power}/{mail.key}", kind=COMMAND.name,
        recipient=to.address, rank=COMMAND.rank, addressee=COMMAND.addressee,
        subject=row.subject, text=words_of(text),
        html=None if html is None else str(html.get_content()),
        attachments=tuple(_files(stored)),
        game_id=game.id, replies_to=mail.message_ids, list_name=game.name)


def _rows(session: Session, game: GameRow, power: str, kinds: Sequence[str], named: str) -> list[OutboxRow]:
    """The letters of these kinds to a power, the newest first. `named` is its name."""
    addresses = records.addresses(session, game.id).get(power, ())
    rows = session.scalars(
        select(OutboxRow)
        .where(OutboxRow.game_id == game.id, OutboxRow.kind.in_(kinds), OutboxRow.recipient.in_(addresses))
        .order_by(OutboxRow.id.desc())
    )
    # One address may belong to two powers of a game (POST-04), and each learns what it alone may know.
    return [row for row in rows if named in row.key.split("/")]


def _stored(letters: LetterContext, row: OutboxRow) -> EmailMessage | None:
    try:
        return message_of(letters.blobs, row)
    except BlobError:
        return None


def _files(stored: EmailMessage) -> list[Attachment]:
    return [
        Attachment(name, part.get_content_type(), payload_of(part),
                   str(part["content-id"]).strip("<>") if part["content-id"] else None)
        for part in stored.walk() if (name := part.get_filename())
    ]


# The kinds of these letters
# --------------------------------------------------------------------------------------------------


def _command_sample(seat: Previews) -> Sample[CommandFacts]:
    asked = MailCommand(Command.STATUS, seat.game.name, seat.name, seat.to.address)
    mail = AnsweredMail("preview", seat.letters.clock.now(), f"{seat.game.name}, {seat.name}, STATUS")
    phase = phase_due(seat.session, seat.game.id, seat.power)
    facts = facts_of(seat.session, asked, mail, 1, phase, seat.power)
    return Sample(facts, "As if this player had sent STATUS.")


COMMAND = LetterKind(
    "command", CommandFacts, "Answer to a mail command",
    Occasion("the sender", "a player sends a command such as STATUS, in a game that allows commands",
             _command_sample),
    rank=Rank.ANSWER, answers_mail=True, folder="features/commands")
"""The answer to a mail command (BOX-11)."""
