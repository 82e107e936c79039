"""Blank order sheets with their heading filled in, as letters attach them and the coordinator prints them
(POST-07)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from adjudicator.calendar import Phase
from adjudicator.position import Position
from maps.variant import Variant
from service import pictures
from service.letters import render
from service.mail.compose import Attachment
from service.pictures import BlankSheet


def blanks(
    variant: Variant, game: str, phase: Phase, position: Position | None, powers: Sequence[str]
) -> list[BlankSheet]:
    """Blank sheets of a phase for some powers, with a row for each unit."""
    units = () if position is None else position.units
    return [
        BlankSheet(
            variant.powers[power].name, game, render.phase_words(phase), sum(u.power == power for u in units)
        )
        for power in powers
    ]


def blank_sheet(variant: Variant, game: str, phase: Phase, power: str, *, drawing: bool = True) -> Attachment:
    """One power's blank sheet for a phase, as letters attach it; without `drawing` its name alone."""
    name = f"blank-{power}-{phase.season}-{phase.year}-{phase.kind.value}.pdf".lower().replace(" ", "-")
    paper = _paper(*blanks(variant, game, phase, None, (power,))) if drawing else b""
    return Attachment(name, "application/pdf", paper)


@lru_cache(maxsize=128)
def _paper(blank: BlankSheet) -> bytes:
    """A sheet as PDF, about 6 kB. Whoever sends one photograph after the other is sent the same one each
    time."""
    return pictures.sheets_pdf([blank])
