"""INK-01: sheets and rows in real people's recorded strokes. The strokes are an extract of UNIPEN
(`tests/data/ink/LICENCE.txt`)."""

from __future__ import annotations

import gzip
import io
import json
import shutil
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from training.handwriting.ink_scrivener import SIGNS, InkScrivener, recorded_habits
from training.handwriting.ink_writers import (
    LETTER_X_HEIGHT,
    InkShare,
    InkWriter,
    NoInk,
    joining,
    read_records,
    read_writers,
    share_of,
)
from training.handwriting.pen_strokes import PenPoint, ink_strokes, smoothed
from training.handwriting.writer import Habits, Nib
from training.sheets.compose import main
from training.tuning.lines import HEIGHT, ink_line, plain_words, row_habits
from training.tuning.recorded_lines import recorded_row

INK = Path(__file__).parents[1] / "data" / "ink"
NAMES = [
    {"name": "Kent", "kind": "coastal", "aliases": [], "abbr": "Ken", "coasts": []},
    {"name": "Surrey", "kind": "inland", "aliases": [], "abbr": "Sur", "coasts": []},
    {"name": "Irish Sea", "kind": "primary_sea", "aliases": [], "abbr": "IRI", "coasts": []},
]


@pytest.fixture(scope="module")
def writers() -> dict[str, InkWriter]:
    return {writer.name: writer for writer in read_writers(INK)}


def _habits(seed: int = 1) -> Habits:
    rng = np.random.default_rng(seed)
    return recorded_habits(row_habits(Nib.BALLPOINT, 20, rng, joined=False, hasty=False))


def _word(writer: InkWriter, text: str, seed: int) -> np.ndarray:
    mask = np.zeros((120, 60 * len(text)), np.float32)
    pen = InkScrivener(writer, 24.0, _habits(), np.random.default_rng(seed), 0.5)
    pen.row(mask, plain_words(text), 30.0, 70.0, 0.0, struck=False)
    return mask


# Writers and their purposes
# ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("writer", "first_byte"), [
    # By sha256sum of coreutils.
    ("s033", 0x75), ("s125", 0x0F), ("s313", 0x90), ("s335", 0x82), ("s001", 0x7E), ("s346", 0xB1),
])
def test_a_writers_purpose_hangs_on_his_pseudonym_alone(writer: str, first_byte: int) -> None:
    digit = first_byte % 10
    expected = "held_out" if digit in {0, 1, 2} else "calibration" if digit in {3, 4} else "tuning"
    assert share_of(writer).value == expected


def test_nobody_held_out_is_in_the_extract(writers: dict[str, InkWriter]) -> None:
    names = {*writers, *(record.writer for record in read_records(INK))}
    assert InkShare.HELD_OUT not in {share_of(name) for name in names}
    assert {share_of(name) for name in writers} == {InkShare.TUNING, InkShare.CALIBRATION}


def test_small_letters_are_as_high_as_the_unit_says(writers: dict[str, InkWriter]) -> None:
    for writer in writers.values():
        heights = [np.ptp(np.concatenate(sample)[:, 1]) for letter in "aceonrsuvx"
                   for sample in writer.samples(letter)]
        assert float(np.median(heights)) == pytest.approx(LETTER_X_HEIGHT, rel=0.15)


def test_joining_is_told_by_lifts_of_the_pen() -> None:
    records = read_records(INK)
    by_style = {style: joining([r for r in records if r.style == style], style)
                for style in ("print", "cursive")}
    assert by_style["print"] < 0.3
    assert by_style["cursive"] > 0.6


def test_a_folder_without_ink_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoInk, match=r"letters\.jsonl\.gz"):
        read_writers(tmp_path, ())
    (tmp_path / "lines.jsonl.gz").write_bytes(gzip.compress(b"{broken"))
    with pytest.raises(NoInk, match=r"lines\.jsonl\.gz"):
        read_records(tmp_path)


# Strokes
# ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1.5, 3.0, 6.25])
def test_a_stroke_is_as_wide_as_its_pen(width: float) -> None:
    mask = np.zeros((40, 120), np.float32)
    stroke = np.column_stack([np.linspace(10, 110, 30), np.full(30, 20.0)])
    ink_strokes(mask, [stroke], PenPoint(width, 0.0, 0.0))
    assert float(mask[:, 40:80].sum(axis=0).mean()) == pytest.approx(width, abs=0.35)


def test_a_quick_pen_writes_thinner() -> None:
    xs = np.concatenate([np.linspace(10, 40, 40), np.linspace(42, 110, 12)])
    mask = np.zeros((40, 120), np.float32)
    ink_strokes(mask, [np.column_stack([xs, np.full(len(xs), 20.0)])], PenPoint(5.0, 1.0, 0.0))
    assert mask[:, 15:35].sum() / 20 > 1.25 * mask[:, 60:100].sum() / 40


def test_a_curve_goes_through_the_recorded_points() -> None:
    stroke = np.array([[0.0, 0.0], [4.0, 7.0], [9.0, 2.0], [12.0, 8.0]])
    assert smoothed(stroke, 3)[::4] == pytest.approx(stroke)


def test_what_is_off_the_mask_is_cut_and_a_point_is_a_dot() -> None:
    mask = np.zeros((20, 20), np.float32)
    pen = PenPoint(4.0, 0.5, 0.0)
    assert ink_strokes(mask, [np.array([[90.0, 90.0], [95.0, 99.0]])], pen) is None
    assert not mask.any()
    ink_strokes(mask, [np.array([[10.0, 10.0]])], pen)
    assert mask[10, 10] == 1
    assert 6 < mask.sum() < 30


# A person writing
# ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_words_stand_apart_as_peoples_do(writers: dict[str, InkWriter], seed: int) -> None:
    """Nine in ten recorded writers leave 1.1 small letters between words, measured on their lines."""
    habits = recorded_habits(row_habits(Nib.BALLPOINT, 20, np.random.default_rng(seed), joined=False,
                                        hasty=False))
    pen = InkScrivener(next(iter(writers.values())), 24.0, habits, np.random.default_rng(seed), 0.5)
    assert pen.space >= 0.9 * pen.x_height


def test_a_letter_comes_in_the_persons_own_variants(writers: dict[str, InkWriter]) -> None:
    # Without any chance of its own, a pen of the least width draws each sample as it was made.
    still = replace(_habits(), pen_px=0.5, stray=0.0, bend=0.0, wander=0.0, fade=0.0)

    def shapes(letters: tuple[tuple[np.ndarray, ...], ...]) -> set[bytes]:
        writer, rng, drawn = replace(writers["s125"], letters={"e": letters}), np.random.default_rng(3), set()
        for _ in range(12):
            mask = np.zeros((90, 90), np.float32)
            pen = InkScrivener(writer, 24.0, still, rng, 0.0)
            pen.row(mask, plain_words("e"), 30.0, 60.0, 0.0, struck=False)
            drawn.add(mask.tobytes())
        return drawn

    both = writers["s125"].letters["e"]
    assert [len(shapes(letters)) for letters in (both[:1], both[1:], both)] == [1, 1, 2]
    assert shapes(both) == shapes(both[:1]) | shapes(both[1:])


def test_a_hand_that_joins_lifts_the_pen_less(writers: dict[str, InkWriter]) -> None:
    def pieces(joined: float) -> int:
        writer = replace(writers["s033"], joining=joined)
        return sum(cv2.connectedComponents((_word(writer, "moves", seed) > 0.4).astype(np.uint8))[0] - 1
                   for seed in range(6))

    assert pieces(1.0) < 0.75 * pieces(0.0)


def test_a_letter_that_was_not_recorded_is_not_another_persons(writers: dict[str, InkWriter]) -> None:
    few = replace(writers["s125"], letters={key: writers["s125"].letters[key] for key in "Catk"})
    assert few.can_write("Cat - talk/", SIGNS) is False  # no "l"
    assert few.can_write("Cat - tack/", SIGNS) is True  # "c" is "C" made smaller
    small, large = (np.concatenate(few.samples(letter)[0]) for letter in "cC")
    assert float(np.ptp(small[:, 1])) == pytest.approx(float(np.ptp(large[:, 1])) / 1.5)


def test_rows_are_crops_as_the_recogniser_takes_them(writers: dict[str, InkWriter]) -> None:
    record = next(record for record in read_records(INK) if len(record.rows) > 1)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        for crop in (ink_line("Army Kent to Surrey", writers["s125"], rng), recorded_row(record, 1, rng)):
            assert crop.shape[0] == HEIGHT
            assert crop.dtype == np.uint8
            assert crop.std() > 3  # something is written


def test_the_same_chance_writes_the_same_row(writers: dict[str, InkWriter]) -> None:
    first, second = (
        ink_line("F Irish Sea - Kent", writers["s033"], np.random.default_rng(5)) for _ in range(2))
    assert np.array_equal(first, second)


# Sheets
# ----------------------------------------------------------------------------------------------------------


def _compose(out: Path, names: Path, *more: str) -> int:
    return main(["varied", "--set", "tuning", "--ink", str(INK), "--names", str(names), "--sheets", "2",
                 "--seed", "5", "--style", "hasty", "--out", str(out), *more])


@pytest.mark.slow
def test_sheets_are_composed_in_one_persons_hand_each(tmp_path: Path) -> None:
    names = tmp_path / "names.json"
    names.write_text(json.dumps(NAMES), "utf-8")
    assert _compose(tmp_path / "a", names) == 0
    assert _compose(tmp_path / "b", names) == 0
    truth = json.loads((tmp_path / "a" / "truth.json").read_text("utf-8"))
    assert truth == json.loads((tmp_path / "b" / "truth.json").read_text("utf-8"))
    styles = [sheet["style"] for sheet in truth["sheets"]]
    assert {style["source"] for style in styles} == {"ink"}
    assert {share_of(style["writer"]) for style in styles} == {InkShare.TUNING}
    assert all(style["hand_style"] in {"print", "mixed", "cursive", "?"} for style in styles)
    for sheet in truth["sheets"]:
        data = (tmp_path / "a" / sheet["file"]).read_bytes()
        assert data == (tmp_path / "b" / sheet["file"]).read_bytes()
        assert sorted(Image.open(io.BytesIO(data)).size) == sorted(sheet["photo"])
        assert {"text", "kind", "struck", "rows", "boxes"} <= set(sheet["lines"][0])


def test_a_share_without_writers_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = tmp_path / "names.json"
    names.write_text(json.dumps(NAMES), "utf-8")
    shutil.copytree(INK, tmp_path / "ink")
    text = gzip.decompress((INK / "letters.jsonl.gz").read_bytes()).decode()
    rows = [json.loads(row) for row in text.splitlines()]
    calibration_rows = [row for row in rows if share_of(row["writer"]) is InkShare.CALIBRATION]
    data = "".join(json.dumps(row) + "\n" for row in calibration_rows).encode()
    (tmp_path / "ink" / "letters.jsonl.gz").write_bytes(gzip.compress(data))
    assert main(["varied", "--set", "tuning", "--ink", str(tmp_path / "ink"), "--names", str(names),
                 "--out", str(tmp_path / "c")]) == 1
    assert "has nobody for tuning" in capsys.readouterr().err
