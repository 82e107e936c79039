"""The options of a map and the things on it. Millimetres on paper, origin top left, y downwards."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from adjudicator.units import Unit

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry


class GroundKind(StrEnum):
    """How a region is drawn: a TOWN is a small disc with a name next to it."""

    TOWN = "town"
    LAND = "land"
    SEA = "sea"
    AREA = "area"


OFF_BOARD = "off_board"
"""The mark of a province that is a box next to the board."""
KINGDOM = "kingdom"
"""The mark of a province (`provinces.csv`) that makes a kingdom: it wears a crown, as a capital does."""


@dataclass(frozen=True, slots=True)
class Rect:
    """An upright rectangle, `x0 < x1`, `y0 < y1`."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    def grown(self, by: float) -> Rect:
        """The same rectangle, larger by `by` on each side."""
        return Rect(self.x0 - by, self.y0 - by, self.x1 + by, self.y1 + by)

    def meets(self, other: Rect) -> bool:
        """Whether the two share more than an edge."""
        return self.x0 < other.x1 and other.x0 < self.x1 and self.y0 < other.y1 and other.y0 < self.y1


@dataclass(frozen=True, slots=True)
class PaperSize:
    """A sheet: its name and size, the room around the neat line around the map, a strip at the
    foot for the imprint, and how large title, legend and compass are drawn (1 on A3)."""

    width: float
    height: float
    margin: float = 11.0
    foot: float = 6.5
    furniture: float = 1.0
    name: str = "A3"

    @property
    def inside(self) -> Rect:
        """The most that the map may fill."""
        return Rect(self.margin, self.margin, self.width - self.margin, self.height - self.margin - self.foot)


A3 = PaperSize(297.0, 420.0)
A4 = PaperSize(210.0, 297.0, 8.0, 5.0, 0.7, "A4")


@dataclass(frozen=True, slots=True)
class LabelPlace:
    """One region on paper. `shape` is cut at the neat line; `seal` is the middle of its centre's mark or
    None; `radius` that of the mark, or of the disc itself where the region is a town; `home` is where its
    name is best, None for its widest part. `is_box`: it is a box next to the board, and its name stays in
    it."""

    id: str
    name: str
    abbr: str
    ground: GroundKind
    shape: BaseGeometry
    area: str | None
    centre: bool
    capital: bool
    seal: tuple[float, float] | None
    radius: float
    home: tuple[float, float] | None = None
    is_box: bool = False


@dataclass(frozen=True, slots=True)
class NameVariant:
    """One way to set a name: its lines, face, size in millimetres, letter spacing in parts of the size.
    `upright` False runs it from bottom to top. A lower `cost` is better."""

    lines: tuple[str, ...]
    face: str
    size: float
    spacing: float
    cost: float
    upright: bool = True
    short: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    """A name put in its place. `box` bounds the ink; `leader` are the two ends of a line to the region, or
    None."""

    region: str
    wording: NameVariant
    box: Rect
    leader: tuple[tuple[float, float], tuple[float, float]] | None = None


@dataclass(frozen=True, slots=True)
class MapOptions:
    """Choices of a map. It shows control alone, unless `units` are given to be on it (MAP-03, Q-13).
    Those that were dislodged are `ringed`. `record` is the root of the game's record in words, for the strip
    below the border."""

    paper: PaperSize = A3
    acknowledgement: str = ""
    units: frozenset[Unit] = frozenset()
    ringed: frozenset[Unit] = frozenset()
    record: str = ""
