"""Two public readers next to ours, with default settings: RapidOCR (from the extra `bench`) and Debian's
Tesseract. RapidOCR is read with one thread as well, for its processor time.

They give text and no orders. Their text is interpreted twice: strictly, where a line is an order only if it
is spelled as our grammar lists it; and snapped, where our grammar picks the likeliest order for any line that
looks like one.
"""

from __future__ import annotations

import logging
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

import maps
from grammar.nearest_orders import nearest_orders
from grammar.parse import parse_line
from reading.vocabulary import all_forms, lexicon_of, printed

_THREADS = (
    "EngineConfig.onnxruntime.intra_op_num_threads", "EngineConfig.onnxruntime.inter_op_num_threads"
)
_MIN_SNAPPED_SCORE = 0.45  # 0..1, of `nearest_orders`; our reader needs as much of text without ink


def rapidocr(*, one_thread: bool = False) -> Callable[[Path], dict[str, Any]]:
    """RapidOCR with its default settings; its boxes are put in rows from top to bottom. `one_thread`: its
    networks run on the calling thread, so that no other thread waits for work in a loop."""
    # First, so that the engine below it keeps quiet.
    from ocr.engines import runtime  # noqa: F401
    from rapidocr import RapidOCR  # isort: skip

    engine = RapidOCR(params=dict.fromkeys(_THREADS, 1) if one_thread else None)
    # It logs every model and setting in colours on standard error, which is kept for progress.
    logging.getLogger("RapidOCR").setLevel(logging.ERROR)

    def read(photo: Path) -> dict[str, Any]:
        result: Any = engine(str(photo))
        boxes = (
            [] if result.boxes is None else [[(float(x), float(y)) for x, y in box] for box in result.boxes]
        )
        return _answer(photo, rows(boxes, list(result.txts or ())))

    return read


def tesseract() -> Callable[[Path], dict[str, Any]]:
    """Tesseract's English with page segmentation 4 (one column of text), on the photograph turned upright."""
    import pytesseract
    from PIL import Image, ImageOps

    def read(photo: Path) -> dict[str, Any]:
        with Image.open(photo) as image:
            text = pytesseract.image_to_string(ImageOps.exif_transpose(image).convert("L"), config="--psm 4")
        return _answer(photo, [line.strip() for line in text.splitlines() if line.strip()])

    return read


WITHOUT_TESSERACT = "galloper-without-tesseract"
"""The name of our own reader whose engines are the networks alone."""

ONE_THREAD = "rapidocr-one-thread"
"""The name of RapidOCR with one thread, whose texts are those of `rapidocr`: next to ours for its processor
time."""

PEERS: Mapping[str, Callable[[], Callable[[Path], dict[str, Any]]]] = {
    "rapidocr": rapidocr,
    ONE_THREAD: partial(rapidocr, one_thread=True),
    "tesseract": tesseract,
}
_TITLES = {"rapidocr": "RapidOCR", ONE_THREAD: "RapidOCR with one thread", "tesseract": "Tesseract"}


def title(name: str) -> str | None:
    """A peer's name and version for the figures; None if it is not installed."""
    try:
        if name in {"rapidocr", ONE_THREAD}:
            return f"{_TITLES[name]} {metadata.version('rapidocr')}"
        metadata.version("pytesseract")
        command = ["tesseract", "--version"]
        # Our own command, with nothing from outside in it.
        completed_process = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
        return f"{_TITLES[name]} {completed_process.stdout.split()[1]} psm 4"
    except (metadata.PackageNotFoundError, OSError, subprocess.CalledProcessError, IndexError):
        return None


def rows(boxes: Sequence[Sequence[tuple[float, float]]], texts: Sequence[str]) -> list[str]:
    """Texts in rows from top to bottom, each from left to right. Boxes are in one row if their middles are
    within half a box height of each other."""
    spans: list[tuple[float, float, float, str]] = []
    for box, text in zip(boxes, texts, strict=True):
        ys = [y for _, y in box]
        spans.append(((min(ys) + max(ys)) / 2, max(ys) - min(ys), min(x for x, _ in box), text))
    spans.sort()
    lines: list[list[tuple[float, float, float, str]]] = []
    for span in spans:
        if lines and span[0] - lines[-1][-1][0] < 0.5 * min(span[1], lines[-1][-1][1]):
            lines[-1].append(span)
        else:
            lines.append([span])
    return [" ".join(span[3] for span in sorted(line, key=lambda span: span[2])) for line in lines]


def strict(answer: Mapping[str, Any], slug: str) -> dict[str, Any]:
    """A peer's answer with an order on each line that is spelled as our grammar lists it."""
    variant = maps.load(slug)
    lexicon, forms = lexicon_of(variant), all_forms(variant)

    def order(text: str) -> str | None:
        for form in forms:
            # The phase of a peer's sheet is unknown, so every form is tried.
            parsed = parse_line(text, lexicon=lexicon, forms=form, power="")
            if parsed.complaint is None and parsed.score >= 1.0:
                return printed(parsed.orders, variant.board)
        return None

    return _with_orders(answer, order)


def snapped(answer: Mapping[str, Any], slug: str) -> dict[str, Any]:
    """A peer's answer with the likeliest order on each line that looks like one."""
    variant = maps.load(slug)
    lexicon, forms = lexicon_of(variant), all_forms(variant)

    def order(text: str) -> str | None:
        candidates = nearest_orders(text, lexicon=lexicon, forms=forms, power="").candidates
        return (
            printed(candidates[0].orders, variant.board)
            if candidates and candidates[0].score >= _MIN_SNAPPED_SCORE
            else None
        )

    return _with_orders(answer, order)


def _with_orders(answer: Mapping[str, Any], order: Callable[[str], str | None]) -> dict[str, Any]:
    pages = [
        {**page, "lines": [{**line, "order": _order(line["text"], order)} for line in page["lines"]]}
        for page in answer["pages"]
    ]
    return {**answer, "pages": pages}


def _order(text: str, order: Callable[[str], str | None]) -> str | None:
    # A text without a letter, such as a dash or a row of dots, is not an order.
    return order(text) if re.search(r"[A-Za-z]", text) else None


def _answer(photo: Path, texts: Sequence[str]) -> dict[str, Any]:
    lines: list[dict[str, Any]] = [
        {"text": text, "order": None, "status": "open", "confidence": 0.0, "candidates": []} for text in texts
    ]
    return {"file": photo.name, "status": "read", "pages": [{"page": 1, "lines": lines}]}
