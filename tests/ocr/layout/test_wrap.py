"""Which rows make one line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from ocr.layout.wrap import RowGroup, best_grouping, groups_by_indent, join_wrapped, row_groups
from ocr.page import Alternative, Box, Row, Strike, StruckWord


def row(text: str, number: int, *, indent: float = 0.0, right: float = 0.9, struck: float = 0.0) -> Row:
    top = 100.0 * number
    left = 10.0 + 40 * indent
    box = Box(((left, top), (400, top), (400, top + 40), (left, top + 40)))
    return Row(box, text, 0.9, left / 500, right, indent, Strike(score=struck))


def texts(rows: list[Row]) -> list[str]:
    return [line.text for line in join_wrapped(rows)]


def test_an_indented_row_goes_on_with_the_one_before() -> None:
    rows = [
        row("Fleet Hebrides convoys", 0),
        row("Army Inverness to Louth", 1, indent=0.8),
        row("Army Mull holds", 2),
    ]
    assert texts(rows) == ["Fleet Hebrides convoys Army Inverness to Louth", "Army Mull holds"]


def test_rows_at_the_margin_stay_apart() -> None:
    rows = [
        row("Army Mull holds", 0),
        row("Army Ayr holds", 1, indent=0.2),
        row("Army York holds", 2, indent=0.3),
    ]
    assert texts(rows) == ["Army Mull holds", "Army Ayr holds", "Army York holds"]


def test_a_centred_heading_does_not_swallow_the_orders_below() -> None:
    rows = [row("Ormond", 0, indent=6), row("Naseby", 1, indent=6.2), row("Army Mull holds", 2)]
    assert texts(rows) == ["Ormond", "Naseby", "Army Mull holds"]


def test_four_rows_may_be_one_order_and_five_may_not() -> None:
    # "A Pembroke / Castle S A / Kyle & / Carrick", in a narrow column (INK-11).
    rows = [row("a", 0), *(row("b", number, indent=1) for number in range(1, 5))]
    assert max(len(line.rows) for line in join_wrapped(rows)) == 4


def test_a_struck_row_is_not_joined_to_a_live_one() -> None:
    rows = [row("Fleet Hebrides convoys", 0, struck=1.0), row("Army Inverness holds", 1, indent=1)]
    assert len(texts(rows)) == 2


def join_by_text(rows: Sequence[Row], completeness: Callable[[str], float]) -> list[str]:
    """Rows joined by how much their texts are whole orders, 0..1."""
    alone = [completeness(row.text) for row in rows]
    scores = {RowGroup(index, index + 1): value for index, value in enumerate(alone)}
    for group, layout in groups_by_indent(rows, alone).items():
        scores[group] = len(group) * completeness(group.line(rows).text) + layout
    return [group.line(rows).text for group in best_grouping(len(rows), scores)]


def join_by_nats(
    rows: Sequence[Row], score: Callable[[str], float], stands_alone: Callable[[str], bool]
) -> list[str]:
    """Rows joined by the log chance of what they say, in nats, and by layout."""
    scores = {RowGroup(index, index + 1): score(row.text) for index, row in enumerate(rows)}
    for group, layout in row_groups(rows, [stands_alone(row.text) for row in rows]).items():
        scores[group] = score(group.line(rows).text) + layout
    return [group.line(rows).text for group in best_grouping(len(rows), scores)]


def whole(text: str) -> float:
    """A stand-in for the grammar: an order ends in "holds" or has " to " in it, and has one unit word
    first."""
    good = text.startswith(("Army", "Fleet")) and (text.endswith("holds") or " to " in text)
    return 1.0 if good else 0.1


def test_what_makes_a_whole_order_is_joined_without_indentation() -> None:
    rows = [
        row("Fleet Hebrides convoys", 0),
        row("Army of Inverness", 1),
        row("to Louth", 2),
        row("Army Ayr holds", 3),
    ]
    assert join_by_text(rows, whole) == [("Fleet Hebrides convoys Army of Inverness to "
                                          "Louth"), "Army Ayr holds"]


def test_whole_orders_are_not_joined_for_being_indented() -> None:
    rows = [row("Army Mull holds", 0), row("Army Ayr holds", 1, indent=0.7)]
    joined = join_by_text(rows, lambda text: whole(text) if text.count("Army") == 1 else 0.2)
    assert joined == ["Army Mull holds", "Army Ayr holds"]


def test_a_word_broken_at_a_hyphen_is_not_spaced() -> None:
    rows = [row("Army Ayr to Berwick-", 0), row("upon-Tweed", 1, indent=1)]
    assert texts(rows) == ["Army Ayr to Berwick-upon-Tweed"]


def test_a_dash_at_the_end_of_a_row_is_the_order_s_own() -> None:
    rows = [row("A Ayr -", 0), row("Louth", 1, indent=1)]
    assert texts(rows) == ["A Ayr - Louth"]


def test_a_line_lies_round_its_rows_and_is_as_sure_as_the_worst() -> None:
    first, second = row("Fleet Mull", 0), row("holds", 1, indent=1)
    (line,) = join_wrapped([first, second])
    assert line.box.corners == ((10, 0), (400, 0), (400, 140), (10, 140))
    assert line.score == 0.9
    assert line.rows == (first, second)


def test_other_readings_of_a_row_are_other_readings_of_its_line() -> None:
    first = Row(
        row("x", 0).box, "Fleet Mul", 0.9, 0.1, 0.9, 0.0, Strike(), (Alternative("Fleet Mull", 0.8, "t"),)
    )
    (line,) = join_wrapped([first, row("holds", 1, indent=1)])
    assert line.alternatives == (Alternative("Fleet Mull holds", 0.8, "t"),)


@pytest.mark.parametrize("count", [0, 1])
def test_few_rows(count: int) -> None:
    rows = [row("Army Mull holds", n) for n in range(count)]
    assert texts(rows) == ["Army Mull holds"] * count


def test_rows_are_joined_where_the_whole_is_likelier_than_its_parts() -> None:
    # Nats by hand: the pair is an order, its parts are free text, and layout cannot outweigh that.
    rows = [
        row("Fleet Dingle Bay convoys Army", 0),
        row("Strathearn to Kilkenny", 1),
        row("Army Louth holds", 2),
    ]
    scores = {
        "Fleet Dingle Bay convoys Army": -20.0, "Strathearn to Kilkenny": -6.0, "Army Louth holds": -1.0,
        "Fleet Dingle Bay convoys Army Strathearn to Kilkenny": -2.0,
    }  # fmt: skip
    lines = join_by_nats(rows, lambda text: scores.get(text, -200.0), lambda text: text == "Army Louth holds")
    assert lines == [
        "Fleet Dingle Bay convoys Army Strathearn to Kilkenny", "Army Louth holds",
    ]  # fmt: skip


def test_a_row_that_stands_alone_at_the_margin_is_not_tried_as_an_end() -> None:
    rows = [row("Army Louth holds", 0), row("Army Mull holds", 1), row("Army Kent holds", 2)]
    assert row_groups(rows, [True] * 3) == {}
    assert len(join_by_nats(rows, lambda _: -1.0, lambda _: True)) == 3


def broken(right: float, *, struck: tuple[Strike, Strike] = (Strike(), Strike())) -> list[str]:
    """Two rows at the margin that are 4 nats likelier as one line, above a longer third; the first ends at
    `right`."""
    rows = [
        replace(row("Fleet Hebrides convoys Army", 0, right=right), strike=struck[0]),
        replace(row("Louth to Mull", 1, right=0.35), strike=struck[1]), row("Army Ayr holds", 2, right=0.92),
    ]  # fmt: skip
    scores = {
        "Fleet Hebrides convoys Army": -3.0, "Louth to Mull": -3.0,
        "Fleet Hebrides convoys Army Louth to Mull": -2.0,
    }  # fmt: skip
    texts_of_rows = {row.text for row in rows}
    return join_by_nats(
        rows, lambda text: scores.get(text, -200.0 * (1 if text in texts_of_rows else 2)), lambda _: False
    )


def test_a_sender_breaks_where_the_next_word_has_no_room() -> None:
    # Without any indentation: "Louth" is 0.1 wide, and the sheet's rows end at 0.92.
    assert len(broken(0.88)) == 2
    assert len(broken(0.6)) == 3


def test_a_row_that_is_surely_out_is_not_joined_to_a_live_one() -> None:
    out = Strike(1.0, (StruckWord(0.0, 1.0, 1.0, "single"),))
    bold = Strike(0.93, (StruckWord(0.1, 0.3, 0.5, "single"),))
    assert len(broken(0.88, struck=(Strike(), out))) == 3
    assert len(broken(0.88, struck=(Strike(), bold))) == 2


def test_no_rows_are_no_lines() -> None:
    assert row_groups([], []) == {}
    assert best_grouping(0, {}) == ()
