"""Features to a chance and a gate, by a table that must be whole."""

from __future__ import annotations

import json
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
    are_kinds_doubtful,
    is_crossed_out,
    is_surely_crossed_out,
    may_skip_review,
    open_reasons,
    part_strike,
)
from ocr.page import Strike, StruckWord

LIMITS = default_table().thresholds
GOOD = Features(
    cost=0.02, worst_stretch=1.0, margin=FAR, near_margin=FAR, uncertainty=0.05, score=0.98, letters=30
)

SHARES = st.floats(0, 1)
LINES = st.builds(
    Features, cost=st.floats(0, 1), worst_stretch=st.floats(0, 40), margin=st.floats(-2, FAR),
    near_margin=st.floats(-2, FAR),
    agreement=st.sampled_from([-1.0, 0.0, 1.0]), whole_strike=SHARES, uncertainty=SHARES, score=SHARES,
    one_letter=st.booleans(),
    part_strike=SHARES, is_odd=st.booleans(), homonym_loss=st.floats(0, 40), word_misfit_mean=st.floats(0, 9),
    kind_margin=st.floats(-2, FAR), name_loss=st.floats(0, 9), plain_other=st.floats(0, 9),
    is_corrected=st.booleans(),
)
WORSE = {
    "cost": 0.1, "worst_stretch": 3.0, "margin": -1.0, "near_margin": -1.0, "whole_strike": 0.2,
    "part_strike": 0.2, "uncertainty": 0.1, "score": -0.1, "homonym_loss": 3.0, "word_misfit_mean": 0.5,
    "kind_margin": -1.0, "name_loss": 0.5, "plain_other": 0.5,
}


def passes(features: Features, chance: float = 1.0) -> bool:
    """Whether nobody need look at a line by the table that is shipped."""
    return may_skip_review(features, chance, LIMITS)


def test_a_clear_line_goes_without_a_look() -> None:
    assert passes(GOOD, confidence(GOOD, default_table()))


def test_an_unclear_line_of_two_minds_waits_however_far_the_next_order_is() -> None:
    """INK-03: "Limerick" in a fast hand was "Cork" to one opinion, 7.8 nats before the next order."""
    unclear = replace(GOOD, uncertainty=LIMITS.disagreement_uncertainty + 0.05, margin=15.0)
    assert passes(replace(unclear, agreement=1.0))
    assert not passes(replace(unclear, agreement=-1.0))
    assert passes(replace(GOOD, margin=15.0, agreement=-1.0))


@given(line=LINES, name=st.sampled_from(sorted(WORSE)))
def test_a_line_that_looks_worse_is_never_trusted_more(line: Features, name: str) -> None:
    worse = replace(line, **{name: getattr(line, name) + WORSE[name]})
    before, after = confidence(line, default_table()), confidence(worse, default_table())
    assert after <= before
    assert passes(line, before) or not passes(worse, after)


@given(line=LINES)
def test_danger_and_oddity_are_never_trusted_more(line: Features) -> None:
    calm = replace(line, one_letter=False, is_odd=False)
    for worse in (replace(calm, one_letter=True), replace(calm, is_odd=True)):
        before, after = confidence(calm, default_table()), confidence(worse, default_table())
        assert after <= before
        assert passes(calm, before) or not passes(worse, after)


@given(line=LINES)
def test_evidence_only_speaks_against_a_line(line: Features) -> None:
    measured = evidence(line)
    assert tuple(measured) == EVIDENCE
    assert all(value >= 0.0 for value in measured.values())


@pytest.mark.parametrize(
    "doubt",
    [
        replace(GOOD, is_odd=True), replace(GOOD, whole_strike=0.95), replace(GOOD, part_strike=0.99),
        replace(GOOD, margin=0.5),
        replace(GOOD, near_margin=0.5), replace(GOOD, worst_stretch=40.0), replace(GOOD, cost=0.9),
    ],
)
def test_a_line_in_doubt_is_looked_at_whatever_the_chance(doubt: Features) -> None:
    # crossed-out, conditional and half-read lines are for a person.
    assert not passes(doubt)


def test_the_gate_is_stricter_where_one_letter_changes_the_meaning() -> None:
    # Between the two gates a plain line passes, and none with Lon (Lan?). A clear "Bcn" was "Ban" at .87.
    short = replace(GOOD, one_letter=True)
    assert passes(GOOD, LIMITS.confidence)
    assert not passes(GOOD, LIMITS.confidence - 0.01)
    assert passes(short, LIMITS.one_letter_confidence)
    assert not passes(short, LIMITS.one_letter_confidence - 0.01)
    for between in (
        replace(GOOD, margin=(LIMITS.margin + LIMITS.one_letter_margin) / 2),
        replace(GOOD, worst_stretch=(LIMITS.worst_stretch + LIMITS.one_letter_worst_stretch) / 2),
    ):
        assert passes(between)
        assert not passes(replace(between, one_letter=True))


def test_a_name_that_the_ink_does_not_show_is_looked_at_though_opinions_differ_on_the_word() -> None:
    """INK-03. "Watford" was "Wexford" to one opinion and another word to the other."""
    strange = replace(GOOD, name_loss=LIMITS.name_loss + 0.1)
    assert passes(replace(GOOD, name_loss=LIMITS.name_loss))
    assert OpenReason.UNKNOWN_NAME in open_reasons(strange, 1.0, LIMITS)


def test_a_name_rather_unlike_its_ink_is_looked_at_where_another_order_is_not_far() -> None:
    """INK-03. "Lunden" passed as London, 4.1 nats before the next order."""
    unlike = replace(GOOD, name_loss=LIMITS.near_name_loss + 0.1, margin=LIMITS.near_name_margin)
    assert passes(unlike)
    nearer = replace(unlike, margin=LIMITS.near_name_margin - 0.1)
    assert OpenReason.UNKNOWN_NAME in open_reasons(nearer, 1.0, LIMITS)
    assert passes(replace(nearer, name_loss=LIMITS.near_name_loss))


def test_a_name_unlike_its_ink_is_looked_at_where_the_hand_is_plain() -> None:
    """INK-03. "Mordor" passed as London by both opinions, 8.6 nats before the next order."""
    lost = LIMITS.clear_name_loss + 0.1
    strange = replace(
        GOOD, name_loss=lost, word_misfit_min=lost, uncertainty=LIMITS.clear_name_uncertainty)
    assert OpenReason.UNKNOWN_NAME in open_reasons(strange, 1.0, LIMITS)
    # A badly written name is unlike its ink as well, and its letters are unclear.
    assert passes(replace(strange, uncertainty=LIMITS.clear_name_uncertainty + 0.01))
    assert passes(replace(strange, name_loss=LIMITS.clear_name_loss))
    assert passes(replace(strange, word_misfit_min=LIMITS.clear_name_loss))


def test_a_name_of_which_a_word_may_be_lost_is_looked_at() -> None:
    # Cork on ink that is not quite clean may have been County Cork.
    assert passes(replace(GOOD, homonym_loss=LIMITS.homonym_loss))
    assert not passes(replace(GOOD, homonym_loss=LIMITS.homonym_loss + 0.1))


def test_a_word_like_no_other_is_looked_at() -> None:
    # Gondor reads as London with some letters wrong: an unknown province is for a person.
    unknown = replace(GOOD, word_misfit_min=LIMITS.word_misfit_min, margin=LIMITS.single_opinion_margin - 0.1)
    assert passes(replace(unknown, word_misfit_mean=LIMITS.word_misfit_mean))
    assert not passes(replace(unknown, word_misfit_mean=LIMITS.word_misfit_mean + 0.1))
    assert not passes(replace(GOOD, word_misfit_min=LIMITS.word_misfit_min + 0.1))


def test_a_word_that_one_opinion_alone_reads_badly_may_pass_where_no_other_order_is_near() -> None:
    # Every opinion finds Gondor strange; a badly written word reads well at one of two widths more often than
    # not.
    lone = replace(
        GOOD,
        word_misfit_mean=LIMITS.single_opinion_word_misfit,
        word_misfit_min=LIMITS.word_misfit_min,
        margin=LIMITS.single_opinion_margin,
    )
    assert passes(lone)
    assert not passes(replace(lone, word_misfit_mean=LIMITS.single_opinion_word_misfit + 0.1))
    assert not passes(replace(lone, word_misfit_min=LIMITS.word_misfit_min + 0.1))
    assert not passes(replace(lone, margin=LIMITS.single_opinion_margin - 0.1))


def test_a_clear_hand_needs_less_of_a_margin() -> None:
    clear = replace(
        GOOD, margin=LIMITS.margin - LIMITS.agreement_margin_discount, uncertainty=LIMITS.clear_writing_below
    )
    assert passes(clear)
    assert not passes(replace(clear, margin=clear.margin - 0.01))
    assert not passes(replace(clear, uncertainty=LIMITS.clear_writing_below + 0.01))
    assert not passes(replace(clear, agreement=-1.0))


def test_a_hand_that_the_recogniser_is_unsure_of_needs_a_greater_margin() -> None:
    # Margins of badly written letters are too bold: Crk was read as Cok, in a hasty hand.
    borderline = replace(GOOD, margin=LIMITS.margin, uncertainty=LIMITS.uncertainty_from)
    hazy = replace(borderline, uncertainty=LIMITS.uncertainty_from + 0.1)
    assert passes(borderline)
    assert not passes(hazy)
    assert passes(replace(hazy, margin=LIMITS.margin + 0.1 * LIMITS.uncertainty_extra_margin + 0.01))


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


def test_a_hand_that_makes_a_and_f_alike_is_looked_at_throughout() -> None:
    # One line in which A and F look alike makes the sheet's other lines doubtful, except the plainest.
    unsure, sure = (
        replace(GOOD, kind_margin=LIMITS.unit_kind_doubt - 0.1),
        replace(GOOD, kind_margin=LIMITS.unit_kind_margin),
    )
    between = replace(GOOD, kind_margin=LIMITS.unit_kind_margin - 0.1)
    assert are_kinds_doubtful(between, [between, unsure], LIMITS)
    assert not are_kinds_doubtful(between, [between, sure], LIMITS)
    assert not are_kinds_doubtful(sure, [sure, unsure], LIMITS)


def test_a_line_that_reads_without_a_loss_may_look_somewhat_crossed_out() -> None:
    between = replace(
        GOOD,
        whole_strike=(LIMITS.whole_strike + LIMITS.lossless_whole_strike) / 2,
        worst_stretch=LIMITS.lossless_worst_stretch,
    )
    assert passes(between)
    assert not passes(replace(between, worst_stretch=LIMITS.lossless_worst_stretch + 0.1))
    assert not passes(replace(between, whole_strike=LIMITS.lossless_whole_strike))


def test_a_stretch_that_looks_struck_by_itself_may_pass_where_all_is_read() -> None:
    # Of 33 such lines on composed sheets one was read wrongly, and touched more than the gate lets pass.
    lone = replace(GOOD, part_strike=0.95, whole_strike=0.05, worst_stretch=8.0, margin=8.0)
    assert passes(lone)
    for worse in (
        replace(lone, part_strike=LIMITS.lone_part_strike), replace(lone, whole_strike=0.3),
        replace(lone, worst_stretch=LIMITS.lone_part_worst_stretch + 0.1),
        replace(lone, margin=LIMITS.single_opinion_margin - 0.1),
    ):
        assert not passes(worse)


def test_a_line_read_as_corrected_needs_a_margin_of_its_own() -> None:
    mended = replace(GOOD, is_corrected=True, part_strike=0.99, margin=LIMITS.corrected_margin)
    assert passes(mended)
    assert not passes(replace(mended, margin=LIMITS.corrected_margin - 0.1))
    assert not passes(replace(mended, whole_strike=LIMITS.whole_strike))
    assert not passes(replace(mended, is_corrected=False))


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


def test_features_are_numbers_for_json() -> None:
    numbers = json.loads(json.dumps(GOOD.numbers()))
    assert numbers["one_letter"] == 0.0
    assert set(numbers) == set(Features.__dataclass_fields__)


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
    assert table.thresholds.margin == 0.5
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
        ("[weights", "no TOML"),
        ("", "[provenance]"),
        ("provenance = 'x'", "[provenance]"),
        ("[provenance]\nhow = 'x'", "[weights]"),
        (_table().replace("[thresholds]", "[limits]"), "[thresholds]"),
        (_table(cost="2"), "weights.cost"),
        (_table(cost="'much'"), "weights.cost"),
        (_table(limit_margin="nan"), "thresholds.margin"),
        (_table().replace("[steps]", "[stairs]"), "[steps]"), (_table(steps_from="[0.1, 0.5]"), "steps.from"),
        (_table(steps_from="[0.0]"), "steps.from"), (_table(steps_chance="[0.9, 0.1]"), "steps.from"),
        (_table(steps_chance="[0.1, 2.0]"), "steps.from"), (_table(steps_from="[0.0, 'x']"), "steps.from"),
        (_table().replace("\nhomonym_loss =", "\nluck ="), "weights.homonym_loss"),
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
