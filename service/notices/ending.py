"""The letters that mention the end of a game, and what they are written from (BEY-03)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from adjudicator.outcome import Resolution
from adjudicator.serialize import codec
from maps.variant import Variant
from service import pictures
from service.feature import end_page
from service.games.ending import EndKind, GameEnd
from service.games.options import options_of
from service.games.phases import (
    JudgedPhase,
    centres_by_year,
    game_years,
    names_of_years,
    phase_of,
    position_of,
    resolution_of,
)
from service.games.rulings import as_played
from service.letters import render
from service.letters.facts import GameOverFacts
from service.letters.kinds import LetterKind, Occasion, Sample
from service.letters.statistics import statistics_of
from service.mail.sending.compose import Addressee, Attachment, OutLetter
from service.notices.letter_context import LetterContext
from service.notices.previews import Previews
from service.store import records
from service.store.tables import GameRow, PhaseRow, PhaseState, PlayerRow


@dataclass(frozen=True, slots=True)
class Farewell:
    """The writer of letters that mention the end."""

    letters: LetterContext

    def all(
        self, session: Session, game: GameRow, end: GameEnd, last: PhaseRow, resolution: Resolution, *,
        drawing: bool = True,
    ) -> list[OutLetter]:
        """One letter for each address of each player. `last` is the phase whose results came last, with its
        resolution. Without `drawing` their file is only named."""
        variant, info = self.letters.load(game.variant), self.letters.game_info(game)
        facts = game_over_facts(session, game, variant, end, last, resolution, self.letters.sender.base_url)
        sheet = pictures.game_over_pdf(info, facts, variant) if drawing else b""
        attached = [Attachment(f"{game.id}-the-end.pdf", "application/pdf", sheet)]
        return [
            render.letter(GAME_OVER, info,
                          self.letters.recipient(session, address, variant.powers[power].name), facts,
                          phase=phase_of(last), attached=attached)
            for power, addresses in sorted(records.addresses(session, game.id).items())
            for address in addresses]


def game_over_facts(
    session: Session, game: GameRow, variant: Variant, end: GameEnd | None, last: PhaseRow,
    resolution: Resolution, base_url: str = ""
) -> GameOverFacts:
    """What the letter and its page say; `end` is None where no one declared one."""
    phases = judged_phases(session, game, last, resolution)
    years = game_years(variant, phases, over=True)
    chart = centres_by_year(variant, years)
    names = {power.id: power.name for power in variant.powers.values()}
    ranked = sorted(chart.items(), key=lambda item: (-item[1][-1], list(names).index(item[0])))
    base, page = base_url.rstrip("/"), end_page(game.id)
    return GameOverFacts(
        "" if end is None else end.kind.value,
        () if end is None else tuple(names[power] for power in end.powers),
        "" if end is None else end.why,
        tuple((names[power], counts[0], counts[-1]) for power, counts in ranked),
        players_of(session, game, variant), statistics_of(variant, phases), names_of_years(years), chart,
        f"{base}{page}" if base and page else "",
        # A draw is declared with a reason, or the rules make it so, or else it was asked for on paper.
        end is not None and end.kind is EndKind.DRAW and not end.why
        and not as_played(variant, options_of(game)).rules.draw_ends_game(),
        variant.has_adjustments)


def judged_phases(
    session: Session, game: GameRow, last: PhaseRow, resolution: Resolution
) -> list[JudgedPhase]:
    """All phases of a game up to its last, whole: it is over, and nothing is hidden any more."""
    judged = [JudgedPhase(row.ordinal, phase_of(row), codec.load_position(row.position),
                          codec.load_resolution(row.resolution))
              for row in records.phases(session, game.id)
              if row.ordinal < last.ordinal and row.resolution is not None and row.position is not None]
    return [*judged, JudgedPhase(last.ordinal, phase_of(last), position_of(last),
                                 resolution)]


def players_of(
    session: Session, game: GameRow, variant: Variant
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Who plays at the end, by name, each with their powers."""
    powers: defaultdict[int, list[str]] = defaultdict(list)
    for power, player in sorted(records.seats(session, game.id).items()):
        if player is not None:
            powers[player].append(variant.powers[power].name)
    named: Sequence[tuple[str, tuple[str, ...]]] = [
        (session.get_one(PlayerRow, player).name, tuple(held)) for player, held in powers.items()]
    return tuple(sorted(named))


# The kinds of these letters
# --------------------------------------------------------------------------------------------------


def _game_over_sample(seat: Previews) -> Sample[GameOverFacts]:
    end = GameEnd(EndKind.DRAW, (seat.power, seat.other), "(your reason)")
    rows = [row for row in records.phases(seat.session, seat.game.id)
            if row.resolution is not None and row.state == PhaseState.SENT]
    if rows:
        last = rows[-1]
        facts = game_over_facts(
            seat.session, seat.game, seat.variant, end, last,
            resolution_of(last), seat.letters.sender.base_url)
    else:
        last, facts = seat.phase(), _over_at_once(seat, end)
    return Sample(facts, "As if the game ended today in a draw; a printed sheet with the same text is "
                         "attached.",
        phase_of(last))


def _over_at_once(seat: Previews, end: GameEnd) -> GameOverFacts:
    """The end of a game of which nothing is judged yet."""
    names = {power.id: power.name for power in seat.variant.powers.values()}
    start = {power: len(seat.variant.start.centres.get(power, ())) for power in names}
    return GameOverFacts(
        end.kind.value, tuple(names[power] for power in end.powers), end.why,
        tuple((names[power], number, number) for power, number in start.items()),
        players_of(seat.session, seat.game, seat.variant), statistics_of(seat.variant, ()),
        (str(seat.phase().year),), {power: (number, number) for power, number in start.items()},
        has_centres=seat.variant.has_adjustments)


GAME_OVER = LetterKind(
    "game_over", GameOverFacts, "The end of the game",
    Occasion("all players", "the game is won, or you declare a draw or a concession", _game_over_sample),
    addressee=Addressee.SEAT)
"""How the game ended, with standings, what was counted, and thanks to all by name (BEY-03)."""
