"""The gazette as a printed sheet of the time (BEY-02)."""

from __future__ import annotations

from markupsafe import Markup

from maps.variant import Variant
from service.features.gazette.values import Gazette
from service.letters.render import environment
from service.pictures.drawing.render import to_pdf
from service.pictures.history.centre_chart import centre_chart


def gazette_html(gazette: Gazette, variant: Variant) -> str:
    """The sheet as HTML for A4."""
    template = environment("pictures", markup=True).get_template("gazette/sheet.html")
    facts, words = gazette.facts, gazette.words
    chart = centre_chart(variant, facts.years, facts.chart, gazette.code)
    return template.render(gazette=gazette, words=words, facts=facts,
                           heading=f"{gazette.title}, {facts.game}, {gazette.number}",
                           chart=Markup(chart))  # noqa: S704 - our own drawing


def gazette_pdf(gazette: Gazette, variant: Variant) -> bytes:
    """The sheet as PDF."""
    return to_pdf(gazette_html(gazette, variant),
                  title=f"{gazette.title}, {gazette.facts.game}, {gazette.number}")
