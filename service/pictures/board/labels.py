"""Puts every name in its place: none touches another, each stays with its region.

Each name has some hundred candidates, a wording and a spot, priced by what lies under them. Names are set
from the most cramped on; then each in turn moves to its cheapest spot given all others, and a pair that stays
in each other's way pays more each round, until no one overlaps. No chance is involved: the same board
gives the same map. """

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import shapely
from numpy.typing import NDArray

from service.pictures.drawing.name_variants import COST_OF_SHORT, extent, name_variants
from service.pictures.drawing.raster import Boxes, Grid, Sums, covered_share, summed_area
from service.pictures.drawing.shapes import MapPaper, inscribed
from service.pictures.drawing.values import GroundKind, Label, LabelPlace, Rect

PAD = 0.3
"""Clear space around each name, millimetres."""

# Numbers of this module were set by hand, on the six shipped boards at A3 and A4: with them every name finds
# a place.
CANDIDATES_KEPT = 220
ROUNDS = 60
ROOM_AROUND = (0.0, 4.0, 8.0)
"""Millimetres about a covered name within which others make room for it, tried in turn."""

MOST_WORSE = 4.5
"""By how much a place may be dearer than the one left: what half of a name in a strange region costs."""
LINES_MOST_WORSE, ENDS_MOST_WORSE = 3.5, 7.5
"""The same for a name that only lines cross, for both can still be read; and for one that hides where a line
ends."""
_BELOW, _END_BELOW = 2.0, 8.0
"""The cost of a name for each millimetre of a line that it covers, and for each end of a line."""
SHORT_FROM = 1.5
"""A name that costs so much by what it covers may be made short."""
LEADER_FROM = 1.1
FAR = 9.0
_OTHERS_MARK = 6.0  # a town's name nearer to the mark of another; the short form costs 5
_COLLISION = 25.0
_FRAME_ROOM = np.array([-0.7, -0.3, 0.7, 0.3])  # millimetres of ground that a name in a box keeps around it
_OVER_FRAME = 100.0  # all of a name outside its box; a smaller size costs 0.5
_STEP = {GroundKind.AREA: 3.0, GroundKind.SEA: 1.4, GroundKind.LAND: 0.9}


class Unplaceable(RuntimeError):
    """Names that find no room on this paper; a map with overlapping names is never handed out."""


@dataclass(frozen=True, slots=True)
class _Candidates:
    place: LabelPlace
    choices: NDArray[np.int64]
    boxes: Boxes
    costs: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _GroundMasks:
    """What lies under a box, as summed masks."""

    grid: Grid
    sea: Sums
    edge: Sums
    blocked: Sums
    foreign: Sums
    marks: NDArray[np.float64]
    """Middle and radius of every mark, one a row."""


def place_labels(
    sheet: MapPaper, furniture: Iterable[Rect], only: Collection[str] | None = None
) -> tuple[Label, ...]:
    """One label for each region of a sheet, or for each of some. Names keep clear of each other, of every
    mark and of the furniture.

    Raises Unplaceable, naming them, when some names overlap after all.
    """
    under = _ground_masks(sheet, furniture)
    options = [_candidates(place, number, sheet, under) for number, place in enumerate(sheet.places.values())
               if only is None or place.id in only]
    chosen = _choose_spots(options)
    clashes = _overlapping_names(options, chosen)
    if clashes:
        raise Unplaceable(f"no room for the names of {', '.join(sorted(clashes))}")
    return tuple(_label(option, int(pick)) for option, pick in zip(options, chosen, strict=True))


class NameGround:
    """What lies under the names of a sheet with its furniture, and the places that each name may have there:
    worked out at the first call, and cached."""

    def __init__(self, sheet: MapPaper, furniture: Iterable[Rect]) -> None:
        self._sheet, self._furniture = sheet, list(furniture)
        self._numbers = {name: number for number, name in enumerate(sheet.places)}
        self._under: _GroundMasks | None = None
        self._candidates: dict[str, _Candidates] = {}

    def candidates(self, region: str) -> _Candidates:
        """The places that the name of a region may have."""
        if region not in self._candidates:
            if self._under is None:
                self._under = _ground_masks(self._sheet, self._furniture)
            self._candidates[region] = _candidates(
                self._sheet.places[region], self._numbers[region], self._sheet, self._under)
        return self._candidates[region]


def step_aside(
    ground: NameGround, labels: Sequence[Label], plates: Sequence[Rect], most_worse: float = MOST_WORSE
) -> tuple[Label, ...]:
    """The names of a sheet with those that plates cover set elsewhere, off every plate and every other name;
    names near them may make room, all others stay. What finds no place stays too, and a whole name is never
    made short, for the legend has no line for it."""
    covered = [label for label in labels if any(label.box.meets(plate) for plate in plates)]
    if not covered:
        return tuple(labels)
    by_region = {label.region: label for label in labels}
    for label in covered:
        for reach in ROOM_AROUND:
            surroundings = label.box.grown(reach)
            group = [
                other
                for other in by_region.values()
                if other.region == label.region or (reach and surroundings.meets(other.box))
            ]
            moved = _move_group(
                ground, group,
                [*plates, *(other.box for other in by_region.values() if other not in group)], most_worse
            )
            if moved:
                by_region.update({other.region: other for other in moved})
                break
    return tuple(by_region.values())


class LinesBelow:
    """The lines of a plate and their ends, which names may cover, and better do not."""

    def __init__(self, lines: Sequence[Rect], ends: Sequence[Rect]) -> None:
        self._rows = _box_rows([*lines, *ends]).reshape(-1, 4)
        self._prices = np.array([_BELOW * np.hypot(box.width, box.height) for box in lines]
                                + [_END_BELOW] * len(ends))

    def price(self, boxes: Boxes) -> NDArray[np.float64]:
        """What each of some boxes costs by what it covers."""
        least, most = boxes[:, :2].min(axis=0) - PAD, boxes[:, 2:].max(axis=0) + PAD
        near = ((self._rows[:, :2] < most) & (self._rows[:, 2:] > least)).all(axis=1)
        return np.asarray(_overlaps(boxes, self._rows[near]) @ self._prices[near])

    def under(self, label: Label) -> float:
        """The cost of a name where it is."""
        return float(self.price(_box_rows([label.box]))[0])


def step_off_lines(
    ground: NameGround, labels: Sequence[Label], plates: Sequence[Rect], below: LinesBelow, short: int
) -> tuple[Label, ...]:
    """The names of a sheet set where they cover less of lines and their ends, off every plate and every other
    name. A name that still covers much is made short, so many of them at most: the legend explains them."""
    by_region = {label.region: label for label in labels}
    prices = {label.region: below.under(label) for label in labels}
    for region in sorted((region for region, price in prices.items() if price), key=lambda key: -prices[key]):
        label = by_region[region]
        price = below.under(label)
        most_worse = ENDS_MOST_WORSE if price >= _END_BELOW else LINES_MOST_WORSE
        for reach in ROOM_AROUND:
            surroundings = label.box.grown(reach)
            group = [other for other in by_region.values()
                     if other.region == region or (reach and surroundings.meets(other.box))]
            fixed = [*plates, *(other.box for other in by_region.values() if other not in group)]
            moved = _move_group(ground, group, fixed, most_worse, below)
            if moved and sum(map(below.under, moved)) < sum(map(below.under, group)):
                by_region.update({other.region: other for other in moved})
                break
        label = by_region[region]
        if short > 0 and not label.wording.short and below.under(label) >= SHORT_FROM:
            fixed = [*plates, *(other.box for other in by_region.values() if other is not label)]
            moved = _move_group(ground, [label], fixed, most_worse, below, may_be_short=True)
            if moved and below.under(moved[0]) < below.under(label) - SHORT_FROM:
                by_region[region] = moved[0]
                short -= moved[0].wording.short
    return tuple(by_region.values())


def _move_group(
    ground: NameGround, group: Sequence[Label], fixed: Sequence[Rect], most_worse: float,
    below: LinesBelow | None = None, *, may_be_short: bool = False
) -> tuple[Label, ...]:
    """New places for some names, off everything fixed and off each other; () if there are none."""
    rows = _box_rows(fixed)
    options = [_free_candidates(ground.candidates(label.region), rows, label, most_worse, may_be_short)
               for label in group]
    if not all(len(option.costs) for option in options):
        return ()
    if below is not None:
        options = [replace(option, costs=option.costs + below.price(option.boxes)) for option in options]
    chosen = _choose_spots(options)
    return () if _overlapping_names(options, chosen) else tuple(
        _label(option, int(pick)) for option, pick in zip(options, chosen, strict=True))


def _free_candidates(
    options: _Candidates, fixed: Boxes, label: Label, most_worse: float, may_be_short: bool
) -> _Candidates:
    """The candidates that keep off what is fixed, as whole as the name is unless it may be short, and nearly
    as much in their region."""
    ways = name_variants(options.place)
    box = label.box
    is_current = np.abs(options.boxes - np.array([box.x0, box.y0, box.x1, box.y1])).max(axis=1) < 0.01
    most = options.costs[is_current].min() + most_worse if is_current.any() else np.inf
    free = ~_overlaps(options.boxes, fixed).any(axis=1)
    # A place much dearer than today's would put the name into a strange region.
    short = np.array([ways[int(choice)].short for choice in options.choices])
    free &= options.costs - COST_OF_SHORT * short <= most - COST_OF_SHORT * label.wording.short
    if not (label.wording.short or may_be_short):
        free &= ~short
    return _Candidates(options.place, options.choices[free], options.boxes[free], options.costs[free])


def _box_rows(boxes: Sequence[Rect]) -> Boxes:
    return np.array([(box.x0, box.y0, box.x1, box.y1) for box in boxes])


def _ground_masks(sheet: MapPaper, furniture: Iterable[Rect]) -> _GroundMasks:
    grid = Grid(sheet.paper, sheet.places)
    discs = [(*p.seal, p.radius + 0.35) for p in sheet.places.values() if p.seal is not None]
    discs += [
        (p.seal[0], p.seal[1] - p.radius - 1.25, 1.3) for p in sheet.places.values() if p.seal and p.capital
    ]
    return _GroundMasks(
        grid, summed_area(grid.sea), summed_area(grid.edge),
        summed_area(grid.blocked([f.grown(0.8) for f in furniture], discs)),
        summed_area(grid.ids < 0),
        np.array([(*p.seal, p.radius) for p in sheet.places.values() if p.seal is not None]).reshape(-1, 3),
    )


def _candidates(place: LabelPlace, number: int, sheet: MapPaper, under: _GroundMasks) -> _Candidates:
    ways = name_variants(place)
    rows: list[Boxes] = []
    picks: list[NDArray[np.int64]] = []
    base: list[NDArray[np.float64]] = []
    inside = sheet.inside.grown(-1.2)
    over = None if place.ground is GroundKind.TOWN else _spots_over(place)
    for index, way in enumerate(ways):
        width, height = extent(way)
        spots, extra = over or _spots_beside(place, width, height)
        boxes = np.column_stack([
            spots[:, 0] - width / 2, spots[:, 1] - height / 2, spots[:, 0] + width / 2,
            spots[:, 1] + height / 2
        ])
        fits = (
            (boxes[:, 0] >= inside.x0) & (boxes[:, 1] >= inside.y0)
            & (boxes[:, 2] <= inside.x1) & (boxes[:, 3] <= inside.y1)
        )
        rows.append(boxes[fits])
        picks.append(np.full(int(fits.sum()), index))
        base.append(extra[fits] + way.cost)
    boxes, choices, costs = np.vstack(rows), np.concatenate(picks), np.concatenate(base)
    costs = costs + _ground_price(place, number, boxes, under)
    best = np.argsort(costs, kind="stable")[:CANDIDATES_KEPT]
    return _Candidates(place, choices[best], boxes[best], costs[best])


def _ground_price(place: LabelPlace, number: int, boxes: Boxes, under: _GroundMasks) -> NDArray[np.float64]:
    sums, corner = under.grid.own(number, place.shape.bounds)
    own_ground = covered_share(sums, boxes, corner)
    sea, edge = covered_share(under.sea, boxes), covered_share(under.edge, boxes)
    blocked, foreign = covered_share(under.blocked, boxes), covered_share(under.foreign, boxes)
    # Furniture, discs and crowns are all but forbidden.
    price = 400.0 * (blocked > 0) * (0.15 + blocked)
    # A town's name is next to its disc, so it pays for coast lines below it and not for leaving its region.
    if place.ground is GroundKind.TOWN:
        return np.asarray(price + 5.0 * edge + 2.0 * np.minimum(sea, 1 - sea) + 1.0 * foreign
                          + _OTHERS_MARK * _nearer_to_another(place, boxes, under.marks))
    if place.is_box:
        within = covered_share(sums, boxes + _FRAME_ROOM, corner)
        return np.asarray(price + _OVER_FRAME * (1 - within))
    if place.ground is GroundKind.LAND:
        # Ground of another region below a name misleads; water below it does not.
        strange = np.maximum(0.0, 1 - own_ground - sea)
        apart = own_ground == 0
        price = price + 9.0 * strange + 2.6 * (1 - own_ground) + 2.0 * edge + 6.0 * apart * strange
        reach = np.zeros(len(boxes))
        # Distances are dear to compute: only what is cheap so far and touches the region nowhere is asked
        # for.
        measured = np.flatnonzero(apart)
        if len(measured) > 2 * CANDIDATES_KEPT:
            reach[measured] = np.inf
            measured = measured[np.argpartition(price[measured], 2 * CANDIDATES_KEPT)[: 2 * CANDIDATES_KEPT]]
        reach[measured] = shapely.distance(shapely.box(*boxes[measured].T), place.shape)
        return np.asarray(price + 3.0 * np.maximum(0, reach - 0.2) + 200.0 * (reach > 2.2))
    # A sea's name on land would name the land, so that costs more than leaving the sea.
    return np.asarray(price + 9.0 * (1 - own_ground) + 14.0 * (1 - sea) + 3.0 * edge)


def _nearer_to_another(
    place: LabelPlace, boxes: Boxes, marks: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How much nearer each box lies to another's mark than to that of a town: 0 where it is nearer to its
    own, 1 where it is a millimetre farther from it, or more."""
    if place.seal is None:
        return np.zeros(len(boxes))

    def away(x: NDArray[np.float64], y: NDArray[np.float64], r: NDArray[np.float64]) -> NDArray[np.float64]:
        across = np.maximum(0.0, np.maximum(boxes[:, :1] - x, x - boxes[:, 2:3]))
        down = np.maximum(0.0, np.maximum(boxes[:, 1:2] - y, y - boxes[:, 3:]))
        return np.asarray(np.hypot(across, down) - r)

    is_own = np.hypot(marks[:, 0] - place.seal[0], marks[:, 1] - place.seal[1]) < 0.01
    others = away(*marks[~is_own].T).min(axis=1) if not is_own.all() else np.full(len(boxes), np.inf)
    return np.asarray(np.clip(away(*marks[is_own].T).min(axis=1) - others, 0.0, 1.0))


def _spots_over(place: LabelPlace) -> tuple[Boxes, NDArray[np.float64]]:
    """Spots over the region and a little around it, dearer away from its widest part."""
    x0, y0, x1, y1 = place.shape.bounds
    if place.is_box:
        # In the middle of its width, above or below a unit that may be there.
        rows = (y0 + y1) / 2 + np.array([0.0, -0.4, 0.4, -0.8, 0.8])
        return np.column_stack([np.full(len(rows), (x0 + x1) / 2), rows]), 0.1 * np.arange(float(len(rows)))
    step = _STEP[place.ground]
    # Counties may be smaller than their names, seas are not: only counties look outside, by 5 mm.
    around = 5.0 if place.ground is GroundKind.LAND else 0.0
    columns = np.arange(x0 - around, x1 + around + step, step)
    rows = np.arange(y0 - around, y1 + around + step, step / 2)
    across, down = np.meshgrid(columns, rows)
    spots = np.column_stack([across.ravel(), down.ravel()])
    middle = place.home or inscribed(place.shape)
    away = np.hypot(spots[:, 0] - middle[0], spots[:, 1] - middle[1])
    return spots, away * (0.12 if place.ground is GroundKind.LAND else 0.06)


def _spots_beside(place: LabelPlace, width: float, height: float) -> tuple[Boxes, NDArray[np.float64]]:
    """Spots around a disc: right and left first, then above and below, then farther off at the end of a
    line."""
    if place.seal is None:
        raise ValueError(f"{place.id} is drawn as a town and has no disc")
    x, y = place.seal
    spots, costs = [], []
    for gap, ring in ((0.55, 0.0), (1.0, 0.4), (2.2, 1.6), (3.6, 2.4), (5.4, 3.4), (7.6, 4.6)):
        far_x, far_y = place.radius + gap + width / 2, place.radius + gap + height / 2
        for step, side in ((0.0, 0.0), (-0.6, 0.25), (0.6, 0.25), (-1.0, 0.5), (1.0, 0.5)):
            spots += [(x + far_x, y + step * far_y), (x - far_x, y + step * far_y)]
            costs += [ring + side, ring + side + 0.1]
        for step, side in ((0.0, 0.4), (-0.5, 0.5), (0.5, 0.5), (-0.9, 0.6), (0.9, 0.6)):
            spots += [(x + step * far_x, y - far_y), (x + step * far_x, y + far_y)]
            costs += [ring + side, ring + side + 0.1]
    return np.array(spots), np.array(costs)


def _overlaps(boxes: Boxes, others: Boxes) -> NDArray[np.bool_]:
    """Rows of boxes against rows of others, with clear space between them."""
    return np.asarray(
        (boxes[:, None, 0] < others[None, :, 2] + PAD) & (others[None, :, 0] < boxes[:, None, 2] + PAD)
        & (boxes[:, None, 1] < others[None, :, 3] + PAD) & (others[None, :, 1] < boxes[:, None, 3] + PAD)
    )


def _choose_spots(options: list[_Candidates]) -> NDArray[np.int64]:
    count = len(options)
    current = np.full((count, 4), -1e6)
    chosen: NDArray[np.int64] = np.zeros(count, dtype=np.int64)
    weight = np.ones((count, count))
    # The most cramped first: those whose tenth-best spot is already dear.
    order = sorted(
        range(count), key=lambda index: -float(options[index].costs[min(9, len(options[index].costs) - 1)])
    )
    for _ in range(ROUNDS):
        moved = 0
        for index in order:
            option = options[index]
            hits = _overlaps(option.boxes, current)
            # A name does not be in its own way.
            hits[:, index] = False
            total = option.costs + _COLLISION * (hits @ weight[index])
            pick = int(np.argmin(total))
            moved += int(pick != chosen[index] or bool(current[index, 0] < -1e5))
            chosen[index] = pick
            current[index] = option.boxes[pick]
        clash = _overlaps(current, current)
        np.fill_diagonal(clash, val=False)
        if not clash.any() and not moved:
            break
        # A pair that still collides pays more each round, so one of the two gives way in the end.
        weight += 0.4 * clash
    return chosen


def _overlapping_names(options: list[_Candidates], chosen: NDArray[np.int64]) -> set[str]:
    boxes = np.array([option.boxes[pick] for option, pick in zip(options, chosen, strict=True)])
    clash = _overlaps(boxes, boxes)
    np.fill_diagonal(clash, val=False)
    return {option.place.name for option, row in zip(options, clash, strict=True) if row.any()}


def _label(option: _Candidates, pick: int) -> Label:
    x0, y0, x1, y1 = (float(v) for v in option.boxes[pick])
    wording = name_variants(option.place)[int(option.choices[pick])]
    leader = None
    if option.place.ground is GroundKind.TOWN and option.place.seal is not None:
        # A name far from its disc is tied to it by a line from the disc's edge.
        x, y = option.place.seal
        nearest = (min(max(x, x0), x1), min(max(y, y0), y1))
        away = float(np.hypot(nearest[0] - x, nearest[1] - y))
        if away - option.place.radius > LEADER_FROM:
            part = option.place.radius / away
            leader = ((x + (nearest[0] - x) * part, y + (nearest[1] - y) * part), nearest)
    return Label(option.place.id, wording, Rect(x0, y0, x1, y1), leader)
