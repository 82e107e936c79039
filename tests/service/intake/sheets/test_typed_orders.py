"""Orders typed into a mail, in games that take them: bold counts, and nothing else does (WSB-02, Q-60)."""

from __future__ import annotations

from datetime import timedelta

import pytest

import maps
from adjudicator.calendar import Phase, PhaseKind
from reading.line import InterpretedLine
from reading.review import ReviewLimits
from reading.status import LineState
from reading.vocabulary import known_game
from service.intake.sheets.read_submission import SubmissionReader
from service.intake.sheets.recognizer import RecognizedPage
from service.intake.sheets.typed_orders import TypedText
from service.mail.body.read import read_body
from service.notices.answers.replies import Replies
from service.store.tables import LineRow, MailRow, PageRow, SubmissionRow
from tests.support.mail_builder import mail, part, picture, stamp, text
from tests.support.site import Site
from tests.support.table import SERVER, Table, address, open_table

FIRST = Phase(601, "Harvest", PhaseKind.TURN)
SIGNED = "Do what you must!\n**5 Grain for Defense of Essex.**\nWith kind regards"


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site, slug="brittania")


def _mail(table: Table, words: str, *, html: bool = False, power: str = "Red", photo: bool = False) -> bytes:
    sender = address(power)
    body = text(words).replace(b"text/plain", b"text/html") if html else text(words)
    phase = FIRST if table.variant.slug == "brittania" else table.variant.start.phase
    return mail(table.subject(power, 1, phase), sender, parts=[body, *([part(picture(90))] if photo else [])],
                stamps=[stamp(sender.rpartition("@")[2], "pass", SERVER)])


class Blind:
    """A recognizer that must not be called."""

    def recognize(self, data: bytes, name: str) -> tuple[RecognizedPage, ...]:
        raise AssertionError("typed orders need no recognition")


def _reader(table: Table, limits: ReviewLimits = ReviewLimits()) -> SubmissionReader:
    return SubmissionReader(
        store=table.site.store, blobs=table.site.blobs, clock=table.site.clock, recognizer=Blind(),
        load=table.load, replies=Replies(table.writer), on_read=lambda _: None, limits=limits,
    )


def _lines(
    table: Table, words: str, limits: ReviewLimits = ReviewLimits()
) -> list[tuple[str, str | None, str]]:
    """Text, order and status of each stored line of a typed mail."""
    _take(table, _mail(table, words))
    (submission,) = table.submissions()
    _reader(table, limits).read({"submission": submission.id})
    with table.site.store() as session:
        rows = session.query(LineRow).order_by(LineRow.ordinal).all()
    return [(row.text, row.order, row.status) for row in rows]


def _take(table: Table, raw: bytes) -> MailRow:
    return table.take(raw, table.phase().opens_at + timedelta(hours=1))


@pytest.mark.parametrize(("words", "html", "lines"), [
    ("Hello\n**5 Grain for Defense of Essex.**\n**10 Grain for Conquest of Kent.**\nBye", False,
     ("5 Grain for Defense of Essex.", "10 Grain for Conquest of Kent.")),
    ("[b]5 Grain for Defense of Essex.\n10 Grain for Conquest of Kent.[/b]", False,
     ("5 Grain for Defense of Essex.", "10 Grain for Conquest of Kent.")),
    # Programs make text bold by a tag, by a style, or by both; italics inside change nothing.
    (("<p>I think: <b>Capital <i>Essex</i></b><br>perhaps not</p><div style='font-weight: 700'>King to "
      "Kent</div>"), True,
     ("Capital Essex", "King to Kent")),
    ("<p><strong>Capital&nbsp;Ui N&eacute;ill</strong></p>", True, ("Capital Ui Néill",)),
    ("<div>[b]Capital Essex[/b]</div>", True, ("Capital Essex",)),
    # Quotations of earlier mail are a person's earlier orders.
    ("> **Capital Essex**\n**Capital Kent**", False, ("Capital Kent",)),
    ("<b>Capital Kent</b><blockquote><b>Capital Essex</b></blockquote>", True, ("Capital Kent",)),
    ("5 Grain for Defense of Essex.", False, ()),
    ("<p>5 Grain for Defense of Essex.</p><b></b><b> </b>", True, ()),
    ("<b><b><p>Capital Essex", True, ("Capital Essex",)),
])
def test_what_is_bold_is_found(table: Table, words: str, html: bool, lines: tuple[str, ...]) -> None:
    assert read_body(_mail(table, words, html=html)).bold == lines


def test_bold_orders_are_taken_as_a_sheet(table: Table) -> None:
    row = _take(table, _mail(table, SIGNED))
    assert (row.state, row.reason) == ("used", None)
    (submission,) = table.submissions()
    assert (submission.power, submission.version) == ("Red", 1)
    with table.site.store() as session:
        page = session.query(PageRow).one()
    assert table.site.blobs.read(page.original).startswith(b"\x89PNG")


def test_what_is_typed_in_bold_is_a_sheet_whatever_its_words_are(table: Table) -> None:
    """ARR-03 is about pictures: a typed line without a word of an order waits for a person."""
    (line,) = _lines(table, "**My barns are yours**")
    assert line == ("My barns are yours", None, "open")
    assert table.letters("rejection") == []


def test_nothing_bold_is_told_so(table: Table) -> None:
    row = _take(table, _mail(table, "5 Grain for Defense of Essex."))
    assert row.reason == "not_bold"
    (letter,) = table.letters("rejection")
    assert "only bold text counts" in table.words(letter)
    assert "between ** and **" in table.words(letter)


def test_a_photograph_goes_before_what_is_typed_beside_it(table: Table) -> None:
    _take(table, _mail(table, SIGNED, photo=True))
    with table.site.store() as session:
        page = session.query(PageRow).one()
    assert not table.site.blobs.read(page.original).startswith(b"\x89PNG")


def test_two_different_typed_mails_are_two_papers_and_the_same_twice_is_one(table: Table) -> None:
    _take(table, _mail(table, SIGNED))
    _take(table, _mail(table, SIGNED.replace("5", "6")))
    # The text outside the bold part does not count, so neither does a difference in it.
    again = _take(table, _mail(table, SIGNED + "!"))
    assert len(table.submissions()) == 2
    assert again.reason == "duplicate"


def test_where_orders_are_not_typed_the_text_is_not_read(site: Site) -> None:
    """Q-03: in the game of the handbook bold text is not an order."""
    table = open_table(site)
    row = _take(table, _mail(table, "**Army London to Surrey**", power="The Crown"))
    # A mail without a picture is answered at once, bold or not.
    assert row.reason == "no_photo"
    assert table.submissions() == []


def test_typed_orders_are_taken_from_their_text_word_for_word(table: Table) -> None:
    """Nothing recognises the drawing: the lines are what was typed."""
    assert _lines(table, "**The King goes to Kent**\n**5 Grain for Defense of Essex.**") == [
        ("The King goes to Kent", "King to Kent", "auto"),
        ("5 Grain for Defense of Essex.", "5 Grain for Defense of Essex", "auto"),
    ]
    (submission,) = table.submissions()
    assert "typed" in submission.flags
    assert submission.fate == "counts"


@pytest.mark.parametrize("broken", [
    "**10 Grain for Conquest of Kent with\nthe King\nCapital Essex**",
    "**10 Grain for Conquest of Kent\nwith the\nKing\nCapital Essex**",
])
def test_an_order_that_a_mail_program_broke_is_one_line(table: Table, broken: str) -> None:
    kings = "10 Grain for Conquest of Kent with the King"
    assert _lines(table, broken) == [(kings, kings, "auto"), ("Capital Essex", "Capital Essex", "auto")]
    with table.site.store() as session:
        first, second = session.query(LineRow).order_by(LineRow.ordinal)
    heights = [max(y for _, y in row.box) - min(y for _, y in row.box) for row in (first, second)]
    assert heights[0] > 2 * heights[1], "the box holds all of its rows"


def test_a_typed_line_that_is_no_order_is_stored_and_a_person_looks(table: Table) -> None:
    lines = _lines(table, "**Powick Bridge - Red - Harvest 601 - v1\nKing to Knet\nI hope this is clear\n"
                          "5 Grain for Defense of Essex\nWith kind regards**")
    assert lines == [
        ("Powick Bridge - Red - Harvest 601 - v1", None, "not an order"),
        ("King to Knet", "King to Kent", "open"),
        ("I hope this is clear", None, "open"),
        ("5 Grain for Defense of Essex", "5 Grain for Defense of Essex", "auto"),
        ("With kind regards", None, "not an order"),
    ]


def test_where_a_game_wants_every_line_looked_at_typed_ones_are_too(table: Table) -> None:
    assert _lines(table, "**Capital Essex**", ReviewLimits(1.1)) == [
        ("Capital Essex", "Capital Essex", "open")
    ]


def test_a_signature_that_names_a_place_is_no_order_to_hold(site: Site) -> None:
    # Montrose is a power and a province, and a province by itself is an order to hold in some games.
    w3k = open_table(site).variant
    typed = TypedText(w3k, PhaseKind.MOVEMENT, "Montrose", ())
    assert typed.orders("Montrose") is None
    assert typed.orders("A Montrose H") is not None


def test_a_typed_sheet_filed_before_its_flag_is_read_from_its_drawing(table: Table) -> None:
    _take(table, _mail(table, SIGNED))
    (submission,) = table.submissions()
    with table.site.store.begin() as session:
        session.get_one(SubmissionRow, submission.id).flags = []
    # `Blind` raises: the flag is missing, so the drawing is shown to the recognizer.
    with pytest.raises(AssertionError, match="no recognition"):
        _reader(table).read({"submission": submission.id})


@pytest.mark.parametrize(("words", "status"), [
    # "May" is a month of two games, and a word of doubt anywhere else (BEY-08): our own form has the first.
    ("May 1066 Movement Orders", LineState.NOT_ORDER),
    ("may 1066 movement orders", LineState.NOT_ORDER),
    ("May 1066 Movement Orders unless Dublin falls", LineState.OPEN),
    ("May 1066 Movement Orders A Dublin H", LineState.OPEN),
    ("Movement Orders, may be changed in 1066", LineState.OPEN),
    # The game's name on the same form; "stand" is a word of orders.
    ("Last Stand", LineState.NOT_ORDER),
    ("Last Stand at Dublin", LineState.OPEN),
])
def test_a_line_of_our_own_form_is_a_heading_whatever_it_is_elsewhere(words: str, status: LineState) -> None:
    variant = maps.load("britain1066")
    typed = TypedText(variant, PhaseKind.MOVEMENT, "The Norse", [known_game(variant, "Last Stand")])
    corner = (0.0, 0.0)
    line = InterpretedLine(
        (corner, corner, corner, corner), "heading", False, words, None, 1.0, LineState.OPEN, ())
    assert [line.status for line in typed.settle([line], 0.8)] == [status]


def test_several_orders_in_one_line_are_orders_and_a_signature_is_none() -> None:
    """WSB-02: a line that is not a single whole order counts unless it is a greeting or a name."""
    war = maps.load("w3k")
    typed = TypedText(war, PhaseKind.MOVEMENT, "Newcastle", [known_game(war)])
    assert typed.orders("Armies London and Kent hold") is not None
    assert typed.orders("Newcastle") is None
