"""Features to a chance and a gate, by a table that must be whole."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocr.decoding.confidence import (
    EVIDENCE,
    FAR,
    GATE,
    Features,
    TableError,
    automatic,
    confidence,
    default_table,
    evidence,
    kinds_doubtful,
    read_table,
    surely_out,
    taken_out,
    touched,
)
from ocr.page import Strike, StruckWord

GOOD = Features(cost=0.02, worst=1.0, margin=FAR, near_margin=FAR, haze=0.05, score=0.98, letters=30)

SHARES = st.floats(0, 1)
LINES = st.builds(
    Features, cost=st.floats(0, 1), worst=st.floats(0, 40), margin=st.floats(-2, FAR),
    near_margin=st.floats(-2, FAR),
    agreement=st.sampled_from([-1.0, 0.0, 1.0]), struck=SHARES, haze=SHARES, score=SHARES,
    one_letter=st.booleans(),
    touched=SHARES, odd=st.booleans(), twin=st.floats(0, 40), strange=st.floats(0, 9),
    kind_margin=st.floats(-2, FAR),
    mended=st.booleans(),
)
WORSE = {
    "cost": 0.1, "worst": 3.0, "margin": -1.0, "near_margin": -1.0, "struck": 0.2, "touched": 0.2,
    "haze": 0.1, "score": -0.1,
    "twin": 3.0, "strange": 0.5, "kind_margin": -1.0,
}


def test_a_clear_line_goes_without_a_look() -> None:
    assert automatic(GOOD, confidence(GOOD, default_table()), default_table())


@given(line=LINES, name=st.sampled_from(sorted(WORSE)))
def test_a_line_that_looks_worse_is_never_trusted_more(line: Features, name: str) -> None:
    worse = replace(line, **{name: getattr(line, name) + WORSE[name]})
    before, after = confidence(line, default_table()), confidence(worse, default_table())
    assert after <= before
    assert automatic(line, before, default_table()) or not automatic(worse, after, default_table())


@given(line=LINES)
def test_danger_and_oddity_are_never_trusted_more(line: Features) -> None:
    calm = replace(line, one_letter=False, odd=False)
    for worse in (replace(calm, one_letter=True), replace(calm, odd=True)):
        before, after = confidence(calm, default_table()), confidence(worse, default_table())
        assert after <= before
        assert automatic(calm, before, default_table()) or not automatic(worse, after, default_table())


@given(line=LINES)
def test_evidence_only_speaks_against_a_line(line: Features) -> None:
    found = evidence(line)
    assert tuple(found) == EVIDENCE
    assert all(value >= 0.0 for value in found.values())


@pytest.mark.parametrize(
    "doubt",
    [
        replace(GOOD, odd=True), replace(GOOD, struck=0.95), replace(GOOD, touched=0.99),
        replace(GOOD, margin=0.5),
        replace(GOOD, near_margin=0.5), replace(GOOD, worst=40.0), replace(GOOD, cost=0.9),
    ],
)
def test_a_line_in_doubt_is_looked_at_whatever_the_chance(doubt: Features) -> None:
    """Q-21: crossed-out, conditional and half-read lines are for a person."""
    assert not automatic(doubt, 1.0, default_table())


def test_the_gate_is_stricter_where_one_letter_changes_the_meaning() -> None:
    """Between the two gates a plain line passes, and none with Lon (Lan?)."""
    gate = default_table().gate
    assert gate["strict_confidence"] >= gate["confidence"]
    for between in (
        replace(GOOD, margin=(gate["margin"] + gate["strict_margin"]) / 2),
        replace(GOOD, worst=(gate["worst"] + gate["strict_worst"]) / 2),
    ):
        assert automatic(between, 1.0, default_table())
        assert not automatic(replace(between, one_letter=True), 1.0, default_table())


def test_a_name_of_which_a_word_may_be_lost_is_looked_at() -> None:
    """Cork on ink that is not quite clean may have been County Cork (Q-21)."""
    gate = default_table().gate
    assert automatic(replace(GOOD, twin=gate["twin"]), 1.0, default_table())
    assert not automatic(replace(GOOD, twin=gate["twin"] + 0.1), 1.0, default_table())


def test_a_word_like_no_other_is_looked_at() -> None:
    """Gondor reads as London with some letters wrong: an unknown place is for a person, however sure the
    rest."""
    gate = default_table().gate
    unknown = replace(GOOD, alien=gate["alien"], margin=gate["lone_margin"] - 0.1)
    assert automatic(replace(unknown, strange=gate["strange"]), 1.0, default_table())
    assert not automatic(replace(unknown, strange=gate["strange"] + 0.1), 1.0, default_table())
    assert not automatic(replace(GOOD, alien=gate["alien"] + 0.1), 1.0, default_table())


def test_a_word_that_one_opinion_alone_reads_badly_may_pass_where_no_other_order_is_near() -> None:
    """Every opinion finds Gondor strange; a word badly made reads well in one of two widths more often than
    not."""
    gate = default_table().gate
    lone = replace(GOOD, strange=gate["lone_strange"], alien=gate["lone_alien"], margin=gate["lone_margin"])
    assert automatic(lone, 1.0, default_table())
    assert not automatic(replace(lone, strange=gate["lone_strange"] + 0.1), 1.0, default_table())
    assert not automatic(replace(lone, alien=gate["lone_alien"] + 0.1), 1.0, default_table())
    assert not automatic(replace(lone, margin=gate["lone_margin"] - 0.1), 1.0, default_table())


def test_a_clear_hand_needs_less_of_a_margin() -> None:
    gate = default_table().gate
    clear = replace(GOOD, margin=gate["margin"] - gate["clear_less"], haze=gate["clear_hand"])
    assert automatic(clear, 1.0, default_table())
    assert not automatic(replace(clear, margin=clear.margin - 0.01), 1.0, default_table())
    assert not automatic(replace(clear, haze=gate["clear_hand"] + 0.01), 1.0, default_table())
    assert not automatic(replace(clear, agreement=-1.0), 1.0, default_table())


def test_a_hand_that_the_recogniser_is_unsure_of_needs_a_greater_margin() -> None:
    """Its figures are bold where letters are badly made: Crk read as Cok (seen in a hasty hand)."""
    gate = default_table().gate
    near = replace(GOOD, margin=gate["margin"], haze=gate["hazy_from"])
    hazy = replace(near, haze=gate["hazy_from"] + 0.1)
    assert automatic(near, 1.0, default_table())
    assert not automatic(hazy, 1.0, default_table())
    assert automatic(
        replace(hazy, margin=gate["margin"] + 0.1 * gate["hazy_margin"] + 0.01), 1.0, default_table()
    )


@pytest.mark.parametrize(
    ("score", "word", "seen"),
    [
        (0.02, StruckWord(0.2, 0.4, 0.8, "wave"), 0.6),
        (0.06, StruckWord(0.2, 0.4, 0.8, "wave"), 0.8),
        (0.02, StruckWord(0.2, 0.4, 0.9, "wave"), 0.9),
        (0.02, StruckWord(0.2, 0.4, 0.74, "faint"), 1.0),
        (0.02, StruckWord(0.2, 0.4, 0.75, "unread"), 1.0),
        (0.02, StruckWord(0.2, 0.4, 0.3, "unread"), 0.3),
    ],
    ids=[
        "a stretch by itself",
        "in a row that looks struck",
        "surely struck",
        "a hairline",
        "ink passed over",
        "a blot",
    ],
)
def test_a_stretch_by_itself_is_rather_a_joined_hand(score: float, word: StruckWord, seen: float) -> None:
    assert touched(Strike(score, (word,))) == pytest.approx(seen)


def test_a_hand_that_makes_a_and_f_alike_is_looked_at_throughout() -> None:
    """One line in which nobody can tell A from F makes the sheet's others doubtful, but for the plainest."""
    gate = default_table().gate
    unsure, sure = (
        replace(GOOD, kind_margin=gate["kind_doubt"] - 0.1),
        replace(GOOD, kind_margin=gate["kind_margin"]),
    )
    between = replace(GOOD, kind_margin=gate["kind_margin"] - 0.1)
    assert kinds_doubtful(between, [between, unsure], default_table())
    assert not kinds_doubtful(between, [between, sure], default_table())
    assert not kinds_doubtful(sure, [sure, unsure], default_table())


def test_a_line_that_reads_without_a_loss_may_look_somewhat_crossed_out() -> None:
    gate = default_table().gate
    between = replace(GOOD, struck=(gate["struck"] + gate["plain_struck"]) / 2, worst=gate["plain_worst"])
    assert automatic(between, 1.0, default_table())
    assert not automatic(replace(between, worst=gate["plain_worst"] + 0.1), 1.0, default_table())
    assert not automatic(replace(between, struck=gate["plain_struck"]), 1.0, default_table())


def test_a_stretch_that_looks_struck_by_itself_may_pass_where_all_is_read() -> None:
    """Of 33 such lines on composed sheets one was read wrongly, and touched more than the gate lets pass."""
    gate = default_table().gate
    lone = replace(GOOD, touched=0.95, struck=0.05, worst=8.0, margin=8.0)
    assert automatic(lone, 1.0, default_table())
    for worse in (
        replace(lone, touched=gate["lone_touched"]), replace(lone, struck=0.3),
        replace(lone, worst=gate["lone_worst"] + 0.1),
        replace(lone, margin=gate["lone_margin"] - 0.1),
    ):
        assert not automatic(worse, 1.0, default_table())


def test_a_line_read_as_corrected_needs_a_margin_of_its_own() -> None:
    gate = default_table().gate
    mended = replace(GOOD, mended=True, touched=0.99, margin=gate["mended_margin"])
    assert automatic(mended, 1.0, default_table())
    assert not automatic(replace(mended, margin=gate["mended_margin"] - 0.1), 1.0, default_table())
    assert not automatic(replace(mended, struck=gate["struck"]), 1.0, default_table())
    assert not automatic(replace(mended, mended=False), 1.0, default_table())


@pytest.mark.parametrize(
    ("strike", "out", "surely"),
    [
        (Strike(), False, False),
        (Strike(0.5, (StruckWord(0.4, 0.6, 0.97, "single"),)), False, False),
        (Strike(0.9, (StruckWord(0.0, 0.9, 0.9, "wave"),)), True, False),
        (
            Strike(0.95, (StruckWord(0.15, 0.36, 0.91, "single"), StruckWord(0.44, 0.97, 0.99, "double"))),
            True,
            False,
        ),
        (Strike(0.99, (StruckWord(0.0, 1.0, 0.99, "zigzag"),)), True, True),
    ],
)
def test_a_line_is_crossed_out_in_degrees(strike: Strike, *, out: bool, surely: bool) -> None:
    """A struck word leaves a line live; a line struck in part, or not plainly, is out and yet looked at."""
    assert taken_out(strike, default_table()) is out
    assert surely_out(strike, default_table()) is surely


def test_strokes_across_a_line_are_never_beyond_doubt() -> None:
    """A joined and leaning hand makes strokes of its own: its order is kept where its letters are clear, and
    somebody looks."""
    across = Strike(0.99, (StruckWord(0.0, 1.0, 0.95, "cross"),))
    assert taken_out(across, default_table())
    assert taken_out(across, default_table(), haze=0.3)
    assert not taken_out(across, default_table(), haze=0.01)
    assert taken_out(Strike(0.99, (StruckWord(0.0, 1.0, 0.95, "double"),)), default_table(), haze=0.01)
    assert not surely_out(Strike(1.0, (StruckWord(0.0, 1.0, 1.0, "cross"),)), default_table())


def test_features_are_numbers_for_json() -> None:
    numbers = json.loads(json.dumps(GOOD.numbers()))
    assert numbers["one_letter"] == 0.0
    assert set(numbers) == set(Features.__dataclass_fields__)


def test_a_chance_is_a_chance() -> None:
    for cost in (0.0, 1.0, 1e6):
        assert 0.0 <= confidence(replace(GOOD, cost=cost), default_table()) <= 1.0


def _table(**changes: str) -> str:
    lines = [
        "[provenance]",
        "how = 'by hand'",
        "[weights]",
        *(f"{n} = {changes.get(n, '-1')}" for n in ("intercept", *EVIDENCE)),
    ]
    lines += [
        "[steps]",
        f"from = {changes.get('steps_from', '[0.0, 0.5]')}",
        f"chance = {changes.get('steps_chance', '[0.1, 0.9]')}",
    ]
    return "\n".join([*lines, "[gate]", *(f"{name} = {changes.get('gate_' + name, '0.5')}" for name in GATE)])


def test_a_whole_table_is_read() -> None:
    table = read_table(_table(intercept="3"))
    assert table.weights["intercept"] == 3.0
    assert table.gate["margin"] == 0.5
    assert table.steps == ((0.0, 0.1), (0.5, 0.9))


def test_a_chance_is_the_share_of_its_step() -> None:
    table = read_table(_table(intercept="0"))
    assert confidence(GOOD, replace(table, steps=())) < 0.5
    assert confidence(GOOD, table) == 0.1
    assert confidence(GOOD, read_table(_table(intercept="9"))) == 0.9


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[weights", "no TOML"),
        ("", "[provenance]"),
        ("provenance = 'x'", "[provenance]"),
        ("[provenance]\nhow = 'x'", "[weights]"),
        (_table().replace("[gate]", "[gates]"), "[gate]"),
        (_table(cost="2"), "weights.cost"),
        (_table(cost="'much'"), "weights.cost"),
        (_table(gate_margin="nan"), "gate.margin"),
        (_table().replace("[steps]", "[stairs]"), "[steps]"), (_table(steps_from="[0.1, 0.5]"), "steps.from"),
        (_table(steps_from="[0.0]"), "steps.from"), (_table(steps_chance="[0.9, 0.1]"), "steps.from"),
        (_table(steps_chance="[0.1, 2.0]"), "steps.from"), (_table(steps_from="[0.0, 'x']"), "steps.from"),
        (_table().replace("\nhaze =", "\nluck ="), "weights.haze"),
        (_table() + "\nluck = 1", "gate.luck"),
    ],
)
def test_a_fault_of_the_table_names_file_and_key(text: str, named: str) -> None:
    with pytest.raises(TableError) as fault:
        read_table(text, "site/confidence.toml")
    assert "site/confidence.toml" in str(fault.value)
    assert named in str(fault.value)


def test_the_table_that_is_shipped_says_where_it_comes_from() -> None:
    told = tomllib.loads((files("ocr.decoding") / "confidence.toml").read_text(encoding="utf-8"))[
        "provenance"
    ]
    assert dict(default_table().provenance) == told
    assert {"command", "made", "sheets", "lines", "seed", "fonts"} <= set(told)
