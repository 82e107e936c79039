"""Read a photograph: the one door of the eye."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from ocr.corrections.apply import attach_insertions, insertion_hosts
from ocr.corrections.carets import without_inserted_words
from ocr.corrections.inserted_words import InsertionSpot, insertion_spots, trim_to_row
from ocr.corrections.strike import detect_strike
from ocr.engines import Engine, Quad, Recognition, RowFinder
from ocr.engines.ppocr import PpFinder
from ocr.image.find_sheet import (
    FlattenedSheet,
    find_sheets,
    photo_points,
    turn_image,
    turn_sheet,
    whole_photo,
)
from ocr.image.geometry import CROP_MARGIN, box_of, cut_quad, grow_quad, quad_size
from ocr.image.illumination import even_light, ink_bounds, without_rules
from ocr.image.open_image import open_images
from ocr.image.quality import Legibility, legibility, measure, unusable_reason
from ocr.image.writing_outside import has_writing_outside
from ocr.layout.cut_off import is_cut_off
from ocr.layout.legibility import required_trust, sheet_trust
from ocr.layout.lines import RowStrip, part_tall_boxes, row_indents, row_strips, runs_sideways, tangled_share
from ocr.layout.row_starts import LEAST_ROWS, begin_alike
from ocr.layout.wrap import STRUCK, join_wrapped
from ocr.page import Alternative, Image, Page, Photo, Reading, Row, Status, Step, Strike, UnreadableReason
from ocr.provenance import processing_steps

FIND_SIDE = 768
"""Long side, in pixels, at which rows are looked for; the finder's cost grows with its square. On the sample
sheets 960 found no row more."""

CLOSE_SIDE = 1152
"""The same for a second look, where the rows found were SMALL."""

CLOSEST_SIDE = 1536
"""The same for a third look, where rows are TANGLED."""

TANGLED = 0.1
"""Share of boxes with their middle in another from which rows are looked for closer: in 40 sheets composed
for calibration two had so many, with rows run together, and the others at most 0.06."""

SMALL = 15.0
"""Boxes lower than this, in pixels at FIND_SIDE, are writing so small that words may have been missed."""

PROBES = 4
"""Rows read both ways up to tell which way is up: the longest, which say most."""

BEGINNING = 5.0
"""Row heights of a box that are read for its first word."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read.

    `finder`: where rows come from. `least_score`: a sheet whose rows score less on average (0..1, weighted by
    length) holds no writing. `second_below`: rows that the first engine scores below this are shown to the
    second engine too, which is all of them: where two opinions agree, fewer lines need a look. Rows that
    nobody scored `third_below` are shown to the engines after it (on the sample sheets a third opinion on
    rows scored 0.6 to 0.8 changed no order). `detect_strike`: tells from a row's crop and what the first
    engine made of it whether it was crossed out.
    """

    finder: RowFinder = field(default_factory=PpFinder)
    min_score: float = 0.7
    second_below: float = 1.01
    third_below: float = 0.6
    detect_strike: Callable[[Image, Recognition], Strike] = detect_strike


def read(
    photo: Photo,
    engines: Sequence[Engine],
    options: ReadOptions | None = None,
) -> Reading:
    """Everything a photograph says.

    `engines`: the first reads every row, the others give alternatives.
    A file or photograph that cannot be read gives status UNUSABLE and a reason; only a fault of ours, such
    as a missing network file, raises.
    """
    started = time.perf_counter()
    opened = open_images(photo.data)
    if opened.reason is not None:
        return Reading(Status.UNUSABLE, opened.reason, opened.detail)
    reading = read_images(opened.pages, engines, options)
    step = Step("opened", (("kind", opened.kind), ("images", len(opened.pages))))
    seconds = round(time.perf_counter() - started, 3)
    return replace(reading, steps=(step, *reading.steps), seconds=seconds)


def read_images(
    images: Sequence[Image],
    engines: Sequence[Engine],
    options: ReadOptions | None = None,
) -> Reading:
    """The same for upright RGB images that somebody else opened, such as the pages of one file. Not empty."""
    started = time.perf_counter()
    steps: list[Step] = []
    pages: list[Page] = []
    reasons: list[UnreadableReason] = []
    reader = _Reader(tuple(engines), options or ReadOptions())
    for image in images:
        outcomes = [reader.sheet(image, sheet) for sheet in reader.sheets(image)]
        steps += [step for _, done in outcomes for step in done]
        reasons += [outcome for outcome, _ in outcomes if isinstance(outcome, UnreadableReason)]
        pages += in_reading_order([outcome for outcome, _ in outcomes if isinstance(outcome, Page)])
    pages = [replace(page, number=number) for number, page in enumerate(pages, 1)]
    status, reason = (Status.READ, None) if pages else (Status.UNUSABLE, reasons[0])
    seconds = round(time.perf_counter() - started, 3)
    return Reading(status, reason, "", tuple(pages), tuple(steps), seconds)


def in_reading_order(pages: Sequence[Page]) -> list[Page]:
    """Sheets of one photograph as one would take them up: from the left, those in one column from the top."""

    def ground(page: Page) -> npt.NDArray[np.float32]:
        points = np.array([corner for line in page.lines for corner in line.box.corners], dtype=np.float32)
        return points @ np.array(QUARTERS[pages[0].rotation], dtype=np.float32).T

    def place(page: Page) -> tuple[float, float]:
        points = ground(page)
        middle = points[:, 0].mean()
        beside = [other for other in grounds if not other[:, 0].min() < middle < other[:, 0].max()]
        return (float(middle) if beside else 0.0, float(points[:, 1].mean()))

    if len(pages) < 2:
        return list(pages)
    grounds = [ground(page) for page in pages]
    return sorted(pages, key=place)


QUARTERS = {0: ((1, 0), (0, 1)), 90: ((0, -1), (1, 0)), 180: ((-1, 0), (0, -1)), 270: ((0, 1), (-1, 0))}
"""Rotation to the matrix that takes x, y of the photograph to x, y after it is turned clockwise."""


Spots: TypeAlias = tuple[tuple[InsertionSpot, Recognition], ...]
"""Words put in above a row: where, and what each says by itself."""


class _Apart(NamedTuple):
    """Of each row: how well it was photographed, its crop without the words put in above it, what that says
    and how struck it looks, and those words."""

    shown: list[Legibility]
    crops: list[Image]
    texts: list[Recognition]
    strikes: list[Strike]
    put_in: list[Spots]


@dataclass(frozen=True, slots=True)
class _Reader:
    engines: tuple[Engine, ...]
    options: ReadOptions
    _said: dict[bytes, Recognition] = field(default_factory=dict, repr=False, compare=False)

    def _first(self, crops: Sequence[Image]) -> tuple[Recognition, ...]:
        """What the first engine says. A crop that told which way is up is not read again as a row."""
        keys = [hashlib.sha256(crop.tobytes() + repr(crop.shape).encode()).digest() for crop in crops]
        new = {key: crop for key, crop in zip(keys, crops, strict=True) if key not in self._said}
        self._said.update(zip(new, self.engines[0].read(list(new.values())), strict=True))
        return tuple(self._said[key] for key in keys)

    def sheets(self, photo: Image) -> tuple[FlattenedSheet, ...]:
        """The sheets of a photograph; the whole of it where writing lies outside every sheet found, since no
        order may be lost to an edge that was none."""
        found = find_sheets(photo)
        lost = found[0].is_outlined and has_writing_outside(photo, found, self.options.finder)
        return (whole_photo(photo),) if lost else found

    def sheet(self, photo: Image, sheet: FlattenedSheet) -> tuple[Page | UnreadableReason, tuple[Step, ...]]:
        """One sheet as a page still without number, or why it is none."""
        clean, taken = _cleaned(sheet)
        quads = self._find(clean)
        degrees, quads = self._rotation(clean, quads)
        if degrees:
            sheet = turn_sheet(sheet, degrees)
            clean = turn_image(clean, degrees)
        rows = self._rows(sheet, clean, row_strips(quads, partial(self._one_kind, clean)), photo.shape[:2])
        quality = measure(photo, clean)
        steps = processing_steps(sheet, taken, quality, self.options.finder, len(rows), self.engines)
        reason = unusable_reason(quality, sheet_found=sheet.is_outlined)
        if sheet_trust(rows) < required_trust(
            rows, self.options.min_score, photo_is_good=reason is UnreadableReason.NOT_A_SHEET
        ):
            return reason, steps
        lines = join_wrapped(attach_insertions(rows))
        return Page(0, sheet.rotation, _skew(rows, sheet.rotation), lines, _jpeg(clean)), steps

    def _find(self, clean: Image) -> tuple[Quad, ...]:
        """Boxes of writing; small writing and tangled rows are looked at closer."""
        found = self._find_at(clean, FIND_SIDE)
        longest = max(clean.shape[:2])
        if longest <= FIND_SIDE or not found:
            return found
        low = float(np.median([min(quad_size(quad)) for quad in found])) * FIND_SIDE / longest
        found = self._find_at(clean, CLOSE_SIDE) if low < SMALL else found
        if tangled_share(found) >= TANGLED:
            closer = (self._find_at(clean, side) for side in (CLOSE_SIDE, CLOSEST_SIDE) if side < longest)
            found = min((found, *filter(None, closer)), key=tangled_share)
        return part_tall_boxes(
            found, lambda quad, times: self._find_in(clean, quad, times * FIND_SIDE / longest)
        )

    def _find_in(self, clean: Image, quad: Quad, scale: float) -> tuple[Quad, ...]:
        """Boxes of writing in and about one, on a copy of that scale."""
        (left, top), (right, foot) = np.maximum(0, quad.min(axis=0)), quad.max(axis=0)
        part = clean[int(top) : int(foot) + 1, int(left) : int(right) + 1]
        way = cv2.INTER_AREA if scale < 1.0 else cv2.INTER_CUBIC
        small = np.asarray(cv2.resize(part, None, fx=scale, fy=scale, interpolation=way), dtype=np.uint8)
        corner = np.array([int(left), int(top)], dtype=np.float32)
        found = self.options.finder.find(np.ascontiguousarray(small)) if min(small.shape[:2]) >= 8 else ()
        return tuple(np.asarray(one / scale + corner, dtype=np.float32) for one in found)

    def _find_at(self, clean: Image, side: int) -> tuple[Quad, ...]:
        """Boxes of writing, looked for only where there is ink, on a copy with that long side at most."""
        scale = min(1.0, side / max(clean.shape[:2]))
        size = (max(1, round(clean.shape[1] * scale)), max(1, round(clean.shape[0] * scale)))
        small = np.asarray(cv2.resize(clean, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        left, top, right, bottom = ink_bounds(small)
        if right - left < 8 or bottom - top < 8:
            return ()
        corner = np.array([left, top], dtype=np.float32)
        found = self.options.finder.find(np.ascontiguousarray(small[top:bottom, left:right]))
        return tuple(np.asarray((quad + corner) / scale, dtype=np.float32) for quad in found)

    def _rotation(self, clean: Image, quads: Sequence[Quad]) -> tuple[int, tuple[Quad, ...]]:
        """Degrees clockwise that make the writing upright, by what reads best, and the boxes after that
        turn."""
        side = 90 if runs_sideways(quads) else 0
        if side:
            clean = turn_image(clean, side)
            quads = self._find(clean)
        longest = sorted(row_strips(quads), key=lambda s: s.left - s.right)[:PROBES]
        crops = [_row_crop(clean, strip) for strip in longest]
        upright = self._first(crops)
        if _agreement(upright) > SURE:
            return side, tuple(quads)
        inverted = self._first([np.ascontiguousarray(crop[::-1, ::-1]) for crop in crops])
        if _agreement(upright) >= _agreement(inverted):
            return side, tuple(quads)
        corner = np.array([clean.shape[1], clean.shape[0]], dtype=np.float32)
        return side + 180, tuple(corner - np.roll(quad, 2, axis=0) for quad in quads)

    def _one_kind(self, clean: Image, left: Sequence[Quad], right: Sequence[Quad]) -> bool:
        """See `lines.OneKind`: only the first word or two of each row is read."""
        if min(len(left), len(right)) < LEAST_ROWS:
            return False
        texts = [
            [said.text for said in self._first([_beginning(clean, q) for q in side])]
            for side in (left, right)
        ]
        return begin_alike(*texts)

    def _rows(
        self, sheet: FlattenedSheet, clean: Image, found: Sequence[RowStrip], photo: tuple[int, ...]
    ) -> tuple[Row, ...]:
        shown, crops, texts, strikes, spots = self._apart(clean, found)
        put_in = [tuple(_row_put_in(sheet, clean, *pair) for pair in pairs) for pairs in spots]
        others = self._second_opinions(crops, texts, [mark.score >= STRUCK for mark in strikes])
        texts = [_or_other(said, other) for said, other in zip(texts, others, strict=True)]
        wide = clean.shape[1]
        usual = float(np.median([strip.height for strip in found])) if found else 0.0
        return tuple(
            Row(
                box=box_of(photo_points(sheet, strip.quad)),
                text=said.text,
                score=round(said.score, 4),
                left=round(strip.left / wide, 4),
                right=round(strip.right / wide, 4),
                indent=round(indent, 2),
                strike=mark,
                alternatives=other,
                posteriors=said.posteriors,
                focus=seen.focus,
                contrast=seen.contrast,
                cut_off=is_cut_off(sheet, clean, strip, (photo[0], photo[1])),
                inserted=added,
            )
            for strip, said, other, indent, seen, mark, crop, added in zip(
                found, texts, others, row_indents(found), shown, strikes, crops, put_in, strict=True
            )
            if said.text or _written(crop, strip, usual)
        )

    def _apart(self, clean: Image, found: Sequence[RowStrip]) -> _Apart:
        """The rows, each without the words put in above it, and those words."""
        above = _put_in(found)
        whole = [_row_crop(_bare(clean, *each), each[0]) for each in zip(found, above, strict=True)]
        shown, said = [legibility(crop) for crop in whole], self._first(whole)
        crops = [trim_to_row(*pair) for pair in zip(whole, said, strict=True)]
        texts = list(self._first(crops))
        strikes = [self.options.detect_strike(*pair) for pair in zip(crops, texts, strict=True)]
        spots: list[Spots] = []
        for k, strip in enumerate(found):
            there = (
                insertion_spots(strip, found, whole[k], said[k], strikes[k])
                if strikes[k].score < STRUCK
                else ()
            )
            spots.append(self._spots(_bare(clean, strip, above[k]), there) if there else ())
            if spots[k]:
                own = without_inserted_words(
                    _bare(clean, strip, above[k]), spots[k][0][0].row_quad,
                    [spot.quad for spot, _ in spots[k]]
                )
                crops[k] = trim_to_row(_row_crop(own, strip), said[k])
                texts[k] = self._first([crops[k]])[0]
                strikes[k] = self.options.detect_strike(crops[k], texts[k])
        return _Apart(shown, crops, texts, strikes, spots)

    def _spots(self, clean: Image, spots: Sequence[InsertionSpot]) -> Spots:
        """Where a word stands above struck words or a caret of a row, and what it says by itself."""
        said = self._first(
            [cut_quad(without_inserted_words(clean, spot.quad, [spot.row_quad]), spot.quad) for spot in spots]
        )
        return tuple((spot, one) for spot, one in zip(spots, said, strict=True) if spot.accepts(one))

    def _second_opinions(
        self, crops: Sequence[Image], texts: Sequence[Recognition], struck: Sequence[bool]
    ) -> tuple[tuple[Alternative, ...], ...]:
        """What the other engines make of doubtful rows. Rows crossed out are not asked about: their letters
        are hard to read and count for nothing."""
        best = [said.score for said in texts]
        found: list[list[Alternative]] = [[] for _ in crops]
        for number, engine in enumerate(self.engines[1:]):
            limit = self.options.third_below if number else self.options.second_below
            doubtful = [k for k, score in enumerate(best) if score < limit and not struck[k]]
            for k, said in zip(doubtful, engine.read([crops[k] for k in doubtful]), strict=True):
                best[k] = max(best[k], said.score)
                if said.text and (said.posteriors is not None or said.text != texts[k].text):
                    found[k].append(
                        Alternative(said.text, round(said.score, 4), engine.name, said.posteriors)
                    )
        return tuple(tuple(sorted(row, key=lambda a: -a.score)) for row in found)


SURE = 0.93
"""Rows that read this well are not tried upside down; inverted writing was never seen above 0.85."""


def _or_other(said: Recognition, others: Sequence[Alternative]) -> Recognition:
    """What another engine read where the first saw nothing, as on a short "v2"."""
    if said.text or not others:
        return said
    return Recognition(others[0].text, others[0].score, others[0].posteriors)


SILENT_LOW, SILENT_LONG, SILENT_INK = 0.6, 1.5, 0.4
"""A row that nobody could read is writing all the same where it is this high and this long, in heights of a
middling row, and this share of its columns has ink: less is a speck, a fold or the end of a rule."""

_DARK = 150
"""Grey below which a pixel of an evened sheet is ink."""


def _written(crop: Image, strip: RowStrip, usual: float) -> bool:
    """Is there writing in a crop that every engine is silent on? Such a row is for a person to see."""
    if strip.height < SILENT_LOW * usual or strip.right - strip.left < SILENT_LONG * usual:
        return False
    grey = crop if crop.ndim == 2 else cv2.cvtColor(crop, cv2.COLOR_RGB2GRAY)
    return float((grey < _DARK).any(axis=0).mean()) >= SILENT_INK


def _agreement(texts: Sequence[Recognition]) -> float:
    """How well rows read, 0..1, longer ones counting more."""
    length = sum(len(said.text) for said in texts)
    return sum(said.score * len(said.text) for said in texts) / length if length else 0.0


def _cleaned(sheet: FlattenedSheet) -> tuple[Image, int]:
    return without_rules(even_light(sheet.image))


def _row_crop(clean: Image, strip: RowStrip) -> Image:
    return cut_quad(
        clean, grow_quad(strip.quad, CROP_MARGIN[0] * strip.height, CROP_MARGIN[1] * strip.height)
    )


def _row_put_in(sheet: FlattenedSheet, clean: Image, spot: InsertionSpot, said: Recognition) -> Row:
    """A word put in above a row, as a row of its own."""
    wide = clean.shape[1]
    return Row(
        box=box_of(photo_points(sheet, spot.quad)), text=said.text, score=round(said.score, 4),
        left=round(float(spot.quad[:, 0].min()) / wide, 4),
        right=round(float(spot.quad[:, 0].max()) / wide, 4),
        posteriors=said.posteriors,
    )


def _put_in(found: Sequence[RowStrip]) -> list[list[Quad]]:
    """For each row the boxes of those that are words put in above it."""
    hosts = insertion_hosts([box_of(strip.quad) for strip in found])
    return [
        [other.quad for other, host in zip(found, hosts, strict=True) if host == at]
        for at in range(len(found))
    ]


def _bare(clean: Image, strip: RowStrip, put_in: Sequence[Quad]) -> Image:
    """The sheet without the ink of words put in above a row; made for the one row and not kept, for a sheet
    may be large."""
    return without_inserted_words(clean, strip.quad, put_in) if put_in else clean


def _beginning(clean: Image, quad: Quad) -> Image:
    """The first word or two of a box as a recogniser's crop."""
    width, height = quad_size(quad)
    share = np.float32(min(1.0, BEGINNING * height / max(width, 1.0)))
    start = np.array([quad[0], quad[0], quad[3], quad[3]])
    short = start + (quad - start) * share
    return cut_quad(clean, grow_quad(np.asarray(short, dtype=np.float32), 0.0, CROP_MARGIN[1] * height))


def _skew(rows: Sequence[Row], rotation: int) -> float:
    """Degrees the writing falls to the right in the photograph once that is turned; the middle row's."""
    falls = []
    for row in rows:
        (ax, ay), (bx, by) = row.box.corners[:2]
        degrees = float(np.degrees(np.arctan2(by - ay, bx - ax))) + rotation
        falls.append((degrees + 180) % 360 - 180)
    return round(float(np.median(falls)), 1) if falls else 0.0


def _jpeg(image: Image) -> bytes:
    done, data = cv2.imencode(".jpg", cv2.cvtColor(image, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, 80])
    if not done:
        msg = "OpenCV could not write a JPEG"
        raise RuntimeError(msg)
    return data.tobytes()
