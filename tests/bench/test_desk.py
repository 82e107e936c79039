"""The site that `galloper bench desk` measures, and its figures. No test depends on a clock."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sqlalchemy import func, select

import maps
from adjudicator.calendar import PhaseKind
from bench.desk import history
from bench.desk.reading import Walk, figures, wrong
from bench.desk.sample import (
    DEFAULT,
    SAMPLE_SIZE,
    DeskSample,
    NoSample,
    RightDecision,
    SampleLine,
    load_sample,
)
from bench.desk.site import closed_game, make
from bench.figure import median, percentile
from reading.vocabulary import parse_typed, printed
from service.site_folder import opened
from service.store.tables import GameRow, LineRow, LineState, PhaseRow, PhaseState, SubmissionRow
from tests.support.site import NOON, Site, make_site


@pytest.fixture(scope="module")
def sample() -> DeskSample:
    return load_sample()


def _lines(sample: DeskSample) -> list[SampleLine]:
    return [line for page in sample.pages for line in page.lines]


def test_the_sample_is_a_hundred_lines_and_small_enough_to_ship(sample: DeskSample) -> None:
    assert len(_lines(sample)) == SAMPLE_SIZE == 100
    assert sum(file.stat().st_size for file in DEFAULT.iterdir()) < 1_500_000


def test_what_is_right_for_each_line_is_an_order_of_the_phase_or_none(sample: DeskSample) -> None:
    """The order written is one that the grammar accepts, spelt as the desk would print it; else nothing is
    given."""
    variant, kind = maps.load(sample.variant), PhaseKind(sample.phase)
    for line in _lines(sample):
        if line.decision is RightDecision.READ:
            assert line.order is not None
            parsed = parse_typed(variant, kind, next(iter(variant.powers)), line.order)
            assert printed(parsed.orders, variant.board) == line.order
        else:
            assert line.order is None


def test_a_page_of_the_sample_has_ink_where_each_line_is(sample: DeskSample) -> None:
    for page in sample.pages[:5]:
        with Image.open(io.BytesIO(sample.picture(page))) as opened_picture:
            picture = opened_picture.convert("L")
        assert picture.size == page.size
        for line in page.lines:
            xs, ys = zip(*line.box, strict=True)
            cut = picture.crop((int(min(xs)), int(min(ys)), int(max(xs)), int(max(ys))))
            levels = np.asarray(cut, dtype=np.int32)
            # Grey levels of 255: bare paper differs by less than ink on it does.
            assert levels.max() - levels.min() > 60, line.picture


def test_a_missing_sample_is_told_by_its_file(tmp_path: Path) -> None:
    with pytest.raises(NoSample, match=r"lines\.json"):
        load_sample(tmp_path)


def test_the_site_has_every_line_open_at_the_desk_of_one_closed_phase(
    tmp_path: Path, sample: DeskSample
) -> None:
    place = make(tmp_path, sample)
    with opened(place.settings) as store, store() as session:
        phase = session.get_one(PhaseRow, place.phase)
        assert phase.state == PhaseState.CLOSED
        assert phase.position is not None
        rows = session.scalars(select(LineRow)).all()
    assert {row.id for row in rows} == set(place.truth)
    assert {row.status for row in rows} == {LineState.OPEN}
    assert {row.text for row in rows} == {line.text for line in _lines(sample)}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    with make_site(tmp_path) as new_site:
        return new_site


def test_a_game_closed_within_the_last_day_has_its_deadline_behind_it(site: Site) -> None:
    with site.store.begin() as session:
        phase = closed_game(session, "Any", maps.load("w3k"), NOON)
        assert phase.deadline < NOON
        assert (NOON - phase.deadline).days <= 2


@pytest.mark.parametrize("years", [1, 2])
def test_history_is_whole_years_with_the_phase_in_play_open(site: Site, years: int) -> None:
    variant = maps.load("w3k")
    in_a_year = len(variant.calendar.steps)
    with site.store.begin() as session:
        history.fill(session, 1, years, "w3k", NOON)
    with site.store() as session:
        states = session.scalars(select(PhaseRow.state)).all()
        assert states.count(PhaseState.SENT) == years * in_a_year
        assert states.count(PhaseState.OPEN) == 1
        now = session.scalars(select(PhaseRow).where(PhaseRow.state == PhaseState.OPEN)).one()
        assert now.opens_at <= NOON < now.deadline
        sheets = session.scalar(select(func.count(func.distinct(SubmissionRow.power)))
                                .where(SubmissionRow.phase_id == now.id))
        assert sheets == len(variant.powers)
        assert session.scalar(select(func.count()).select_from(GameRow)) == 1


def test_percentile_and_median_of_known_values() -> None:
    assert percentile([float(n) for n in range(1, 101)], 0.95) == 96
    assert percentile([], 0.95) is None
    assert median([3.0, 1.0, 2.0]) == 2.0


def _line(do: RightDecision, order: str | None) -> SampleLine:
    return SampleLine("", (0, 0), [], "order", False, "", None, 0.5, [], do, order, "")


def test_a_line_on_file_other_than_written_is_found() -> None:
    truth = {
        1: _line(RightDecision.READ, "A Fife H"),
        2: _line(RightDecision.READ, "A Fife H"),
        3: _line(RightDecision.NOT_ORDER, None),
        4: _line(RightDecision.VOID, None),
        5: _line(RightDecision.READ, "A Fife H"),
    }
    decided = {
        1: ("read", "A Fife H"),
        2: ("read", "A Cowal H"),
        3: ("not an order", None),
        4: ("read", "A Fife H"),
    }
    # Another order, an order for a void line, and a line that no one decided.
    assert set(wrong(decided, truth)) == {2, 4, 5}


def test_the_figures_of_a_walk_are_its_most_keys_and_its_percentiles() -> None:
    # One slow line of a hundred must not change the 95th percentile.
    walk = Walk(times=[10.0] * 99 + [300.0], answers=[5.0], clicks=0, seconds=[0.5, 1.5], minutes=1.0)
    walk.keys |= {"first": [1, 1], "among": [1, 2], "typed": [7, 12, 9]}
    values = {figure.name: figure.value for figure in figures(walk, 99, 100)}
    assert values["keys for a line whose first reading is right, most"] == 1
    assert values["keys for a line with the right reading among five, most"] == 2
    assert values["keys for a typed correction, most"] == 12
    assert values["keys for a typed correction, median"] == 9
    assert values["right reading among the first five"] == round(4 / 7, 4)
    assert values["decision to the next line's ink, p95"] == 10.0
    assert values["mouse clicks"] == 0
    assert values["lines on file as they were written"] == 99
