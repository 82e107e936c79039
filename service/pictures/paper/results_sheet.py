"""The written results as a printed sheet of the time (OUT-13), and a correction of them: the words of the
letter, and no other."""

from __future__ import annotations

import re

from markupsafe import Markup

from service.letters.facts import CorrectionFacts, GameInfo, ResultsFacts
from service.letters.render import environment, instant_words, results_html_parts
from service.pictures.drawing.own_mark import marked_page
from service.pictures.drawing.render import to_pdf, to_pngs

PNG_WIDTH = 1240
"""Pixels across an A4 page: 150 to the inch."""

COLOURS = 48
"""Enough for the edges of ink on paper."""

_HEADING = re.compile(r"(?=<h2)")
_APOSTROPHE = re.compile(r"(?<=\w)(?:'|&#39;)(?=\w)(?![^<>]*>)")
"""One inside a word, and none inside a tag."""


def results_html(game: GameInfo, heading: str, facts: ResultsFacts, changes: str = "") -> str:
    """The sheet as HTML for A4; `heading` such as "Autumn 1644, draft results before retreats". `changes` is
    the small map of what changed hands, as SVG, or ""."""
    template = environment("pictures", markup=True).get_template("results.html")
    parts = {name: _as_printed(part) for name, part in results_html_parts(game, facts).items()}
    return template.render(game=game, heading=heading, facts=facts, parts=parts,
                           changes=Markup(changes))  # noqa: S704 - our own drawing


def _as_printed(part: Markup) -> Markup:
    """A part with each list in one piece with its heading, so that no column begins with a list whose heading
    is elsewhere; apostrophes as printers set them."""
    pieces = _HEADING.split(str(part))
    sections = [f"<section>{piece}</section>" if piece.startswith("<h2") else piece for piece in pieces]
    return Markup(_APOSTROPHE.sub("’", "".join(sections)))  # noqa: S704 - the letter's own HTML


def results_pdf(game: GameInfo, heading: str, facts: ResultsFacts, changes: str = "") -> bytes:
    """The sheet as PDF."""
    return to_pdf(results_html(game, heading, facts, changes), title=heading)


def results_pictures(
    game: GameInfo, heading: str, facts: ResultsFacts, width: int = PNG_WIDTH, changes: str = ""
) -> list[bytes]:
    """The sheet as PNG pages, `width` pixels across."""
    # The colours of powers come on top of those of ink and paper.
    colours = 2 * COLOURS if changes else COLOURS
    return to_pngs(results_pdf(game, heading, facts, changes), width, colours, marked_page)


def correction_html(game: GameInfo, heading: str, facts: CorrectionFacts) -> str:
    """A correction as HTML for A4; `heading` such as "Autumn 1644 Movement: correction"."""
    template = environment("pictures", markup=True).get_template("correction.html")
    return template.render(game=game, heading=heading, facts=facts, when=instant_words)


def correction_pictures(
    game: GameInfo, heading: str, facts: CorrectionFacts, width: int = PNG_WIDTH
) -> list[bytes]:
    """A correction as PNG pages, `width` pixels across (section 5 of the mail plan: it brings a new
    picture)."""
    return to_pngs(to_pdf(correction_html(game, heading, facts), title=heading), width, COLOURS, marked_page)
