"""Names of powers and regions as other programs write them, in any case."""

from __future__ import annotations

import re

from adjudicator.formats.game_log import GameBoard
from adjudicator.geo import Region

_BLANKS = re.compile(r"\s+")
_BRACKETS = re.compile(r"\s*\(\s*([a-z]+)(?:\s+coast)?\s*\)")
_A_COAST = re.compile("[nsew]c|mv|xc")
_NO_COAST = frozenset({"mv", "xc"})
LONGEST = 160
"""Characters of one name or order; more is refused before anything is matched."""


class BoardNames:
    """Looks up powers and regions of one board."""

    def __init__(self, board: GameBoard) -> None:
        provinces = board.context.board.provinces
        self._regions = {_plain(text): region for text, region in board.spellings.items()}
        # An id wins over a name, and a name over another spelling.
        self._regions |= {_plain(p.name): Region(p.id) for p in provinces.values()}
        self._regions |= {_plain(p.id): Region(p.id) for p in provinces.values()}
        self._coasts = {p.id: p for p in provinces.values()}
        self._powers = {_plain(power): power for power in board.context.powers}
        self._powers |= {_plain(name): power for power, name in board.context.power_names.items()}

    def power(self, text: str) -> str | None:
        """The id of a power, or None."""
        return self._powers.get(_plain(text)) if len(text) <= LONGEST else None

    def region(self, text: str) -> Region | None:
        """The region that a text names: "STP/SC", "St. Petersburg (sc)", "lyo"; None if there is none."""
        if len(text) > LONGEST:
            return None
        plain = _BRACKETS.sub(r"/\1", _plain(text))
        named = self._regions.get(plain)
        if named is not None:
            return named
        name, _, coast = plain.rpartition("/")
        place = self._regions.get(name.strip())
        if place is None or place.coast is not None:
            return None
        coast_id = self._coasts[place.province].coast_id(coast.strip())
        if coast_id is None and _A_COAST.fullmatch(coast.strip()) is None:
            return None
        # jDip writes "mv" for an army on land and "xc" for a fleet on the only coast. Any other coast that
        # the province lacks is left to the judge (DATC 6.B.12).
        return Region(
            place.province, None if coast.strip() in _NO_COAST else coast_id or coast.strip().upper()
        )


def _plain(text: str) -> str:
    return _BLANKS.sub(" ", text.replace(".", " ")).strip().casefold()
