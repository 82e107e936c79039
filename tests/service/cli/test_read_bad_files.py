"""`galloper read --json` on every kind of bad input, by the real door and the real reader: what can be read
is read, the rest is unusable with its reason, and nothing is invented (contract, JSON of `read`)."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image as Pillow, ImageOps
from rapidfuzz.distance import Levenshtein

from service.cli import main
from tests.support import odd_files as odd
from training.evaluation.meaning import meaning_of, same

Pixels = npt.NDArray[np.uint8]
SHEETS = Path(__file__).parents[2] / "data" / "sheets"
TRUTH: dict[str, dict[str, Any]] = {
    sheet["id"]: sheet for sheet in json.loads((SHEETS / "truth.json").read_text(encoding="utf-8"))["sheets"]
}
REASONS = {"too_dark", "blurred", "blank", "not_a_sheet", "not_an_image", "too_large", "truncated"}


def pixels(name: str) -> Pixels:
    with Pillow.open(SHEETS / f"{name}.jpg") as image:
        return np.asarray(ImageOps.exif_transpose(image).convert("RGB"))


def saved(image: Pixels, kind: str = "JPEG", **options: object) -> bytes:
    return odd.saved(Pillow.fromarray(np.ascontiguousarray(image)), kind, **options)


def blank() -> bytes:
    image = np.full((1600, 1200, 3), (60, 80, 60), np.uint8)
    cv2.fillPoly(image, [np.array([[150, 120], [1050, 160], [1030, 1450], [120, 1400]])], (235, 230, 225))
    return saved(image)


def cat() -> bytes:
    """Fur of four sizes of grain, eyes and whiskers."""
    chance = np.random.default_rng(8)
    coat = np.zeros((1600, 1200, 3), np.float32)
    for size, depth in ((60, 60), (20, 30), (5, 18), (1.5, 10)):
        grain = chance.normal(0, 1, coat.shape).astype(np.float32)
        coat += np.asarray(cv2.GaussianBlur(grain, (0, 0), size)) * size * depth
    image: Pixels = ((coat - coat.min()) / np.ptp(coat) * 200).astype(np.uint8)
    for side in (-1, 1):
        cv2.ellipse(image, (600 + side * 120, 700), (60, 40), 0, 0, 360, (60, 180, 60), -1)
        cv2.ellipse(image, (600 + side * 120, 700), (12, 38), 0, 0, 360, (10, 10, 10), -1)
        for rise in range(-80, 90, 40):
            cv2.line(image, (600 + side * 40, 900), (600 + side * 380, 900 + rise), (240, 240, 240), 3)
    return saved(image)


def dark() -> bytes:
    noise = np.random.default_rng(6).normal(0, 3, (1600, 1200, 3))
    return saved(np.clip(pixels("s006") * 0.012 + noise, 0, 255).astype(np.uint8))


def two_pages() -> bytes:
    """A scan of two sheets as one PDF, 150 dots an inch."""
    first, second = (Pillow.fromarray(pixels(name)) for name in ("s006", "s005"))
    out = BytesIO()
    first.save(out, "PDF", save_all=True, append_images=[second], resolution=150.0)
    return out.getvalue()


def deep() -> bytes:
    grey = np.asarray(cv2.cvtColor(pixels("s006"), cv2.COLOR_RGB2GRAY), dtype=np.uint16) * 257
    return odd.saved(Pillow.fromarray(grey), "PNG")


def wrong_orientation() -> bytes:
    return odd.with_orientation(Pillow.fromarray(pixels("s006")), 42)


UNUSABLE: dict[str, tuple[Callable[[], bytes], set[str]]] = {
    "blank.jpg": (blank, {"blank"}),
    # Fur has edges like writing everywhere; either reason keeps it from a person.
    "cat.jpg": (cat, {"not_a_sheet", "blurred"}),
    "dark.jpg": (dark, {"too_dark"}),
    "blurred.jpg": (
        lambda: saved(np.asarray(cv2.GaussianBlur(pixels("s006"), (0, 0), 12), np.uint8)),
        {"blurred"},
    ),
    "truncated.jpg": (lambda: (SHEETS / "s006.jpg").read_bytes()[:60_000], {"truncated"}),
    "two gigapixels.png": (lambda: odd.png_header(50_000, 40_000), {"too_large"}),
    # The limit is 120 million pixels; this has 120.01.
    "over the limit.png": (lambda: odd.png_header(12_000, 10_001), {"too_large"}),
    "locked.pdf": (odd.locked_pdf, {"not_an_image"}),
    # Orders in a text file that was named like a photograph.
    "text.jpg": (lambda: b"Army Derry to Isle of Man\n" * 40, {"not_an_image"}),
    "empty.jpg": (lambda: b"", {"not_an_image"}),
}

READ: dict[str, tuple[Callable[[], bytes], list[str]]] = {
    "upside down.jpg": (lambda: saved(np.rot90(pixels("s006"), 2)), ["s006"]),
    "on its left side.jpg": (lambda: saved(np.rot90(pixels("s006"), 1)), ["s006"]),
    "on its right side.jpg": (lambda: saved(np.rot90(pixels("s006"), 3)), ["s006"]),
    "two sheets.jpg": (
        lambda: saved(
            np.hstack([pixels("s006"), np.asarray(cv2.resize(pixels("s005"), (1200, 1600)), np.uint8)])
        ),
        ["s006", "s005"],
    ),
    "two pages.pdf": (two_pages, ["s006", "s005"]),
    "iphone.heic": (lambda: saved(pixels("s006"), "HEIF"), ["s006"]),
    "heic named.jpg": (lambda: saved(pixels("s006"), "HEIF"), ["s006"]),
    "picture.webp": (lambda: saved(pixels("s006"), "WEBP"), ["s006"]),
    "scan.tiff": (lambda: saved(pixels("s006"), "TIFF", compression="tiff_lzw"), ["s006"]),
    # CMYK, as programs for printing save it.
    "press.jpg": (lambda: odd.saved(Pillow.fromarray(pixels("s006")).convert("CMYK"), "JPEG"), ["s006"]),
    "sixteen bits.png": (deep, ["s006"]),
    # EXIF has 1 to 8.
    "orientation 42.jpg": (wrong_orientation, ["s006"]),
}


def answers(
    folder: Path, files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> dict[str, dict[str, Any]]:
    """The objects that the command prints; it ends with 0, since a photograph that is told about is no
    failure."""
    for name, data in files.items():
        (folder / name).write_bytes(data)
    words = ["galloper", "read", "--variant", "w3k", "--json", *(str(folder / name) for name in files)]
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(SystemExit) as ended:
        main.main()
    out = capsys.readouterr().out.splitlines()
    assert not ended.value.code
    parsed = [json.loads(line) for line in out]
    assert [answer["file"] for answer in parsed] == list(files)
    return {answer["file"]: answer for answer in parsed}


@pytest.mark.slow
def test_what_cannot_be_read_is_unusable_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer_by_file = answers(tmp_path, {name: make() for name, (make, _) in UNUSABLE.items()}, monkeypatch,
        capsys)
    for name, (_, reasons) in UNUSABLE.items():
        assert reasons <= REASONS
        answer = answer_by_file[name]
        assert set(answer) == {"file", "status", "reason", "seconds", "seconds_by_part", "pages"}
        assert (answer["status"], answer["pages"]) == ("unusable", []), name
        assert answer["reason"] in reasons, name


@pytest.mark.slow
@pytest.mark.parametrize("name", READ)
def test_what_is_turned_doubled_or_odd_is_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make, sheets = READ[name]
    answer = answers(tmp_path, {name: make()}, monkeypatch, capsys)[name]
    assert (answer["status"], answer["reason"]) == ("read", None)
    assert [page["page"] for page in answer["pages"]] == list(range(1, len(sheets) + 1))
    for page, sheet in zip(answer["pages"], sheets, strict=True):
        written = [
            line["text"] for line in TRUTH[sheet]["lines"] if line["kind"] == "order" and not line["struck"]
        ]
        lines = [line["text"] for line in page["lines"]]
        best = [max(Levenshtein.normalized_similarity(text, line) for line in lines) for text in written]
        # By letters alone: here a misread letter is not a fault, a lost line is one.
        assert min(best) > 0.7, "no order is lost"
        assert_nothing_invented(page, sheet)


def assert_nothing_invented(page: dict[str, Any], sheet: str) -> None:
    """Each order that goes without a look is one that was written on the sheet."""
    written = [
        line["meaning"] for line in TRUTH[sheet]["lines"] if line.get("meaning") and not line["struck"]
    ]
    for line in page["lines"]:
        if line["status"] == "auto" and line["order"] is not None:
            meaning = meaning_of(line["order"])
            assert meaning is not None
            # By meaning and not by likeness: letters that are 85 parts in 100 alike may be another place.
            assert any(same(true, meaning) for true in written), line["order"]


@pytest.mark.slow
def test_a_sheet_cut_off_by_the_photograph_gives_no_order_without_a_look_that_was_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is left of a cut order waits for a person."""
    image = pixels("s006")
    # The right 45 of 100 parts are missing, so that nearly every order is cut.
    data = saved(image[:, : round(0.55 * image.shape[1])])
    answer = answers(tmp_path, {"cut.jpg": data}, monkeypatch, capsys)["cut.jpg"]
    for page in answer["pages"]:
        assert_nothing_invented(page, "s006")
