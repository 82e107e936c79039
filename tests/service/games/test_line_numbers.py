"""The numbers of a sheet's lines."""

from __future__ import annotations

from dataclasses import replace

from service.games.lines import SettledLine, line_numbers
from service.store.tables import LineState


def line(
    key: int, kind: str = "order", state: LineState = LineState.AUTO, by: str | None = None
) -> SettledLine:
    return SettledLine(key, 1, key, kind, state, "", None, by, 1.0, False, (), ())


SHEET = (
    line(1, "heading", LineState.NOT_ORDER), line(2), line(3, "order", LineState.NOT_ORDER),
    line(4, "other", LineState.NOT_ORDER), line(5, "order", LineState.OPEN),
)


def test_the_machines_lines_are_counted_without_the_heading() -> None:
    """DESK-01: crossed-out lines and remarks are counted too, as by a player on the paper."""
    assert line_numbers(SHEET) == {2: "1", 3: "2", 4: "3", 5: "4"}


def test_no_decision_changes_the_number_of_a_line() -> None:
    """DESK-01: "line 5" of a receipt is the same line at the desk, whatever was decided since."""
    for state in LineState:
        decided = [*SHEET[:1], *(replace(each, state=state, by="Ada") for each in SHEET[1:])]
        assert line_numbers(decided) == line_numbers(SHEET)
    revived = [replace(SHEET[0], state=LineState.READ, by="Ada"), *SHEET[1:]]
    assert line_numbers(revived) == {1: "0a", **line_numbers(SHEET)}


def test_added_and_cut_lines_have_the_number_above_and_a_letter() -> None:
    first, second = line(6, "part", LineState.READ, "Ada"), line(7, "part", LineState.OPEN, "Ada")
    taken_back = line(8, "part", LineState.NOT_ORDER)
    cut = [*SHEET[:2], first, taken_back, second, *SHEET[2:]]
    assert line_numbers(cut) == {6: "1a", 7: "1b", **line_numbers(SHEET)}
