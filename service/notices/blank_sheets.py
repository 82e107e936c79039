"""Blank order sheets with the heading filled in: letters attach them, the coordinator prints them
(POST-07)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from adjudicator.calendar import Phase
from adjudicator.position import Position
from maps.variant import Variant
from service import pictures
from service.letters.language import phase_words
from service.mail.sending.compose import Attachment
from service.pictures import BlankSheet


def blanks(
    variant: Variant, game: str, phase: Phase, position: Position | None, powers: Sequence[str]
) -> list[BlankSheet]:
    """Blank sheets of a phase for some powers, with a row for each unit."""
    units = () if position is None else position.units
    return [
        BlankSheet(
            variant.powers[power].name, game, phase_words(phase), sum(u.power == power for u in units)
        )
        for power in powers
    ]


def blank_sheet(variant: Variant, game: str, phase: Phase, power: str, *, drawing: bool = True) -> Attachment:
    """One power's blank sheet for a phase as a PDF; without `drawing` only its name."""
    name = f"blank-{power}-{phase.season}-{phase.year}-{phase.kind.value}.pdf".lower().replace(" ", "-")
    pdf = _pdf(*blanks(variant, game, phase, None, (power,))) if drawing else b""
    return Attachment(name, "application/pdf", pdf)


# A player who sends one bad photograph after the other gets the same sheet each time: it is drawn once.
@lru_cache(maxsize=128)
def _pdf(blank: BlankSheet) -> bytes:
    """A sheet as PDF, about 6 kB."""
    return pictures.sheets_pdf([blank])
