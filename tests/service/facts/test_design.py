"""The design sheet: its contrast in every scheme, its steps, and that no style has values of its own
(DSK-07)."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from service.facts.design import Scheme, contrast, em, style_sheet, values

TEMPLATES = Path(__file__).parents[3] / "templates"
WORDS = ("ink", "dim", "red", "green", "blue", "amber")
GROUNDS = ("paper", "card", "field", "soft")
MARKED = ("mark", "differs", "failed")
SIZES = ("tiny", "small", "text", "large", "title", "display")
STEP = 1.2
STYLES = sorted((*TEMPLATES.rglob("static/*.css"), TEMPLATES / "public" / "moves.css"))
PAPERS = ("pictures/_period.css", "pictures/results.html", "pictures/correction.html",
          "pictures/game_over.html", "mail/_page.html",
          *(str(path.relative_to(TEMPLATES)) for path in TEMPLATES.glob("features/*/sheet.html")))
"""Letters, and papers that are set from the sheet. Sheets to write on, envelopes, labels and large print are
black on white, and their measures are those of paper."""


def rem(value: str) -> float:
    return float(value.removesuffix("rem"))


@pytest.mark.parametrize("scheme", list(Scheme))
def test_words_are_read_on_every_ground(scheme: Scheme) -> None:
    """WCAG 2.2, success criterion 1.4.3: 4.5 to 1; where more contrast is asked for, 1.4.6: 7 to 1."""
    colours, least = values(scheme), 7.0 if scheme.is_contrast else 4.5
    pairs = [(words, ground) for words in WORDS for ground in GROUNDS]
    pairs += [("ink", ground) for ground in MARKED]
    pairs += [("dim", "failed"), ("on-main", "main"), ("on-main", "main-over")]
    too_weak = {pair: round(contrast(colours[pair[0]], colours[pair[1]]), 2) for pair in pairs
                if contrast(colours[pair[0]], colours[pair[1]]) < least}
    assert too_weak == {}


@pytest.mark.parametrize("scheme", list(Scheme))
def test_frames_and_the_focus_are_seen_on_every_ground(scheme: Scheme) -> None:
    """WCAG 2.2, success criteria 1.4.11 and 2.4.13: 3 to 1."""
    colours = values(scheme)
    for sign in ("edge", "blue", "main"):
        for ground in ("paper", "card", "field") if sign != "main" else ("on-main",):
            assert contrast(colours[sign], colours[ground]) >= 3.0, (sign, ground)


def test_papers_and_photographs_have_the_same_colours_in_the_dark() -> None:
    for scheme in Scheme:
        assert {name: values(scheme)[name] for name in ("photo", "on-photo", "parchment", "pale")} == {
            name: values()[name] for name in ("photo", "on-photo", "parchment", "pale")}
    for words, ground in (("on-photo", "photo"), ("engraving", "parchment"), ("engraving", "pale"),
                          ("ink", "parchment"), ("dim", "parchment"), ("red", "parchment")):
        assert contrast(values()[words], values()[ground]) >= 4.5, (words, ground)


def test_each_size_of_letters_is_a_fifth_larger_than_the_one_before() -> None:
    sizes = [rem(values()[size]) for size in SIZES]
    for before, after in pairwise(sizes):
        assert after / before == pytest.approx(STEP, abs=0.03)
    assert (em("text"), em("large")) == ("1em", "1.2em")


def test_every_scheme_names_only_values_that_the_light_one_has() -> None:
    for scheme in Scheme:
        assert set(values(scheme)) == set(values())
    used = {name for file in STYLES for name in re.findall(r"var\(--([a-z-]+)\)", file.read_text("utf-8"))}
    assert used <= set(values())


@pytest.mark.parametrize("file", [each for each in STYLES if each.name != "design.css"],
                         ids=lambda each: each.name)
def test_no_style_sheet_has_a_colour_a_size_or_a_space_of_its_own(file: Path) -> None:
    style = re.sub(r"/\*.*?\*/", "", file.read_text("utf-8"), flags=re.DOTALL)
    assert re.findall(r"#[0-9a-f]{3,8}\b(?![^{}]*\{)", style) == []
    assert re.findall(r"font(?:-size)?:\s*[\d.]+(?:rem|px)", style) == []
    spaces = re.findall(r"(?<![\w-])(?:margin|padding|gap)[a-z-]*:\s*([^;}]+)", style)
    # Pixels are for what is as thick as a line, and a width is taken off by calculation.
    assert [space for space in spaces if re.search(r"^(?!.*calc).*([\d.]rem|\d\dpx)", space)] == []


@pytest.mark.parametrize("name", PAPERS)
def test_no_letter_or_paper_has_a_colour_of_its_own(name: str) -> None:
    assert re.findall(r"#[0-9a-f]{3,8}\b", (TEMPLATES / name).read_text("utf-8")) == []


def test_the_style_sheet_sets_each_value_once_in_a_scheme() -> None:
    for _, block in re.findall(r"(:root) \{([^}]*)\}", style_sheet()):
        names = re.findall(r"--([a-z-]+):", block)
        assert sorted(names) == sorted(set(names))
