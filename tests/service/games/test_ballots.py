"""VER-01..05, SUB-13, Q-08, Q-34: which paper counts."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, strategies as st

from service.facts.sheets import SheetFlag
from service.games.ballots import RankedSubmission, arrival, count, version_after

DEADLINE = datetime(2027, 3, 14, 7, 0, tzinfo=UTC)


def paper(key: int, minutes_before: int = 60, **facts: object) -> RankedSubmission:
    return RankedSubmission(key, "Montrose", DEADLINE - timedelta(minutes=minutes_before),
        **facts)  # type: ignore[arg-type]


def winner(*submissions: RankedSubmission) -> int:
    return count(submissions, DEADLINE)["Montrose"].submission.id


def test_a_higher_version_counts_even_when_it_came_first() -> None:
    # Fault 11: v3 overtakes v2 on its way; the number on the sheet decides and not the hour.
    assert winner(paper(1, 90, version=3), paper(2, 30, version=2)) == 1


def test_equal_numbers_go_by_receipt() -> None:
    ballot = count([paper(1, 90, version=1), paper(2, 30, version=1)], DEADLINE)["Montrose"]
    assert ballot.submission.id == 2
    assert "received later" in ballot.losers[0].why


def test_an_instruction_on_the_sheet_goes_before_the_number_in_the_subject() -> None:
    assert winner(paper(1, 90, version=1, instruction=5), paper(2, 30, version=4)) == 1


def test_a_posted_letter_without_number_is_version_nought() -> None:
    assert winner(paper(1, 10, posted=True), paper(2, 90, version=1)) == 2
    assert winner(paper(1, 10, posted=True)) == 1


def test_a_mailed_revision_without_number_replaces_the_posted_first_orders() -> None:
    assert winner(paper(1, 10, posted=True), paper(2, 90)) == 2


def test_the_deadline_itself_is_in_time_and_one_second_later_is_not() -> None:
    assert winner(paper(1, 60, version=1), paper(2, 0, version=2)) == 2
    late = RankedSubmission(3, "Montrose", DEADLINE + timedelta(seconds=1), version=9)
    assert winner(paper(1, 60, version=1), late) == 1
    assert count([late], DEADLINE) == {}


def test_a_held_paper_never_counts_and_says_so() -> None:
    ballot = count([paper(1, 60, version=1), paper(2, 30, version=2, held=True)], DEADLINE)["Montrose"]
    assert ballot.submission.id == 1
    assert ballot.losers[0].why == "held; it is not settled yet"
    assert count([paper(2, 30, held=True)], DEADLINE) == {}


def test_the_coordinators_choice_goes_before_everything() -> None:
    assert winner(paper(1, 90, version=1, chosen=True), paper(2, 30, version=7, instruction=9)) == 1


submission_lists = st.lists(
    st.builds(
        RankedSubmission, id=st.integers(1, 10_000), power=st.sampled_from(["Montrose", "Argyll"]),
        received_at=st.integers(-5000, 500).map(lambda m: DEADLINE + timedelta(minutes=m)),
        version=st.none() | st.integers(0, 4), instruction=st.none() | st.integers(0, 4),
        posted=st.booleans(),
        held=st.booleans(),
    ),
    max_size=5, unique_by=lambda p: p.id,
)


@given(submission_lists)
def test_the_order_in_which_papers_are_read_is_irrelevant(given_papers: list[RankedSubmission]) -> None:
    counted = count(given_papers, DEADLINE)
    for order in itertools.islice(itertools.permutations(given_papers), 24):
        assert count(order, DEADLINE) == counted


@given(submission_lists)
def test_every_paper_in_time_is_either_the_one_or_told_why_not(given_papers: list[RankedSubmission]) -> None:
    for power, ballot in count(given_papers, DEADLINE).items():
        paper_ids = {p.id for p in given_papers if p.power == power and p.received_at <= DEADLINE}
        assert paper_ids == {ballot.submission.id, *(loser.submission.id for loser in ballot.losers)}
        assert all(loser.why for loser in ballot.losers)


sheets_of_one = st.lists(st.builds(
    RankedSubmission, id=st.integers(1, 9_000), power=st.just("Montrose"),
    received_at=st.integers(-5000, 0).map(lambda m: DEADLINE + timedelta(minutes=m)),
    version=st.none() | st.integers(0, 4), instruction=st.none() | st.integers(0, 4), posted=st.booleans(),
    held=st.booleans(),
), max_size=4, unique_by=lambda p: p.id)


@given(sheets_of_one, st.none() | st.integers(0, 5), st.booleans(), st.booleans())
def test_a_receipt_tells_what_the_count_decides(
    on_file: list[RankedSubmission], version: int | None, is_posted: bool, is_first: bool
) -> None:
    """PHA-06: by whatever door a sheet and those before it came."""
    sheet = paper(9_999, 0, version=version, posted=is_posted)
    came = arrival(sheet, on_file, DEADLINE, first=is_first)
    counts = count([*on_file, sheet], DEADLINE, first=is_first)["Montrose"].submission == sheet
    assert came.marks.isdisjoint({SheetFlag.SUPERSEDED, SheetFlag.NOT_FIRST}) == counts
    before = count(on_file, DEADLINE, first=is_first)
    assert came.before == (before["Montrose"].submission if before else None)


@given(sheets_of_one)
def test_the_next_number_counts_before_all_that_is_on_file(on_file: list[RankedSubmission]) -> None:
    """PHA-06, LET-01: also once what is held is settled."""
    settled = [replace(sheet, held=False) for sheet in on_file]
    assert winner(*settled, paper(9_999, 600, version=version_after(on_file))) == 9_999


@pytest.mark.parametrize(("loser", "winner", "why"), [
    ({"version": 2, "held": True, "held_for": ("the sheet gives only changes to an earlier "
                                               "one")}, {"version": 1},
     "held, because the sheet gives only changes to an earlier one; it is not settled yet"),
    ({"version": 9}, {"version": 1, "chosen": True}, ("the coordinator chose another version, with a reason "
                                                      "on record")),
    ({"version": 2}, {"version": 1, "instruction": 3}, ("the sheet that counts asks for preference in its "
                                                        "text")),
    ({"version": 5, "instruction": 1}, {"version": 2}, ("its text asks for a lower version than the one "
                                                        "that counts has")),
    ({"version": 1, "instruction": 3}, {"version": 3}, "replaced by a higher version"),
    ({"posted": True}, {}, "a letter by post without a number comes before every version that is mailed"),
    ({"version": 1}, {"version": 2}, "replaced by a higher version"),
    ({"version": 1}, {"version": 1}, "a sheet with the same version number was received later"),
])
def test_each_paper_set_aside_says_its_own_reason(
    loser: dict[str, object], winner: dict[str, object], why: str
) -> None:
    # VER-02, VER-04, Q-08, Q-09: the step of the sort key at which it fell behind. Once every held sheet was
    # said to disagree with its subject, and one that asked for a lower version to be replaced by a higher
    # one.
    ballot = count([paper(1, 60, **loser), paper(2, 30, **winner)], DEADLINE)["Montrose"]
    assert (ballot.submission.id, [loser.why for loser in ballot.losers]) == (2, [why])
