"""Find printed order sheets in a photograph: by their corner marks and their code (LET-12).

A mark shows which corner it is, so marks give place and turn of a sheet without any edge of paper. Nothing is
taken for a printed sheet by one mark alone: two that agree are needed, or a code of ours.

QR and Data Matrix codes in a picture, by ZXing (zxing-cpp, Apache-2.0).

Of 60 composed photographs blurred by 2 pixels at a long side of 1,600 it read 52 codes cut out by their marks
and OpenCV's detectors 27, in a thirtieth of their time; on sharper ones both read all that were in view.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import combinations

import cv2
import numpy as np
import numpy.typing as npt

from ocr.engines import Quad
from ocr.image import sheet_layout as layout
from ocr.image.geometry import Matrix, homography, transform_points, upright_frame
from ocr.page import Image


class CodeForm(Enum):
    """What a code looks like, by ZXing's name of it."""

    QR = "QRCode"
    DATA_MATRIX = "DataMatrix"


@dataclass(frozen=True, slots=True, eq=False)
class LocatedCode:
    """A code: its letters, and its corners in pixels, clockwise from its own top left."""

    text: str
    corners: Quad


def read_codes(picture: Image, form: CodeForm = CodeForm.QR) -> tuple[LocatedCode, ...]:
    """The codes of one form in an RGB picture that can be read; empty if there are none."""
    # Imported here: only a photograph with marks is searched for a code.
    import zxingcpp

    grey = np.ascontiguousarray(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY))
    formats = zxingcpp.BarcodeFormats(getattr(zxingcpp.BarcodeFormat, form.value))
    results = zxingcpp.read_barcodes(grey, formats=formats)
    return tuple(LocatedCode(result.text, _corners(result.position)) for result in results)


def read_code(picture: Image, sharpened_by: float, form: CodeForm = CodeForm.QR) -> str:
    """The letters of the one code of an RGB picture, as it is and then sharpened; "" if it cannot be read.

    `sharpened_by`: pixels, the blur that is taken back, about half a module.
    """
    codes = read_codes(picture, form)
    if not codes:
        soft = cv2.GaussianBlur(picture, (0, 0), sharpened_by)
        codes = read_codes(np.asarray(cv2.addWeighted(picture, 2.2, soft, -1.2, 0), np.uint8), form)
    return codes[0].text if codes else ""


def _corners(position: object) -> Quad:
    names = ("top_left", "top_right", "bottom_right", "bottom_left")
    points = [getattr(position, name) for name in names]
    return np.array([[point.x, point.y] for point in points], np.float32)


# Tuning values. "By hand": no measurement on record.
LOOK_SIDE = 2000  # pixels, long side of the copy in which marks are looked for. By hand
LEAST_MARK = 0.008  # share of the long side, side of the smallest mark that is taken. By hand
FARTHEST = 12.0
"""Millimetres, 0..30, by which one mark may lie off the place that others give it: paper curls. By hand."""
CODE_MARGIN = 3.0  # millimetres around a code that are cut out with it: its quiet zone. By definition
CODE_SCALES = (6.0, 10.0)  # pixels a millimetre at which a code is cut out, in turn. By hand
SHARPEN = 0.6  # millimetres, 0.3..0.9, of blur that are taken back: most of a module. By hand
FOOT_SHARPEN = 0.35  # the same of the smaller code in the foot. By hand


@dataclass(frozen=True, slots=True, eq=False)
class PrintedFrame:
    """A printed sheet in a photograph.

    `to_photo`: homography from millimetres of the layout to pixels of the photograph. `marks`: numbers of the
    marks that were seen. `code`: the letters of its QR code, "" if it could not be read. `rotation`: 0, 90,
    180 or 270 degrees clockwise that make the photograph upright. `is_whole`: True if marks lie so far apart
    that the whole sheet is placed by them; False if only what is near them is.
    """

    to_photo: Matrix
    marks: tuple[int, ...]
    code: str
    rotation: int
    is_whole: bool

    def points(self, places: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """Places of the layout (n x 2, millimetres) in pixels of the photograph."""
        return transform_points(self.to_photo, places)


@dataclass(frozen=True, slots=True, eq=False)
class _Mark:
    number: int
    corners: npt.NDArray[np.float32]

    @property
    def side(self) -> float:
        return float(np.sqrt(cv2.contourArea(self.corners)))


def find_printed(photo: Image) -> tuple[PrintedFrame, ...]:
    """The printed sheets in an upright RGB photograph, in no order; empty if there is none."""
    marks = _marks(photo)
    frames = [frame for group in _groups(marks) if (frame := _frame(photo, group)) is not None]
    if frames:
        return tuple(frames)
    # One mark alone proves nothing, but a code of ours next to it does, and both say about where the sheet
    # is.
    codes = read_codes(photo) if marks else ()
    own_codes = [code for code in codes if _is_ours(code.text)]
    by_code = [_by_code(code, [mark for mark in marks if _agrees(mark, code)]) for code in own_codes]
    return tuple(frame for frame in by_code if frame is not None)


def _marks(photo: Image) -> list[_Mark]:
    scale = min(1.0, LOOK_SIDE / max(photo.shape[:2]))
    if round(scale * min(photo.shape[:2])) < 1:
        return []  # A thread of a picture has no place for a mark.
    grey = cv2.cvtColor(photo, cv2.COLOR_RGB2GRAY)
    small = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else grey
    corners, numbers, _ = _detector().detectMarkers(small)
    if numbers is None:
        return []
    marks = [
        _Mark(int(number), np.asarray(quad, np.float32).reshape(4, 2) / np.float32(scale))
        for quad, number in zip(corners, numbers.ravel(), strict=True) if number < len(layout.MARKS)]
    least = LEAST_MARK * max(photo.shape[:2])
    return [mark for mark in marks if mark.side >= least]


def _detector() -> cv2.aruco.ArucoDetector:
    values = cv2.aruco.DetectorParameters()
    values.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    # Neighbourhoods from fine to coarse: a shadow's edge may cross a mark.
    values.adaptiveThreshWinSizeMin, values.adaptiveThreshWinSizeMax = 5, 65
    values.adaptiveThreshWinSizeStep = 30
    values.minMarkerPerimeterRate = 4 * LEAST_MARK
    # No cell may be wrong: a sheet has four marks, and a false one would turn plain paper over.
    values.errorCorrectionRate = 0.0
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), values)


def _groups(marks: Sequence[_Mark]) -> list[list[_Mark]]:
    """Marks by sheet, each number once a sheet, of those that agree with another."""
    groups: list[list[_Mark]] = []
    rest = list(marks)
    while rest:
        group = _largest_group(rest)
        if len(group) < 2:
            break
        groups.append(group)
        rest = [mark for mark in rest if mark not in group]
    return groups


def _largest_group(marks: Sequence[_Mark]) -> list[_Mark]:
    """The most marks of which each lies where two of them say."""
    best: list[_Mark] = []
    for first, second in combinations(marks, 2):
        if first.number == second.number:
            continue
        matrix = _fit([first, second])
        if matrix is None:
            continue
        agreeing: dict[int, tuple[float, _Mark]] = {}
        for mark in marks:
            miss = _miss(matrix, mark)
            if miss <= FARTHEST and miss <= agreeing.get(mark.number, (FARTHEST, mark))[0]:
                agreeing[mark.number] = (miss, mark)
        group = [mark for _, mark in agreeing.values()]
        if first in group and second in group and len(group) > len(best):
            best = group
    return best


def _fit(marks: Sequence[_Mark]) -> Matrix | None:
    """Millimetres to pixels of the photograph by the corners of marks; None if no perspective fits them."""
    places = np.array([corner for mark in marks for corner in layout.mark_corners(mark.number)], np.float32)
    pixels = np.concatenate([mark.corners for mark in marks])
    matrix, _ = cv2.findHomography(places, pixels, 0)
    if matrix is None or not np.isfinite(matrix).all():
        return None
    fitted = np.asarray(matrix, np.float64)
    return fitted if _is_seen_from_above(fitted) else None


def _is_seen_from_above(matrix: Matrix) -> bool:
    """True if the block is a convex quadrangle, not mirrored."""
    width, height = layout.BLOCK
    corners = transform_points(matrix, upright_frame(width, height))
    return bool(cv2.isContourConvex(corners)) and cv2.contourArea(corners, oriented=True) > 0


def _miss(matrix: Matrix, mark: _Mark) -> float:
    """How far a mark lies from its place, in millimetres of its own size: the worst corner."""
    expected = transform_points(matrix, layout.mark_corners(mark.number))
    return float(np.hypot(*(expected - mark.corners).T).max()) * layout.MARK / max(mark.side, 1e-6)


def _frame(photo: Image, marks: Sequence[_Mark]) -> PrintedFrame | None:
    matrix = _fit(marks)
    if matrix is None:
        return None
    numbers = tuple(sorted(mark.number for mark in marks))
    return PrintedFrame(matrix, numbers, _code(photo, matrix), _rotation(matrix), is_whole=True)


def _code(photo: Image, matrix: Matrix) -> str:
    """The letters of the code of a sheet whose place is known; "" if neither of the two can be read."""
    quad = _quad(matrix, layout.CODE)
    if text := _cut_code(photo, quad, layout.CODE, SHARPEN, CodeForm.QR):
        return text
    # A curled sheet has its code elsewhere than its marks say.
    for code in read_codes(photo):
        middle = tuple(code.corners.mean(axis=0).tolist())
        if _is_ours(code.text) and cv2.pointPolygonTest(quad, middle, False) >= 0:
            return code.text
    # The head is cut off, folded away or under a hand.
    foot = layout.FOOT_CODE
    return _cut_code(photo, _quad(matrix, foot), foot, FOOT_SHARPEN, CodeForm.DATA_MATRIX)


def _quad(matrix: Matrix, area: layout.Area) -> Quad:
    """An area with its quiet zone in pixels of the photograph, clockwise from its top left."""
    left, top, right, bottom = (
        area.left - CODE_MARGIN, area.top - CODE_MARGIN, area.right + CODE_MARGIN, area.bottom + CODE_MARGIN)
    return transform_points(matrix, [[left, top], [right, top], [right, bottom], [left, bottom]])


def _cut_code(photo: Image, quad: Quad, area: layout.Area, sharpened_by: float, form: CodeForm) -> str:
    """The letters of the code that is cut out of the photograph, at one size and then another."""
    for scale in CODE_SCALES:
        width = round((area.right - area.left + 2 * CODE_MARGIN) * scale)
        height = round((area.bottom - area.top + 2 * CODE_MARGIN) * scale)
        frame = upright_frame(width, height)
        cut = cv2.warpPerspective(photo, homography(quad, frame), (width, height), flags=cv2.INTER_CUBIC)
        text = read_code(np.asarray(cut, np.uint8), sharpened_by * scale, form)
        if _is_ours(text):
            return text
    return ""


def _is_ours(text: str) -> bool:
    return text.startswith(f"{layout.LAYOUT}:")


def _by_code(code: LocatedCode, marks: Sequence[_Mark]) -> PrintedFrame | None:
    area = layout.CODE
    places = [[area.left, area.top], [area.right, area.top], [area.right, area.bottom],
              [area.left, area.bottom]]
    pixels = code.corners
    for mark in marks[:1]:
        places += [list(corner) for corner in layout.mark_corners(mark.number)]
        pixels = np.concatenate([pixels, mark.corners])
    fitted, _ = cv2.findHomography(np.array(places, np.float32), pixels, 0)
    matrix = np.asarray(np.eye(3) if fitted is None else fitted, np.float64)
    if fitted is None or not np.isfinite(matrix).all() or not _is_seen_from_above(matrix):
        return None
    # A lower mark lies far from the code, so all between is placed by the two.
    is_whole = any(mark.number in {2, 3} for mark in marks[:1])
    return PrintedFrame(matrix, tuple(mark.number for mark in marks[:1]), code.text, _rotation(matrix),
                        is_whole)


def _agrees(mark: _Mark, code: LocatedCode) -> bool:
    """True if a mark and a code may be of one sheet: both are as large as printed next to each other."""
    code_side = float(np.sqrt(cv2.contourArea(code.corners)))
    ratio = code_side / max(mark.side, 1e-6) * layout.MARK / (layout.CODE.right - layout.CODE.left)
    return 0.6 < ratio < 1.7


def _rotation(matrix: Matrix) -> int:
    """Degrees clockwise, in quarters, that make the photograph upright."""
    width, height = layout.BLOCK
    left, right = transform_points(matrix, [[0, height / 2], [width, height / 2]])
    degrees = float(np.degrees(np.arctan2(right[1] - left[1], right[0] - left[0])))
    return round(-degrees / 90) % 4 * 90
