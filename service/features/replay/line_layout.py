"""Where the lines of a plate run (BEY-01): each among some dozens of curves, the one that costs least by what
lies under it and by the lines next to it.

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

from service.features.replay import curves
from service.features.replay.curves import Line, Point
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
"""The same on a move so short that its head is next to each of those."""
HALO = 0.9
"""Millimetres on either side of a line that another should keep off."""
END_ROOM, END_TIP = 1.5, 2.4
"""Millimetres about the end of a line that others should keep off; and how much of a help's end is on the
line that it helps."""
CLEAR = 3.0
"""Millimetres between a plate and the end of its help's line."""
SHAPES = tuple((bend, skew) for bend in BENDS for skew in ((0.0, -0.3, 0.3) if abs(bend) >= 0.1 else (0.0,)))
"""Each bend, and where the line bows most, in parts of its length off its middle: of a line that is nearly
straight that is hardly seen."""
PER_WAY = 3
"""So many curves that follow each other are nearly alike."""
LEAST_DRAWN = 1.2
"""A line shorter than this cannot be drawn."""
LEAST_SEEN, FOR_A_HELP = 4.0, 2.0
"""A line shorter than this is all head; so much longer for each line that ends on it."""
MOST_GOALS = 5
"""So many points of a region are tried as the end of a line."""
ROUNDS = 2
"""Each line is placed so many times again, given all others."""
TRIED_WITH_HELPS, TRIED_IN_TROUBLE = 4, 10
"""So many curves of a move are tried with the lines that end on it; and where they cost much."""
REPAIRS, TROUBLE = 2, 7.0
"""Lines that cost more than this, one by one or with what ends on them, are placed so many times more."""
AT_ONCE = 48
"""So many candidates are asked for their neighbours in one step."""

# Prices. Millimetres of a line count one by one; of an end, all of it.
_NAME, _MARK, _PLATE, _PIECE = 1.0, 6.0, 7.0, 5.0
_END_NAME, _END_MARK, _END_PLATE, _END_PIECE = 10.0, 10.0, 16.0, 30.0
_LINE, _ON_END, _END_ON_LINE, _END_ON_END = 2.0, 3.0, 5.0, 24.0
_DEEP, _SHALLOW, _OFF_MIDDLE, _APART = 2.2, 6.0, 0.05, 4.0
_SKEW = 0.3
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


_Ways = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]
"""Curves, one a row; what each costs by its shape; and the number of its goal."""


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Curves for one line, with what each costs wherever the other lines are.

    `points` and `is_outside` have a curve a row: its points, and which of its steps are outside of its
    plates; `lengths` adds those up, `cells` are where they are on the grid. A candidate is the first `shown`
    millimetres of the curve `curve`, and ends at its place of `tips`.
    """

    points: NDArray[np.float64]
    is_outside: NDArray[np.bool_]
    lengths: NDArray[np.float64]
    cells: NDArray[np.int64]
    curve: NDArray[np.int64]
    shown: NDArray[np.float64]
    tips: NDArray[np.float64]
    costs: NDArray[np.float64]

    def line(self, index: int) -> Line:
        """A candidate as it is drawn."""
        number, end = int(self.curve[index]), float(self.shown[index])
        steps, lengths = self.is_outside[number], self.lengths[number]
        inside = steps & (lengths < end - 1e-6)
        first = int(np.argmax(steps))
        later = self.points[number, 1:][inside]
        return np.vstack([self.points[number, first], later, self.tips[index]])

    def parts(self, indices: NDArray[np.int64], without: float = 0.0) -> NDArray[np.float64]:
        """How many millimetres of each step of some candidates are drawn, their last `without` left out."""
        curve = self.curve[indices]
        lengths = self.lengths[curve]
        before = np.concatenate([np.zeros((len(curve), 1)), lengths[:, :-1]], axis=1)
        ends = np.maximum(0.0, self.shown[indices] - without)[:, None]
        return np.asarray(np.minimum(lengths, ends) - np.minimum(before, ends))


class LineLayout:
    """Places the lines of one plate, inside of `frame`. `scale`: how large lines are drawn, 1 on A3."""

    def __init__(
        self, frame: Rect, names: Iterable[Rect], marks: Iterable[tuple[Point, float]],
        plates: Iterable[Rect], pieces: Iterable[Rect], scale: float = 1.0, stuck: Iterable[Rect] = (),
        *, is_draft: bool = False
    ) -> None:
        """`stuck`: names that found no other place when lines ended below them. `is_draft`: the lines are
        placed once more later, so that less care is enough."""
        self._scale, self._is_draft = scale, is_draft
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
        tried = 1 if self._is_draft else TRIED_WITH_HELPS
        prices: dict[int, float] = {}
        helped: dict[int, list[int]] = {
            number: [] for number, wish in enumerate(wishes) if wish.helps is None}
        for number, wish in enumerate(wishes):
            if wish.helps is not None:
                helped[wish.helps].append(number)
        for number in helped:
            placing.choose(number)
        for numbers in helped.values():
            for number in numbers:
                placing.choose(number)
        for _ in range(1 if self._is_draft else ROUNDS):
            prices = {number: placing.again(number, helps, tried) for number, helps in helped.items()}
        # What still covers something is worth more care.
        for _ in range(0 if self._is_draft else REPAIRS):
            for number in sorted(prices, key=lambda key: -prices[key]):
                if prices[number] > (1 + len(helped[number])) * TROUBLE:
                    prices[number] = placing.again(number, helped[number], TRIED_IN_TROUBLE)
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

    def _flat(self, points: NDArray[np.float64]) -> NDArray[np.int64]:
        """The flat numbers of the cells that some points are in."""
        rows, columns = self._at(points)
        return np.asarray(rows * self._shape[1] + columns)

    def _stamp(self, points: NDArray[np.float64], offsets: NDArray[np.float64]) -> NDArray[np.int64]:
        """The flat numbers of the cells about some points, each once."""
        return np.unique(self._flat(points[:, None, :] + offsets[None, :, :]))

    def stamp(self, line: Line, by: float) -> None:
        """Write a line and its end into the grid, or with `by` -1 take them out."""
        self._lines.ravel()[self._stamp(line, self._halo)] += by
        self._ends.ravel()[self._stamp(line[-1:], self._end_room)] += by

    # Curves and their prices
    # ------------------------------------------------------------------------------------------------------

    def candidates(self, wish: LineWish, helped: Line | None, helps: int) -> _Candidates | None:
        """Every curve that a wish may have on which so many others are to end, priced by what never changes;
        None where plates touch so that none can be seen."""
        least = (LEAST_SEEN + FOR_A_HELP * helps) * self._scale
        begin = ((wish.start.x0 + wish.start.x1) / 2, (wish.start.y0 + wish.start.y1) / 2)
        goals = wish.goals
        if helped is not None:
            points = points_on(helped, self._scale)
            if wish.is_convoy:
                points = points_beside(helped, begin, self._scale) or points
            goals = tuple(Goal(point) for point in points)
        whole, extra, number = (
            _by_stops(wish, begin, goals) if wish.stops else _by_bows(begin, goals))
        leave = wish.start.grown(0.35)
        outside = ~(_in_boxes(whole, np.array([(leave.x0, leave.y0, leave.x1, leave.y1)]))
                 | _in_boxes(whole, _goal_boxes(goals)[number]))
        steps = np.hypot(*np.moveaxis(np.diff(whole, axis=1), 2, 0)) * (outside[:, 1:] & outside[:, :-1])
        lengths = np.cumsum(steps, axis=1)
        length = lengths[:, -1]
        short_by = (np.array(SHORTER) * wish.short_by * self._scale
                    if wish.short_by and wish.shown == 1.0 else np.array([wish.short_by * self._scale]))
        shown = np.minimum(wish.shown, np.maximum(0.5, 1.0 - short_by / np.maximum(length, 1e-6)[:, None]))
        curve = np.repeat(np.arange(len(whole)), len(short_by))
        ends = (shown * length[:, None]).ravel()
        # What is as long as its head alone has nothing of where it comes from.
        costs = ((extra + _LENGTH * length)[:, None] + _LATER * np.arange(len(short_by))
                 + _TOO_SHORT * np.maximum(0.0, least - shown * length[:, None])).ravel()
        drawable = np.flatnonzero(length[curve] > LEAST_DRAWN)
        if not len(drawable):
            return None
        curve, ends, costs = curve[drawable], ends[drawable], costs[drawable]
        tips = _tips(whole, steps, lengths, curve, ends)
        options = _Candidates(whole, steps > 0.0, lengths, self._flat((whole[:, 1:] + whole[:, :-1]) / 2),
                              curve, ends, tips, costs)
        everyone = np.arange(len(curve))
        costs += self._on((self._under,), options, everyone)[0] + self._end_on((self._under_end,), tips)[0]
        if helped is not None:
            # A line that curls back to its own plate shows nothing.
            costs += _BY_ITS_PLATE * np.maximum(0.0, CLEAR * self._scale - _distances(wish.start, tips))
        return options

    def _on(
        self, prices: Sequence[NDArray[np.float64]], options: _Candidates, indices: NDArray[np.int64],
        without: float = 0.0
    ) -> list[NDArray[np.float64]]:
        """The price of some candidates on each grid by what is below them, their last millimetres left
        out."""
        parts, cells = options.parts(indices, without), options.cells[options.curve[indices]]
        return [np.asarray((grid.ravel()[cells] * parts).sum(axis=1)) for grid in prices]

    def _end_on(
        self, prices: Sequence[NDArray[np.float64]], tips: NDArray[np.float64]
    ) -> list[NDArray[np.float64]]:
        cells = self._flat(tips[:, None, :] + self._end_room)
        return [np.asarray(grid.ravel()[cells].mean(axis=1)) for grid in prices]

    def among_others(
        self, options: _Candidates, indices: NDArray[np.int64], *, is_help: bool
    ) -> NDArray[np.float64]:
        """The costs of candidates by the lines that have their places. The line that a help ends on is in its
        way but for the help's last millimetres."""
        without = END_TIP * self._scale if is_help else 0.0
        on_lines, on_ends = self._on((self._lines, self._ends), options, indices, without)
        end_on_lines, end_on_ends = self._end_on((self._lines, self._ends), options.tips[indices])
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

    def choose(self, number: int) -> float:
        """Place a line where it costs least; shows what it costs there, 0 where it cannot be drawn."""
        options = self._options(number)
        if options is None:
            return 0.0
        best, costs = self._cheapest(options, 1, is_help=self.wishes[number].helps is not None)
        self._set(number, options.line(best[0]))
        return costs[0]

    def again(self, number: int, helps: Sequence[int], tried: int) -> float:
        """Place a line once more, and those that end on it, which follow it; shows what they cost. Where they
        would crowd each other, another curve of the first may be dearer by itself and cheaper with them: so
        many are tried."""
        for other in (number, *helps):
            self.take_away(other)
        options = self._options(number)
        if options is None or not helps:
            return sum(self.choose(other) for other in (number, *helps))
        best: tuple[float, list[Line | None]] = (np.inf, [])
        together = [number, *helps]
        for index, cost in zip(*self._cheapest(options, tried, is_help=False), strict=True):
            if cost >= best[0]:
                break
            self._set(number, options.line(index))
            total = cost + sum(self.choose(other) for other in helps)
            if total < best[0]:
                best = total, [self.chosen[other] for other in together]
            for other in together:
                self.take_away(other)
        for other, line in zip(together, best[1], strict=True):
            self._set(other, line)
        return best[0]

    def _set(self, number: int, line: Line | None) -> None:
        if line is not None:
            self.chosen[number] = line
            self.layout.stamp(line, 1.0)

    def _options(self, number: int) -> _Candidates | None:
        wish = self.wishes[number]
        helped = None if wish.helps is None else self.chosen[wish.helps]
        if wish.helps is not None and helped is None and not wish.goals:
            return None
        if number in self._kept:
            return self._kept[number]
        helps = sum(other.helps == number for other in self.wishes)
        options = self.layout.candidates(wish, helped, helps)
        if helped is None and options is not None:
            self._kept[number] = options
        return options

    def _cheapest(
        self, options: _Candidates, count: int, *, is_help: bool
    ) -> tuple[list[int], list[float]]:
        """The candidates that cost least, of each bend to each goal one at most, and what they cost."""
        best_of_way: dict[int, tuple[float, int]] = {}
        order = np.argsort(options.costs, kind="stable")
        for some in np.split(order, range(AT_ONCE, len(order), AT_ONCE)):
            least = sorted(cost for cost, _ in best_of_way.values())[:count]
            # Only what is cheap so far is asked for its neighbours: they only add to what it costs.
            if len(least) == count and options.costs[some[0]] >= least[-1]:
                break
            costs = options.costs[some] + self.layout.among_others(options, some, is_help=is_help)
            for index, cost in zip(some, costs, strict=True):
                way = int(options.curve[index]) // PER_WAY
                if way not in best_of_way or cost < best_of_way[way][0]:
                    best_of_way[way] = float(cost), int(index)
        best = sorted(best_of_way.values())[:count]
        return [index for _, index in best], [cost for cost, _ in best]


def _by_bows(begin: Point, goals: Sequence[Goal]) -> _Ways:
    """Curves straight to the goals."""
    ends = np.array([goal.point for goal in goals])
    far = np.hypot(*(ends - np.array(begin)).T)
    steps = curves.steps_for(float(far.max()))
    number = np.repeat(np.arange(len(goals)), len(SHAPES))
    bend, skew = np.tile(np.array(SHAPES), (len(goals), 1)).T
    prices = _BEND * np.abs(bend) * far[number] + _SKEW * (skew != 0.0) + _LATER * number
    return curves.bows(begin, ends[number], bend, skew, steps), prices, number


def _by_stops(wish: LineWish, begin: Point, goals: Sequence[Goal]) -> _Ways:
    """Curves past the plates of fleets, from any side of the first plate to any side of the last."""
    ways, prices, numbers = [], [], []
    for rank, goal in enumerate(goals):
        for leaving, start in enumerate(_sides(wish.start)):
            for coming, end in enumerate((goal.point,) if goal.box is None else _sides(goal.box)):
                for number, (right, down) in enumerate(PASSING if leaving == coming == 0 else PASSING[:7]):
                    ways.append([start, *((x + right, y + down) for x, y in wish.stops), end])
                    bend = 0.004 * (number + 2 * bool(leaving) + 2 * bool(coming))
                    prices.append(_BEND * bend * math.dist(begin, goal.point) + _LATER * rank)
                    numbers.append(rank)
    points = np.array(ways)
    steps = curves.steps_for(float(np.hypot(*np.moveaxis(np.diff(points, axis=1), 2, 0)).max()))
    return curves.through(points, steps), np.array(prices), np.array(numbers)


def _goal_boxes(goals: Sequence[Goal]) -> NDArray[np.float64]:
    """Where lines to goals are not seen, a goal a row: nowhere for a goal without a plate."""
    boxes = [None if goal.box is None else goal.box.grown(0.45) for goal in goals]
    return np.array([(0.0, 0.0, 0.0, 0.0) if box is None else (box.x0, box.y0, box.x1, box.y1)
                     for box in boxes])


def _in_boxes(points: NDArray[np.float64], boxes: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which points of curves, a curve a row, are inside the box of their row."""
    x, y = points[..., 0], points[..., 1]
    x0, y0, x1, y1 = (boxes[:, None, column] for column in range(4))
    return np.asarray((x > x0) & (x < x1) & (y > y0) & (y < y1))


def _tips(
    points: NDArray[np.float64], steps: NDArray[np.float64], lengths: NDArray[np.float64],
    curve: NDArray[np.int64], ends: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Where curves are so many millimetres after they left their plates."""
    last = np.argmax(lengths[curve] >= ends[:, None] - 1e-9, axis=1)
    step = steps[curve, last]
    part = 1.0 - (lengths[curve, last] - ends) / np.maximum(step, 1e-9)
    before, after = points[curve, last], points[curve, last + 1]
    return np.asarray(before + np.clip(part, 0.0, 1.0)[:, None] * (after - before))


def _distances(box: Rect, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Millimetres from a box to points outside of it."""
    x, y = points.T
    across, down = np.maximum(box.x0 - x, x - box.x1), np.maximum(box.y0 - y, y - box.y1)
    return np.asarray(np.hypot(np.maximum(0.0, across), np.maximum(0.0, down)))


def _sides(box: Rect) -> tuple[Point, ...]:
    """The middle of a plate, and a point next to each of its sides."""
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
    """Where on the line of a move a help may end: next to neither end, where plates and heads are."""
    length = float(np.hypot(*np.diff(line, axis=0).T).sum())
    parts = [part for part in ENDS_ON if part * length < length - 3.3 * scale]
    return [curves.along(line, part) for part in (parts if len(parts) > 1 else ENDS_ON_SHORT)]
