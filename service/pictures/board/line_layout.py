"""Where the lines of a plate run (BEY-01): each among some dozens of curves, the one that costs least by what
lies under it and by the lines beside it.

Names, marks, plates and furniture are priced cell by cell on a grid; so are lines that have a place already,
and their ends. Every line is placed once, then each again given all others. No chance is involved: the same
phase gives the same plate.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from service.pictures.drawing import curves
from service.pictures.drawing.curves import Line, Point
from service.pictures.drawing.raster import CELL
from service.pictures.drawing.values import Rect

BENDS = (0.10, -0.10, 0.18, -0.18, 0.04, -0.04, 0.28, -0.28, 0.42, -0.42, 0.65, -0.65, 1.0, -1.0)
"""How far a line may bow, in parts of its length. Never straight: two units that attack each other would
share one line."""
PASSING = ((0.0, 0.0), (0.0, 1.0), (0.0, -1.0), (1.6, 0.0), (-1.6, 0.0), (1.6, 1.0), (-1.6, -1.0),
           (1.6, -1.0), (-1.6, 1.0), (0.0, 1.7), (0.0, -1.7), (2.6, 0.0), (-2.6, 0.0))
"""Where a line may pass the plate of a fleet that carries, in millimetres off its middle."""
ENDS_ON = (0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.8)
"""Where along a move the line of a support or convoy may end, in parts of its length."""
SHORTER = (1.0, 0.5, 2.2)
"""How far from its goal the end of a move that was turned back may stand, in parts of `short_by`."""
BESIDE = (7.0, 5.5, 9.0, 12.0)
"""Millimetres along the line of an army between the plate of a fleet that carries it and the end of the
fleet's own line."""
ENDS_ON_SHORT = (0.3, 0.55, 0.05)
"""The same on a move so short that its head is beside each of those."""
HALO = 0.9
"""Millimetres on either side of a line that another should keep off."""
END_ROOM, END_TIP = 1.5, 2.4
"""Millimetres about the end of a line that others should keep off; and how much of a help's end is on the
line that it helps."""
CLEAR = 3.0
"""Millimetres between a plate and the end of its help's line."""
LEAST_SEEN, FOR_A_HELP = 4.0, 2.0
"""A line shorter than this is all head; so much longer for each line that ends on it."""
MOST_GOALS = 5
"""So many points of a region are tried as the end of a line."""
ROUNDS = 2
"""Each line is placed so many times again, given all others."""

# Prices. Millimetres of a line count one by one; of an end, all of it.
_NAME, _MARK, _PLATE, _PIECE = 0.6, 4.0, 5.0, 5.0
_END_NAME, _END_MARK, _END_PLATE, _END_PIECE = 10.0, 10.0, 16.0, 30.0
_LINE, _ON_END, _END_ON_LINE, _END_ON_END = 2.0, 3.0, 5.0, 24.0
_DEEP, _SHALLOW, _OFF_MIDDLE, _APART = 2.2, 6.0, 0.05, 4.0
_BEND, _LENGTH, _TOO_SHORT, _LATER = 0.7, 0.08, 5.0, 0.7
_BY_ITS_PLATE = 6.0


@dataclass(frozen=True, slots=True)
class Goal:
    """A place where a line may end, and the box in which it is not seen: that of a plate or a mark."""

    point: Point
    box: Rect | None = None


@dataclass(frozen=True, slots=True)
class LineWish:
    """A line to be placed: from a plate through the `stops` to the first of the goals that costs little, or
    onto the line of the wish of number `helps`, as `is_convoy` near its own plate. `shown`: how much of its
    length is drawn, in parts, but no more than all but `short_by` millimetres."""

    start: Rect
    goals: tuple[Goal, ...] = ()
    stops: tuple[Point, ...] = ()
    helps: int | None = None
    shown: float = 1.0
    short_by: float = 0.0
    is_convoy: bool = False


@dataclass(slots=True)
class _Candidates:
    """Curves for one line, as drawn; with what each costs wherever the other lines are."""

    lines: list[Line]
    costs: NDArray[np.float64]


class LineLayout:
    """Places the lines of one plate, inside of `frame`. `scale`: how large lines are drawn, 1 on A3."""

    def __init__(
        self, frame: Rect, names: Iterable[Rect], marks: Iterable[tuple[Point, float]],
        plates: Iterable[Rect], pieces: Iterable[Rect], scale: float = 1.0, stuck: Iterable[Rect] = ()
    ) -> None:
        """`stuck`: names that found no other place when lines ended below them."""
        self._scale = scale
        self._shape = (int(frame.y1 / CELL) + 4, int(frame.x1 / CELL) + 4)
        self._under, self._under_end = np.zeros(self._shape), np.zeros(self._shape)
        for boxes, price, end_price in ((names, _NAME, _END_NAME), (plates, _PLATE, _END_PLATE),
                                        (pieces, _PIECE, _END_PIECE), (stuck, _NAME, _END_PLATE)):
            for box in boxes:
                part = self._cells(box.grown(0.1 if price == _NAME else 0.25))
                self._under[part] += price
                self._under_end[part] += end_price
        for (x, y), radius in marks:
            part = self._cells(Rect(x - radius, y - radius, x + radius, y + radius))
            self._under[part] += _MARK
            self._under_end[part] += _END_MARK
        beyond = np.ones(self._shape, dtype=bool)
        beyond[self._cells(frame.grown(-0.5))] = False
        self._under[beyond] += _PIECE
        self._under_end[beyond] += _END_PIECE
        self._lines, self._ends = np.zeros(self._shape), np.zeros(self._shape)
        reach = np.arange(-4, 5) * CELL
        across, down = np.meshgrid(reach, reach)
        far = np.hypot(across, down).ravel()
        offsets = np.column_stack([across.ravel(), down.ravel()])
        self._halo = offsets[far <= HALO * max(scale, 0.8)]
        self._end_room = offsets[far <= END_ROOM * max(scale, 0.8)]

    def place(self, wishes: Sequence[LineWish]) -> list[Line | None]:
        """A curve for each wish, as it is to be drawn; None where plates touch so that none can be seen."""
        placing = _Placing(self, wishes)
        moves = [number for number, wish in enumerate(wishes) if wish.helps is None]
        helped: dict[int, list[int]] = {number: [] for number in moves}
        for number, wish in enumerate(wishes):
            if wish.helps is not None:
                helped[wish.helps].append(number)
        for number in moves:
            placing.choose(number)
        for numbers in helped.values():
            for number in numbers:
                placing.choose(number)
        for _ in range(ROUNDS):
            for number in moves:
                # What helps a move ends on its line, and follows it.
                for other in (number, *helped[number]):
                    placing.take_away(other)
                for other in (number, *helped[number]):
                    placing.choose(other)
        return placing.chosen

    def points_in(self, shape: BaseGeometry, middle: Point | None) -> list[Point]:
        """Where in a region a line may end, the best first: in open ground, as deep as its head needs."""
        x0, y0, x1, y1 = shape.bounds
        step = max(0.6, min(1.2, (x1 - x0) / 12))
        across, down = np.meshgrid(np.arange(x0 + step / 2, x1, step), np.arange(y0 + step / 2, y1, step))
        points = np.column_stack([across.ravel(), down.ravel()])
        points = points[shapely.contains_xy(shape, points[:, 0], points[:, 1])]
        if not len(points):
            point = shape.representative_point()
            return [(point.x, point.y)]
        depth = shapely.distance(shapely.points(points), shape.boundary)
        wanted = min(_DEEP * self._scale, 0.6 * float(depth.max()))
        if middle is None:
            middle = (float(points[depth.argmax(), 0]), float(points[depth.argmax(), 1]))
        rows, columns = self._at(points[:, None, :] + self._end_room[None, :, :])
        price = (self._under_end[rows, columns].mean(axis=1) + _SHALLOW * np.maximum(0.0, wanted - depth)
                 + _OFF_MIDDLE * np.hypot(*(points - np.array(middle)).T))
        best: list[Point] = []
        for index in np.argsort(price, kind="stable"):
            x, y = float(points[index, 0]), float(points[index, 1])
            if all(np.hypot(x - other_x, y - other_y) > _APART * self._scale for other_x, other_y in best):
                best.append((x, y))
            if len(best) == MOST_GOALS:
                break
        return best

    # The grid
    # ------------------------------------------------------------------------------------------------------

    def _cells(self, box: Rect) -> tuple[slice, slice]:
        return (slice(max(0, int(box.y0 / CELL)), max(0, int(box.y1 / CELL) + 1)),
                slice(max(0, int(box.x0 / CELL)), max(0, int(box.x1 / CELL) + 1)))

    def _at(self, points: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        cells = (points / CELL).astype(np.int64)
        return (np.clip(cells[..., 1], 0, self._shape[0] - 1), np.clip(cells[..., 0], 0, self._shape[1] - 1))

    def _stamp(self, points: NDArray[np.float64], offsets: NDArray[np.float64]) -> NDArray[np.int64]:
        """The flat numbers of the cells about some points, each once."""
        rows, columns = self._at(points[:, None, :] + offsets[None, :, :])
        return np.unique(rows * self._shape[1] + columns)

    def stamp(self, line: Line, by: float) -> None:
        """Write a line and its end into the grid, or with `by` -1 take them out."""
        self._lines.ravel()[self._stamp(line, self._halo)] += by
        self._ends.ravel()[self._stamp(line[-1:], self._end_room)] += by

    # Curves and their prices
    # ------------------------------------------------------------------------------------------------------

    def candidates(self, wish: LineWish, helped: Line | None, helps: int) -> _Candidates:
        """Every curve that a wish may have on which so many others are to end, priced by what never
        changes."""
        least = (LEAST_SEEN + FOR_A_HELP * helps) * self._scale
        lines, extra = [], []
        begin = ((wish.start.x0 + wish.start.x1) / 2, (wish.start.y0 + wish.start.y1) / 2)
        leave = wish.start.grown(0.35)
        goals = wish.goals
        if helped is not None:
            points = points_on(helped, self._scale)
            if wish.is_convoy:
                points = points_beside(helped, begin, self._scale) or points
            goals = tuple(Goal(point) for point in points)
        for rank, goal in enumerate(goals):
            ways = (_by_stops(wish, goal) if wish.stops
                    else [(bend, curves.bow(begin, goal.point, bend)) for bend in BENDS])
            for bend, whole in ways:
                line = curves.cut(whole, leave, None if goal.box is None else goal.box.grown(0.45))
                if line is None:
                    continue
                length = float(np.hypot(*np.diff(line, axis=0).T).sum())
                for step, times in enumerate(SHORTER if wish.short_by and wish.shown == 1.0 else (1.0,)):
                    short_by = times * wish.short_by * self._scale
                    shown = min(wish.shown, max(0.5, 1.0 - short_by / length))
                    lines.append(line if shown == 1.0 else curves.shortened(line, shown))
                    # What is as long as its head alone says nothing of where it comes from.
                    extra.append(_BEND * abs(bend) * math.dist(begin, goal.point) + _LENGTH * length
                                 + _LATER * (rank + step)
                                 + _TOO_SHORT * max(0.0, least - shown * length))
        costs = np.array(extra)
        for number, line in enumerate(lines):
            if helped is not None:
                # A line that curls back to its own plate shows nothing.
                away = _distance(wish.start, line[-1])
                costs[number] += _BY_ITS_PLATE * max(0.0, CLEAR * self._scale - away)
            costs[number] += self._on((self._under,), line)[0] + self._end_on((self._under_end,), line)[0]
        return _Candidates(lines, costs)

    def _on(self, prices: Sequence[NDArray[np.float64]], line: Line, without: float = 0.0) -> list[float]:
        """The price of a line on each grid by what is below it, its last millimetres left out."""
        steps = np.hypot(*np.diff(line, axis=0).T)
        if without:
            left = np.cumsum(steps[::-1])[::-1] - steps
            steps = np.where(left < without, 0.0, steps)
        cells = self._at((line[1:] + line[:-1]) / 2)
        return [float((grid[cells] * steps).sum()) for grid in prices]

    def _end_on(self, prices: Sequence[NDArray[np.float64]], line: Line) -> list[float]:
        cells = self._at(line[-1] + self._end_room)
        return [float(grid[cells].mean()) for grid in prices]

    def among_others(self, line: Line, *, is_help: bool) -> float:
        """What a line costs by the lines that have their places. The line that a help ends on is in its way
        but for the help's last millimetres."""
        without = END_TIP * self._scale if is_help else 0.0
        on_lines, on_ends = self._on((self._lines, self._ends), line, without)
        end_on_lines, end_on_ends = self._end_on((self._lines, self._ends), line)
        return (_LINE * on_lines + _ON_END * on_ends
                + _END_ON_LINE * end_on_lines + _END_ON_END * end_on_ends)


@dataclass(slots=True)
class _Placing:
    """The state of placing: which line each wish has at this moment."""

    layout: LineLayout
    wishes: Sequence[LineWish]
    chosen: list[Line | None] = field(init=False)
    _kept: dict[int, _Candidates] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.chosen = [None] * len(self.wishes)

    def take_away(self, number: int) -> None:
        line = self.chosen[number]
        if line is not None:
            self.layout.stamp(line, -1.0)
            self.chosen[number] = None

    def choose(self, number: int) -> None:
        wish = self.wishes[number]
        helped = None if wish.helps is None else self.chosen[wish.helps]
        if wish.helps is not None and helped is None and not wish.goals:
            return
        options = self._kept.get(number)
        if options is None:
            helps = sum(other.helps == number for other in self.wishes)
            options = self.layout.candidates(wish, helped, helps)
            if helped is None:
                self._kept[number] = options
        if not options.lines:
            return
        # Only what is cheap so far is asked for its neighbours.
        best, least = None, np.inf
        for index in np.argsort(options.costs, kind="stable"):
            if options.costs[index] >= least:
                break
            line = options.lines[index]
            cost = float(options.costs[index]) + self.layout.among_others(line, is_help=helped is not None)
            if cost < least:
                best, least = line, cost
        if best is not None:
            self.chosen[number] = best
            self.layout.stamp(best, 1.0)


def _by_stops(wish: LineWish, goal: Goal) -> list[tuple[float, Line]]:
    """Curves past the plates of fleets, from any side of the first plate to any side of the last; each with
    what it bends."""
    ways = []
    for leaving, begin in enumerate(_sides(wish.start)):
        for coming, end in enumerate((goal.point,) if goal.box is None else _sides(goal.box)):
            for number, (right, down) in enumerate(PASSING if leaving == coming == 0 else PASSING[:3]):
                stops = [(x + right, y + down) for x, y in wish.stops]
                ways.append((0.004 * (number + 2 * bool(leaving) + 2 * bool(coming)),
                             curves.through([begin, *stops, end])))
    return ways


def _distance(box: Rect, point: NDArray[np.float64]) -> float:
    """Millimetres from a box to a point outside of it."""
    x, y = float(point[0]), float(point[1])
    return math.hypot(max(box.x0 - x, 0.0, x - box.x1), max(box.y0 - y, 0.0, y - box.y1))


def _sides(box: Rect) -> tuple[Point, ...]:
    """The middle of a plate, and a point beside each of its sides."""
    x, y, out = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2, 0.4
    return ((x, y), (box.x0 - out, y), (box.x1 + out, y), (x, box.y0 - out), (x, box.y1 + out))


def points_beside(line: Line, plate: Point, scale: float) -> list[Point]:
    """Where the line of a convoy may end on the line that passes its plate: within a few millimetres of it,
    so that it is seen whose it is."""
    whole = shapely.LineString(line)
    passed = whole.project(shapely.Point(plate))
    places = [passed + sign * away * scale for away in BESIDE for sign in (1, -1)]
    return [(point.x, point.y) for point in (whole.interpolate(place) for place in places
                                             if 3.3 * scale < place < whole.length - 3.3 * scale)]


def points_on(line: Line, scale: float) -> list[Point]:
    """Where on the line of a move a help may end: beside neither end, where plates and heads are."""
    length = float(np.hypot(*np.diff(line, axis=0).T).sum())
    parts = [part for part in ENDS_ON if part * length < length - 3.3 * scale]
    return [curves.along(line, part) for part in (parts if len(parts) > 1 else ENDS_ON_SHORT)]
