"""Boards of the site's own (BEY-07): every fault of a board, in its tables, its drawing, its wording and its
house rules; and a board that was checked is stored under a new name."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import maps
from grammar.compose import GrammarError
from maps.faults import Fault
from maps.rulings import FILE as RULINGS, BadRulings, rulings
from reading.vocabulary import forms_of
from service.facts.events import Event
from service.games.acts.act import Act, ActTable, LoggedEvent
from service.games.refused import Refused

NAME = re.compile(r"[a-z][a-z0-9-]{1,38}[a-z0-9]")
NO_FOLDER = ("This site has no folder for its own boards, so nothing was saved. The operator adds one line "
             'to the settings (galloper.toml): boards = "boards".')

WORDING = "orders.lark"


def board_faults(path: Path) -> list[Fault]:
    """The faults by file and row, none for a board that is fit for play."""
    # The grammar is built from the tables, so it can be checked only when they are sound.
    return maps.check_folder(path) or _wording_faults(path)


def _wording_faults(path: Path) -> list[Fault]:
    """The faults of the words of a board whose tables are sound: an order's wording that does not fit
    the grammar, and house rules that answer what no one asked."""
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


@dataclass(frozen=True, slots=True)
class KeepBoard(Act[None]):
    """Puts a board among the site's own. `draft`: the folder of a board without faults, called as it is to be
    called; `made_from`: the board that it was made from."""

    draft: Path
    made_from: str

    def check(self, table: ActTable) -> None:
        """Refuse a name that is none or taken, and any on a site without a folder for boards."""
        fault = name_fault(self.draft.name)
        if fault:
            raise Refused(fault)

    def change(self, table: ActTable) -> None:
        """Put it there, whole or not at all."""
        # Two folders down nothing is a board yet; the last step is a single rename.
        folder = maps.added_folders()[0]
        waiting = folder / ".waiting" / self.draft.name
        shutil.rmtree(waiting, ignore_errors=True)
        shutil.copytree(self.draft, waiting)
        waiting.rename(folder / self.draft.name)

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """Both boards."""
        return LoggedEvent(Event.BOARD_KEPT, None, {"board": self.draft.name, "made_from": self.made_from})


def name_fault(name: str) -> str:
    """Why a new board cannot have this name; "" if it can."""
    if not maps.added_folders():
        return NO_FOLDER
    if not NAME.fullmatch(name):
        return "Nothing was saved: a name has 3 to 40 small letters, digits and hyphens, such as classic-2."
    if name in maps.variants() or (maps.added_folders()[0] / name).exists():
        return f"Nothing was saved: the board {name} exists, and boards cannot be changed. Take another name."
    return ""
