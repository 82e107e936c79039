"""PP-OCRv6 (small): the networks that the rapidocr package carries, run through onnxruntime.

Apache-2.0, PaddleOCR's authors. The networks are used without rapidocr's own pipeline, which drops the letter
posteriors that a decoder needs, runs a 180-degree classifier that harms on handwriting (CER .108 with it,
.079 without), and downloads what it misses. Here a missing or altered file is an error. The recogniser's last
layers are replaced by those tuned to handwriting (`ocr.engines.finetuned`).
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from threading import Lock

import cv2
import numpy as np
import numpy.typing as npt

from adjudicator.errors import UserFacingError
from ocr.engines import LEAST_PROB, Contour, Quad, Recognition, best_path, crossing, finetuned
from ocr.engines.hand import Hand, LearntLine
from ocr.engines.runtime import onnxruntime
from ocr.freed_memory import give_back
from ocr.page import Image, LayerInput, OutputLayer, Posteriors

RECOGNISER, FINDER = "PP-OCRv6_rec_small.onnx", "PP-OCRv6_det_small.onnx"

MODELS = {
    FINDER: "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
    RECOGNISER: "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
}
"""File name to SHA-256, as in rapidocr 3.10.0."""

# Tuning values. "By hand": no measurement on record.
ROW_HEIGHT = 48  # pixels of a row, as the recogniser was trained (PP-OCRv6's configuration)
WIDEN = 1.3
"""Factor, 0.7..1.6, by which crops are stretched: on 60 tidy sheets orders exact .962 against .910 at 1.0."""
MAX_ROW_WIDTH = 2400
"""Pixels: wider crops are squeezed, which bounds time and memory for freak boxes. By hand."""
LATIN_END = 0x180
"""Code point: letters from here on are never written on an order sheet (end of Latin Extended-A)."""
SUSPICION = 0.05
"""Probability, 0..1, of a frame being struck, or having a word above it, from which a row is judged by the
published convolutions. By hand."""
DENORMAL = (
    (4236913, 384), (4238482, 3456), (5730589, 768), (5733787, 294912), (6915045, 3456), (8110171, 768),
    (8113369, 294912),
)
"""Arrays of the finder's file with float32 numbers below the least normal one, 1.2e-38: byte offset, and how
many numbers. Of the two large ones 70,000 and 185,000 are so small."""
# The row finder (DB, Liao 2020), as in the configuration of rapidocr 3.10 unless said.
STRIDE = 32  # pixels: both sides of the finder's picture are multiples of it
PIXEL_PROB = 0.3  # probability, 0..1, from which a pixel is of the core of writing
BOX_PROB = 0.45  # mean probability, 0..1, of a box at least; 0.5 in rapidocr. By hand
GROWTH = 1.6  # factor, 1..3: the network paints the core; boxes grow by area x GROWTH / circumference
LEAST_SIDE = 3  # pixels of a box's core at least
LARGE = 1024
"""Pixels, long side of a picture whose search takes 130 MiB and more for a moment: freed memory is given back
before it."""
HALVED = 1184
"""Pixels, long side of a picture from which it is searched in halves: larger than the second search of a
sheet. At once such a search takes 236 MiB for a moment."""
SEAM = 160  # pixels, a multiple of STRIDE, that either half has beyond the seam. By hand


class ModelError(UserFacingError):
    """A network file is missing, or is not the one this release was measured with."""


_LEVELS = np.arange(256, dtype=np.float32) / np.float32(127.5) - np.float32(1.0)
"""By value of a pixel what the networks are given for it."""

_STARTING = Lock()
"""Networks are started one after the other. Two threads that come first would start two of them; of the one
that is dropped the tuned arrays would be freed while it reads (commit 43b16a2)."""


@cache
def _session(name: str, threads: int) -> onnxruntime.InferenceSession:
    data = network_file(name)
    change = crossing.with_features if name == RECOGNISER else without_denormals
    return _started(change(data), _options(threads))


@cache
def _tuned_session(
    threads: int,
) -> tuple[onnxruntime.InferenceSession, finetuned.TunedLayers, list[onnxruntime.OrtValue]]:
    """The recogniser with tuned layers, those layers, and the arrays that must live as long as the
    session."""
    layers = finetuned.parse_layers(_checked(finetuned.FILE, finetuned.SHA256, "this release"))
    options = _options(threads)
    live_arrays = []
    for name, array in layers.replaced.items():
        value = onnxruntime.OrtValue.ortvalue_from_numpy(array)
        options.add_initializer(name, value)
        live_arrays.append(value)
    data = crossing.with_features(layers.patched(network_file(RECOGNISER)))
    return _started(data, options), layers, live_arrays


@cache
def _crossing() -> crossing.CrossingHead:
    return crossing.parse_head(_checked(crossing.FILE, crossing.SHA256, "this release"))


def network_file(name: str) -> bytes:
    """A network file as it was published. Raises ModelError if it is missing or altered."""
    spec = importlib.util.find_spec("rapidocr")
    if spec is None or spec.origin is None:
        msg = "the package rapidocr, which carries the networks, is not installed"
        raise ModelError(msg)
    return _checked(Path(spec.origin).parent / "models" / name, MODELS[name], "rapidocr 3.10.0")


def without_denormals(finder: bytes) -> bytes:
    """The finder's file with 0 for numbers that are too small to be normal."""
    # A processor multiplies them a hundred times as slowly: two of the finder's 83 convolutions took two
    # thirds of its time. What it finds is the same to the bit.
    out = bytearray(finder)
    for offset, count in DENORMAL:
        # The published file holds little-endian floats.
        numbers = np.frombuffer(out, "<f4", count, offset)
        numbers[np.abs(numbers) < np.finfo(np.float32).tiny] = 0.0
    return bytes(out)


def _checked(path: Path, digest: str, origin: str) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        msg = f"{path}: {error.strerror}"
        raise ModelError(msg) from error
    if hashlib.sha256(data).hexdigest() != digest:
        msg = f"{path}: not the file of {origin}"
        raise ModelError(msg)
    return data


def _options(threads: int) -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # As rapidocr does: an arena would keep the memory of the widest crop.
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 4  # fatal errors only
    return options


def _started(data: bytes, options: onnxruntime.SessionOptions) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])


def _run(
    session: onnxruntime.InferenceSession, tensor: npt.NDArray[np.float32]
) -> tuple[npt.NDArray[np.float32], ...]:
    """The network's outputs, without the first axis."""
    out = session.run(None, {session.get_inputs()[0].name: tensor})
    return tuple(np.asarray(batch[0], dtype=np.float32) for batch in out)


def _tensor(image: Image) -> npt.NDArray[np.float32]:
    """Float32, shape (1, 3, height, width), blue first as the networks expect, -1..1."""
    planes = [image] * 3 if image.ndim == 2 else cv2.split(image)[::-1]
    tensor = np.empty((1, 3, *image.shape[:2]), np.float32)
    for plane, scaled in zip(planes, tensor[0], strict=True):
        # 256 numbers are computed, and not every pixel three times over.
        cv2.LUT(plane, _LEVELS, scaled)
    return tensor


@cache
def _alphabet(*, tuned: bool, threads: int) -> tuple[str, tuple[int, ...]]:
    """The Latin letters, and the columns of the recogniser's output for the blank and each of them."""
    characters = _recogniser(tuned=tuned, threads=threads).get_modelmeta().custom_metadata_map["character"]
    letters = [*characters.splitlines(), " "]
    # The published output has a column per letter; the tuned one only those listed in its file.
    published = _tuned_session(threads)[1].columns if tuned else range(len(letters) + 1)
    named = [(column, letters[index - 1]) for column, index in enumerate(published) if index]
    latin = [(column, letter) for column, letter in named if len(letter) == 1 and ord(letter) < LATIN_END]
    return "".join(letter for _, letter in latin), (0, *(column for column, _ in latin))


def _recogniser(*, tuned: bool, threads: int) -> onnxruntime.InferenceSession:
    with _STARTING:
        return _tuned_session(threads)[0] if tuned else _session(RECOGNISER, threads)


def _published_features(row: npt.NDArray[np.float32], threads: int) -> npt.NDArray[np.float32]:
    """What the published convolutions make of a row: shape (384, 1, frames)."""
    # Tuned convolutions read through a fine stroke: by them the head let orders pass that were crossed
    # out with one.
    session, options = _recogniser(tuned=False, threads=threads), onnxruntime.RunOptions()
    options.only_execute_path_to_fetches = True
    out = session.run([crossing.FEATURES], {session.get_inputs()[0].name: row}, options)
    return np.asarray(out[0][0], dtype=np.float32)


class PpOcr:
    """The recogniser. One crop a run, so that a row reads the same whatever its neighbours are."""

    def __init__(
        self, threads: int = 1, widen: float = WIDEN, *, tuned: bool = True, hand: Hand | None = None
    ) -> None:
        """`threads`: cores that one run may use. `widen`: factor by which crops are stretched.

        The same network at another width errs elsewhere, which makes it a second opinion. `tuned`: with the
        layers tuned to handwriting; without them the network is as published. `hand`: the output layer of one
        person, fitted to the tuned network; one that was fitted to another is not used.
        """
        self._threads = threads
        self._widen = widen
        self._tuned = tuned
        self._hand = hand if tuned and hand is not None and hand.base == finetuned.SHA256 else None
        self._layer = None if self._hand is None else self._hand.layer(common_layer())

    @property
    def name(self) -> str:
        """See Engine."""
        name = "ppocr6s-hand" if self._tuned else "ppocr6s"
        name = name if self._widen == WIDEN else f"{name}-{self._widen:g}"
        # So that of every reading it can be told which hand's layer it came from.
        return name if self._hand is None else f"{name}+{self._hand.digest[:12]}"

    def read(self, crops: Sequence[Image]) -> tuple[Recognition, ...]:
        """See Engine. Text is the best path, Latin letters only."""
        return tuple(self._read(crop) for crop in crops)

    def read_letters(self, crops: Sequence[Image]) -> tuple[Recognition, ...]:
        """See LetterEngine."""
        return tuple(self._letters(self._row(crop))[0] for crop in crops)

    def outputs(self, crop: Image) -> tuple[npt.NDArray[np.float32], ...]:
        """The network's outputs for a crop, float32.

        Probabilities, shape (frames, columns), the features for `crossing`, shape (384, 1, frames), and what
        the output layer is given, shape (frames, 120).
        """
        return _run(_recogniser(tuned=self._tuned, threads=self._threads), self._row(crop))

    def _row(self, crop: Image) -> npt.NDArray[np.float32]:
        """A crop as the network takes it, see `_tensor`."""
        height, width = crop.shape[:2]
        row_width = min(MAX_ROW_WIDTH, max(ROW_HEIGHT, round(width * ROW_HEIGHT / height * self._widen)))
        method = cv2.INTER_AREA if height > ROW_HEIGHT else cv2.INTER_CUBIC
        row = cv2.resize(crop, (row_width, ROW_HEIGHT), interpolation=method)
        return _tensor(np.asarray(row, dtype=np.uint8))

    def _letters(self, row: npt.NDArray[np.float32]) -> tuple[Recognition, npt.NDArray[np.float32]]:
        """The reading of a row, and the features for `crossing`, see `outputs`."""
        probs, features, frames = _run(_recogniser(tuned=self._tuned, threads=self._threads), row)
        letters, columns = _alphabet(tuned=self._tuned, threads=self._threads)
        if self._layer is not None:
            probs = np.exp(self._layer.log_probs(frames))
        log_probs = np.log(np.maximum(probs[:, columns], LEAST_PROB))
        return best_path(Posteriors(log_probs, letters, self._source(frames, columns))), features

    def _read(self, crop: Image) -> Recognition:
        row = self._row(crop)
        recognition, features = self._letters(row)
        # The head was fitted on rows stretched by WIDEN.
        if self._widen != WIDEN:
            return recognition
        scores = _crossing()(features[:, 0])
        # ... and on what the published convolutions make of them.
        if self._tuned and max(1.0 - scores.class_probs[:, 0].min(), scores.above_probs.max()) >= SUSPICION:
            scores = _crossing()(_published_features(row, self._threads)[:, 0])
        return replace(recognition, crossing=scores)

    def _source(self, frames: npt.NDArray[np.float32], columns: tuple[int, ...]) -> LayerInput | None:
        """What the output layer was given, kept; the published layer is never laid again."""
        if not self._tuned:
            return None
        return LayerInput(frames, self._layer or common_layer(self._threads), columns)

    def learnt(self, crop: Image, text: str) -> LearntLine:
        """A crop and what it is known to say, for a hand to learn from. Letters that the network does not
        have are left out."""
        letters, columns = _alphabet(tuned=True, threads=self._threads)
        column_of = dict(zip(letters, columns[1:], strict=True))
        wanted = tuple(column_of[letter] for letter in " ".join(text.split()) if letter in column_of)
        return LearntLine(self.outputs(crop)[2], wanted)


@cache
def common_layer(threads: int = 1) -> OutputLayer:
    """The output layer of the tuned network, which reads everybody."""
    with _STARTING:
        replaced = _tuned_session(threads)[1].replaced
    return OutputLayer(*(replaced[name] for name in finetuned.HEAD))


class PpFinder:
    """The detector: a map of where writing is, cut into boxes."""

    def __init__(self, threads: int = 1, long_side: int = 1280) -> None:
        """`long_side`: pixels to which the picture is shrunk; the cost grows with its square."""
        self._threads = threads
        self._long_side = long_side

    @property
    def name(self) -> str:
        """See RowFinder."""
        return "ppocr6s-det"

    def find(self, image: Image) -> tuple[Quad, ...]:
        """See RowFinder."""
        height, width = image.shape[:2]
        scale = min(1.0, self._long_side / max(height, width))
        size = tuple(max(STRIDE, round(side * scale / STRIDE) * STRIDE) for side in (width, height))
        picture = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        if max(size) >= LARGE:
            give_back()
        heat = self._heat(picture) if max(size) < HALVED else self._heat_of_halves(picture)
        stretch = np.array([width / size[0], height / size[1]], dtype=np.float32)
        return tuple(quad * stretch for quad in text_boxes(heat))

    def _heat(self, picture: Image) -> npt.NDArray[np.float32]:
        """The network's map of a picture whose sides are multiples of STRIDE, as large as it is."""
        heat: npt.NDArray[np.float32] = _run(_session(FINDER, self._threads), _tensor(picture))[0][0]
        return heat

    def _heat_of_halves(self, picture: Image) -> npt.NDArray[np.float32]:
        """The same from two halves of the longer side, at least twice SEAM long, that overlap. It differs by
        little at the seam, and the boxes are cut from the whole."""
        seam = max(picture.shape[:2]) // 2 // STRIDE * STRIDE
        if picture.shape[1] > picture.shape[0]:
            left = self._heat(picture[:, : seam + SEAM])[:, :seam]
            return np.concatenate((left, self._heat(picture[:, seam - SEAM :])[:, SEAM:]), axis=1)
        upper = self._heat(picture[: seam + SEAM])[:seam]
        return np.concatenate((upper, self._heat(picture[seam - SEAM :])[SEAM:]))


def text_boxes(heat: npt.NDArray[np.float32]) -> tuple[Quad, ...]:
    """Rotated rectangles round the connected parts of a map of probabilities: float32, shape (height,
    width)."""
    mask = cv2.dilate((heat > PIXEL_PROB).astype(np.uint8), np.ones((2, 2), np.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    boxes = (_box_of(heat, contour) for contour in contours)
    return tuple(quad for quad in boxes if quad is not None)


def _box_of(heat: npt.NDArray[np.float32], contour: Contour) -> Quad | None:
    """The grown rectangle round one part; None if it is too small or too faint."""
    centre, (w, h), angle = cv2.minAreaRect(contour)
    if min(w, h) < LEAST_SIDE:
        return None
    x, y, width, height = cv2.boundingRect(contour)
    mask = np.zeros((height, width), np.uint8)
    cv2.drawContours(mask, [contour], -1, 1, -1, offset=(-x, -y))
    if cv2.mean(heat[y : y + height, x : x + width], mask)[0] < BOX_PROB:
        return None
    growth = 2.0 * w * h * GROWTH / (2.0 * (w + h))
    return clockwise_corners(cv2.boxPoints((centre, (w + growth, h + growth), angle)))


def clockwise_corners(points: npt.ArrayLike) -> Quad:
    """Four corners of a rectangle turned by less than 45 degrees, clockwise from the top left: shape (4,
    2)."""
    quad = np.asarray(points, dtype=np.float32)
    x_plus_y, y_minus_x = quad.sum(axis=1), quad[:, 1] - quad[:, 0]
    order = [x_plus_y.argmin(), y_minus_x.argmin(), x_plus_y.argmax(), y_minus_x.argmax()]
    return np.asarray(quad[order], dtype=np.float32)


SECOND_WIDTH = 1.0
"""Factor, 0.7..1.6, by which crops are widened for the second opinion. Handwriting with wide letters reads
better unstretched: on the 20 sample sheets, comparing both readings of a row with the grammar raised the
orders right by meaning from 88.7 % to 92.0 %."""


def default_engines(threads: int = 1, hand: Hand | None = None) -> tuple[PpOcr, ...]:
    """PP-OCRv6 at two widths. `threads`: cores that one run may use; `hand`: the writer's own output
    layer."""
    return PpOcr(threads, hand=hand), PpOcr(threads, SECOND_WIDTH, hand=hand)
