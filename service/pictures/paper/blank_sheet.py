"""Paper to print: blank order sheets with their heading filled in, and envelopes (POST-01, POST-03, POST-07).

A sheet is made to be read back: one plain type for the heading, a wide pale rule for each order, a pale angle
at each corner that shows whether a photograph is whole. Nothing but the heading is black or written in
letters: a black mark at each corner was read as a letter when tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.letters.render import environment
from service.pictures.drawing import fonts
from service.pictures.drawing.render import to_pdf
from service.pictures.paper.address import POINT, AddressSpace, fit_address

ROWS = 16
"""Rules on a sheet of A4 below its heading, 12.5 mm apart: room for a large hand."""


TO, FROM = AddressSpace(114.0, 58.0, 14.0, 1.28), AddressSpace(80.0, 34.0, 9.5, 1.2)
LABEL = AddressSpace(87.0, 33.0, 12.0, 1.14)
"""Room on an envelope of DL size for the address and for the return address; and on a label."""


HEADING, HEADING_LEAST, HEADING_WIDTH, HEADING_SPACING = 19.0, 10.0, 162.0, 0.03
"""Type of a blank sheet's heading in points, at most and at least; the room for a line in millimetres; and
what is added after each letter, in parts of the type. A line that is still too long continues below."""


@dataclass(frozen=True, slots=True)
class BlankSheet:
    """The heading of one blank sheet (HEAD-01): `power` and `game` as printed, `orders` such as "Autumn 1642
    Movement Orders"; `rows` how many sheets of rules are wanted at least, one for each unit."""

    power: str
    game: str
    orders: str
    rows: int = ROWS


@dataclass(frozen=True, slots=True)
class PaperEnvelope:
    """One envelope: who it is to and from, name first (POST-01). `sender` empty leaves the place of a return
    address free. Nothing about the game is printed outside. A line whose letters no font
    of this machine has is a rule to write on by hand."""

    to: tuple[str, ...]
    sender: tuple[str, ...] = ()


def sheets_pdf(blanks: Sequence[BlankSheet]) -> bytes:
    """Blank order sheets on A4, one page for each `ROWS` rows. Raises ValueError without any."""
    if not blanks:
        raise ValueError("no blank sheet is asked for")
    # Rounded up: a seventeenth unit needs a second page.
    pages = [blank for blank in blanks for _ in range(-(-max(1, blank.rows) // ROWS))]
    html = environment("pictures", markup=True).get_template("sheet.html").render(
        pages=[(page, _heading_size(page)) for page in pages], rows=ROWS)
    return to_pdf(html, title="Blank order sheets")


def _heading_size(sheet: BlankSheet) -> float:
    """The type of a heading in points: the largest in which its longest line fits between the corners."""
    widest = max(
        fonts.width(words, "plain", 1.0, HEADING_SPACING) for words in (sheet.power, sheet.game, sheet.orders)
    )
    return max(HEADING_LEAST, min(HEADING, HEADING_WIDTH / (widest * POINT)))


def envelopes_pdf(envelopes: Sequence[PaperEnvelope]) -> bytes:
    """Envelopes of DL size (220 by 110 mm), one a page. Raises ValueError without any."""
    if not envelopes:
        raise ValueError("no envelope is asked for")
    html = (
        environment("pictures", markup=True)
        .get_template("envelopes.html")
        .render(
            envelopes=[
                (fit_address(envelope.to, TO), fit_address(envelope.sender, FROM)) for envelope in envelopes
            ]
        )
    )
    return to_pdf(html, title="Envelopes")


def labels_pdf(envelopes: Sequence[PaperEnvelope]) -> bytes:
    """The same addresses as labels on A4, two by seven of 99.1 by 38.1 mm (a common sheet of labels); senders
    are left out."""
    if not envelopes:
        raise ValueError("no label is asked for")
    html = environment("pictures", markup=True).get_template("labels.html").render(
        labels=[fit_address(envelope.to, LABEL) for envelope in envelopes])
    return to_pdf(html, title="Labels")
