"""The end of a game as a printed sheet (BEY-03)."""

from __future__ import annotations

from markupsafe import Markup

from maps.variant import Variant
from service.letters.facts import GameInfo, GameOverFacts
from service.letters.language import ENGLISH
from service.letters.render import end_words, environment
from service.pictures.drawing.render import to_pdf
from service.pictures.history.centre_chart import CHART, centre_chart


def game_over_pdf(game: GameInfo, facts: GameOverFacts, variant: Variant) -> bytes:
    """The end of a game as a printed sheet: how it ended, standings, chart, counts and thanks."""
    template = environment("pictures", markup=True).get_template("game_over.html")
    chart = centre_chart(variant, facts.years, facts.chart, ENGLISH)
    heading = f"The end of {game.name}"
    html = template.render(game=game, facts=facts, heading=heading, caption=CHART,
                           end=end_words(game, facts), chart=Markup(chart))  # noqa: S704 - our own drawing
    return to_pdf(html, title=heading)
