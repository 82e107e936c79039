"""The letters between players and the coordinator (BOX-10): the acknowledgement and the notice when one
comes, and a coordinator's answer from the desk."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import ClassVar

from sqlalchemy import func, select, true, update
from sqlalchemy.orm import Session

from grammar.headings.tokens import clean_line, drop_prefixes
from service.facts.events import Event
from service.games.acts.act import Act, ActTable, LoggedEvent
from service.games.ballots import executed, next_version
from service.games.names import seats_in_words
from service.games.options import options_of
from service.games.phases import phase_of, power_name
from service.games.refused import Refused
from service.intake.verdicts.explanations import canonical_subject
from service.letters import render
from service.letters.facts import AnsweredMail, AnswerToMail, Closing
from service.letters.kinds import LetterKind, Occasion, Sample
from service.letters.language import sheet_on_file
from service.notices import coordinator_notices
from service.notices.coordinator_notices import NoticedMail, NoticeFacts
from service.notices.letter_context import LetterContext
from service.notices.previews import Previews
from service.store import records
from service.store.tables import (
    AddressRow,
    CorrespondenceRow,
    GameRow,
    MailRow,
    OutboxRow,
    PhaseRow,
    PlayerRow,
    SeatRow,
    SubmissionRow,
)

LONGEST_ANSWER = 20_000
"""Characters of an answer."""


@dataclass(frozen=True, slots=True)
class SeatOnFile:
    """One seat of a player who wrote a letter: the open phase, the sheet that counts now ("version 2,
    received ..." or ""), and the subject to copy for orders. `takes_typed_orders`: bold text counts there
    too."""

    game: str
    power: str
    closing: Closing
    on_file: str
    subject: str
    takes_typed_orders: bool = False


@dataclass(frozen=True, slots=True)
class AcknowledgementFacts(AnswerToMail):
    """A plain letter reached the coordinator (BOX-10). `names_sheet`: its subject names a sheet, which it did
    not bring; `seats` are the sender's own, with an open phase; `files` are attached files that were not
    opened."""

    seats: tuple[SeatOnFile, ...] = ()
    files: tuple[str, ...] = ()
    names_sheet: bool = False


@dataclass(frozen=True, slots=True)
class AnswerFacts(AnswerToMail):
    """The coordinator's answer to a plain letter, in free words: `words` has line ends, and `subject` is the
    one of the letter, without "Re:"."""

    is_by_person: ClassVar[bool] = True
    words: str
    subject: str


def acknowledge(
    session: Session, letters: LetterContext, row: CorrespondenceRow, *, names_sheet: bool
) -> None:
    """Inform the player at once that a letter reached the coordinator: once a day for each subject, and each
    time where its subject names a sheet, since its player may have forgotten the photograph."""
    mail, player = session.get_one(MailRow, row.sha256), session.get_one(PlayerRow, row.player_id)
    game = None if row.game_id is None else session.get_one(GameRow, row.game_id)
    subject = drop_prefixes(clean_line(row.subject)).casefold()
    thread = row.sha256 or "" if names_sheet else (
        f"{row.at:%Y-%m-%d}-{sha256(subject.encode()).hexdigest()[:16]}")
    seats = seats_on_file(session, letters, player, game)
    facts = AcknowledgementFacts(
        AnsweredMail(thread, row.at, row.subject, _message_ids(mail)), seats,
        tuple(map(str, row.files)), names_sheet)
    power = seats[0].power if game is not None and len(seats) == 1 else ""
    info = None if game is None else letters.game_info(game)
    letters.put(session, render.letter(
        ACKNOWLEDGEMENT, info, letters.recipient(session, mail.sender or "", power), facts))


def notify(session: Session, letters: LetterContext, row: CorrespondenceRow) -> None:
    """Inform the coordinator that a letter waits: one notice an hour for each player."""
    mail, player = session.get_one(MailRow, row.sha256), session.get_one(PlayerRow, row.player_id)
    game = None if row.game_id is None else session.get_one(GameRow, row.game_id)
    base = letters.sender.base_url.rstrip("/")
    facts = NoticeFacts(
        key=f"letter-{player.id}-{letters.clock.now():%Y-%m-%d-%H}",
        event=f"{player.name} wrote you a letter.", since=row.at,
        link=f"{base}/correspondence/{player.id}" if base else "",
        consequence="it gets no answer until you write one, and nothing in the game changes. The player was "
        "informed that it reached you and was not read as orders.",
        mail=NoticedMail(
            mail.sender or "", True, row.subject, player.name,
            seats_in_words(session, player, None if game is None else frozenset({game.id}), letters.load),
            coordinator_notices.closing_of(session, game)))
    coordinator_notices.notify(session, letters, game, facts)


def seats_on_file(
    session: Session, letters: LetterContext, player: PlayerRow, game: GameRow | None
) -> tuple[SeatOnFile, ...]:
    """The player's own seats with an open phase, in one game or in all of theirs."""
    seats = session.execute(
        select(GameRow, SeatRow.power).join(SeatRow, SeatRow.game_id == GameRow.id)
        .where(SeatRow.player_id == player.id, *([] if game is None else [GameRow.id == game.id]))
        .order_by(GameRow.name, SeatRow.power)).all()
    return tuple(
        _seat(session, letters, own_game, power, phase)
        for own_game, power in seats
        if (phase := records.open_phase(session, own_game.id)) is not None
    )


def _seat(
    session: Session, letters: LetterContext, game: GameRow, power: str, phase: PhaseRow
) -> SeatOnFile:
    key = executed(session, phase).get(power)
    sheet = None if key is None else session.get_one(SubmissionRow, key)
    on_file = "" if sheet is None else sheet_on_file(sheet.version, sheet.received_at)
    name = power_name(game.variant, power, letters.load)
    return SeatOnFile(
        game.name, name, Closing(phase_of(phase), phase.deadline), on_file,
        canonical_subject(game.name, name, phase_of(phase), next_version(session, phase.id, power)),
        options_of(game).typed_orders)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that was sent: the mail that it answers, and the game that this was about."""

    mail: MailRow
    game_id: str | None


@dataclass(frozen=True, slots=True)
class AnswerLetter(Act[Answer | None]):
    """Sends free words to the address that a player wrote from last, and settles their open letters. The
    form's `key` makes a repeated delivery harmless: then the outcome is None."""

    writer: LetterContext
    player: int
    words: str
    key: str

    def check(self, table: ActTable) -> None:
        """Refuse no words, too many, and a player who wrote nothing or has no address."""
        words = _printable(self.words)
        if not words:
            raise Refused("Nothing was sent: the answer is empty.")
        if len(words) > LONGEST_ANSWER:
            raise Refused(f"Nothing was sent: the answer has more than {LONGEST_ANSWER} characters. Send it "
                          "in parts.")
        self._address(table.session, self._last(table.session))

    def change(self, table: ActTable) -> Answer | None:
        """Put the letter, and keep it as the answer to all that is open."""
        session, last, words = table.session, self._last(table.session), _printable(self.words)
        mail = session.get_one(MailRow, last.sha256)
        game = None if last.game_id is None else session.get_one(GameRow, last.game_id)
        info = None if game is None else self.writer.game_info(game)
        facts = AnswerFacts(
            AnsweredMail(f"answer-{self.key[:40]}", last.at, last.subject, _message_ids(mail)), words,
            _bare_subject(last.subject, "" if game is None else game.name))
        to = self.writer.recipient(session, self._address(session, last))
        letter = render.letter(ANSWER, info, to, facts)
        if not self.writer.put(session, letter):
            return None
        sent = session.scalars(select(OutboxRow).where(OutboxRow.key == letter.key)).one()
        session.add(CorrespondenceRow(
            player_id=self.player, game_id=last.game_id, letter_id=sent.id, at=table.now, by=table.by,
            subject=letter.subject, words=words, done_at=table.now, done_by=table.by))
        _settle(table, self.player)
        return Answer(mail, last.game_id)

    def event(self, table: ActTable, outcome: Answer | None, letters: int) -> LoggedEvent | None:
        """The mail that is answered."""
        return None if outcome is None else _event(Event.LETTER_ANSWERED, outcome.mail, outcome.game_id)

    def _last(self, session: Session) -> CorrespondenceRow:
        """The player's last letter."""
        last = session.scalars(
            select(CorrespondenceRow).where(
                CorrespondenceRow.player_id == self.player, CorrespondenceRow.sha256.is_not(None))
            .order_by(CorrespondenceRow.id.desc()).limit(1)).first()
        if last is None:
            raise Refused("Nothing was sent: there is no letter from this player.")
        return last

    def _address(self, session: Session, last: CorrespondenceRow) -> str:
        """The address that the player wrote from, if it is still theirs, else any of theirs."""
        written_from = session.get_one(MailRow, last.sha256).sender or ""
        own = session.scalars(select(AddressRow.email).where(AddressRow.player_id == self.player)
                              .order_by(AddressRow.email)).all()
        if not own:
            raise Refused("Nothing was sent: this player has no mail address any more. Enter one under "
                          "Games first. Their letters are stored.")
        return written_from if written_from in own else own[0]


@dataclass(frozen=True, slots=True)
class SettleLetters(Act[Sequence[CorrespondenceRow]]):
    """Settles the open letters of a player without an answer. The outcome is those letters."""

    player: int

    def change(self, table: ActTable) -> Sequence[CorrespondenceRow]:
        """Settle them. Refuses a player without any."""
        rows = table.session.scalars(select(CorrespondenceRow).where(
            CorrespondenceRow.player_id == self.player, CorrespondenceRow.done_at.is_(None))).all()
        if not rows:
            raise Refused("Nothing was changed: no letter of this player is open any more.")
        _settle(table, self.player)
        return rows

    def event(
        self, table: ActTable, outcome: Sequence[CorrespondenceRow], letters: int
    ) -> Sequence[LoggedEvent]:
        """One for each mail."""
        return [_event(Event.LETTER_DONE, table.session.get_one(MailRow, row.sha256), row.game_id)
                for row in outcome]


def _event(kind: Event, mail: MailRow, game_id: str | None) -> LoggedEvent:
    return LoggedEvent(kind, game_id, {"mail": mail.sha256[:12]})


def threads(
    session: Session, players: frozenset[int] | None = None, limit: int = 200
) -> list[tuple[PlayerRow, CorrespondenceRow, int]]:
    """Each player who wrote, or each of `players`, with their newest letter and how many are open: open ones
    first, then the newest."""
    of_players = true() if players is None else CorrespondenceRow.player_id.in_(players)
    open_letters = func.count().filter(CorrespondenceRow.done_at.is_(None))
    newest = func.max(CorrespondenceRow.id)
    rows = session.execute(
        select(CorrespondenceRow.player_id, newest, open_letters).where(of_players)
        .group_by(CorrespondenceRow.player_id)
        .order_by((open_letters == 0), newest.desc()).limit(limit)).all()
    return [
        (session.get_one(PlayerRow, player), session.get_one(CorrespondenceRow, row), waiting)
        for player, row, waiting in rows
    ]


def thread(session: Session, player_id: int) -> list[CorrespondenceRow]:
    """The letters of one player and the answers to them, in the order in which they came and left."""
    return list(session.scalars(
        select(CorrespondenceRow).where(CorrespondenceRow.player_id == player_id)
        .order_by(CorrespondenceRow.id)))


def _settle(table: ActTable, player_id: int) -> None:
    table.session.execute(
        update(CorrespondenceRow)
        .where(CorrespondenceRow.player_id == player_id, CorrespondenceRow.done_at.is_(None))
        .values(done_at=table.now, done_by=table.by))


def _message_ids(mail: MailRow) -> tuple[str, ...]:
    message_id = mail.verdict_fields.get("message_id")
    return (str(message_id),) if message_id else ()


def _bare_subject(subject: str, game: str) -> str:
    """The subject without "Re:" and without the game's name at its beginning, which the letter's own has."""
    bare = drop_prefixes(clean_line(subject))
    while game and bare.casefold().startswith(game.casefold()):
        bare = drop_prefixes(bare[len(game):].lstrip(" -,:;"))
    return bare


def _printable(words: str) -> str:
    """Free words without control characters and blanks at line ends."""
    lines = ("".join(char if char.isprintable() else " " for char in line).rstrip()
             for line in words.splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


# The kinds of these letters
# --------------------------------------------------------------------------------------------------


def _acknowledgement_sample(seat: Previews) -> Sample[AcknowledgementFacts]:
    player = seat.session.get_one(SeatRow, (seat.game.id, seat.power)).player_id
    seats = () if player is None else seats_on_file(
        seat.session, seat.letters, seat.session.get_one(PlayerRow, player), seat.game)
    mail = AnsweredMail("preview", seat.letters.clock.now(), "Three more days, please?")
    own_seats = tuple(each for each in seats if each.power == seat.name)
    facts = AcknowledgementFacts(mail, own_seats)
    return Sample(facts, "As if this player had sent a letter.")


def _answer_sample(seat: Previews) -> Sample[AnswerFacts]:
    mail = AnsweredMail("preview", seat.letters.clock.now(), "Three more days, please?")
    facts = AnswerFacts(mail, "(your words)", mail.subject)
    return Sample(facts, "Your text is left out.")


ACKNOWLEDGEMENT = LetterKind(
    "acknowledgement", AcknowledgementFacts, "Thanks for a letter without a sheet",
    Occasion("the sender", "a player sends you a letter without a sheet", _acknowledgement_sample),
    is_counted=True, folder="features/correspondence")
"""Says at once that a letter reached the coordinator, and that it was not read as orders (BOX-10)."""

ANSWER = LetterKind(
    "answer", AnswerFacts, "Your answer to a letter",
    Occasion("the player", "you answer a letter of a player", _answer_sample),
    folder="features/correspondence")
"""The coordinator's own words to one player (BOX-10)."""
