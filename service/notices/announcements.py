"""Announcements to all players of a game (BEY-04): days on which a player is away, a pause, another
player for a power, a draw that all have agreed on. Powers are named, and no one's address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import ClassVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from adjudicator.calendar import Phase
from maps.variant import Variant
from service.facts.events import Event
from service.games.acts.act import Act, ActTable, LoggedEvent
from service.games.acts.seats import holder_of
from service.games.options import options_of
from service.games.phases import phase_of
from service.games.refused import Refused
from service.games.taken_back import Difference
from service.letters import render
from service.letters.facts import Closing, KeyedFacts, proof_file
from service.letters.kinds import LetterKind, Occasion, Sample
from service.letters.language import N_, Sentence, at_start, powers_in_row
from service.mail.sending.compose import Addressee, Attachment, Rank
from service.notices.letter_context import LetterContext
from service.notices.previews import Previews
from service.record.references import RecordReference
from service.store import records
from service.store.tables import AbsenceRow, GameRow, PhaseRow, SeatRow

MOST_DAYS = 120
"""Days of one absence at most."""
MOST_AHEAD = 6
"""Absences of one player in one game that are not over."""


@dataclass(frozen=True, slots=True)
class AnnouncementFacts(KeyedFacts):
    """Announcements to all players of a game: an absence, a pause, another player, an agreed draw.
    `about`: the title, in a few words; `key` names it for ever. Of another coordinator, `record` is the end
    of the game's record at that moment, and `file` has it in full: with it anybody can check later that
    nothing before it was changed."""

    about: str
    sentences: tuple[str, ...]
    closing: Closing | None = None
    record: RecordReference | None = None
    file: bytes = b""

    @property
    def proof(self) -> Attachment | None:
        """See `LetterFacts`."""
        return proof_file(self.file)


def announce(session: Session, letters: LetterContext, game: GameRow, facts: AnnouncementFacts) -> int:
    """Put one letter for each address of a game's players; how many are new."""
    info, powers = letters.game_info(game), letters.load(game.variant).powers
    return sum(
        letters.put(session, render.letter(
            ANNOUNCEMENT, info, letters.recipient(session, address, powers[power].name), facts))
        for power, addresses in records.addresses(session, game.id).items() for address in addresses)


def closing_of(session: Session, game_id: str) -> Closing | None:
    """The phase that is open, for the end of an announcement: nothing of it changes by itself."""
    phase = records.open_phase(session, game_id)
    return None if phase is None else Closing(phase_of(phase), phase.deadline)


def new_coordinator_facts(
    key: str, game: str, names: tuple[str, str], at: datetime, record: RecordReference, file: bytes,
    closing: Closing | None,
) -> AnnouncementFacts:
    """The announcement of another coordinator. `names`: until now, and from `at` on."""
    before, after = names
    return AnnouncementFacts(
        f"coordinator-{key}", Sentence("New coordinator"),
        (Sentence("%(game)s has a new coordinator: %(name)s, from %(instant)s.", game=game, name=after,
                  instant=at),
         Sentence("Until now: %(name)s", name=before),
         Sentence("Deadlines stay as they are. What you sent still counts, and orders go to the same "
                  "address.")),
        closing, record, file)


def absence_facts(
    key: str, variant: Variant, powers: Sequence[str], first: date, last: date, *,
    closing: Closing | None = None,
) -> AnnouncementFacts:
    """The announcement of an absence: days and powers (keys of the variant's), and no reason."""
    return AnnouncementFacts(
        key, Sentence("%(power)s is away", power=_subject(variant, powers)),
        (Sentence("The player of %(power)s is away from %(first)s to %(last)s, both days included, and may "
                  "not answer letters.", power=_owner(variant, powers), first=first, last=last),
         Sentence("Deadlines stay as they are. The coordinator may move them, and would write to all.")),
        closing)


@dataclass(frozen=True, slots=True)
class NoteAbsence(Act[AbsenceRow | None]):
    """Notes the days on which a player is away, and informs everybody in the game. The outcome is None for
    days that were announced before.

    `of`: the player's id, or the power that they hold. `first` and `last` as typed: 2027-03-14.
    """

    letters_first: ClassVar[bool] = True
    game: str
    of: int | str
    first: str
    last: str

    def check(self, table: ActTable) -> None:
        """Refuse an empty seat, days that are none or over, and one absence too many."""
        player, (first, last) = self._player(table), self._days()
        table.must_write()
        if not table.now.date() <= last or first > last or last - first > timedelta(days=MOST_DAYS):
            raise Refused(Sentence(
                "Nothing was changed: the last day is today or later, not before the first, and at most "
                "%(most)s days after it.", most=MOST_DAYS))
        ahead = absences_of(table.session, self.game, player, table.now.date())
        if len(ahead) >= MOST_AHEAD and not _noted(ahead, first, last):
            raise Refused(Sentence(
                "Nothing was changed: %(number)s absences are announced already. Take back one of them "
                "first.",
                number=MOST_AHEAD))

    def change(self, table: ActTable) -> AbsenceRow | None:
        """Note them."""
        player, (first, last) = self._player(table), self._days()
        # The same form sent twice writes to no one twice.
        if _noted(absences_of(table.session, self.game, player, table.now.date()), first, last):
            return None
        row = AbsenceRow(game_id=self.game, player_id=player, first=first, last=last, made_at=table.now,
                         made_by=table.by)
        table.session.add(row)
        return row

    def event(self, table: ActTable, outcome: AbsenceRow | None, letters: int) -> LoggedEvent | None:
        """The powers, the days and the number of letters."""
        if outcome is None:
            return None
        return LoggedEvent(Event.ABSENCE_ANNOUNCED, self.game, {
            "power": _powers_away(table, outcome), "first": outcome.first.isoformat(),
            "last": outcome.last.isoformat(), "letters": letters})

    def letters(self, table: ActTable, outcome: AbsenceRow | None) -> int:
        """One to each player."""
        return 0 if outcome is None else table.must_write().absent(table.session, outcome)

    def _player(self, table: ActTable) -> int:
        return self.of if isinstance(self.of, int) else holder_of(table, self.game, self.of)

    def _days(self) -> tuple[date, date]:
        try:
            return date.fromisoformat(self.first), date.fromisoformat(self.last)
        except ValueError as fault:
            raise Refused(N_("Nothing was changed: days are written like 2027-03-14.")) from fault


@dataclass(frozen=True, slots=True)
class EndAbsence(Act[AbsenceRow]):
    """Takes an absence back and informs everybody. `player`: whose it must be, None for anybody's."""

    letters_first: ClassVar[bool] = True
    game: str
    absence: int
    player: int | None = None

    def check(self, table: ActTable) -> None:
        """Refuse where the players cannot be informed."""
        table.must_write()

    def change(self, table: ActTable) -> AbsenceRow:
        """Refuse an absence that is not on the list."""
        of_player = () if self.player is None else (AbsenceRow.player_id == self.player,)
        if not records.claim(
            table.session, AbsenceRow, AbsenceRow.id == self.absence, AbsenceRow.game_id == self.game,
            AbsenceRow.ended_at.is_(None), *of_player, ended_at=table.now,
        ):
            raise Refused(N_("Nothing was changed: this absence is not on the list."))
        return table.session.get_one(AbsenceRow, self.absence)

    def event(self, table: ActTable, outcome: AbsenceRow, letters: int) -> LoggedEvent:
        """The powers."""
        return LoggedEvent(Event.ABSENCE_ENDED, self.game, {"power": _powers_away(table, outcome)})

    def letters(self, table: ActTable, outcome: AbsenceRow) -> int:
        """One to each player."""
        return table.must_write().absent(table.session, outcome)


def tell_of_absence(session: Session, letters: LetterContext, row: AbsenceRow) -> int:
    """Inform everybody of an absence, or that it was taken back."""
    game = session.get_one(GameRow, row.game_id)
    variant, powers = letters.load(game.variant), _powers(session, game.id, row.player_id)
    closing = closing_of(session, game.id)
    if row.ended_at is None:
        return announce(session, letters, game, absence_facts(
            f"absence-{row.id}", variant, powers, row.first, row.last, closing=closing))
    return announce(session, letters, game, AnnouncementFacts(
        f"absence-{row.id}-ended", Sentence("%(power)s is not away", power=_subject(variant, powers)),
        (Sentence("The player of %(power)s is not away from %(first)s to %(last)s after all.",
                  power=_owner(variant, powers), first=row.first, last=row.last),), closing))


def absences_of(session: Session, game_id: str, player_id: int, today: date) -> list[AbsenceRow]:
    """The absences of a player in a game that are not over, the nearest first."""
    return [row for row in absences(session, game_id, today) if row.player_id == player_id]


def _noted(rows: Sequence[AbsenceRow], first: date, last: date) -> bool:
    return any((row.first, row.last) == (first, last) for row in rows)


def _powers_away(table: ActTable, row: AbsenceRow) -> str:
    variant = table.load(table.game(row.game_id).variant)
    return ", ".join(_names(variant, _powers(table.session, row.game_id, row.player_id)))


def absences(session: Session, game_id: str, today: date) -> list[AbsenceRow]:
    """The absences of a game that are not over, the nearest first."""
    return list(session.scalars(select(AbsenceRow).where(
        AbsenceRow.game_id == game_id, AbsenceRow.ended_at.is_(None), AbsenceRow.last >= today)
        .order_by(AbsenceRow.first, AbsenceRow.id)))


def tell_of_new_player(
    session: Session, letters: LetterContext, game: GameRow, power: str, key: str, *, is_empty: bool
) -> int:
    """Inform everybody that a power has another player, or none; the number of letters."""
    variant = letters.load(game.variant)
    news = (Sentence("%(power)s has no player for now; its units get no orders.",
                     power=_owner(variant, [power])) if is_empty
            else Sentence("%(power)s has another player from now on. Sheets already sent for it still count.",
                          power=_subject(variant, [power])))
    where = Sentence("Names and postal addresses of all players are on the page of the game's players, "
                     "behind your own link.")
    return announce(session, letters, game, AnnouncementFacts(
        f"seat-{power}-{key}", Sentence("%(power)s changes hands", power=_subject(variant, [power])),
        (news,) if is_empty else (news, where), closing_of(session, game.id)))


def tell_of_pause(
    session: Session, letters: LetterContext, game: GameRow, days: int, until: datetime, why: str, key: str
) -> int:
    """Inform everybody that a game pauses: every deadline ahead is later by so many days."""
    return announce(session, letters, game, AnnouncementFacts(
        f"pause-{key}", Sentence("The game pauses"),
        (Sentence("The game pauses for %(days)s days: every deadline ahead moves by as many days, and the "
                  "next one is %(until)s.", days=days, until=until),
         Sentence("Reason: %(why)s", why=why),
         Sentence("What you sent still counts. Calendars that you subscribed to show it.")),
        closing_of(session, game.id)))


def tell_of_holiday(
    session: Session, letters: LetterContext, game: GameRow, phase: PhaseRow, first: date, last: date
) -> int:
    """Inform everybody that the coordinator is away: deadlines from that of `phase` on are later by as
    much."""
    return announce(session, letters, game, AnnouncementFacts(
        f"away-{first.isoformat()}-{last.isoformat()}", Sentence("The coordinator is away"),
        (Sentence("The coordinator is away from %(first)s to %(last)s, both days included, and reads no "
                  "sheets on these days.", first=first, last=last),
         Sentence("So that you lose no time, %(phase)s closes %(until)s, and each later deadline moves by "
                  "as many days.", phase=phase_of(phase), until=phase.deadline),
         Sentence("Mail is received and answered as always. What you sent still counts. Calendars that you "
                  "subscribed to show the new dates.")),
        closing_of(session, game.id)))


def tell_of_results_taken_back(
    session: Session, letters: LetterContext, phase: PhaseRow, later: Sequence[Phase], why: str, times: int
) -> int:
    """Inform everybody that results are taken back, to be judged and sent again (PHA-04)."""
    game = session.get_one(GameRow, phase.game_id)
    return announce(session, letters, game, AnnouncementFacts(
        f"taken-back-{phase.ordinal}-{times}", Sentence("Results taken back"),
        (Sentence("The results of %(phase)s are taken back. They are judged again, and you get them again, "
                  "with the differences marked.", phase=phase_of(phase)),
         *(Sentence("So are the results of %(phase)s, which came after them.", phase=each) for each in later),
         Sentence("Reason: %(why)s", why=why),
         Sentence("Until then no later phase takes orders; the new results name its deadline."),
         *_what_was_sent(game))))


def tell_of_corrected_board(
    session: Session, letters: LetterContext, game: GameRow, phase: PhaseRow, changes: Sequence[Difference],
    why: str, key: str,
) -> int:
    """Inform everybody what is different on the board that is in play (PHA-04)."""
    articled = letters.load(game.variant).articled
    return announce(session, letters, game, AnnouncementFacts(
        f"board-{phase.ordinal}-{key}", Sentence("The board is corrected"),
        (Sentence("The board of %(phase)s was wrong, and is corrected:", phase=phase_of(phase)),
         *(Sentence("%(power)s has %(thing)s.", power=at_start(change.power, articled), thing=change.now)
           if change.now else Sentence("%(power)s no longer has %(thing)s.",
                                       power=at_start(change.power, articled), thing=change.before)
           for change in changes),
         Sentence("Reason: %(why)s", why=why),
         Sentence("Please correct your own map."), *_what_was_sent(game)),
        closing_of(session, game.id)))


def _what_was_sent(game: GameRow) -> list[Sentence]:
    """The fate of sheets for a phase whose board changes."""
    counts = Sentence("What you sent is kept and counts.")
    # In some games the first sheet of a phase is the only one.
    return [counts] if options_of(game).first_counts else [
        counts, Sentence("If it no longer fits, send another version.")]


def tell_of_draw(session: Session, letters: LetterContext, game: GameRow, powers: list[str], key: str) -> int:
    """Inform everybody that the game ends in a draw that all survivors asked for."""
    return announce(session, letters, game, AnnouncementFacts(
        f"draw-{key}", Sentence("The game ends in a draw"),
        (Sentence("All survivors asked for the draw on their sheets of one season: %(powers)s.",
                  powers=powers_in_row(powers, letters.load(game.variant).articled)),
         Sentence("With the results of this season, which follow, the game is over. Thank you all."))))


def _powers(session: Session, game_id: str, player_id: int) -> list[str]:
    return list(session.scalars(select(SeatRow.power).where(
        SeatRow.game_id == game_id, SeatRow.player_id == player_id).order_by(SeatRow.power)))


def _names(variant: Variant, powers: Sequence[str]) -> list[str]:
    return [variant.powers[power].name for power in powers]


def _owner(variant: Variant, powers: Sequence[str]) -> str:
    """Powers after "of": "the Crown and Argyll"."""
    return powers_in_row(_names(variant, powers), variant.articled)


def _subject(variant: Variant, powers: Sequence[str]) -> str:
    """Powers as the first words of a sentence: "The Crown and Argyll"."""
    return powers_in_row(_names(variant, powers), variant.articled, starts=True)


# The kinds of these letters
# --------------------------------------------------------------------------------------------------


def _announcement_sample(seat: Previews) -> Sample[AnnouncementFacts]:
    today = seat.letters.clock.now().date()
    # Of another player's absence: who is away needs no letter to know it.
    facts = absence_facts(
        "preview", seat.variant, (seat.other,), today, today + timedelta(days=9),
        closing=seat.closing())
    return Sample(facts, "As if another player were away; name and days are made up.")


ANNOUNCEMENT = LetterKind(
    "announcement", AnnouncementFacts, "Announcement to all players",
    Occasion("all players", "a player or you are away, the game pauses, a power or the game changes hands, "
             "or a draw is agreed", _announcement_sample),
    rank=Rank.URGENT, addressee=Addressee.SEAT, former=("hand_over",))
"""Announces to all players of a game: an absence, a pause, another player or coordinator, a draw
(BEY-04)."""
