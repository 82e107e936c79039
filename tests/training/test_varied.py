"""Varied sheets: font sets that share no font, wordings the grammar accepts, the same bytes for a seed, a
true truth.

Composed with the outline font inside Pillow in place of every family, so that none need be fetched.
"""

from __future__ import annotations

import io
import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageFont, ImageOps

import maps
from adjudicator.calendar import PhaseKind
from grammar.impossible import is_nonsense
from grammar.order_traits import helps_to_own_place, names_own_place
from grammar.parse import parse_line
from reading.vocabulary import forms_of, lexicon_of, printed
from training.handwriting import font_sets
from training.handwriting.ink import Extent, InkMark, plain, words
from training.handwriting.sheet import WrittenLineKind
from training.handwriting.strike import MORE_STROKES, cross_out
from training.sheets.compose import main
from training.sheets.drafts import Shares, draft
from training.sheets.order_meaning import meaning
from training.sheets.phrases import Dialect, PhraseBook
from training.sheets.random_orders import RandomName
from training.sheets.traps import ambiguous, misspelt, shopping, trap
from training.sheets.varied import Batch, Style, sheet, sheets

NAMES = (
    RandomName("London", "coastal", (), (), "Lon"), RandomName("Kent", "coastal", (), (), "Ken"),
    RandomName("Surrey", "inland", (), (), "Sur"), RandomName("Kyle & Carrick", "coastal", ()),
    RandomName("Devon", "coastal", ("Devonshire",), ("North Coast", "South Coast"), "Dev"),
    RandomName("Linlithgowshire", "coastal", ()), RandomName("Upper Normandy", "coastal", ()),
    RandomName("Lower Normandy", "coastal", (), ("West Coast", "North Coast")),
    RandomName("Ashby-de-la-Zouch Castle", "inland", ()), RandomName("Irish Sea", "primary_sea", ()),
    RandomName("Cardigan Bay", "local_sea", ()),
)  # fmt: skip
MANIFESTS = [tomllib.loads(path.read_text("utf-8"))
             for path in (Path(__file__).parents[2] / "demo/data").glob("*/manifest.toml")]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    font = ImageFont.load_default(20)
    assert isinstance(font, ImageFont.FreeTypeFont)
    folder = tmp_path_factory.mktemp("cache")
    for hand in font_sets.TABLE:
        # Pillow's own font under every name: what is tested is the composing, and no font need be fetched.
        (folder / f"{hand}.ttf").write_bytes(font.font_bytes)
    return folder


@pytest.fixture(scope="module")
def batch(cache: Path) -> Batch:
    return Batch(font_sets.Purpose.HELD_OUT, 4, 7, Style.MIXED, NAMES, cache, turned=0.0)


@pytest.fixture(scope="module")
def composed(batch: Batch) -> tuple[bytes, dict[str, Any]]:
    return sheet(batch, "h7-001", hasty=False)


# The sets of fonts
# ---------------------------------------------------------------------------------------------------


def test_no_hand_is_both_learnt_from_and_judged_by() -> None:
    sets = [set(font_sets.of(purpose)) for purpose in font_sets.Purpose]
    assert len(set.union(*sets)) == sum(map(len, sets)) == len(font_sets.TABLE)


def test_the_sets_are_large_enough_and_the_demos_hands_are_not_held_out() -> None:
    assert len(font_sets.of(font_sets.Purpose.CALIBRATION)) >= 20
    assert len(font_sets.of(font_sets.Purpose.HELD_OUT)) >= 15
    demo = {
        entry["look"]["hand"]
        for manifest in MANIFESTS
        for entry in manifest.get("sheet", ())
        if "hand" in entry.get("look", {})
    }
    assert len(demo) >= 10
    assert demo <= set(font_sets.TABLE)
    assert not demo & set(font_sets.of(font_sets.Purpose.HELD_OUT))


@pytest.mark.slow
def test_a_sheet_is_written_in_a_hand_of_its_set(composed: tuple[bytes, dict[str, Any]]) -> None:
    assert font_sets.TABLE[composed[1]["style"]["font"]] is font_sets.Purpose.HELD_OUT


# Words
# ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", list(Dialect))
@pytest.mark.parametrize("phase", ["Movement", "Retreat", "Adjustment"])
def test_every_wording_is_one_that_the_grammar_reads_as_meant(dialect: Dialect, phase: str) -> None:
    """ORD-01..07, RET-03, ADJ-02, PRX-01, SUP-01. The canonical text is composed here and by the grammar
    apart."""
    variant = maps.load("w3k")
    lexicon, forms = lexicon_of(variant), forms_of(variant, PhaseKind(phase.lower()))
    wording = PhraseBook(NAMES, np.random.default_rng(5), dialect)
    for _ in range(60):
        text, order = wording.order(phase)
        parsed = parse_line(text, lexicon=lexicon, forms=forms, power="")
        assert parsed.complaint is None, text
        # What a sheet states about the way ("via convoy") is not part of the meaning in truth.json.
        assert (printed(parsed.orders, variant.board) or "").partition(" via ")[0] == order, text


def test_every_kind_of_order_is_worded() -> None:
    wording = PhraseBook(NAMES, np.random.default_rng(1), Dialect.PROSE)
    kinds = {
        meaning(wording.order(phase)[1])["order"]
        for phase in ("Movement", "Retreat", "Adjustment")
        for _ in range(150)
    }
    assert kinds == {
        "move", "hold", "support_move", "support_hold", "convoy", "convert", "proxy", "retreat", "disband",
        "build",
        "remove", "send_supply",
    }  # fmt: skip


def test_a_word_of_two_names_is_ambiguous_and_a_name_is_not() -> None:
    assert ambiguous(NAMES) == ("Normandy",)


def test_traps_ask_for_a_look_and_say_why() -> None:
    wording = PhraseBook(NAMES, np.random.default_rng(3), Dialect.PROSE)
    lines = [trap(wording) for _ in range(60)]
    assert {line.trap for line in lines} == {
        "unknown", "ambiguous", "conditional", "negated", "instruction", "nonsense",
    }  # fmt: skip
    assert all(line.want == "review" and line.order is None for line in [*lines, *shopping(wording)])


def test_no_order_names_a_region_twice_but_those_that_must_wait() -> None:
    """INK-03: an order to where its unit is must wait, so it is not an order that a reader should take."""
    variant = maps.load("w3k")
    lexicon, forms = lexicon_of(variant), forms_of(variant, PhaseKind.MOVEMENT)
    wording = PhraseBook(NAMES, np.random.default_rng(6), Dialect.PROSE)

    def waits(text: str) -> bool:
        orders = parse_line(text, lexicon=lexicon, forms=forms, power="").orders
        return names_own_place(orders) or helps_to_own_place(orders) or is_nonsense(orders, lexicon)

    assert not any(waits(wording.order("Movement")[0]) for _ in range(300))
    nonsense = [line for line in (trap(wording) for _ in range(120)) if line.trap == "nonsense"]
    assert len(nonsense) > 10
    assert all(waits(line.markup) for line in nonsense)


def test_traps_are_no_orders_to_the_grammar() -> None:
    variant = maps.load("w3k")
    lexicon, forms = lexicon_of(variant), forms_of(variant, PhaseKind.MOVEMENT)
    wording = PhraseBook(NAMES, np.random.default_rng(3), Dialect.PROSE)
    for _ in range(60):
        line = trap(wording)
        if line.trap == "nonsense":
            continue
        assert parse_line(line.markup, lexicon=lexicon, forms=forms, power="").complaint is not None, (
            line.markup
        )


def test_a_slip_is_in_one_word_and_short_words_have_none() -> None:
    wording = PhraseBook(NAMES, np.random.default_rng(3), Dialect.PROSE)
    slips = {misspelt("Army Linlithgowshire holds", wording) for _ in range(30)} - {None}
    assert len(slips) > 3
    for slip in slips:
        first, _, last = str(slip).split(" ")
        assert (first, last) == ("Army", "holds")
    assert misspelt("Army Kent holds", wording) is None


@pytest.mark.slow
def test_slips_of_the_pen_leave_the_order_as_it_counts() -> None:
    shares = Shares(struck=0.0, corrected=1.0, trapped=0.0, misspelt=0.0, aside=0.0, shopping=0.0)
    rng = np.random.default_rng(9)
    lines = [
        line
        for _ in range(12)
        for line in draft(NAMES, shares, rng).lines
        if line.kind is WrittenLineKind.ORDER
    ]
    marks = {mark for line in lines for mark in (word.mark for word in words(line.markup))}
    assert marks == set(InkMark)
    variant = maps.load("w3k")
    for line in lines:
        readings = [
            parse_line(
                plain(line.markup), lexicon=lexicon_of(variant), forms=forms_of(variant, kind), power=""
            )
            for kind in (PhaseKind.MOVEMENT, PhaseKind.RETREAT, PhaseKind.ADJUSTMENT)
        ]
        texts = [printed(reading.orders, variant.board) or "" for reading in readings]
        orders = {text.partition(" via ")[0] for text in texts}
        assert line.order in orders, line.markup


# Photographs
# ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_whatever_else_is_composed(
    batch: Batch, composed: tuple[bytes, dict[str, Any]]
) -> None:
    assert next(sheets(batch)) == composed


@pytest.mark.slow
def test_another_seed_gives_another_sheet(batch: Batch, composed: tuple[bytes, dict[str, Any]]) -> None:
    other = Batch(batch.purpose, 1, 8, batch.style, NAMES, batch.cache)
    assert sheet(other, "h7-001", hasty=False)[0] != composed[0]


@pytest.mark.slow
def test_hasty_sheets_say_so(batch: Batch, composed: tuple[bytes, dict[str, Any]]) -> None:
    hasty = sheet(batch, "h7-004", hasty=True)[1]
    assert (composed[1]["style"]["manner"], hasty["style"]["manner"]) == ("tidy", "hasty")


@pytest.mark.slow
@pytest.mark.parametrize(("two", "turned"), [(0.0, 1.0), (1.0, 0.0)])
def test_boxes_lie_in_the_photograph_as_shown_and_hold_the_ink(
    batch: Batch, two: float, turned: float
) -> None:
    odd = Batch(batch.purpose, 1, 21, batch.style, NAMES, batch.cache, two=two, turned=turned)
    data, facts = sheet(odd, "o", hasty=False)
    assert facts["sides"] == (2 if two else 1)
    assert bool(facts["lying"]) is bool(turned)
    upright = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
    assert [upright.width, upright.height] == facts["photo"]
    grey = np.asarray(upright.convert("L"), np.float32)
    for line in facts["lines"]:
        assert len(line["boxes"]) == len(line["rows"])
        for box in line["boxes"]:
            (left, top), (right, bottom) = np.min(box, axis=0), np.max(box, axis=0)
            assert 0 <= left < right < upright.width
            assert 0 <= top < bottom < upright.height
            inside = grey[top : bottom + 1, left : right + 1]
            # Ink is darker than the paper round it; a box next to the writing would show paper only.
            assert float(np.percentile(inside, 2)) < 0.8 * float(np.percentile(inside, 90)), line["text"]


@pytest.mark.slow
def test_lines_of_a_second_leaf_stand_to_the_right_of_the_first(batch: Batch) -> None:
    two_leaves = Batch(batch.purpose, 1, 21, batch.style, NAMES, batch.cache, two=1.0, turned=0.0)
    lines = sheet(two_leaves, "o", hasty=False)[1]["lines"]
    middles = [float(np.mean([point[0] for box in line["boxes"] for point in box])) for line in lines]
    jump = int(np.argmax(np.diff(middles))) + 1
    assert max(middles[:jump]) < min(middles[jump:])


@pytest.mark.slow
def test_short_orders_stand_in_two_columns_on_request(batch: Batch) -> None:
    wide = Batch(
        batch.purpose, 1, 3, batch.style, NAMES, batch.cache, Shares(columns=1.0, shopping=0.0), turned=0.0
    )
    entries = (sheet(wide, f"c{number}", hasty=False)[1] for number in range(3))
    facts = next(entry for entry in entries if entry["dialect"] != "prose")
    orders = [line for line in facts["lines"] if line["kind"] == "order"]
    lefts = [line["boxes"][0][0][0] for line in orders]
    half = -(-len(orders) // 2)
    assert max(lefts[:half]) < min(lefts[half:])


@pytest.mark.parametrize("stroke", MORE_STROKES)
def test_every_stroke_leaves_ink_across_what_it_crosses_out(stroke: str) -> None:
    mask = np.zeros((120, 700), np.float32)
    cross_out(mask, Extent(100, 40, 600, 80), stroke, 4, np.random.default_rng(1))
    inked = np.nonzero(mask[40:81, 100:601].max(axis=0) > 0.5)[0]
    assert len(inked) > 0.8 * 500


@pytest.mark.slow
def test_the_command_writes_photographs_and_a_truth(
    cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = [
        {"name": n.name, "kind": n.kind, "aliases": list(n.aliases), "coasts": list(n.coasts)} for n in NAMES
    ]
    (tmp_path / "names.json").write_text(json.dumps(listed))
    arguments = ["varied", "--set", "tuning", "--sheets", "2", "--seed", "5", "--style", "hasty"]
    assert (
        main(
            [
                *arguments,
                "--names",
                str(tmp_path / "names.json"),
                "--out",
                str(tmp_path / "o"),
                "--cache",
                str(cache),
            ]
        )
        == 0
    )
    entries = json.loads((tmp_path / "o" / "truth.json").read_text())["sheets"]
    assert [entry["style"]["manner"] for entry in entries] == ["hasty", "hasty"]
    assert all((tmp_path / "o" / entry["file"]).is_file() for entry in entries)
    assert "2 of 2" in capsys.readouterr().err


def test_a_missing_font_is_one_sentence_and_exit_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "names.json").write_text(json.dumps([{"name": "Kent", "kind": "coastal"}]))
    arguments = ["varied", "--set", "tuning", "--sheets", "1", "--names", str(tmp_path / "names.json")]
    assert main([*arguments, "--out", str(tmp_path / "o"), "--cache", str(tmp_path / "none")]) == 1
    assert "no font for hand" in capsys.readouterr().err


def test_a_block_crossed_out_at_once_is_struck_in_the_truth(cache: Path) -> None:
    """INK-09: two orders or more, one below the other, and ink over them that was not there before."""
    plain_batch = Batch(font_sets.Purpose.CALIBRATION, 6, 11, Style.TIDY, NAMES, cache)
    blocks = 0
    for (_, plain_truth), (_, truth) in zip(
        sheets(plain_batch), sheets(replace(plain_batch, blocks=1.0)), strict=True
    ):
        assert [line["text"] for line in truth["lines"]] == [line["text"] for line in plain_truth["lines"]]
        block = [index for index, line in enumerate(truth["lines"])
                 if str(line.get("trap", "")).startswith("block_")]
        assert block == list(range(block[0], block[0] + len(block))) if block else True
        assert all(truth["lines"][index]["struck"] for index in block)
        blocks += len(block) > 1
    assert blocks >= 3
