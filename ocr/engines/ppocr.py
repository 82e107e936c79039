"""PP-OCRv6 (small), the networks that the rapidocr package carries, run through onnxruntime.

Apache-2.0, PaddleOCR's authors. The networks are used without rapidocr's own pipeline, because that drops the
character posteriors a decoder needs, runs a 180-degree classifier that harmed on handwriting, and downloads
what it misses. Here a missing or altered file is an error. The recogniser's last layers are replaced by those
that were tuned to handwriting (`ocr.engines.finetuned`).
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
import onnxruntime

from adjudicator.errors import UserFacingError
from ocr.engines import Contour, Quad, Recognition, crossing, finetuned
from ocr.page import Image, Posteriors

RECOGNISER = "PP-OCRv6_rec_small.onnx"

MODELS = {
    "PP-OCRv6_det_small.onnx": "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
    RECOGNISER: "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
}
"""File name to SHA-256, as in rapidocr 3.10.0."""

ROW_HEIGHT = 48
"""What the recogniser was trained on, in pixels."""

WIDEN = 1.3
"""Crops are stretched by this: measured better on handwriting (lessons of the project's probe)."""

MAX_ROW_WIDTH = 2400
"""Wider crops are squeezed; bounds time and memory against freak boxes."""

LATIN_END = 0x180
"""Letters from this code point on are never written on an order sheet."""


class ModelError(UserFacingError):
    """A network file is missing or is not the one this release was measured with."""


_STARTING = Lock()
"""Networks are started one after the other: two threads that come first would start two, and of the one that
is not kept the tuned arrays would be freed under the rows it reads."""


@cache
def _session(name: str, threads: int) -> onnxruntime.InferenceSession:
    data = network_file(name)
    return _started(crossing.with_features(data) if name == RECOGNISER else data, _options(threads))


@cache
def _tuned_session(
    threads: int,
) -> tuple[onnxruntime.InferenceSession, finetuned.TunedLayers, list[onnxruntime.OrtValue]]:
    """The recogniser with tuned layers, those layers, and the arrays that must live as long as the
    session."""
    layers = finetuned.parse_layers(_checked(finetuned.FILE, finetuned.SHA256, "this release"))
    options = _options(threads)
    kept = []
    for name, array in layers.replaced.items():
        value = onnxruntime.OrtValue.ortvalue_from_numpy(array)
        options.add_initializer(name, value)
        kept.append(value)
    data = crossing.with_features(layers.patched(network_file(RECOGNISER)))
    return _started(data, options), layers, kept


@cache
def _crossing() -> crossing.CrossingHead:
    return crossing.parse_head(_checked(crossing.FILE, crossing.SHA256, "this release"))


def network_file(name: str) -> bytes:
    """A network file as it was published. Raises ModelError."""
    spec = importlib.util.find_spec("rapidocr")
    if spec is None or spec.origin is None:
        msg = "the package rapidocr, which carries the networks, is not installed"
        raise ModelError(msg)
    return _checked(Path(spec.origin).parent / "models" / name, MODELS[name], "rapidocr 3.10.0")


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
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 4
    return options


def _started(data: bytes, options: onnxruntime.SessionOptions) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])


def _run(
    session: onnxruntime.InferenceSession, tensor: npt.NDArray[np.float32]
) -> tuple[npt.NDArray[np.float32], ...]:
    """The network's outputs, without the first axis."""
    out = session.run(None, {session.get_inputs()[0].name: tensor})
    return tuple(np.asarray(one[0], dtype=np.float32) for one in out)


def _tensor(image: Image) -> npt.NDArray[np.float32]:
    """1 x 3 x H x W, blue first as the networks expect, -1..1."""
    colour = cv2.cvtColor(image, cv2.COLOR_GRAY2BGR if image.ndim == 2 else cv2.COLOR_RGB2BGR)
    scaled = colour.astype(np.float32) / 127.5 - 1.0
    return np.ascontiguousarray(scaled.transpose(2, 0, 1)[np.newaxis])


@cache
def _alphabet(*, tuned: bool, threads: int) -> tuple[str, tuple[int, ...]]:
    """The Latin letters, and the columns for blank and each of them in what the recogniser gives out."""
    found = _recogniser(tuned=tuned, threads=threads).get_modelmeta().custom_metadata_map["character"]
    letters = [*found.splitlines(), " "]
    given = _tuned_session(threads)[1].columns if tuned else range(len(letters) + 1)
    named = [(at, letters[k - 1]) for at, k in enumerate(given) if k]
    kept = [(at, c) for at, c in named if len(c) == 1 and ord(c) < LATIN_END]
    return "".join(c for _, c in kept), (0, *(at for at, _ in kept))


def _recogniser(*, tuned: bool, threads: int) -> onnxruntime.InferenceSession:
    with _STARTING:
        return _tuned_session(threads)[0] if tuned else _session(RECOGNISER, threads)


class PpOcr:
    """The recogniser. One crop a run, so that a row reads the same whatever its neighbours."""

    def __init__(self, threads: int = 1, widen: float = WIDEN, *, tuned: bool = True) -> None:
        """`threads`: how many cores one run may use. `widen`: crops are stretched by this; the same network
        at another width errs elsewhere, which makes it a second opinion. `tuned`: with the layers tuned to
        handwriting; without, the network as published."""
        self._threads = threads
        self._widen = widen
        self._tuned = tuned

    @property
    def name(self) -> str:
        """See Engine."""
        name = "ppocr6s-hand" if self._tuned else "ppocr6s"
        return name if self._widen == WIDEN else f"{name}-{self._widen:g}"

    def read(self, crops: Sequence[Image]) -> tuple[Recognition, ...]:
        """See Engine. Text is the best path, Latin letters only."""
        return tuple(self._read(crop) for crop in crops)

    def outputs(self, crop: Image) -> tuple[npt.NDArray[np.float32], ...]:
        """What the network gives for a crop: chances (frames x all its columns), and the features of
        `crossing` (384 x 1 x frames)."""
        height, width = crop.shape[:2]
        wide = min(MAX_ROW_WIDTH, max(ROW_HEIGHT, round(width * ROW_HEIGHT / height * self._widen)))
        method = cv2.INTER_AREA if height > ROW_HEIGHT else cv2.INTER_CUBIC
        tensor = _tensor(
            np.asarray(cv2.resize(crop, (wide, ROW_HEIGHT), interpolation=method), dtype=np.uint8)
        )
        return _run(_recogniser(tuned=self._tuned, threads=self._threads), tensor)

    def _read(self, crop: Image) -> Recognition:
        probs, features = self.outputs(crop)
        letters, columns = _alphabet(tuned=self._tuned, threads=self._threads)
        said = best_path(Posteriors(np.log(np.maximum(probs[:, columns], 1e-12)), letters))
        return replace(said, crossing=_crossing()(features[:, 0])) if self._widen == WIDEN else said


def best_path(posteriors: Posteriors) -> Recognition:
    """The text of the likeliest letter in each frame; the score is their mean chance where they begin."""
    best = posteriors.log_probs.argmax(axis=1)
    starts = np.flatnonzero((best != 0) & np.concatenate(([True], best[1:] != best[:-1])))
    text = "".join(posteriors.letters[best[k] - 1] for k in starts)
    score = float(np.exp(posteriors.log_probs[starts, best[starts]]).mean()) if len(starts) else 0.0
    return Recognition(" ".join(text.split()), min(1.0, score), posteriors)


class PpFinder:
    """The detector: a map of where writing is, cut into boxes."""

    def __init__(self, threads: int = 1, long_side: int = 1280) -> None:
        """`long_side`: pixels the sheet is shrunk to; the cost grows with its square."""
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
        size = (max(32, round(width * scale / 32) * 32), max(32, round(height * scale / 32) * 32))
        tensor = _tensor(np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8))
        heat = _run(_session("PP-OCRv6_det_small.onnx", self._threads), tensor)[0][0]
        stretch = np.array([width / size[0], height / size[1]], dtype=np.float32)
        return tuple(quad * stretch for quad in text_boxes(heat))


PIXEL_CHANCE = 0.3
BOX_CHANCE = 0.45
GROWTH = 1.6
"""The network paints the core of the writing; boxes grow by area x GROWTH / circumference (DB, Liao 2020)."""


def text_boxes(heat: npt.NDArray[np.float32]) -> tuple[Quad, ...]:
    """Rotated rectangles round the connected parts of a map of chances (H x W, 0..1)."""
    mask = cv2.dilate((heat > PIXEL_CHANCE).astype(np.uint8), np.ones((2, 2), np.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    found = (_box_of(heat, contour) for contour in contours)
    return tuple(quad for quad in found if quad is not None)


def _box_of(heat: npt.NDArray[np.float32], contour: Contour) -> Quad | None:
    centre, (w, h), angle = cv2.minAreaRect(contour)
    if min(w, h) < 3:
        return None
    x, y, wide, high = cv2.boundingRect(contour)
    mask = np.zeros((high, wide), np.uint8)
    cv2.drawContours(mask, [contour], -1, 1, -1, offset=(-x, -y))
    if cv2.mean(heat[y : y + high, x : x + wide], mask)[0] < BOX_CHANCE:
        return None
    grow = 2.0 * w * h * GROWTH / (2.0 * (w + h))
    return clockwise_corners(cv2.boxPoints((centre, (w + grow, h + grow), angle)))


def clockwise_corners(points: npt.ArrayLike) -> Quad:
    """Four corners of a rectangle turned by less than 45 degrees, clockwise from the top left."""
    quad = np.asarray(points, dtype=np.float32)
    total, diff = quad.sum(axis=1), quad[:, 1] - quad[:, 0]
    order = [total.argmin(), diff.argmin(), total.argmax(), diff.argmax()]
    return np.asarray(quad[order], dtype=np.float32)
