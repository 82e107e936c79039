"""The composer: the same bytes for the same seed, and a truth that shows what was drawn and where."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageFont, ImageOps

from training.handwriting.appearance import choose
from training.handwriting.draw import CrowdedError, draw
from training.handwriting.ink import Extent
from training.handwriting.sheet import SheetLine, SheetStyle, WrittenLineKind
from training.handwriting.smear import smear
from training.photographs.landscape import meadow
from training.photographs.one_sheet import jpeg, photograph
from training.sheets.compose import Workshop, compose, main, read_sheets

LINES = (
    SheetLine("The Crown", WrittenLineKind.HEADING),
    SheetLine("Powick Bridge", WrittenLineKind.HEADING),
    SheetLine("Summer 1642 Movement Orders", WrittenLineKind.HEADING),
    SheetLine("Army London moves to {-Kent-} {+North+} Surrey", WrittenLineKind.ORDER, "A London - Surrey"),
    SheetLine("Fleet Bristol holds", WrittenLineKind.ORDER, "F Bristol H", struck=True),
    SheetLine(
        ("Army Linlithgowshire supports the Army of Stirling Castle in its attack upon Strathearn and "
         "Stirlingshire"),
        WrittenLineKind.ORDER,
        "A Linlithgowshire S A Stirling Castle - Stirlingshire",
    ),
)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """A composer with one font."""
    # The outline font that comes inside Pillow, so that no font need be installed.
    font = ImageFont.load_default(20)
    assert isinstance(font, ImageFont.FreeTypeFont)
    path = tmp_path_factory.mktemp("fonts") / "plain.ttf"
    path.write_bytes(font.font_bytes)
    return Workshop(7, path.parent, {"plain": path})


def a_sheet(workshop: Workshop, lines: tuple[SheetLine, ...] = LINES, **look: Any) -> SheetStyle:
    look = {"hand": "plain", "long_side": 900, "turn": 1.5, "gloom": 0.4, **look}
    return SheetStyle("s1", "The Crown", "Movement", lines, choose(look, ("plain",), workshop.rng("look")))


@pytest.fixture(scope="module")
def composed(workshop: Workshop) -> tuple[bytes, dict[str, Any]]:
    return compose(a_sheet(workshop), workshop)


@pytest.fixture(scope="module")
def facts(composed: tuple[bytes, dict[str, Any]]) -> dict[str, Any]:
    return composed[1]


def test_the_same_seed_gives_the_same_bytes(
    workshop: Workshop, composed: tuple[bytes, dict[str, Any]]
) -> None:
    assert compose(a_sheet(workshop), workshop) == composed


@pytest.mark.slow
def test_another_seed_gives_another_photograph(
    workshop: Workshop, composed: tuple[bytes, dict[str, Any]]
) -> None:
    other = Workshop(8, workshop.cache, workshop.font_files)
    assert composed[0] != compose(a_sheet(workshop), other)[0]


def test_a_smear_carries_ink_to_the_right_and_leaves_the_rest_as_it_was() -> None:
    """INS-06: wet ink that a hand went over; the strokes are fainter, and grey lies behind them."""
    mask = np.zeros((60, 400), np.float32)
    mask[20:40, 50:54] = mask[20:40, 250:254] = 1.0
    before = mask.copy()
    smear(mask, Extent(0, 20, 400, 40), (0.5, 1.0), 40.0)
    assert (mask[:, :200] == before[:, :200]).all()
    assert mask[30, 251] < 0.7
    assert 0.0 < mask[30, 275] < mask[30, 262] < mask[30, 251]
    assert (mask[30, 205:240] < 0.01).all()


def test_truth_repeats_the_lines_in_order(facts: dict[str, Any]) -> None:
    assert [line["text"] for line in facts["lines"][:3]] == [
        "The Crown",
        "Powick Bridge",
        "Summer 1642 Movement Orders",
    ]
    assert [line["kind"] for line in facts["lines"]] == ["heading"] * 3 + ["order"] * 3
    assert [line["struck"] for line in facts["lines"]] == [False] * 4 + [True, False]


def test_crossed_out_words_are_left_out_of_the_truth_and_inserted_ones_are_in_it(
    facts: dict[str, Any],
) -> None:
    assert facts["lines"][3]["text"] == "Army London moves to North Surrey"
    assert facts["lines"][3]["meaning"] == {
        "order": "move",
        "unit": {"type": "A", "at": "London", "coast": None},
        "to": "Surrey",
        "to_coast": None,
    }


def test_a_long_order_is_wrapped_and_its_rows_join_to_its_text(facts: dict[str, Any]) -> None:
    long = facts["lines"][5]
    assert len(long["rows"]) > 1
    assert " ".join(long["rows"]) == long["text"]
    assert facts["rows"] == sum(len(line["rows"]) for line in facts["lines"])


@pytest.mark.slow
@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_boxes_lie_inside_the_picture_as_shown_and_hold_the_ink(workshop: Workshop, orientation: int) -> None:
    look: dict[str, Any] = {
        "orientation": orientation,
        "gloom": 0.0,
        "paper": "plain",
        "ink": "black",
        "folds": 0,
    }
    data, facts = compose(a_sheet(workshop, **look), workshop)
    upright = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
    assert upright is not None
    assert [upright.width, upright.height] == facts["photo"]
    grey = np.asarray(upright.convert("L"), np.float32)
    for line in facts["lines"]:
        assert len(line["boxes"]) == len(line["rows"])
        for box in line["boxes"]:
            (left, top), (right, bottom) = np.min(box, axis=0), np.max(box, axis=0)
            assert 0 <= left < right < upright.width
            assert 0 <= top < bottom < upright.height
            inside = grey[top : bottom + 1, left : right + 1]
            # Ink is much darker than the paper round it; a box next to the writing would show paper only.
            assert float(np.percentile(inside, 2)) < 0.6 * float(np.percentile(inside, 90))


def test_rows_follow_one_another_down_the_page(workshop: Workshop) -> None:
    _, facts = compose(a_sheet(workshop, turn=0.0, tilt=0.2), workshop)
    middles = [np.mean(box, axis=0)[1] for line in facts["lines"] for box in line["boxes"]]
    assert middles == sorted(middles)


@pytest.mark.slow
def test_striking_out_adds_ink(workshop: Workshop) -> None:
    def darkness(struck: bool) -> float:
        lines = (SheetLine("Fleet Bristol holds", WrittenLineKind.ORDER, "F Bristol H", struck),)
        sheet = a_sheet(workshop, lines, strike="double", paper="plain", folds=0)
        page = draw(sheet, workshop.font_files["plain"], np.random.default_rng(3))
        return float((page.colour.mean(axis=2) < 0.5).sum())

    assert darkness(struck=True) > 1.3 * darkness(struck=False)


def test_a_sheet_that_runs_off_the_paper_is_refused_by_name(workshop: Workshop) -> None:
    crowd = tuple(SheetLine("Army London holds", WrittenLineKind.ORDER, "A London H") for _ in range(60))
    with pytest.raises(CrowdedError, match="s1"):
        compose(a_sheet(workshop, crowd), workshop)


def test_a_place_is_stored_only_when_the_look_says_so(workshop: Workshop) -> None:
    for gps in (True, False):
        sheet = a_sheet(workshop, gps=gps)
        shot = photograph(np.full((2376, 1680, 3), 0.9, np.float32), sheet.look, np.random.default_rng(1))
        exif = Image.open(io.BytesIO(jpeg(shot.colour, sheet.look))).getexif()
        assert bool(exif.get_ifd(0x8825)) is gps


def test_looks_come_from_the_file_and_an_unknown_part_is_named(workshop: Workshop, tmp_path: Path) -> None:
    entry = '[[sheet]]\nname = "x"\npower = "P"\nphase = "Movement"\nheading = ["P"]\n'
    file = tmp_path / "sheets.toml"
    file.write_text(entry + 'look = { paper = "ruled", tidy = 0.4 }\n')
    (sheet,) = read_sheets(file, workshop)
    assert (sheet.look.paper, sheet.look.tidy, sheet.look.hand) == ("ruled", 0.4, "plain")
    file.write_text(entry + 'look = { papr = "ruled" }\n')
    with pytest.raises(ValueError, match=r"sheet x: .*papr"):
        read_sheets(file, workshop)


@pytest.mark.slow
def test_random_sheets_and_their_truth_come_from_the_command_line(workshop: Workshop, tmp_path: Path) -> None:
    names: list[dict[str, Any]] = [
        {"name": name, "kind": "land", "aliases": []} for name in ("London", "Kent", "Surrey")
    ]
    (tmp_path / "names.json").write_text(json.dumps(names))
    out = tmp_path / "out"
    arguments = ["random", "--names", str(tmp_path / "names.json"), "--count", "2", "--out", str(out)]
    assert main([*arguments, "--font", f"plain={workshop.font_files['plain']}"]) == 0
    sheets = json.loads((tmp_path / "out" / "truth.json").read_text())["sheets"]
    assert [sheet["file"] for sheet in sheets] == ["r001.jpg", "r002.jpg"]
    orders = [line for sheet in sheets for line in sheet["lines"] if line["kind"] == "order"]
    assert orders
    assert all(line["meaning"]["order"] for line in orders)
    for sheet in sheets:
        with Image.open(tmp_path / "out" / sheet["file"]) as image:
            assert image.format == "JPEG"


def test_a_missing_font_is_one_sentence_and_exit_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "sheets.toml"
    file.write_text(
        '[[sheet]]\nname = "x"\npower = "P"\nphase = "Movement"\nheading = ["P"]\nlook = { hand = "nobody" '
        '}\n'
    )
    assert main(["sheets", str(file), "--out", str(tmp_path / "out"), "--cache", str(tmp_path)]) == 1
    assert "no font for hand 'nobody'" in capsys.readouterr().err


def test_the_meadow_is_a_picture_and_the_same_each_time() -> None:
    first, again = (meadow(np.random.default_rng(5)) for _ in range(2))
    assert first == again
    assert Image.open(io.BytesIO(first)).size == (1600, 1200)
