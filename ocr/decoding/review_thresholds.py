"""The thresholds by which a line passes without a person, on its own ink: one documented value each.

Their numbers are data (`confidence.toml`, [thresholds]). A field marked *fitted* is searched by `python -m
training.calibrate_confidence` on the sheets that the file's [provenance] names: the widest gate that keeps
the share of wrong lines within `training.tuning.calibrate.MOST_WRONG`. A field marked *by hand* is given to
that search (`training.tuning.calibrate.BY_HAND`), because too few lines show what it is for; the counts
beside it are of those sheets unless others are named. Nats are natural logarithms of chances.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReviewThresholds:
    """What a line must keep to pass without a person. "At most" and "at least" say on which side it
    passes."""

    # How likely, and how far from the next order
    confidence: float
    """0..1, at least: the calibrated confidence. Fitted."""
    one_letter_confidence: float
    """The same where one misread letter makes a short name another's, if it is to be more. By hand: no
    more than for others, since none of 23 such lines short of the highest chance was wrong."""
    margin: float
    """Nats, at least: to the next different order. Fitted."""
    one_letter_margin: float
    """The same where one misread letter makes a short name another's. Fitted, and never less than
    `margin`."""
    near_margin: float
    """Nats, at least: to the next order that is printed nearly alike. Fitted."""
    disagreement_margin: float
    """Nats, at least: to the next order where opinions differ. By hand."""
    disagreement_uncertainty: float
    """Nats a frame, at most: uncertainty of the recogniser with which a line passes on which opinions differ.
    By hand: of eleven such lines that passed on 98 sheets of writers for calibration and the samples one was
    wrong, the only one beyond it."""
    corrected_margin: float
    """Nats, at least: to the next order for a line read as its writer corrected it; the line as it stands is
    among the others. By hand."""
    uncertainty_from: float
    """Nats a frame: uncertainty of the recogniser from which more margin is asked. By hand."""
    uncertainty_extra_margin: float
    """Nats more of a margin for each nat a frame beyond `uncertainty_from`: there margins are too bold. By
    hand, on 917 lines in real letters: of 147 with an uncertainty from 0.08 and a margin from 3 nats six were
    wrong; at 10 nats six right lines more pass than at 20, and no wrong one."""
    clear_writing_below: float
    """Nats a frame: uncertainty up to which `agreement_margin_discount` holds. By hand."""
    agreement_margin_discount: float
    """Nats less of a margin for clear writing on which the opinions agree. By hand: of 29 lines with an
    uncertainty below 0.04 and a margin from 2 nats up to what else is asked none was wrong."""

    # How well it lies on the ink
    cost: float
    """Nats a frame, at most: by which the order fits worse than free reading. By hand."""
    worst_stretch: float
    """Nats, at most: lost in the worst 8 frames. Fitted; one letter that the ink does not show at all costs
    9."""
    one_letter_worst_stretch: float
    """The same where one misread letter makes a short name another's. Fitted, and less than
    `worst_stretch`."""
    homonym_loss: float
    """Nats, at most: lost at and beside a name that a lost word would have made another's. By hand: one
    letter that the ink does not show (9) and what a clear line loses besides. Of 917 lines in real letters
    five right names and no wrong one lost 8 to 11."""
    word_misfit_mean: float
    """Nats a letter, at most: lost in the word that fits worst, on the mean of the opinions. By hand: of 26
    lines in real letters with 1.45 to 2, and a margin from 3 nats, one was wrong, with 1.46."""
    word_misfit_min: float
    """Nats a letter, at most: the same by the opinion that it fits best. Fitted; places that no board has
    lost 1.5 or more by every opinion."""
    single_opinion_word_misfit: float
    """Nats a letter, at most: in place of `word_misfit_mean` where no other order is near. By hand: of 36
    lines with a word strange to one opinion alone 33 were right, and the wrong ones lost 3.4 or had other
    evidence against them."""
    single_opinion_margin: float
    """Nats, at least: how far the next order must be for `single_opinion_word_misfit` and for a lone struck
    part. By hand."""
    plain_other: float
    """Nats a letter, at most: lost in a place's name where every opinion reads one and the same other word.
    By hand, on sheets in real letters: names of no list lost 1.9 or more, apart from mere misspellings
    (Donegall, 1.2), and of 428 right lines that passed four lost more. That is one sure letter in a code, two
    in a short name, three in a long one."""
    name_loss: float
    """Nats a letter, at most: lost in the place's name that fits worst, by the opinion that it fits best, as
    the recogniser itself says. By hand: of 1,019 right lines of writers for calibration that passed six lost
    more; a name of no list that two opinions read differently (Watford, Kiel, Crewe) loses it by both."""
    near_name_loss: float
    """The same where another order is nearer than `near_name_margin`. By hand: of 271 right rows and 594
    right lines of sheets by writers for calibration that passed none lost so much with another order so near,
    and of four names of no list that passed two did ("Lunden" as London, "Harwich" as Norwich)."""
    near_name_margin: float
    """Nats: see `near_name_loss`. By hand."""
    clear_name_loss: float
    """The same, and for `word_misfit_min` too, where the writing is as clear as `clear_name_uncertainty`: a
    strange name in a plain hand is rather another name. By hand: of 2,635 right lines of writers for
    calibration that passed two lost more, and so did "Budenokh", which is no Badenoch; on a held-out sheet
    "Mordor", no London."""
    clear_name_uncertainty: float
    """Nats a frame, at most: see `clear_name_loss`. By hand."""
    kind_margin: float
    """Nats, at least: to the reading with another kind of unit. By hand: a letter that the recogniser is sure
    of is 6.2 away, and a lower limit would let doubtful ones pass for the sake of one line in a hundred."""
    unit_kind_doubt: float
    """Nats: a line with a smaller margin to the other kind of unit shows that its hand makes A and F alike.
    By hand: odds of 1 to 20."""
    unit_kind_margin: float
    """Nats, at least: to the other kind of unit, for every line of such a hand. By hand."""

    # How far from crossed out
    whole_strike: float
    """0..1, below: how much the row as a whole looks crossed out. By hand."""
    part_strike: float
    """0..1, below: how much any part does. By hand: the lines crossed out that gave an order had 0.9 or more,
    but for one of 0.5; 0.5 for 0.7 costs two of 1,021 right lines that would pass."""
    lossless_worst_stretch: float
    """Nats, at most: a line that loses no more in its worst stretch may look more crossed out, since a stroke
    costs the letters beneath it something. By hand: lines that were crossed out lost 2.7 or more."""
    lossless_whole_strike: float
    """0..1, below: `whole_strike` of such a line. By hand."""
    lone_part_whole_strike: float
    """0..1, below: how much a row may look crossed out in which one part alone looks struck. By hand: without
    that part the order is another that is not near."""
    lone_part_worst_stretch: float
    """Nats, at most: lost in the worst stretch of such a row. By hand."""
    lone_part_strike: float
    """0..1, below: how much that part may look struck. By hand: of 33 such lines one was wrong, above 0.98;
    a row struck from end to end by a fine pen scored 0.977."""

    # Crossed out, and no order
    struck_whole: float
    """0..1, at least: a row that scores this, and `struck_part` in a part, is crossed out. By hand: in the
    sheets of 2026-11-21 rows wholly crossed out scored less only where their letters were lost too."""
    struck_part: float
    """0..1, at least: see `struck_whole`. By hand."""
    cross_strokes_uncertainty: float
    """Nats a frame, at most: strokes across letters that were read with no more uncertainty cross nothing
    out. A joined and leaning hand makes such strokes itself. By hand: of 31 lines so crossed out one was as
    clear and scored less than `cross_strokes_part`; of 11 live lines that looked so seven did."""
    cross_strokes_part: float
    """0..1, below: how much any part may look struck for that. By hand."""
    surely_struck_whole: float
    """0..1, at least: a row that scores this, and `surely_struck_part`, is so plainly out that nobody need
    look. By hand: of 358 rows beyond 0.95 that were crossed out 352 were beyond 0.99; of four live ones
    three, hasty or two rows in one."""
    surely_struck_part: float
    """0..1, at least: see `surely_struck_whole`. By hand."""
