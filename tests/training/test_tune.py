"""What the recogniser is tuned on, and the parts of tuning that need no PyTorch."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PIL import ImageFont

from training.handwriting import font_sets
from training.sheets.random_orders import RandomName
from training.tuning import net
from training.tuning.features import CachedFeatures
from training.tuning.fit import WARMING, pace
from training.tuning.lines import HEIGHT, LineDrawer, line
from training.tuning.texts import Sources, general_words, text

SOURCES = Sources(
    [
        (
            RandomName("York", "land", ()),
            RandomName("Irish Sea", "sea", ("Irish",), (), "IRI"),
            RandomName("Mull", "coastal", ()),
        )
    ]
)


def _texts(seed: int, count: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return [text(SOURCES, rng) for _ in range(count)]


# Texts
# ----------------------------------------------------------------------------------------------------------


def test_a_line_is_words_with_single_spaces() -> None:
    assert all(words and words == " ".join(words.split()) for words in _texts(1, 400))


def test_the_same_seed_says_the_same() -> None:
    assert _texts(2, 50) == _texts(2, 50) != _texts(3, 50)


def test_much_of_what_is_said_is_no_order() -> None:
    """Tuned on orders alone, readers were seen to get worse at everything else."""
    order_words = {"army", "fleet", "a", "f", "york", "irish", "sea", "mull", "iri", "build", "disband",
                   "remove", "send", "command", "convert", "to", "supports", "moves", "holds"}
    texts = _texts(4, 600)
    foreign = [line for line in texts if not order_words & set(line.lower().replace(".", "").split())]
    # 0.4 of the lines are neither order nor heading, and pieces of orders may have no word of the list.
    assert 0.25 < len(foreign) / len(texts) < 0.75


def test_some_orders_name_places_of_no_board() -> None:
    """INK-03. A recogniser is to read names, not to guess them: "Mordor" is not London."""
    of_orders = re.compile(r"(?:Army|Fleet) (\w+) (?:holds|stands|moves|to)\b")
    places = [order.group(1) for order in map(of_orders.match, _texts(6, 600)) if order]
    known = {"York", "Irish", "Mull", "Iri", "IRI"}
    assert 0.15 < sum(place not in known for place in places) / len(places) < 0.6


def test_general_words_are_many_and_plain() -> None:
    words = general_words()
    assert len(words) > 1500
    assert all(word.isalpha() and word.islower() for word in words)


def test_capitals_small_letters_and_figures_all_occur() -> None:
    texts = _texts(5, 400)
    assert any(line.isupper() and len(line) > 6 for line in texts)
    assert any(line.islower() and len(line) > 6 for line in texts)
    assert any(any(c.isdigit() for c in line) for line in texts)


# Rows
# ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> LineDrawer:
    """One face, an OFL font that a package of the product carries or else Pillow's own."""
    path = tmp_path_factory.mktemp("font") / "face.ttf"
    face = ImageFont.load_default(20)
    assert isinstance(face, ImageFont.FreeTypeFont)
    path.write_bytes(face.font_bytes)
    return LineDrawer({"face": path})


def test_a_row_is_as_high_as_the_recogniser_takes_and_longer_for_more_words(desk: LineDrawer) -> None:
    widths = []
    for words in ("Mull", "Army York supports Fleet Irish Sea"):
        crops = [line(words, "face", desk, np.random.default_rng(seed)) for seed in range(6)]
        assert all(
            crop.shape[0] == HEIGHT and crop.shape[2] == 3 and crop.dtype == np.uint8 for crop in crops
        )
        widths.append(float(np.median([crop.shape[1] for crop in crops])))
    assert widths[1] > 3 * widths[0]


def test_a_row_has_ink_on_paper_and_is_the_same_for_the_same_seed(desk: LineDrawer) -> None:
    crops = [line("Army York", "face", desk, np.random.default_rng(seed)) for seed in (1, 1, 2)]
    assert np.array_equal(crops[0], crops[1])
    assert crops[0].shape != crops[2].shape or not np.array_equal(crops[0], crops[2])
    for crop in crops:
        grey = crop.mean(axis=2)
        assert np.median(grey) - np.percentile(grey, 1) > 40


# Tuning
# ----------------------------------------------------------------------------------------------------------


def test_the_rate_rises_and_then_falls_to_nearly_nothing() -> None:
    assert pace(0, 0.0) == pytest.approx(1.02 / WARMING)
    assert pace(WARMING, 0.5) == pytest.approx(0.5 * (1 + math.cos(math.pi / 2)) + 0.02)
    assert pace(10_000, 1.0) == pytest.approx(0.02)


def test_what_was_kept_comes_back(tmp_path: Path) -> None:
    rows: list[tuple[str, npt.NDArray[np.float16]]] = [
        ("Army", np.arange(8, dtype=np.float16).reshape(2, 1, 4)),
        ("A", np.ones((2, 1, 1), np.float16))]  # fmt: skip
    offset, index = 0, []
    with (tmp_path / "features.bin").open("wb") as out:
        for words, features in rows:
            index.append(json.dumps({"text": words, "at": offset, "shape": features.shape}))
            offset += out.write(features.tobytes())
    (tmp_path / "index.jsonl").write_text("\n".join(index) + "\n", encoding="utf-8")
    cached = CachedFeatures([tmp_path])
    assert len(cached) == 2
    assert cached.row(1)[1] == "A"
    assert np.array_equal(cached.row(0)[0], rows[0][1])
    assert [cached.frames(k) for k in (0, 1)] == [4, 1]


def test_a_missing_tool_is_named_with_what_to_do() -> None:
    with pytest.raises(net.ToolMissing, match="pip install no_such_tool_anywhere"):
        net.tool("no_such_tool_anywhere")


def test_tuning_fonts_are_many_and_none_is_a_cut_of_a_judged_one() -> None:
    tuning = font_sets.of(font_sets.Purpose.TUNING)
    assert len(tuning) >= 40
    judged = {hand for hand, purpose in font_sets.TABLE.items() if purpose is not font_sets.Purpose.TUNING}
    assert not [
        (tuned, other) for tuned in tuning for other in judged
        if tuned.startswith(other) or other.startswith(tuned)
    ]
