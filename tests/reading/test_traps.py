"""Lines that must not pass unread, in ink as clear as ink can be: what is refused is refused for its words
(DESK-03, Q-01). What is not an order plainly waits for a person, for no order may be lost with it."""

from __future__ import annotations

from dataclasses import replace

import pytest

import maps
from adjudicator.calendar import PhaseKind
from ocr.decoding.open_reasons import OpenReason
from ocr.page import Box, Row, Strike, StruckWord
from reading.line import InterpretedLine
from reading.page import PageReader
from reading.review import CLEARLY_READ, ReviewLimits, review_uncertain_neighbours
from reading.status import LineState
from reading.vocabulary import known_game, lexicon_of, vocabulary_of
from tests.support.inked import page, row

VARIANT = maps.load("w3k")
HEADING = ("Ada Marlowe", "Montrose", "Summer 1642 Movement Orders")
ORDER = "Army London moves to Surrey"
LAST = "Army York holds"


def reader() -> PageReader:
    return PageReader(vocabulary_of(VARIANT, PhaseKind.MOVEMENT))


def read(*texts: str) -> list[InterpretedLine]:
    return list(reader().read_page(page(texts), [known_game(VARIANT)]).lines)


def lines_of(text: str) -> list[InterpretedLine]:
    """The fate of a line between two orders."""
    return read(*HEADING, ORDER, text, LAST)[len(HEADING) + 1 : -1]


def test_a_plain_sheet_goes_without_a_look() -> None:
    lines = read(*HEADING, ORDER, LAST, "signed, Montrose")
    assert [line.kind for line in lines] == ["heading"] * 3 + ["order"] * 2 + ["other"]
    assert [line.order for line in lines[3:]] == ["A London - Surrey", "A York H", None]
    assert [line.status for line in lines] == [LineState.NOT_ORDER] * 3 + [LineState.AUTO] * 2 + [
        LineState.NOT_ORDER
    ]


@pytest.mark.parametrize(
    "condition",
    ["If Hamilton attacks Fleet The Lennox then", "If Ormond allacks Fleel The Lennos then"],
)
def test_what_a_condition_on_the_row_above_leads_to_is_looked_at(condition: str) -> None:
    """INK-03. "Fleet The Lennox holds" was taken, below "If Hamilton attacks Fleet The Lennox then"."""
    lines = read(*HEADING, ORDER, condition, "Fleet The Lennox holds", LAST)
    rest = lines[len(HEADING) + 1 :]
    assert LineState.AUTO not in [line.status for line in rest[:-1]]
    assert rest[-1].status is LineState.AUTO


@pytest.mark.parametrize(
    "text",
    [
        "Army London moves to Gondor", "Army London moves to Normandy",
        "Army Kent moves to Surrey if it is empty", "Army Kent moves to Surrey unless Montrose is there",
        "Army Kent moves to Surrey (if it is empty)", "If possible Army Kent to Surrey",
        "Army Kent to Surrey or Sussex",
        "Army Kent does not move to Surrey", "Do not move Army Kent to Surrey", "Sole unless Cumberland",
        "Army Kent to Surrey instead of Sussex",
        "Cancel Army Kent to Surrey", "Please ignore the above", "Ignore all previous lines",
        "Accept all orders on this sheet", "Orders as last season", "The rest hold",
        "As before except Army Kent holds",
        "Same as last time but Army Kent holds", "Use whichever of these is legal", "Army socks, 3 pairs",
        "F. Brown: 2 chairs",
        "A new kettle", "Army", "Fleet Lond", "Arny Kert hods to",
    ],
)
def test_a_trap_waits_for_a_person(text: str) -> None:
    lines = lines_of(text)
    assert lines
    assert {line.status for line in lines} == {LineState.OPEN}
    # The order of a line is the first that a person is offered (INK-14).
    assert all(line.order is None or line.candidates[0]["order"] == line.order for line in lines)


@pytest.mark.parametrize("text", [
    "Good luck to all", "Best wishes", "Page 1 of 2", "Montrose", "Montrcse", "Cumberland"])
def test_a_greeting_or_a_signature_needs_nobody(text: str) -> None:
    (last,) = read(*HEADING, ORDER, LAST, text)[5:]
    assert (last.kind, last.status) == ("other", LineState.NOT_ORDER)


@pytest.mark.parametrize("signed", ["Newcastle", "Cumberland"])
@pytest.mark.parametrize("order", ["Army York supports Army Kent -", "Army York supports Army Kent."])
def test_a_power_called_like_a_place_who_signs_is_no_end_of_the_order_above(order: str, signed: str) -> None:
    # On a composed sheet "- Newcastle" made the support of a unit in place the support of its move, and it
    # passed. An order that ends in a dash may go on: that is for a person.
    lines = read("Ada Marlowe", signed, "Summer 1642 Movement Orders", ORDER, order, signed)
    (support,) = [line for line in lines if line.text.startswith("Army York")]
    assert support.status is LineState.OPEN or (order.endswith(".") and support.order == "A York S A Kent")


def test_an_order_that_breaks_off_goes_on_in_the_next_row_though_that_one_is_an_order_too() -> None:
    # On a composed sheet the second row was read as a move that no one ordered.
    lines = read(*HEADING, "Army Dover supports the Hamilton", "Army Mull to Galway", LAST)
    assert [line.order for line in lines[len(HEADING) :]] == ["A Dover Castle S A Mull - Galway", "A York H"]


@pytest.mark.parametrize(
    ("after", "status"),
    [
        ("Fleet Hull holds", LineState.OPEN),
        ("Army Kent supports Army York", LineState.AUTO),
        ("Army Kent proxy Hamilton", LineState.AUTO),
    ],
)
def test_what_may_be_the_end_of_a_badly_read_order_waits(after: str, status: LineState) -> None:
    # The ink hardly shows the province that the support names, and the next row may name it: a person sees
    # both.
    support, next_one = read(*HEADING, "Army Westmeath supports Army Down", after)[len(HEADING) :]
    assert support.features is not None
    badly = replace(support, status=LineState.OPEN, features=replace(support.features, word_misfit=5.0))
    assert review_uncertain_neighbours(next_one, badly, None, lexicon_of(VARIANT)).status is status
    assert review_uncertain_neighbours(next_one, support, None, lexicon_of(VARIANT)).status is LineState.AUTO


def test_a_badly_read_support_that_says_whereto_has_its_unit() -> None:
    """INK-04"""
    rows = ("Army Westmeath supports Army Down moving to Cork", "Fleet Hull holds")
    support, next_one = read(*HEADING, *rows)[len(HEADING) :]
    assert support.features is not None
    badly = replace(support, status=LineState.OPEN, features=replace(support.features, word_misfit=5.0))
    assert review_uncertain_neighbours(next_one, badly, None, lexicon_of(VARIANT)).status is LineState.AUTO


@pytest.mark.parametrize(("goal", "status"), [
    ("The Ste", LineState.OPEN), ("Ste", LineState.AUTO), ("The Stewartry", LineState.AUTO)])
def test_an_article_before_a_code_is_rather_another_name(goal: str, status: LineState) -> None:
    """INK-03. "Trieste" was "The Ste", the code of The Stewartry, which fits the end of it without loss."""
    line = read(*HEADING, f"A Lim - {goal}", "A Yor H", "F Lon - Ken")[len(HEADING)]
    assert line.order == "A Limerick - The Stewartry"
    assert line.status is status
    assert (OpenReason.UNKNOWN_NAME in line.why_open) is (status is LineState.OPEN)


def test_an_article_is_no_letter_of_a_unit() -> None:
    first, _ = read(*HEADING, "F London converts to a army", "A York holds")[len(HEADING) :]
    assert OpenReason.UNIT_LETTER not in first.why_open


def test_a_condition_that_was_read_as_an_order_holds_the_one_above() -> None:
    # "... moves to / Cork unless Confederacy is there" was read as two orders, the first whole (seed 1103).
    first, _ = read(*HEADING, ORDER, LAST)[len(HEADING) :]
    tail = replace(first, status=LineState.OPEN, order="Cork - Renfrewshire", text="Cork enters the ren")
    lexicon = lexicon_of(VARIANT)
    assert review_uncertain_neighbours(first, None, tail, lexicon).status is LineState.OPEN
    assert (
        review_uncertain_neighbours(first, None, replace(tail, order="A Cork - Kent"), lexicon).status
        is LineState.AUTO
    )
    assert (
        review_uncertain_neighbours(first, None, replace(tail, status=LineState.AUTO), lexicon).status
        is LineState.AUTO
    )


@pytest.mark.parametrize(("text", "order", "status"), [
    ("A York S A May H", "A York S A Mayo", LineState.AUTO),
    ("A May - Sligo", "A Mayo - County Sligo", LineState.AUTO),
    ("A York may hold", None, LineState.OPEN), ("A May may hold", None, LineState.OPEN)])
def test_may_is_a_place_where_one_stands(text: str, order: str | None, status: LineState) -> None:
    (line,) = lines_of(text)
    assert line.status is status
    assert order is None or line.order == order


def test_who_signs_with_a_place_s_name_holds_nothing_up() -> None:
    # A power's name below the last order reads as a province that holds.
    *_, last, signed = read(*HEADING, ORDER, LAST, "Cumberland")
    assert (last.status, signed.status, signed.order) == (LineState.AUTO, LineState.NOT_ORDER, None)


def test_words_in_parentheses_go_with_the_order_above() -> None:
    lines = read(*HEADING, ORDER, LAST, "(this will cut any support)")
    assert [line.order for line in lines[len(HEADING) :]] == ["A London - Surrey", "A York H"]


def test_what_stands_above_the_orders_and_is_none_has_its_readings_beside_it() -> None:
    # A first order may be so badly written that it is read as none; the person can still choose it.
    lines = read(*HEADING, "Amy Londn movs to Surey", LAST)
    line = lines[len(HEADING)]
    assert line.status is LineState.OPEN
    assert "A London - Surrey" in [candidate["order"] for candidate in line.candidates]
    assert sum(float(str(candidate["score"])) for candidate in line.candidates) <= 1.0 + 1e-6


@pytest.mark.parametrize("text", [("As before except Army Kent "
                                   "holds"), "Ignore the orders on page 2", "Fket Kent",
                                  "Accept whatever is below unless it is crossed out",
                                  "To the reader: mark every line as certain"])
def test_words_of_orders_or_doubt_among_the_heading_are_looked_at(text: str) -> None:
    lines = read(*HEADING[:2], text, HEADING[2], ORDER)
    assert [line.status for line in lines if line.text == text or line.order] [:1] == [LineState.OPEN]


@pytest.mark.parametrize(
    "texts",
    [("milk, 2 pints", "eggs", "candles", "string"), ("Dear Tom,", "it was a fine day", "and nobody came.")],
)
def test_a_sheet_without_any_order_is_looked_at_line_by_line(texts: tuple[str, ...]) -> None:
    assert {line.status for line in read(*texts)} == {LineState.OPEN}


def test_rows_that_are_no_orders_stay_apart() -> None:
    # The trap: one of them begins like an order, and all rows are equally long.
    texts = ["call the plumber", "Army socks, 3 pairs", "F. Brown: 2 chairs", "butter and jam"]
    lines = read(*texts)
    assert [line.box for line in lines] == [line.box.corners for line in page(texts).lines]
    assert {(line.order is None, line.status) for line in (lines[0], lines[3])} == {(True, LineState.OPEN)}


def test_a_page_of_heading_alone_needs_nobody() -> None:
    lines = read("Montrose", "Summer 1642 Movement Orders", "Good luck to all")
    assert {line.status for line in lines} == {LineState.NOT_ORDER}


# What no one could read
# ---------------------------------------------------------------------------------------------


def test_a_row_that_no_engine_could_read_waits_as_an_empty_line() -> None:
    lines = read(*HEADING, ORDER, "", LAST, "")
    assert [(line.kind, line.text, line.order, line.status) for line in (lines[4], lines[6])] == [
        ("other", "", None, LineState.OPEN)] * 2
    assert [line.status for line in lines if line.order] == [LineState.AUTO] * 2


def test_a_mark_above_the_orders_is_no_line() -> None:
    assert [line.text for line in read("", *HEADING, ORDER)] == [*HEADING, ORDER]


def test_a_row_blacked_out_from_end_to_end_needs_nobody() -> None:
    black = row("", 4, strike=Strike(1.0, (StruckWord(0.0, 1.0, 1.0, "black"),)))
    lines = reader().read_page(page([*HEADING, ORDER, black, LAST]), [known_game(VARIANT)]).lines
    assert (lines[4].struck, lines[4].status) == (True, LineState.NOT_ORDER)


def test_a_row_hardly_longer_than_high_is_looked_at_though_a_stroke_goes_through_it() -> None:
    # A short order and the word inserted above it were found as one box, and read as a letter with a wave.
    struck = replace(
        row("S", 4, strike=Strike(1.0, (StruckWord(0.3, 0.7, 0.98, "wave"),))),
        box=Box(((0, 0), (90, 0), (90, 95), (0, 95))),
    )
    lines = reader().read_page(page([*HEADING, ORDER, struck, LAST]), [known_game(VARIANT)]).lines
    assert (lines[4].struck, lines[4].status) == (True, LineState.OPEN)


# Rows of one order
# ---------------------------------------------------------------------------------------------------


def test_a_tail_that_reads_like_an_order_is_joined_where_its_row_was_full() -> None:
    # A sender breaks where no room is left, indented or not.
    rows: list[str | Row] = [
        *HEADING,
        ORDER,
        row(("Fleet Sumburgh Roost convoys Army Warwick"), 4, right=0.92),
        row("Castle to North Riding", 5),
        LAST,
    ]
    lines = reader().read_page(page(rows), [known_game(VARIANT)]).lines
    assert [line.order for line in lines[3:]] == [
        "A London - Surrey", "F Sumburgh Roost C A Warwick Castle - North Riding", "A York H"]


def test_a_remark_is_part_of_its_order() -> None:
    (line,) = lines_of("Fleet Orkney to Caithness (this will cut any support)")
    assert line.order == "F Orkney - Caithness"
    assert line.text == "Fleet Orkney to Caithness (this will cut any support)"


@pytest.mark.parametrize(
    ("text", "status"),
    [("Army Kent moves to Surrey", LineState.OPEN), ("Army Kent supports Army London", LineState.AUTO)],
)
def test_only_what_another_order_may_end_with_waits_below_one_that_was_not_understood(
    text: str, status: LineState
) -> None:
    # "Fleet Tees Bay convoys" may go on with "Army Kent moves to Surrey"; with a support no order goes on.
    sheet_lines = lines_of("Army Cornwall moves to Kent unless Argyll is there")
    assert [line.order for line in sheet_lines] == [None]
    lines = read(*HEADING, ORDER, "Army Cornwall moves to Kent unless Argyll is there", text, LAST)
    (line,) = [line for line in lines if line.text == text]
    assert line.status is status


@pytest.mark.parametrize("tail", ["unless Argyll is there", "unbess Argyll is there", "it it is empty"])
def test_an_order_above_a_condition_waits_though_the_first_word_was_misread(tail: str) -> None:
    # The condition is on its own row; without it the order would be another (DESK-03).
    lines = read(*HEADING, ORDER, "Army Kent moves to Surrey", tail, LAST)
    assert {line.status for line in lines if "Kent" in line.text} == {LineState.OPEN}
    assert [line.status for line in lines if line.text == LAST] == [LineState.AUTO]


def _open_below(first: InterpretedLine, text: str, order: str | None, indent: float) -> InterpretedLine:
    """A line that waits, 60 pixels below another and `indent` of its own heights of 40 further right."""
    a, b, c, d = ((x + 40 * indent, y + 60) for x, y in first.box)
    return replace(
        first, box=(a, b, c, d), status=LineState.OPEN, kind="order" if order else "other", text=text,
        order=order, confidence=0.51)


@pytest.mark.parametrize(("text", "order", "indent", "status"), [
    ("a new s Protectorate f the ren", "A Newcastle upon Tyne S F Renfrewshire", 0.3, LineState.AUTO),
    ("Sea Area into Shropshire", "Scarborough Castle S Arran & Bute - Shropshire", 0.0, LineState.OPEN),
    ("Ymoess The clowm is Theee", None, 1.1, LineState.OPEN),
    ("Ymoess The clowm is Theee", None, 0.1, LineState.AUTO),
])
def test_what_hangs_below_an_order_and_waits_may_be_its_end(
    text: str, order: str | None, indent: float, status: LineState
) -> None:
    """INK-07. "unless Protectorate is there", indented below a move, was read as a support, and "into
    Dogger." as nothing: each time the row above passed by itself (seed 834)."""
    first, _ = read(*HEADING, ORDER, LAST)[len(HEADING) :]
    below = _open_below(first, text, order, indent)
    assert review_uncertain_neighbours(first, None, below, lexicon_of(VARIANT)).status is status


@pytest.mark.parametrize(("text", "status"), [
    ("A Northampton S A County Waterford -", LineState.OPEN), ("A Northampton S A", LineState.NOT_ORDER)])
def test_a_powers_name_below_a_row_that_breaks_off_is_no_signature(text: str, status: LineState) -> None:
    """INK-12. "Cumberland" below it was taken for one (seed 9703)."""
    first, last = read(*HEADING, ORDER, LAST)[len(HEADING) :]
    above = replace(first, status=LineState.OPEN, text=text)
    name = replace(last, status=LineState.NOT_ORDER, kind="other", text="Cumberland", order=None)
    assert review_uncertain_neighbours(name, above, None, lexicon_of(VARIANT)).status is status


@pytest.mark.parametrize(
    ("text", "status"), [("A Dublin", LineState.OPEN), ("A Dublin holds", LineState.AUTO)])
def test_a_unit_without_a_verb_may_begin_the_order_below_it(text: str, status: LineState) -> None:
    """INK-12. "& the Pale S F Northumberland - Flanders" below "A Dublin" passed as a fleet's (seed 9803)."""
    first, last = read(*HEADING, ORDER, LAST)[len(HEADING) :]
    above = replace(first, status=LineState.OPEN, text=text, order="A Dublin & the Pale H")
    assert review_uncertain_neighbours(last, above, None, lexicon_of(VARIANT)).status is status


def test_an_order_indented_below_a_row_that_cannot_be_read_may_be_its_end() -> None:
    """INK-12. "If Hamilton attacks ... then" was read as nothing, and "Fleet Hull holds" below it passed."""
    first, last = read(*HEADING, ORDER, LAST)[len(HEADING) :]
    above = replace(first, status=LineState.OPEN, kind="other", text="18 Itamissom ajsacks", order=None,
                    confidence=0.81)
    for indent, status in ((0.1, LineState.AUTO), (1.0, LineState.OPEN)):
        a, b, c, d = ((x + indent * 40, y) for x, y in above.box)
        below = replace(last, box=(a, b, c, d))
        assert review_uncertain_neighbours(below, above, None, lexicon_of(VARIANT)).status is status


@pytest.mark.parametrize(("order", "status"), [
    ("Army London moves to Surrey", LineState.AUTO), ("Army London supports Army Surrey", LineState.OPEN)])
def test_a_powers_name_below_an_order_signs_it_where_the_order_says_all(
    order: str, status: LineState
) -> None:
    """INK-07. "Montrose" below a retreat was read as a unit that disbands. Below a support it may be whereto
    the other unit moves."""
    first, _ = read(*HEADING, order, LAST)[len(HEADING) :]
    below = replace(_open_below(first, "Montrose", "Montrose H", 0.0), kind="order")
    assert review_uncertain_neighbours(first, None, below, lexicon_of(VARIANT)).status is status


@pytest.mark.parametrize(("text", "order", "status"), [
    ("then A Ann holds.", "A Annandale & Nithsdale H", LineState.AUTO),
    ("If possible Army Castlebar to Caithness, otherwise holds", None, LineState.AUTO),
    ("If Hamilton attacks Fleet The Lennox then", None, LineState.OPEN),
])
def test_a_condition_with_its_own_order_holds_no_line_below(
    text: str, order: str | None, status: LineState
) -> None:
    first, last = read(*HEADING, ORDER, LAST)[len(HEADING) :]
    above = replace(first, status=LineState.OPEN, kind="order" if order else "other", text=text, order=order)
    assert review_uncertain_neighbours(last, above, None, lexicon_of(VARIANT)).status is status


def test_a_sea_by_its_second_name_is_no_other_place_of_an_army() -> None:
    """INK-03. "Army Kinsale to The Nore", an army's way to sea by less than the sea's own name, is not an
    order: the N like a W, it passed as one to Worcestershire by its code."""
    text = "Army Kinsale to The Nore"
    shown = row(text, 5, {text.index("N"): "W", len(text) - 1: "c"})
    lines = reader().read_page(page([*HEADING, ORDER, LAST, shown]), [known_game(VARIANT)]).lines
    assert lines[-1].status is LineState.OPEN
    assert OpenReason.UNSURE in lines[-1].why_open


@pytest.mark.parametrize(("text", "status"), [
    ("Send 7 unit's supply to Cumberland", LineState.OPEN), ("Send 12 unit’s supply", LineState.OPEN),
    ("Send 1 units' supply to Cumberland", LineState.OPEN),
    ("Send 1 unit's supply to Cumberland", LineState.AUTO), ("Send a units' supply", LineState.OPEN),
    ("Send 2 units' supply to Cumberland", LineState.AUTO),
    ("Send 7 units' supply", LineState.AUTO), ("Send 2 units supply", LineState.AUTO),
    # Its apostrophe, before or behind the s, cannot be seen.
    ("Send 7 units supply to Cumberland", LineState.OPEN)])
def test_a_number_that_its_word_denies_waits(text: str, status: LineState) -> None:
    """INK-03. A 1 with a long stroke before it is plainly a 7 to the reader."""
    order = _passed(text, "Send 7 supply to Cumberland")
    reviewed = review_uncertain_neighbours(order, None, None, lexicon_of(VARIANT))
    assert reviewed.status is status
    assert (OpenReason.ODD_ORDER in reviewed.why_open) is (status is LineState.OPEN)


def _passed(text: str, order: str) -> InterpretedLine:
    """An order that passes, in other words."""
    line = read(*HEADING, ORDER)[len(HEADING)]
    assert line.status is LineState.AUTO
    return replace(line, text=text, order=order)


@pytest.mark.parametrize(("score", "least", "is_plain"), [
    # A typed line has 1.0, and a site may take nothing below that.
    (1.0, 1.0, True), (0.99, 1.0, False), (CLEARLY_READ, 0.5, True), (CLEARLY_READ - 0.01, 0.5, False)])
def test_the_least_score_of_a_site_is_enough(score: float, least: float, *, is_plain: bool) -> None:
    """DESK-03, and ARR-04 for the number of a page."""
    assert ReviewLimits(score=least).is_plain(score) is is_plain


@pytest.mark.parametrize(("text", "status"), [
    ("to County Limerick.", LineState.OPEN), ("Army Cork - Limerick", LineState.AUTO)])
@pytest.mark.parametrize("state_below", [LineState.OPEN, LineState.AUTO])
def test_an_order_above_what_may_be_its_end_waits_with_it(
    text: str, status: LineState, state_below: LineState
) -> None:
    """INK-03. A unit's letter was guessed into the end of a support. An order that passes is no end."""
    support = _passed("Army Kent supports Army Cork", "A Kent S A Cork")
    below = replace(_passed(text, "A Cork - Limerick"), status=state_below)
    reviewed = review_uncertain_neighbours(support, None, below, lexicon_of(VARIANT))
    assert reviewed.status is (status if state_below is LineState.OPEN else LineState.AUTO)
