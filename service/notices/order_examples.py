"""One order of each kind, in a game's own words, for a welcome: as a list, and written on a sheet
(LET-08)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adjudicator.calendar import Phase, PhaseKind
from grammar.fragments.languages import LANGUAGES
from maps.variant import Variant
from reading.completions import written, written_in
from reading.vocabulary import parse_typed
from service import pictures
from service.facts.options import GameOptions
from service.games.results import order_text
from service.games.rulings import as_written
from service.letters.language import N_, Sentence, phase_words
from service.mail.sending.compose import Attachment

FILLED_SHEET = "filled-sheet.png"
_TITLES = {"german": N_("German"), "french": N_("French")}
"""What letters call a language of order words, as the catalogues know it."""


@dataclass(frozen=True, slots=True)
class OrderLanguage:
    """A language whose order words a game takes. `title`: what people call it. `examples`: orders in its
    words."""

    title: str
    examples: tuple[str, ...]


def order_examples(variant: Variant, kind: PhaseKind) -> tuple[str, ...]:
    """An order of each kind that a phase takes, in full words. The places are the board's first names by the
    alphabet that are short, so that an example tells nothing of the position."""
    power = next(iter(variant.powers))
    orders = [
        order for text, _ in written(variant, kind)
        for order in parse_typed(variant, kind, power, text).orders[:1]
    ]
    return tuple(dict.fromkeys(order_text(variant, order) for order in orders))


def order_languages(variant: Variant, options: GameOptions) -> tuple[OrderLanguage, ...]:
    """The languages whose order words a game with these options takes beside the English ones, each with
    examples (WRD-07)."""
    return tuple(
        OrderLanguage(Sentence(_TITLES.get(name, LANGUAGES[name].title)), written_in(variant, name))
        for name in as_written(variant, options).languages
    )


def filled_sheet(
    variant: Variant, game: str, phase: Phase, power: str, orders: Sequence[str], domain: str,
    *, drawing: bool = True,
) -> Attachment:
    """A picture of a sheet with these orders on it, which the welcome shows; without `drawing` only its name.
    `domain` is the site's own, for the Content-ID."""
    heading = (variant.powers[power].name, game, phase_words(phase))
    data = pictures.filled_sheet_picture(heading, orders) if drawing else b""
    return Attachment(FILLED_SHEET, "image/png", data, f"filled-sheet@{domain}")
