"""The letters of a sheet's lines as pixels, each by the sign that it was read as.

Where the letters of a text that is known stand in a row is told by what the recogniser shows of its own
accord. `ocr.decoding.alignment` lays a text on the ink frame by frame. Where a line is read anyway this does
as well for its letters, in a fiftieth of the time.

What one person made on one sheet is compared with itself here, and with nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from rapidfuzz.distance import Levenshtein

from ocr.decoding.review_gate import CUT_OUT
from ocr.page import LetterView, Posteriors, Row, RowLetters
from reading.decode import DecodedLine
from reading.join_rows import JoinedLine
from reading.line import InterpretedLine
from reading.status import LineState

USUAL_SPACING = 12.0
"""Pixels from the middle of a letter to the next one's, on a sheet without two small letters side by side."""


@dataclass(frozen=True, slots=True)
class ShownSign:
    """A letter or other sign of free reading, in its own case. `start`, `end`: its frames, `end` being the
    first after it."""

    sign: str
    start: int
    end: int


def shown_signs(posteriors: Posteriors) -> tuple[ShownSign, ...]:
    """The likeliest sign of each frame, repeats and blanks taken out; spaces too."""
    signs: list[ShownSign] = []
    start, last = 0, 0
    best = posteriors.log_probs.argmax(axis=1).tolist() if len(posteriors.log_probs) else []
    for frame, column in enumerate([*best, 0]):
        if column != last:
            if last and posteriors.letters[last - 1] != " ":
                signs.append(ShownSign(posteriors.letters[last - 1], start, frame))
            start, last = frame, column
    return tuple(signs)


def places_of(text: str, shown: tuple[ShownSign, ...]) -> dict[int, int]:
    """By place in a text that was written the place in `shown` of the sign that stands for it, also where
    that is another letter; none for what free reading lost, and for spaces."""
    written = [place for place, letter in enumerate(text) if letter != " "]
    changes = Levenshtein.opcodes(
        "".join(text[place].casefold()[:1] for place in written),
        "".join(sign.sign.casefold()[:1] for sign in shown),
    )
    return {
        written[change.src_start + step]: change.dest_start + step
        for change in changes if change.tag in {"equal", "replace"}
        for step in range(min(change.src_end - change.src_start, change.dest_end - change.dest_start))
    }


@dataclass(frozen=True, slots=True)
class SheetLetter:
    """A letter of a line. `line`: the line's place; `place`: its own in the line's text;
    `sign`: as it was read, in the ink's own case."""

    line: int
    place: int
    sign: str
    view: LetterView = field(repr=False, compare=False)


def is_sure(joined: JoinedLine, line: InterpretedLine) -> bool:
    """True if a line passes, and its text is what its ink says letter by letter."""
    return (
        line.status is LineState.AUTO and line.kind == "order" and line.features is not None
        and not line.features.is_corrected
        and not any(row.inserted or row.strike.max_word_score >= CUT_OUT for row in joined.line.rows)
    )


def is_read_so(line: InterpretedLine, decoded: DecodedLine) -> bool:
    """True if a line was taken for the order that its ink was first read as."""
    return (
        line.order is not None and not line.struck and bool(decoded.hypotheses)
        and decoded.hypotheses[0].order == line.order and not decoded.ink.corrected
    )


@dataclass(frozen=True, slots=True)
class _InkedLine:
    """A line with its signs as free reading shows them. `places`: by place in its text the sign's in `shown`;
    `rows`: by row its first frame, its frames, and the places in `shown` of its signs."""

    text: str
    shown: tuple[ShownSign, ...]
    places: Mapping[int, int]
    rows: tuple[tuple[int, Row, tuple[int, ...]], ...]


class SheetLetters:
    """The letters of a sheet, looked at when they are asked for. `lines`: those that were taken for what
    their ink was first read as, by their places; `sure`: places of those whose letters are surely read."""

    def __init__(self, lines: Mapping[int, JoinedLine], sure: Sequence[int]) -> None:
        """See the class."""
        self.lines = lines
        self._sure = sure
        self._inked: dict[int, _InkedLine] = {}
        self._rows: dict[tuple[int, int], RowLetters] = {}
        self._views: dict[tuple[int, int], LetterView | None] = {}
        self._spacing = 0.0

    def letter(self, index: int, place: int) -> SheetLetter | None:
        """One letter of a line's text; None where its ink was not kept, or shows nothing for it."""
        line = self._line(index)
        number = line.places.get(place)
        if number is None:
            return None
        view = self._view(index, number)
        sign = _in_case_of(line.shown[number].sign, line.text[place])
        return None if view is None else SheetLetter(index, place, sign, view)

    def witnesses(self, sign: str, beside: SheetLetter) -> Iterator[SheetLetter]:
        """The letters of the sure lines that stand for `sign`, in its case, but for one."""
        for index in self._sure:
            line = self._line(index)
            for place, number in line.places.items():
                if (
                    line.text[place].casefold() == sign.casefold()
                    and _in_case_of(line.shown[number].sign, sign) == sign
                    and (index, place) != (beside.line, beside.place)
                    and (view := self._view(index, number)) is not None
                ):
                    yield SheetLetter(index, place, sign, view)

    def _line(self, index: int) -> _InkedLine:
        if index not in self._inked:
            self._inked[index] = _inked(self.lines[index])
        return self._inked[index]

    def _view(self, index: int, number: int) -> LetterView | None:
        """The sign of this number of a line."""
        if (index, number) not in self._views:
            view = None
            for place, (_, row, numbers) in enumerate(self._line(index).rows):
                if number in numbers and row.looks is not None:
                    view = self._row(index, place).view(numbers.index(number))
            self._views[index, number] = view
        return self._views[index, number]

    def _row(self, index: int, place: int) -> RowLetters:
        """A row of a line whose ink was kept, by its place among the line's rows."""
        if (index, place) not in self._rows:
            line = self._line(index)
            first, row, numbers = line.rows[place]
            looks, posteriors = row.looks, row.posteriors
            if looks is None or posteriors is None:  # pragma: no cover - asked for by `_view` alone
                raise ValueError
            frames = len(posteriors.log_probs)
            middles = [((line.shown[n].start + line.shown[n].end) / 2 - first) / frames for n in numbers]
            spacing = self._letter_spacing() / max(1.0, row.box.width)
            self._rows[index, place] = looks.row_letters(middles, spacing)
        return self._rows[index, place]

    def _letter_spacing(self) -> float:
        """Pixels from the middle of a small letter to the next one's: the median of the sure lines."""
        if not self._spacing:
            gaps = [gap for index in self._sure for gap in _gaps(self._line(index))]
            self._spacing = median(gaps) if gaps else USUAL_SPACING
        return self._spacing


def _inked(joined: JoinedLine) -> _InkedLine:
    """A line that was decoded, with its signs."""
    decoded, rows = joined.decoded, joined.line.rows
    if decoded is None:
        return _InkedLine("", (), {}, ())
    text, shown = decoded.hypotheses[0].text.text, shown_signs(decoded.ink.opinions[0])
    spans, first = [], 0
    for row in rows:
        # Between rows is a frame of no row, see `ocr.decoding.ctc.line_posteriors`.
        end = first + (0 if row.posteriors is None else len(row.posteriors.log_probs))
        within = (number for number, sign in enumerate(shown) if first <= sign.start < sign.end <= end)
        spans.append((first, row, tuple(within)))
        first = end + 1
    return _InkedLine(text, shown, places_of(text, shown), tuple(spans))


def _in_case_of(shown: str, letter: str) -> str:
    """A letter in the case of the sign that the ink shows for it."""
    return letter.upper() if shown.isupper() else letter.lower()


def _gaps(line: _InkedLine) -> Iterator[float]:
    """Pixels from the middle of each small letter of a line to the next one's in the same word."""
    for _, row, numbers in line.rows:
        frames = 1 if row.posteriors is None else len(row.posteriors.log_probs)
        in_text = {number: place for place, number in line.places.items()}
        for number, following in pairwise(numbers):
            if number in in_text and in_text.get(following) == in_text[number] + 1 and (
                line.shown[number].sign.islower() and line.shown[following].sign.islower()
            ):
                left, right = line.shown[number], line.shown[following]
                yield (right.start + right.end - left.start - left.end) / 2 / frames * row.box.width
