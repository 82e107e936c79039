"""Orders that their senders broke over rows without an indent, in clear ink (INK-07)."""

from __future__ import annotations

import pytest

import maps
from adjudicator.calendar import PhaseKind
from ocr.layout.wrap import RowGroup
from ocr.page import Row
from reading.join_rows import is_hopeful
from reading.line import InterpretedLine
from reading.page import PageReader
from reading.status import LineState
from reading.vocabulary import known_game, vocabulary_of
from tests.support.inked import page, row

VARIANT = maps.load("w3k")


def read(phase: PhaseKind, *texts: str | Row) -> list[InterpretedLine]:
    reader = PageReader(vocabulary_of(VARIANT, phase))
    rows = [text if isinstance(text, Row) else row(text, number) for number, text in enumerate(texts)]
    return list(reader.read_page(page(rows), [known_game(VARIANT)]).lines)


@pytest.mark.parametrize("broken", [
    ("Army Scarborough", "Castle retreats to", "Waterford"),
    ("Army Scarborough Castle", "retreats to", "Waterford"),
    ("Army Scarborough Castle retreats to", "Waterford"),
    ("Army Scarborough Castle retreats", "to Waterford"),
])
def test_an_order_is_read_over_all_its_rows_though_its_first_rows_may_be_one(broken: tuple[str, ...]) -> None:
    # For a dozen nats the first rows had a short name, which the ink did not show, for the end they lack.
    lines = read(
        PhaseKind.RETREAT, "Ada Marlowe", "Ormond", "Summer 1642 Retreats", "Army York retreats to Kent",
        *broken, "Army London disbands",
    )
    assert [(line.order, line.status) for line in lines[3:]] == [
        ("A York R Kent", LineState.AUTO),
        ("A Scarborough Castle R Waterford", LineState.AUTO),
        ("A London disbands", LineState.AUTO),
    ]


@pytest.mark.parametrize(("broken", "order"), [
    (("Army York moves to Waterford", "Roads."), "A York - Waterford Roads"),
    (("Fleet Portsmouth attacks Moray", "Firth"), "F Portsmouth - Moray Firth"),
    (("F Flintshire S A Ros - Harlech", "castle."), "F Flintshire S A Roscommon - Harlech Castle"),
])
def test_the_end_of_a_name_in_a_row_of_its_own_is_read_with_it(broken: tuple[str, str], order: str) -> None:
    """INK-03, INK-07. "Waterford" is a place too, and the first row passed as a move to it."""
    # There was room for the word in the first row, which speaks against it.
    first = row(broken[0], 3, right=0.6)
    rows = (first, row(broken[1], 4, right=0.2), row("A York holds", 5, right=0.95))
    lines = read(PhaseKind.MOVEMENT, "Ada Marlowe", "Ormond", "Autumn 1646 Movement Orders", *rows)[3:]
    assert lines[0].order == order


def test_a_power_at_the_end_of_a_command_is_no_heading() -> None:
    first = row("A shetland is under the orders of", 3, right=0.7)
    lines = read(
        PhaseKind.MOVEMENT, "Ada Marlowe", "Ormond", "Spring 1644 Movement Orders", first,
        row("Protectorate.", 4, indent=1.2), "F Down holds",
    )
    orders = [line.order for line in lines if line.kind == "order"]
    assert orders == ["A Shetland proxy Protectorate", "F Down H"]


def test_the_same_name_above_another_line_is_a_province() -> None:
    rows = ("Army York holds", "Army Glamorganshire supports Montrose", "Ormond")
    lines = read(PhaseKind.MOVEMENT, "Ada Marlowe", "Ormond", "Autumn 1646 Movement Orders", *rows)[3:]
    assert [line.status for line in lines] == [LineState.AUTO, LineState.AUTO, LineState.NOT_ORDER]


def test_a_support_that_breaks_off_goes_on_in_the_next_row_though_that_one_is_an_order() -> None:
    """INK-03. The first row fitted a hold, and the second passed as its own order."""
    rows = ("Fleet Dublin and Caernarfon Bays S", "Fleet Arran & Bute to Carmarthen Bay", "Army York holds")
    lines = read(PhaseKind.MOVEMENT, "Ada Marlowe", "Ormond", "Autumn 1647 Movement Orders", *rows)[3:]
    assert [line.order for line in lines] == [
        "F Dublin & Caernarfon Bays S F Arran & Bute - Carmarthen Bay", "A York H"]


def test_a_word_put_in_above_the_next_row_is_not_whereto_a_supported_unit_moves() -> None:
    """INK-03. "Carrickfergus" was above a blacked-out word of the row below, and passed as the end of the
    row above, with a dash that no one had written."""
    inserted = row("Carrickfergus", 4, right=0.35, indent=1.5)
    rows = (row("Army Inverlochy supports Army Caithness", 3), inserted, "Army York holds")
    lines = read(PhaseKind.MOVEMENT, "Ada Marlowe", "Ormond", "Autumn 1647 Movement Orders", *rows)[3:]
    assert lines[0].status is LineState.OPEN


def test_what_a_dash_joins_over_two_rows_passes() -> None:
    end = row("Carrickfergus", 4, right=0.35, indent=1.5)
    rows = (row("Army Inverlochy supports Army Caithness -", 3), end, "Army York holds")
    lines = read(PhaseKind.MOVEMENT, "Ada Marlowe", "Ormond", "Autumn 1647 Movement Orders", *rows)[3:]
    assert (lines[0].order, lines[0].status) == (
        "A Fort William S A Caithness - Carrickfergus Castle", LineState.AUTO)


def below_an_order(*texts: str) -> list[InterpretedLine]:
    """A plain order and the lines of the rows below it."""
    heading = ("Ada Marlowe", "Ormond", "Autumn 1646 Movement Orders")
    return read(PhaseKind.MOVEMENT, *heading, "Army York holds", *texts)[len(heading):]


def test_a_support_above_what_may_be_whereto_waits() -> None:
    """INK-03, INK-07. "to County Limerick." below it stayed apart, and the support passed as one to hold."""
    lines = below_an_order("Fleet Shannon Sea Area supports Army Huntingdonshire", "to Coutg Lmericj.")
    assert lines[0].status is LineState.AUTO
    assert LineState.AUTO not in {line.status for line in lines[1:]}


@pytest.mark.parametrize(("above", "below"), [
    ("Army Gondor holds", "A Rad - Wicklow"),
    ("Fleet Rockall supports Army Gondor", "A Rad - Wicklow"),
    ("Army Ross attacks Wicklov", "Army Galloway - Wicklow"),
])
def test_an_order_below_a_line_that_says_all_passes(above: str, below: str) -> None:
    lines = below_an_order(above, below)
    assert [line.status for line in lines] == [LineState.AUTO, LineState.OPEN, LineState.AUTO]


def order_line(number: int, text: str, order: str, status: LineState) -> InterpretedLine:
    """An order in its row on the page, as it was read."""
    top = 90 * number
    box = ((0, top), (900, top), (900, top + 60), (0, top + 60))
    return InterpretedLine(box, "order", False, text, order, 0.99, status, ())


@pytest.mark.parametrize(("layout", "expected"), [(20.0, True), (-20.0, False)])
def test_layout_decides_whether_orders_are_tried_for_rows_that_fit_badly(
    layout: float, *, expected: bool
) -> None:
    """INK-07. A pair loses 30 nats more than its rows apart, and like spellings mend 20 at most."""
    first, second, both = RowGroup(0, 1), RowGroup(1, 2), RowGroup(0, 2)
    assert is_hopeful(both, {first: -5.0, second: -5.0, both: -40.0}, {both: layout}) is expected
