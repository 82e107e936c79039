"""Every fault of a board in a folder: of its tables, its drawing, its wording and its house rules."""

from __future__ import annotations

from pathlib import Path

import maps
from grammar.compose import GrammarError
from maps.faults import Fault
from maps.rulings import FILE as RULINGS
from maps.rulings import BadRulings, rulings
from reading.vocabulary import forms_of

WORDING = "orders.lark"


def board_faults(path: Path) -> list[Fault]:
    """The faults by file and row, none for a board that is fit for play."""
    # The grammar is built from the tables, so it can be checked only when they are sound.
    return maps.check_folder(path) or _wording_faults(path)


def _wording_faults(path: Path) -> list[Fault]:
    """What is wrong with the words of a board whose tables are sound: an order's wording that does not fit
    the grammar, and house rules that answer what nobody asked."""
    variant = maps.load_folder(path)
    faults: list[Fault] = []
    for kind in dict.fromkeys(kind for _, kind in variant.calendar.steps):
        try:
            # Before this check, an orders.lark that does not fit came to light with the first sheet of a
            # game.
            forms_of(variant, kind)
        except GrammarError as error:
            faults.append(Fault(WORDING, error.line, str(error)))
    try:
        rulings(path, variant)
    except BadRulings as error:
        faults.append(Fault(RULINGS, 0, str(error).removeprefix(f"{RULINGS}: ")))
    return sorted(faults)
