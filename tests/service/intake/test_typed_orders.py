"""Orders typed into a mail, in games that take them: bold counts, and nothing else does (WSB-02, Q-60)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from adjudicator.calendar import Phase, PhaseKind
from service.intake.typed_orders import bold_lines
from service.store.tables import MailRow, PageRow
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


def _take(table: Table, raw: bytes) -> MailRow:
    return table.take(raw, table.phase().opens_at + timedelta(hours=1))


@pytest.mark.parametrize(("words", "html", "lines"), [
    ("Hello\n**5 Grain for Defense of Essex.**\n**10 Grain for Conquest of Kent.**\nBye", False,
     ("5 Grain for Defense of Essex.", "10 Grain for Conquest of Kent.")),
    ("[b]5 Grain for Defense of Essex.\n10 Grain for Conquest of Kent.[/b]", False,
     ("5 Grain for Defense of Essex.", "10 Grain for Conquest of Kent.")),
    (("<p>I think: <b>Capital <i>Essex</i></b><br>perhaps not</p><div style='font-weight: 700'>King to "
      "Kent</div>"), True,
     ("Capital Essex", "King to Kent")),
    ("<p><strong>Capital&nbsp;Ui N&eacute;ill</strong></p>", True, ("Capital Ui Néill",)),
    ("<div>[b]Capital Essex[/b]</div>", True, ("Capital Essex",)),
    ("> **Capital Essex**\n**Capital Kent**", False, ("Capital Kent",)),
    ("<b>Capital Kent</b><blockquote><b>Capital Essex</b></blockquote>", True, ("Capital Kent",)),
    ("5 Grain for Defense of Essex.", False, ()),
    ("<p>5 Grain for Defense of Essex.</p><b></b><b> </b>", True, ()),
    ("<b><b><p>Capital Essex", True, ("Capital Essex",)),
])
def test_what_is_bold_is_found(table: Table, words: str, html: bool, lines: tuple[str, ...]) -> None:
    assert bold_lines(_mail(table, words, html=html)) == lines


def test_bold_orders_are_taken_as_a_sheet(table: Table) -> None:
    row = _take(table, _mail(table, SIGNED))
    assert (row.state, row.reason) == ("used", None)
    (paper,) = table.papers()
    assert (paper.power, paper.version) == ("Red", 1)
    with table.site.store() as session:
        page = session.query(PageRow).one()
    assert table.site.blobs.read(page.original).startswith(b"\x89PNG")


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
    again = _take(table, _mail(table, SIGNED + "!"))
    assert len(table.papers()) == 2
    assert again.reason == "duplicate"


def test_where_orders_are_not_typed_the_text_is_not_read(site: Site) -> None:
    """Q-03: in the game of the handbook a mail without a picture is answered at once, bold or not."""
    table = open_table(site)
    row = _take(table, _mail(table, "**Army London to Surrey**", power="The Crown"))
    assert row.reason == "no_photo"
    assert table.papers() == []
