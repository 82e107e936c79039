"""What everybody in a game is told of its table (BEY-04): days on which a player is away, a pause, another
player for a power, a draw that all have agreed on. Powers are named, and nobody's address."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from maps.variant import Variant
from service.facts.events import Event
from service.games.phases import phase_of
from service.letters import render
from service.letters.facts import AnnouncementFacts, Closing
from service.letters.language import Sentence, powers_in_row
from service.notices.letter_context import LetterContext
from service.store import records
from service.store.tables import AbsenceRow, GameRow, SeatRow

MOST_DAYS = 120
"""Days of one absence at most."""
MOST_AHEAD = 6
"""Absences of one player in one game that are not over."""


class AnnouncementRefused(Exception):
    """Nothing was announced; the sentence says why."""


def announce(session: Session, letters: LetterContext, game: GameRow, facts: AnnouncementFacts) -> int:
    """Put one letter for each address of a game's players; how many are new."""
    info, powers = letters.game_info(game), letters.load(game.variant).powers
    return sum(
        letters.put(session, render.announcement(
            info, letters.recipient(session, address, powers[power].name), facts))
        for power, addresses in records.addresses(session, game.id).items() for address in addresses)


def closing_of(session: Session, game_id: str) -> Closing | None:
    """The phase that is open, for the end of an announcement: nothing of it changes by itself."""
    phase = records.open_phase(session, game_id)
    return None if phase is None else Closing(phase_of(phase), phase.deadline)


def absence_facts(
    key: str, variant: Variant, powers: Sequence[str], first: date, last: date, *,
    closing: Closing | None = None,
) -> AnnouncementFacts:
    """What is told of an absence: days and powers (keys of the variant's), and no reason."""
    return AnnouncementFacts(
        key, Sentence("%(power)s is away", power=_subject(variant, powers)),
        (Sentence("The player of %(power)s is away from %(first)s to %(last)s, both days included, and may "
                  "not answer letters.", power=_owner(variant, powers), first=first, last=last),
         Sentence("Deadlines stay as they are. The coordinator may move them, and would write to all.")),
        closing)


def add_absence(
    session: Session, letters: LetterContext, game: GameRow, player_id: int, first: date, last: date, *,
    by: str, now: datetime,
) -> int:
    """Note the days on which a player is away, and tell everybody in the game; the number of letters, 0 for
    days that were told before. Raises AnnouncementRefused."""
    if not now.date() <= last or first > last or last - first > timedelta(days=MOST_DAYS):
        raise AnnouncementRefused(Sentence(
            "Nothing was changed: the last day is today or later, not before the first, and at most %(most)s "
            "days after it.", most=MOST_DAYS))
    # The same form sent twice writes to nobody twice.
    if session.scalar(select(AbsenceRow.id).where(
            AbsenceRow.game_id == game.id, AbsenceRow.player_id == player_id, AbsenceRow.ended_at.is_(None),
            AbsenceRow.first == first, AbsenceRow.last == last).limit(1)) is not None:
        return 0
    ahead = session.scalar(select(func.count()).select_from(AbsenceRow).where(
        AbsenceRow.game_id == game.id, AbsenceRow.player_id == player_id, AbsenceRow.ended_at.is_(None),
        AbsenceRow.last >= now.date())) or 0
    if ahead >= MOST_AHEAD:
        raise AnnouncementRefused(Sentence(
            "Nothing was changed: %(number)s absences are announced already. Take one back first.",
            number=MOST_AHEAD))
    row = AbsenceRow(game_id=game.id, player_id=player_id, first=first, last=last, made_at=now, made_by=by)
    session.add(row)
    session.flush()
    variant, powers = letters.load(game.variant), _powers(session, game, player_id)
    count = announce(session, letters, game, absence_facts(
        f"absence-{row.id}", variant, powers, first, last, closing=closing_of(session, game.id)))
    records.log_event(session, now, Event.ABSENCE_ANNOUNCED, game_id=game.id, actor=by, detail={
        "power": ", ".join(_names(variant, powers)), "first": first.isoformat(), "last": last.isoformat(),
        "letters": count})
    return count


def end_absence(
    session: Session, letters: LetterContext, game: GameRow, row_id: int, player_id: int | None, *, by: str,
    now: datetime,
) -> int:
    """Take an absence back and tell everybody. `player_id`: whose it must be, None for anybody's. Raises
    AnnouncementRefused."""
    own = () if player_id is None else (AbsenceRow.player_id == player_id,)
    if not records.claim(session, AbsenceRow, AbsenceRow.id == row_id, AbsenceRow.game_id == game.id,
                         AbsenceRow.ended_at.is_(None), *own, ended_at=now):
        raise AnnouncementRefused(Sentence("Nothing was changed: this absence is not on the list."))
    row = session.get_one(AbsenceRow, row_id)
    variant, powers = letters.load(game.variant), _powers(session, game, row.player_id)
    facts = AnnouncementFacts(
        f"absence-{row_id}-ended", Sentence("%(power)s is not away", power=_subject(variant, powers)),
        (Sentence("The player of %(power)s is not away from %(first)s to %(last)s after all.",
                  power=_owner(variant, powers), first=row.first, last=row.last),),
        closing_of(session, game.id))
    count = announce(session, letters, game, facts)
    records.log_event(session, now, Event.ABSENCE_ENDED, game_id=game.id, actor=by, detail={
        "power": ", ".join(_names(variant, powers))})
    return count


def absences(session: Session, game_id: str, today: date) -> list[AbsenceRow]:
    """The absences of a game that are not over, the nearest first."""
    return list(session.scalars(select(AbsenceRow).where(
        AbsenceRow.game_id == game_id, AbsenceRow.ended_at.is_(None), AbsenceRow.last >= today)
        .order_by(AbsenceRow.first, AbsenceRow.id)))


def tell_of_new_player(
    session: Session, letters: LetterContext, game: GameRow, power: str, key: str, *, is_empty: bool
) -> int:
    """Tell everybody that a power has another player, or none; the number of letters."""
    variant = letters.load(game.variant)
    news = (Sentence("Nobody commands %(power)s for now; its units have no orders.",
                     power=_owner(variant, [power])) if is_empty
            else Sentence("%(power)s has another player from now on. What was sent in for it still counts.",
                          power=_subject(variant, [power])))
    where = Sentence("Names and postal addresses of all players are on the page of the game's players, "
                     "behind your own link.")
    return announce(session, letters, game, AnnouncementFacts(
        f"seat-{power}-{key}", Sentence("%(power)s changes hands", power=_subject(variant, [power])),
        (news,) if is_empty else (news, where), closing_of(session, game.id)))


def tell_of_pause(
    session: Session, letters: LetterContext, game: GameRow, days: int, until: datetime, why: str, key: str
) -> int:
    """Tell everybody that a game pauses: every deadline ahead is later by so many days."""
    return announce(session, letters, game, AnnouncementFacts(
        f"pause-{key}", Sentence("The game pauses"),
        (Sentence("The game pauses for %(days)s days: every deadline ahead is later by as much, and the next "
                  "one is %(until)s.", days=days, until=until),
         Sentence("Reason: %(why)s", why=why),
         Sentence("What you sent still counts. Calendars that you subscribed to show it.")),
        closing_of(session, game.id)))


def tell_of_draw(session: Session, letters: LetterContext, game: GameRow, powers: list[str], key: str) -> int:
    """Tell everybody that the game ends in a draw that all survivors asked for."""
    return announce(session, letters, game, AnnouncementFacts(
        f"draw-{key}", Sentence("The game ends in a draw"),
        (Sentence("All survivors asked for the draw on their sheets of one season: %(powers)s.",
                  powers=powers_in_row(powers, letters.load(game.variant).articled)),
         Sentence("With the results of this season, which follow, the game is over. Thank you all."))))


def _powers(session: Session, game: GameRow, player_id: int) -> list[str]:
    return list(session.scalars(select(SeatRow.power).where(
        SeatRow.game_id == game.id, SeatRow.player_id == player_id).order_by(SeatRow.power)))


def _names(variant: Variant, powers: Sequence[str]) -> list[str]:
    return [variant.powers[power].name for power in powers]


def _owner(variant: Variant, powers: Sequence[str]) -> str:
    """Powers after "of": "the Crown and Argyll"."""
    return powers_in_row(_names(variant, powers), variant.articled)


def _subject(variant: Variant, powers: Sequence[str]) -> str:
    """Powers as the first words of a sentence: "The Crown and Argyll"."""
    return powers_in_row(_names(variant, powers), variant.articled, starts=True)
