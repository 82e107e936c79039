"""The gazette of a game: its phases as far as they are public, and its years (BEY-02)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from sqlalchemy.orm import Session

from adjudicator.outcome import Resolution
from adjudicator.serialize import codec
from maps.variant import Variant
from service import pictures
from service.features.gazette.compose import compose
from service.features.gazette.values import Gazette, YearFacts
from service.features.gazette.years import GazetteGame, year_facts
from service.games.options import options_of
from service.games.phases import JudgedPhase, game_years, phase_of, position_of
from service.letters.language import ENGLISH
from service.letters.render import environment
from service.pictures.drawing.render import to_pdf
from service.store import records
from service.store.tables import GameRow, PhaseRow, PhaseState


def gazette_html(gazette: Gazette, variant: Variant) -> str:
    """The sheet as HTML for A4."""
    template = environment("pictures", markup=True).get_template("gazette/sheet.html")
    facts, words = gazette.facts, gazette.words
    chart = pictures.centre_chart(variant, facts.years, facts.chart, gazette.code)
    return template.render(gazette=gazette, words=words, facts=facts,
                           heading=f"{gazette.title}, {facts.game}, {gazette.number}",
                           chart=Markup(chart))  # noqa: S704 - our own drawing


def gazette_pdf(gazette: Gazette, variant: Variant) -> bytes:
    """The sheet as PDF."""
    return to_pdf(gazette_html(gazette, variant),
                  title=f"{gazette.title}, {gazette.facts.game}, {gazette.number}")


@dataclass(frozen=True, slots=True)
class GazettePart:
    """The gazette's part of letters of results: the number that ends with them."""

    year: YearFacts

    def words(self, code: str) -> Gazette:
        """The number in a language."""
        return compose(self.year, code)

    def pdfs(self, game_id: str, variant: Variant) -> Mapping[str, Callable[[], bytes]]:
        """The number as a printed sheet."""
        return {file_name(game_id, self.year): lambda: gazette_pdf(self.words(ENGLISH), variant)}


def results_part(
    session: Session, phase: PhaseRow, variant: Variant, resolution: Resolution
) -> GazettePart | None:
    """See `service.feature.Feature`."""
    year = year_that_ends(session, phase, variant, resolution)
    return None if year is None else GazettePart(year)


def has_gazette(game: GameRow) -> bool:
    """Whether a game has a gazette."""
    return options_of(game).gazette


def file_name(game_id: str, facts: YearFacts) -> str:
    """The name of a number's file."""
    return f"{game_id}-gazette-{facts.number}.pdf"


def gazette_years(session: Session, game: GameRow, variant: Variant) -> tuple[YearFacts, ...]:
    """Every number so far; of a game that is over, also the last year if it is not whole."""
    rows = records.phases(session, game.id)
    over = all(row.state == PhaseState.SENT for row in rows)
    judged = [_judged(row, variant, row.resolution) for row in rows
              if row.state == PhaseState.SENT and row.resolution is not None and row.position is not None]
    return _facts(game, variant, game_years(variant, judged, over=over))


def year_that_ends(
    session: Session, phase: PhaseRow, variant: Variant, resolution: Resolution
) -> YearFacts | None:
    """The number that goes out with the results of a phase; None if there is none: the game has no gazette,
    or its year does not end here."""
    game = session.get_one(GameRow, phase.game_id)
    ends = (phase.season, phase.kind) == variant.calendar.year_end
    if not has_gazette(game) or not ends or phase.position is None:
        return None
    # What is stored is whole; a letter's own resolution may leave out what its reader may not know, and then
    # players would read different gazettes.
    stored = phase.resolution or codec.dump_resolution(resolution)
    rows = [row for row in records.phases(session, game.id) if row.ordinal < phase.ordinal]
    judged = [_judged(row, variant, row.resolution) for row in rows
              if row.resolution is not None and row.position is not None]
    judged.append(_judged(phase, variant, stored))
    return _facts(game, variant, game_years(variant, judged, over=False))[-1]


def _facts(
    game: GameRow, variant: Variant, numbers: Sequence[Sequence[JudgedPhase]]
) -> tuple[YearFacts, ...]:
    printed = GazetteGame(game.id, game.name, not options_of(game).gazette_without_omens)
    return tuple(year_facts(variant, printed, numbers, number) for number in range(1, len(numbers) + 1))


def _judged(row: PhaseRow, variant: Variant, resolution: dict[str, Any] | None) -> JudgedPhase:
    """A phase as an onlooker may know it: None is a person who commands no power."""
    context = variant.context()
    return JudgedPhase(
        row.ordinal, phase_of(row),
        variant.rules.visible_position(context, position_of(row), None),
        variant.rules.redact_resolution(context, codec.load_resolution(resolution or {}), None))
