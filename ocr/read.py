"""Read a photograph: a file or its pictures to pages of rows."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple, TypeAlias

import cv2
import numpy as np

from ocr.corrections.apply import attach_insertions, insertion_hosts
from ocr.corrections.carets import without_inserted_words
from ocr.corrections.crossed_blocks import crossed_rows
from ocr.corrections.inserted_words import InsertionSpot, insertion_spots, trim_to_row
from ocr.corrections.strike import detect_strike
from ocr.engines import Engine, LetterEngine, Quad, Recognition, RowFinder
from ocr.engines.ppocr import PpFinder
from ocr.image.clear_print import clear_print, with_ticks
from ocr.image.find_sheet import (
    FlattenedSheet,
    find_sheets,
    look_copy,
    photo_points,
    turn_image,
    turn_sheet,
    whole_photo,
)
from ocr.image.flatten_printed import sheets_by_marks, whole_photo_with
from ocr.image.geometry import CROP_MARGIN, box_of, cut_quad, grow_quad, quad_size
from ocr.image.illumination import even_light, ink_bounds, without_rules
from ocr.image.narrow_hands import second_opinion
from ocr.image.open_image import open_images
from ocr.image.other_looks import CropLooks
from ocr.image.printed_sheet import PrintedFrame, find_printed
from ocr.image.quality import Legibility, legibility, measure, unusable_reason
from ocr.image.writing_outside import has_writing_outside
from ocr.layout.close_columns import parted_columns, placed_words
from ocr.layout.columns import LEAST_BEGINNINGS, begin_alike
from ocr.layout.legibility import required_trust, sheet_trust
from ocr.layout.lines import RowStrip, part_tall_boxes, row_indents, row_strips, runs_sideways, tangled_share
from ocr.layout.page_order import in_reading_order
from ocr.layout.row_ends import SheetInk, is_cut_off, lengthened, runs_on, sheet_ink
from ocr.layout.wrap import STRUCK, join_wrapped
from ocr.page import (
    Alternative,
    Image,
    Page,
    Photo,
    PrintedSheet,
    Reading,
    Row,
    Status,
    Step,
    Strike,
    UnreadableReason,
)
from ocr.provenance import processing_steps

# The finder's cost grows with the square of the side, so one search of the whole sheet uses a small copy.
FIND_SIDE = 768
"""Long side, in pixels, of the copy in which rows are looked for. Set on the sample sheets: 960 found no row
more."""

CLOSE_SIDE = 1152
"""The same for a second search, where the rows of the first are lower than SMALL. By hand."""

CLOSEST_SIDE = 1536
"""The same for a third search, where boxes are TANGLED. By hand."""

TANGLED = 0.1
"""Share of boxes, 0..1, with their middle in another box, from which rows are searched in a larger copy. In
40 sheets composed for calibration two had so many, with rows run together; the others had at most 0.06."""

SMALL = 15.0
"""Median height of boxes, in pixels at FIND_SIDE, below which words may have been missed. By hand."""

PROBES = 4
"""Rows that are read both ways up to show which way is up: the longest, which say most. By hand."""

BEGINNING = 5.0
"""Row heights of a box that are read for its first word. By hand."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read.

    `finder`: where rows come from. Scores are 0..1. `min_score`: a sheet whose rows score less on average,
    weighted by length, holds no writing. `second_below`: rows that the first engine scores below this go to
    the second engine too. `third_below`: rows that no engine scored so high go to the engines after it.
    `detect_strike`: the strike of a row, from its crop and the first engine's recognition. `crossed_rows`:
    for each row of an evened sheet whether a mark over several crosses it.
    """

    finder: RowFinder = field(default_factory=PpFinder)
    # Tuned layers are surer: they score music on a printed page 0.65. The least of the sheets measured had
    # 0.80.
    min_score: float = 0.7
    # Where two opinions agree, fewer lines need a person. Without one for rows that score more, 3 of 815
    # lines of 201 sheets for calibration that passed wait, and no other passes; a twelfth of a sheet's time.
    second_below: float = 0.97
    # On the sample sheets a third opinion on rows scored 0.6 to 0.8 changed no order.
    third_below: float = 0.6
    detect_strike: Callable[[Image, Recognition], Strike] = detect_strike
    crossed_rows: Callable[[Image, Sequence[RowStrip]], Sequence[bool]] = crossed_rows


def read(
    photo: Photo,
    engines: Sequence[Engine],
    options: ReadOptions | None = None,
) -> Reading:
    """The pages of a photograph, or status UNUSABLE with a reason.

    `engines`: the first reads every row, the others give alternatives. Only a fault of ours raises, such as a
    missing network file.
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
    """The same for upright RGB images that are open already, such as the pages of one file. Not empty."""
    started = time.perf_counter()
    steps: list[Step] = []
    pages: list[Page] = []
    reasons: list[UnreadableReason] = []
    reader = _Reader(tuple(engines), options or ReadOptions())
    for image in images:
        outcomes = reader.outcomes(image)
        steps += [step for _, taken in outcomes for step in taken]
        reasons += [outcome for outcome, _ in outcomes if isinstance(outcome, UnreadableReason)]
        pages += in_reading_order([outcome for outcome, _ in outcomes if isinstance(outcome, Page)])
    pages = [replace(page, number=number) for number, page in enumerate(pages, 1)]
    status, reason = (Status.READ, None) if pages else (Status.UNUSABLE, reasons[0])
    seconds = round(time.perf_counter() - started, 3)
    return Reading(status, reason, "", tuple(pages), tuple(steps), seconds)


Insertions: TypeAlias = tuple[tuple[InsertionSpot, Recognition], ...]
"""Words inserted above a row: where each is, and its reading by itself."""


class _SeparatedRows(NamedTuple):
    """Each row without the words inserted above it: how well it was photographed, its crop, its reading, how
    struck it looks, and those words."""

    legibilities: list[Legibility]
    crops: list[Image]
    texts: list[Recognition]
    strikes: list[Strike]
    insertions: list[Insertions]


@dataclass(frozen=True, slots=True)
class _Reader:
    engines: tuple[Engine, ...]
    options: ReadOptions
    _cache: dict[bytes, Recognition] = field(default_factory=dict, repr=False, compare=False)
    _letters: dict[bytes, Recognition] = field(default_factory=dict, repr=False, compare=False)

    def _recognize(self, crops: Sequence[Image]) -> tuple[Recognition, ...]:
        """The first engine's readings of some crops."""
        # The longest rows are read to show which way is up, and must not be read again as rows.
        return _read_once(crops, self.engines[0].read, self._cache)

    def _recognize_letters(self, crops: Sequence[Image]) -> tuple[Recognition, ...]:
        """The same of crops of which no one checks whether they are crossed out."""
        engine = self.engines[0]
        read = engine.read_letters if isinstance(engine, LetterEngine) else engine.read
        return _read_once(crops, read, self._letters)

    def outcomes(self, photo: Image) -> list[tuple[Page | UnreadableReason, tuple[Step, ...]]]:
        """The fate of each sheet of a photograph; see `sheet`."""
        sheets = self.sheets(photo)
        outcomes = [self.sheet(photo, sheet) for sheet in sheets]
        is_read = any(isinstance(outcome, Page) for outcome, _ in outcomes)
        if is_read or not sheets[0].is_outlined or any(sheet.printed is not None for sheet in sheets):
            return outcomes
        # Blots of old paper and a shadow may look like a sheet's edges, and the writing between them be
        # squeezed: no one is asked for another photograph before the whole of this one was read.
        whole = self.sheet(photo, whole_photo(photo))
        return [whole] if isinstance(whole[0], Page) else outcomes

    def sheets(self, photo: Image) -> tuple[FlattenedSheet, ...]:
        """The sheets of a photograph; the whole of it where writing lies outside every sheet."""
        frames = find_printed(photo)
        if frames:
            return self._printed_sheets(photo, frames)
        look = look_copy(photo)
        sheets = find_sheets(photo, look)
        return (whole_photo(photo),) if self._has_writing_beside(photo, sheets, look) else sheets

    def _printed_sheets(
        self, photo: Image, frames: Sequence[PrintedFrame]
    ) -> tuple[FlattenedSheet, ...]:
        """The same where there are printed sheets: by their marks, with more of the photograph where writing
        lies outside every sheet."""
        look = look_copy(photo)
        for is_wide in (False, True):
            sheets = sheets_by_marks(photo, frames, is_wide=is_wide)
            if not self._has_writing_beside(photo, sheets, look):
                return sheets
        return (whole_photo_with(photo, frames),)

    def _has_writing_beside(self, photo: Image, sheets: Sequence[FlattenedSheet], look: Image) -> bool:
        # No order may be lost to an edge that was none.
        return sheets[0].is_outlined and has_writing_outside(photo, sheets, self.options.finder, look)

    def sheet(self, photo: Image, sheet: FlattenedSheet) -> tuple[Page | UnreadableReason, tuple[Step, ...]]:
        """One sheet as a page without its number, or why it is not a page, and the steps taken."""
        clean, rule_pixels = _cleaned(sheet)
        ticks: Mapping[int, str] = {}
        if sheet.printed is not None:
            # Its marks show which way is up.
            cleared = clear_print(clean, sheet, sheet.printed)
            clean, ticks = cleared.image, cleared.ticks
            quads = self._find(clean)
        else:
            degrees, quads = self._rotation(clean, self._find(clean))
            if degrees:
                sheet = turn_sheet(sheet, degrees)
                clean = turn_image(clean, degrees)
        ink = sheet_ink(clean)
        strips = lengthened(ink, row_strips(quads, partial(self._begin_alike, clean)))
        strips = self._parted_columns(clean, strips)
        rows = with_ticks(self._rows(sheet, clean, ink, strips, photo.shape[:2]), sheet.printed, ticks)
        quality = measure(photo, clean)
        steps = processing_steps(sheet, rule_pixels, quality, self.options.finder, len(rows), self.engines)
        reason = unusable_reason(quality, is_outlined=sheet.is_outlined)
        if sheet_trust(rows) < required_trust(
            rows, self.options.min_score, photo_is_good=reason is UnreadableReason.NOT_A_SHEET,
            is_on_paper=sheet.is_outlined,
        ):
            return reason, steps
        lines = join_wrapped(attach_insertions(rows))
        frame, skew = sheet.printed, _skew(rows, sheet.rotation)
        printed = None if frame is None else PrintedSheet(frame.code, len(frame.marks))
        return Page(0, sheet.rotation, skew, lines, _jpeg(clean), printed), steps

    def _find(self, clean: Image) -> tuple[Quad, ...]:
        """Boxes of writing on a sheet; small writing and tangled rows are searched in larger copies."""
        boxes = self._find_at(clean, FIND_SIDE)
        longest = max(clean.shape[:2])
        if longest <= FIND_SIDE or not boxes:
            return boxes
        box_height = float(np.median([min(quad_size(quad)) for quad in boxes])) * FIND_SIDE / longest
        is_close = box_height < SMALL
        boxes = self._find_at(clean, CLOSE_SIDE) if is_close else boxes
        # Tight rows run together in a small copy; the copy with the fewest boxes inside others wins.
        least = tangled_share(boxes)
        if least >= TANGLED:
            for side in (CLOSEST_SIDE,) if is_close else (CLOSE_SIDE, CLOSEST_SIDE):
                # The largest copy is for nothing where no box is in another any more.
                if side < longest and least > 0.0:
                    closer = self._find_at(clean, side)
                    share = tangled_share(closer)
                    if closer and share < least:
                        boxes, least = closer, share
        # A box much higher than the others is mostly a row and the word inserted above it: of eight such
        # boxes in 140 sheets, seven.
        return part_tall_boxes(
            boxes, lambda quad, times: self._find_in(clean, quad, times * FIND_SIDE / longest)
        )

    def _find_in(self, clean: Image, quad: Quad, scale: float) -> tuple[Quad, ...]:
        """Boxes of writing in and about one box, on a copy of that scale."""
        (left, top), (right, foot) = np.maximum(0, quad.min(axis=0)), quad.max(axis=0)
        part = clean[int(top) : int(foot) + 1, int(left) : int(right) + 1]
        method = cv2.INTER_AREA if scale < 1.0 else cv2.INTER_CUBIC
        small = np.asarray(cv2.resize(part, None, fx=scale, fy=scale, interpolation=method), dtype=np.uint8)
        corner = np.array([int(left), int(top)], dtype=np.float32)
        boxes = self.options.finder.find(np.ascontiguousarray(small)) if min(small.shape[:2]) >= 8 else ()
        return tuple(np.asarray(box / scale + corner, dtype=np.float32) for box in boxes)

    def _find_at(self, clean: Image, side: int) -> tuple[Quad, ...]:
        """Boxes of writing, searched only where there is ink, on a copy whose long side is at most `side`."""
        scale = min(1.0, side / max(clean.shape[:2]))
        size = (max(1, round(clean.shape[1] * scale)), max(1, round(clean.shape[0] * scale)))
        small = np.asarray(cv2.resize(clean, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        left, top, right, bottom = ink_bounds(small)
        if right - left < 8 or bottom - top < 8:
            return ()
        corner = np.array([left, top], dtype=np.float32)
        boxes = self.options.finder.find(np.ascontiguousarray(small[top:bottom, left:right]))
        return tuple(np.asarray((quad + corner) / scale, dtype=np.float32) for quad in boxes)

    def _rotation(self, clean: Image, quads: Sequence[Quad]) -> tuple[int, tuple[Quad, ...]]:
        """Degrees clockwise by which the writing reads best, and the boxes after that turn."""
        quarter = 90 if runs_sideways(quads) else 0
        if quarter:
            clean = turn_image(clean, quarter)
            quads = self._find(clean)
        longest = sorted(row_strips(quads), key=lambda strip: strip.left - strip.right)[:PROBES]
        crops = [_row_crop(clean, strip) for strip in longest]
        upright = self._recognize(crops)
        if _mean_score(upright) > SURELY_UPRIGHT:
            return quarter, tuple(quads)
        if not self._reads_better_inverted(crops, upright):
            return quarter, tuple(quads)
        corner = np.array([clean.shape[1], clean.shape[0]], dtype=np.float32)
        return quarter + 180, tuple(corner - np.roll(quad, 2, axis=0) for quad in quads)

    def _reads_better_inverted(self, crops: Sequence[Image], upright: Sequence[Recognition]) -> bool:
        """True if rows read better upside down than as they are. `upright`: their readings as they are."""
        inverted = [np.ascontiguousarray(crop[::-1, ::-1]) for crop in crops]
        # The longest row alone nearly always suffices, for a quarter of the price.
        longest = self._recognize_letters(inverted[:1])
        if longest and upright[0].score - longest[0].score >= PLAINLY_UPRIGHT:
            return False
        return _mean_score(upright) < _mean_score(self._recognize_letters(inverted))

    def _begin_alike(self, clean: Image, left: Sequence[Quad], right: Sequence[Quad]) -> bool:
        """True if the rows of two near columns begin with the same words; see `columns.begin_alike`."""
        # Layout cannot distinguish near columns from one list in two parts; first words can, and nothing need
        # be known of orders for it.
        if min(len(left), len(right)) < LEAST_BEGINNINGS:
            return False
        crops = [[_first_words(clean, quad) for quad in side] for side in (left, right)]
        return begin_alike(*([reading.text for reading in self._recognize_letters(side)] for side in crops))

    def _parted_columns(self, clean: Image, strips: Sequence[RowStrip]) -> tuple[RowStrip, ...]:
        """The rows, those that hold two columns parted; see `close_columns`."""
        # Nearly every crop is read again as it is, so that this costs nothing.
        texts = self._recognize([_row_crop(clean, strip) for strip in strips])
        words = [placed_words(*pair) for pair in zip(strips, texts, strict=True)]
        return parted_columns(strips, words, partial(_widest_gap, clean))

    def _rows(
        self, sheet: FlattenedSheet, clean: Image, ink: SheetInk, strips: Sequence[RowStrip],
        photo: tuple[int, ...],
    ) -> tuple[Row, ...]:
        """The rows of a sheet from their strips, without those that hold no writing."""
        legibilities, crops, texts, strikes, insertions = self._separated(clean, strips)
        inserted = [tuple(_inserted_row(sheet, clean, *word) for word in words) for words in insertions]
        others = self._second_opinions(crops, texts, [strike.score >= STRUCK for strike in strikes])
        texts = [_first_or_other(*pair) for pair in zip(texts, others, strict=True)]
        sheet_width = clean.shape[1]
        median_height = float(np.median([strip.height for strip in strips])) if strips else 0.0
        return tuple(
            Row(
                box=box_of(photo_points(sheet, strip.quad)),
                text=recognition.text,
                score=round(recognition.score, 4),
                left=round(strip.left / sheet_width, 4),
                right=round(strip.right / sheet_width, 4),
                indent=round(indent, 2),
                strike=strike,
                alternatives=alternatives,
                posteriors=recognition.posteriors,
                focus=legible.focus,
                contrast=legible.contrast,
                cut_off=is_cut_off(sheet, clean, strip, (photo[0], photo[1])),
                crossed=is_crossed,
                runs_on=goes_on,
                inserted=words,
                looks=self._looks(crop, recognition),
            )
            for (
                strip, recognition, alternatives, indent, legible, strike, crop, words, goes_on, is_crossed,
            ) in zip(
                strips, texts, others, row_indents(strips), legibilities, strikes, crops, inserted,
                runs_on(ink, strips), self.options.crossed_rows(clean, strips), strict=True,
            )
            # A row that every engine is silent on is for a person, if it is writing.
            if recognition.text or _has_writing(crop, strip, median_height)
        )

    def _separated(self, clean: Image, strips: Sequence[RowStrip]) -> _SeparatedRows:
        """The rows, each without the words inserted above it, and those words.

        1. Take out words that were found as rows of their own. 2. Read each row. 3. Look for words above its
        struck words and carets. 4. Take these out too, and read the row again."""
        # Tails of an inserted word, and its caret, read as letters of the row below: half of such orders were
        # lost to that.
        above = _boxes_above(strips)
        row_crops = [_row_crop(_without_words(clean, *pair), pair[0])
            for pair in zip(strips, above, strict=True)]
        legibilities, whole_texts = [legibility(crop) for crop in row_crops], self._recognize(row_crops)
        crops = [trim_to_row(*pair) for pair in zip(row_crops, whole_texts, strict=True)]
        # Mostly nothing is trimmed, and the crop itself comes back.
        texts = [
            whole if crop is row_crop else self._recognize([crop])[0]
            for crop, row_crop, whole in zip(crops, row_crops, whole_texts, strict=True)
        ]
        strikes = [self.options.detect_strike(*pair) for pair in zip(crops, texts, strict=True)]
        insertions: list[Insertions] = []
        for index, strip in enumerate(strips):
            if strikes[index].score >= STRUCK:
                insertions.append(())
                continue
            spots = insertion_spots(strip, strips, row_crops[index], whole_texts[index], strikes[index])
            bare = _without_words(clean, strip, above[index]) if spots else clean
            insertions.append(self._insertions(bare, spots) if spots else ())
            if words := insertions[-1]:
                bare = without_inserted_words(bare, words[0][0].row_quad, [spot.quad for spot, _ in words])
                crops[index] = trim_to_row(_row_crop(bare, strip), whole_texts[index])
                texts[index] = self._recognize([crops[index]])[0]
                strikes[index] = self.options.detect_strike(crops[index], texts[index])
        return _SeparatedRows(legibilities, crops, texts, strikes, insertions)

    def _insertions(self, clean: Image, spots: Sequence[InsertionSpot]) -> Insertions:
        """The words above struck words or a caret of a row: those spots whose readings are words."""
        # The row's own ink goes first, as the word's ink goes before the row is read.
        recognitions = self._recognize_letters(
            [cut_quad(without_inserted_words(clean, spot.quad, [spot.row_quad]), spot.quad) for spot in spots]
        )
        pairs = zip(spots, recognitions, strict=True)
        return tuple((spot, recognition) for spot, recognition in pairs if spot.accepts(recognition))

    def _looks(self, crop: Image, recognition: Recognition) -> CropLooks | None:
        """A row's ink, for the first engine to read once more."""
        engine, posteriors = self.engines[0], recognition.posteriors
        if posteriors is None or not isinstance(engine, LetterEngine):
            return None
        return CropLooks(crop, engine, len(posteriors.log_probs), len(recognition.text))

    def _second_opinions(
        self, crops: Sequence[Image], texts: Sequence[Recognition], struck: Sequence[bool]
    ) -> tuple[tuple[Alternative, ...], ...]:
        """By row the readings of the other engines, the best score first; see `ReadOptions` for which
        rows."""
        best = [recognition.score for recognition in texts]
        alternatives: list[list[Alternative]] = [[] for _ in crops]
        for number, engine in enumerate(self.engines[1:]):
            limit = self.options.third_below if number else self.options.second_below
            # The letters of a crossed-out row are hard to read and count for nothing.
            doubtful = [row for row, score in enumerate(best) if score < limit and not struck[row]]
            readings = engine.read([crops[row] for row in doubtful]) if number else [
                second_opinion(engine, crops[row], texts[row]) for row in doubtful]
            for row, other in zip(doubtful, readings, strict=True):
                best[row] = max(best[row], other.score)
                # Without posteriors the same text again is not news.
                if other.text and (other.posteriors is not None or other.text != texts[row].text):
                    alternatives[row].append(
                        Alternative(other.text, round(other.score, 4), engine.name, other.posteriors)
                    )
        return tuple(tuple(sorted(of_row, key=lambda other: -other.score)) for of_row in alternatives)


def _read_once(
    crops: Sequence[Image], read: Callable[[Sequence[Image]], Sequence[Recognition]],
    cache: dict[bytes, Recognition],
) -> tuple[Recognition, ...]:
    """Readings of some crops, of which each is read once. `cache`: what was read so far."""
    keys = [_digest(crop) for crop in crops]
    new = {key: crop for key, crop in zip(keys, crops, strict=True) if key not in cache}
    cache.update(zip(new, read(list(new.values())), strict=True))
    return tuple(cache[key] for key in keys)


def _digest(crop: Image) -> bytes:
    digest = hashlib.sha256(repr(crop.shape).encode())
    digest.update(np.ascontiguousarray(crop).data)
    return digest.digest()


SURELY_UPRIGHT = 0.93
"""Mean score, 0..1, of rows from which they are not tried upside down. Inverted writing was never above
0.85."""


PLAINLY_UPRIGHT = 0.1
"""Score, 0..1, by which the longest row reads better as it is than upside down where the sheet is upright. On
the sample sheets and 102 for calibration that row read better the right way up by .046 at least, by .1 on all
but four; of the 488 rows looked at three read better upside down, by .09 at most."""


def _first_or_other(recognition: Recognition, others: Sequence[Alternative]) -> Recognition:
    """The first engine's reading, or another engine's where the first saw nothing, as on a short "v2"."""
    if recognition.text or not others:
        return recognition
    return Recognition(others[0].text, others[0].score, others[0].posteriors)


SILENT_HEIGHT, SILENT_LENGTH, SILENT_INK = 0.6, 1.5, 0.4
"""Least height and length, in heights of the median row, and least share of columns with ink, 0..1, of a row
that is writing though no engine reads it. Less is a speck, a fold or the end of a rule. By hand."""

_DARK = 150
"""Grey, 0..255, below which a pixel of an evened sheet is ink. By hand."""


def _has_writing(crop: Image, strip: RowStrip, median_height: float) -> bool:
    """True if a row that no engine reads may be writing."""
    length = strip.right - strip.left
    if strip.height < SILENT_HEIGHT * median_height or length < SILENT_LENGTH * median_height:
        return False
    grey = crop if crop.ndim == 2 else cv2.cvtColor(crop, cv2.COLOR_RGB2GRAY)
    return float((grey < _DARK).any(axis=0).mean()) >= SILENT_INK


def _widest_gap(clean: Image, strip: RowStrip, begin: float, end: float) -> float:
    """The middle of the widest gap in a row's ink between two x, in pixels along the row."""
    crop = cut_quad(clean, strip.quad)
    grey = crop if crop.ndim == 2 else cv2.cvtColor(crop, cv2.COLOR_RGB2GRAY)
    step = (strip.right - strip.left) / crop.shape[1]
    first, last = (int(np.clip((x - strip.left) / step, 0, crop.shape[1])) for x in (begin, end))
    inked = np.flatnonzero((np.asarray(grey)[:, first:last] < _DARK).any(axis=0)) + first
    edges = np.array([first, *inked, last])
    widest = int(np.argmax(np.diff(edges)))
    return float(strip.left + step * (edges[widest] + edges[widest + 1]) / 2)


def _mean_score(texts: Sequence[Recognition]) -> float:
    """The mean score of rows, 0..1, weighted by length; 0 without letters."""
    length = sum(len(recognition.text) for recognition in texts)
    return sum(recognition.score * len(recognition.text) for recognition in texts) / length if length else 0.0


def _cleaned(sheet: FlattenedSheet) -> tuple[Image, int]:
    return without_rules(even_light(sheet.image))


def _row_crop(clean: Image, strip: RowStrip) -> Image:
    return cut_quad(
        clean, grow_quad(strip.quad, CROP_MARGIN[0] * strip.height, CROP_MARGIN[1] * strip.height)
    )


def _inserted_row(sheet: FlattenedSheet, clean: Image, spot: InsertionSpot, recognition: Recognition) -> Row:
    """A word inserted above a row, as its own row."""
    sheet_width = clean.shape[1]
    return Row(
        box=box_of(photo_points(sheet, spot.quad)), text=recognition.text, score=round(recognition.score, 4),
        left=round(float(spot.quad[:, 0].min()) / sheet_width, 4),
        right=round(float(spot.quad[:, 0].max()) / sheet_width, 4),
        posteriors=recognition.posteriors, cut_off=spot.is_cut,
    )


def _boxes_above(strips: Sequence[RowStrip]) -> list[list[Quad]]:
    """By row the boxes of the other rows that are words inserted above it."""
    hosts = insertion_hosts([box_of(strip.quad) for strip in strips])
    return [
        [other.quad for other, host in zip(strips, hosts, strict=True) if host == index]
        for index in range(len(strips))
    ]


def _without_words(clean: Image, strip: RowStrip, words: Sequence[Quad]) -> Image:
    """The sheet without the ink of words inserted above a row."""
    # Made again for each row that needs it: a copy of the sheet for every row would fill the memory.
    return without_inserted_words(clean, strip.quad, words) if words else clean


def _first_words(clean: Image, quad: Quad) -> Image:
    """The first word or two of a box as a recogniser's crop."""
    width, height = quad_size(quad)
    share = np.float32(min(1.0, BEGINNING * height / max(width, 1.0)))
    start = np.array([quad[0], quad[0], quad[3], quad[3]])
    short = start + (quad - start) * share
    return cut_quad(clean, grow_quad(np.asarray(short, dtype=np.float32), 0.0, CROP_MARGIN[1] * height))


def _skew(rows: Sequence[Row], rotation: int) -> float:
    """Degrees by which the writing falls to the right in the photograph after its turn; the median of
    rows."""
    falls = []
    for row in rows:
        (ax, ay), (bx, by) = row.box.corners[:2]
        degrees = float(np.degrees(np.arctan2(by - ay, bx - ax))) + rotation
        falls.append((degrees + 180) % 360 - 180)
    return round(float(np.median(falls)), 1) if falls else 0.0


def _jpeg(image: Image) -> bytes:
    bgr = cv2.cvtColor(image, cv2.COLOR_RGB2BGR)
    is_written, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, 80])
    if not is_written:
        msg = "OpenCV could not write a JPEG"
        raise RuntimeError(msg)
    return data.tobytes()
