"""Features to a chance and a gate, by a table that must be whole."""

from __future__ import annotations

import tomllib
from dataclasses import fields, replace
from importlib.resources import files

import pytest
from hypothesis import given, strategies as st

from ocr.decoding.confidence import (
    EVIDENCE,
    FAR,
    Features,
    ReviewThresholds,
    TableError,
    confidence,
    default_table,
    evidence,
    least_confidence,
    read_table,
    stepped,
)
from ocr.decoding.open_reasons import OpenReason
from ocr.decoding.review_gate import (
    is_crossed_out,
    is_surely_crossed_out,
    leaves_kinds_out,
    may_skip_review,
    open_reasons,
    part_strike,
)
from ocr.page import Strike, StruckWord

LIMITS = default_table().thresholds
GOOD = Features(cost=0.02, uncertainty=0.05)

SHARES = st.floats(0, 1)
LINES = st.builds(
    Features, cost=st.floats(0, 1), margin=st.floats(-2, FAR), uncertainty=SHARES, part_strike=SHARES,
    word_misfit=st.floats(0, 9), name_loss=st.floats(0, 9), plain_other=st.floats(0, 9),
    kind_margin=st.floats(-2, FAR), is_odd=st.booleans(), is_kindless=st.booleans(),
    is_corrected=st.booleans(),
)
WORSE = {
    "cost": 0.1, "margin": -1.0, "part_strike": 0.2, "uncertainty": 0.1, "word_misfit": 0.5,
    "kind_margin": -1.0, "name_loss": 0.5, "plain_other": 0.5,
}


def passes(features: Features, chance: float = 1.0) -> bool:
    """Whether no one need look at a line by the table that is shipped."""
    return may_skip_review(features, chance, LIMITS)


def test_a_clear_line_goes_without_a_look() -> None:
    assert passes(GOOD, confidence(GOOD, default_table()))


@given(line=LINES, name=st.sampled_from(sorted(WORSE)))
def test_a_line_that_looks_worse_is_never_trusted_more(line: Features, name: str) -> None:
    worse = replace(line, **{name: getattr(line, name) + WORSE[name]})
    before, after = confidence(line, default_table()), confidence(worse, default_table())
    assert after <= before
    assert passes(line, before) or not passes(worse, after)


@given(line=LINES)
def test_evidence_only_speaks_against_a_line(line: Features) -> None:
    measured = evidence(line)
    assert tuple(measured) == EVIDENCE
    assert all(value >= 0.0 for value in measured.values())


@pytest.mark.parametrize(
    ("doubt", "reason"),
    [
        (replace(GOOD, is_odd=True), OpenReason.ODD_ORDER),
        (replace(GOOD, is_kindless=True), OpenReason.UNIT_LETTER),
        (replace(GOOD, kind_margin=LIMITS.kind_margin - 0.1), OpenReason.UNIT_LETTER),
        (replace(GOOD, plain_other=LIMITS.plain_other + 0.1), OpenReason.UNKNOWN_NAME),
    ],
)
def test_what_is_no_question_of_chance_is_looked_at(doubt: Features, reason: OpenReason) -> None:
    # Q-21, INK-12: conditional lines and words of no list are for a person.
    assert open_reasons(doubt, 1.0, LIMITS) == (reason,)


@pytest.mark.parametrize(
    "unclear",
    [
        replace(GOOD, margin=0.5), replace(GOOD, cost=2.0), replace(GOOD, word_misfit=7.0),
        replace(GOOD, name_loss=4.0, uncertainty=0.3),
    ],
)
def test_a_line_whose_ink_is_unclear_is_looked_at_by_its_chance(unclear: Features) -> None:
    """INK-12: one measure of doubt."""
    assert OpenReason.UNSURE in open_reasons(unclear, confidence(unclear, default_table()), LIMITS)


def test_a_kind_that_one_letter_in_a_hundred_may_change_is_left_out() -> None:
    """INK-10. "F Bute - Mearns" passed as an army's at 4.6 nats (seed 9902). The line needs no look."""
    doubt = replace(GOOD, unit_margin=4.6)
    assert leaves_kinds_out(doubt, LIMITS)
    assert open_reasons(doubt, 0.999, LIMITS) == ()
    assert not leaves_kinds_out(replace(GOOD, unit_margin=9.0), LIMITS)


def test_one_threshold_on_the_chance() -> None:
    assert passes(GOOD, LIMITS.confidence)
    assert open_reasons(GOOD, LIMITS.confidence - 0.01, LIMITS) == (OpenReason.UNSURE,)


def test_a_stroke_speaks_against_nothing_where_its_word_is_put_right() -> None:
    struck = replace(GOOD, part_strike=0.99)
    assert evidence(struck)["part_strike"] == 0.99
    assert evidence(replace(struck, is_corrected=True))["part_strike"] == 0.0


@pytest.mark.parametrize(
    ("score", "word", "expected"),
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
def test_a_stretch_by_itself_is_rather_a_joined_hand(score: float, word: StruckWord, expected: float) -> None:
    assert part_strike(Strike(score, (word,))) == pytest.approx(expected)


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
    # A struck word leaves a line live; a line struck in part, or not plainly, is out, and a person looks.
    assert is_crossed_out(strike, LIMITS) is out
    assert is_surely_crossed_out(strike, LIMITS) is surely


def test_strokes_across_a_line_are_never_beyond_doubt() -> None:
    # A joined and leaning hand makes strokes of its own: of 2,600 live lines four were taken for crossed out.
    across = Strike(0.99, (StruckWord(0.0, 1.0, 0.95, "cross"),))
    assert is_crossed_out(across, LIMITS)
    assert is_crossed_out(across, LIMITS, uncertainty=0.3)
    assert not is_crossed_out(across, LIMITS, uncertainty=0.01)
    assert is_crossed_out(Strike(0.99, (StruckWord(0.0, 1.0, 0.95, "double"),)), LIMITS, uncertainty=0.01)
    assert not is_surely_crossed_out(Strike(1.0, (StruckWord(0.0, 1.0, 1.0, "cross"),)), LIMITS)


def test_a_chance_is_a_chance() -> None:
    for cost in (0.0, 1.0, 1e6):
        assert 0.0 <= confidence(replace(GOOD, cost=cost), default_table()) <= 1.0


KEYS = tuple(field.name for field in fields(ReviewThresholds))


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
    return "\n".join(
        [*lines, "[thresholds]", *(f"{name} = {changes.get('limit_' + name, '0.5')}" for name in KEYS)]
    )


def test_a_whole_table_is_read() -> None:
    table = read_table(_table(intercept="3"))
    assert table.weights["intercept"] == 3.0
    assert table.thresholds.plain_other == 0.5
    assert table.steps == ((0.0, 0.1), (0.5, 0.9))


def test_a_chance_is_the_share_of_its_step_at_its_middle_and_rises_between() -> None:
    steps = ((0.0, 0.1), (0.5, 0.9))
    values = (0.0, 0.25, 0.5, 0.75, 1.0)
    assert [stepped(value, steps) for value in values] == [0.1, 0.1, 0.5, 0.9, 0.9]
    assert stepped(0.3, ()) == 0.3
    assert stepped(0.3, ((0.0, 0.7),)) == 0.7
    table = read_table(_table(intercept="9"))
    assert confidence(GOOD, table) == 0.9


def test_a_site_chooses_the_share_of_wrong_lines_that_it_accepts() -> None:
    # INK-04: the least confidence that kept to the share on the sheets for calibration.
    accepted = "\n[accepted]\nconfidence = [0.9, 0.95]\nwrong_share = [0.01, 0.004]\nbound = [0.02, 0.01]\n"
    table = read_table(_table() + accepted)
    chosen = [least_confidence(table, share) for share in (0.02, 0.01, 0.005, 0.001)]
    assert chosen == [0.9, 0.9, 0.95, 0.95]
    assert least_confidence(read_table(_table()), 0.001) == 0.0
    with pytest.raises(TableError, match="accepted"):
        read_table(_table() + accepted.replace("0.004", "0.4"))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[weights", "not TOML"),
        ("", "[provenance]"),
        ("provenance = 'x'", "[provenance]"),
        ("[provenance]\nhow = 'x'", "[weights]"),
        (_table().replace("[thresholds]", "[limits]"), "[thresholds]"),
        (_table(cost="2"), "weights.cost"),
        (_table(cost="'much'"), "weights.cost"),
        (_table(limit_kind_margin="nan"), "thresholds.kind_margin"),
        (_table().replace("[steps]", "[stairs]"), "[steps]"), (_table(steps_from="[0.1, 0.5]"), "steps.from"),
        (_table(steps_from="[0.0]"), "steps.from"), (_table(steps_chance="[0.9, 0.1]"), "steps.from"),
        (_table(steps_chance="[0.1, 2.0]"), "steps.from"), (_table(steps_from="[0.0, 'x']"), "steps.from"),
        (_table().replace("\nname_loss =", "\nluck ="), "weights.luck"),
        (_table() + "\nluck = 1", "thresholds.luck"),
    ],
)
def test_a_fault_of_the_table_names_file_and_key(text: str, named: str) -> None:
    with pytest.raises(TableError) as fault:
        read_table(text, "site/confidence.toml")
    assert "site/confidence.toml" in str(fault.value)
    assert named in str(fault.value)


def test_the_table_that_is_shipped_says_where_it_comes_from() -> None:
    provenance = tomllib.loads((files("ocr.decoding") / "confidence.toml").read_text(encoding="utf-8"))[
        "provenance"
    ]
    assert dict(default_table().provenance) == provenance
    assert {"command", "made", "sheets", "lines", "seed", "fonts"} <= set(provenance)
