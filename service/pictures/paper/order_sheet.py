"""Paper to print: order sheets with their heading filled in, and envelopes (POST-01, POST-03, POST-07,
LET-12); the order sheet as a PDF form, for who cannot write by hand (BEY-08); and a sheet as a player might
fill it in, for the welcome (LET-08).

A sheet is made to be read back. Its marks show where it lies in a photograph and which way is up, its code
for which power and phase it was printed; everything else that is printed and is not a heading is where the
reader knows it (`ocr.image.sheet_layout`) and is taken out before anything is read. The heading is in plain
type all the same, for a photograph in which marks and code are hidden. A form is read back from its fields
alone (`ocr.image.sheet_form`). """

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache

from markupsafe import Markup, escape
from PIL import Image

from grammar.headings.sheet_code import SheetCode, code_text
from ocr.image import sheet_form, sheet_layout as layout
from service.letters.render import environment
from service.pictures.drawing import fonts
from service.pictures.drawing.own_mark import marked
from service.pictures.drawing.qr_code import qr_modules
from service.pictures.drawing.render import to_pdf, to_pngs
from service.pictures.paper.address import POINT, AddressSpace, fit_address

ROWS = layout.ROWS
"""Rules on a sheet."""


TO, FROM = AddressSpace(114.0, 58.0, 14.0, 1.28), AddressSpace(80.0, 34.0, 9.5, 1.2)
LABEL = AddressSpace(87.0, 33.0, 12.0, 1.14)
"""Room on an envelope of DL size for the address and for the return address; and on a label."""


HEADING, HEADING_LEAST, HEADING_SPACING = 19.0, 8.0, 0.03
"""Type of a blank sheet's heading in points, at most and at least; and what is added after each letter, in
parts of the type. A line that is still too long continues below."""

NOTE, NOTE_LEAST, NOTE_LEADING = 8.5, 5.0, 1.25
"""The same of the small type, and its line height in parts of the type."""


FOOT_SIZES = (39, 42, 45)
"""Sizes of the code in the foot, by Zint's numbers of them: 16, 20 and 24 by 64 modules. The first holds an
ordinary game's name and power, and its modules are the largest."""

FILLED_WIDTH = 720
"""Pixels across: as wide as a letter is read on a screen."""
_FILLED_COLOURS = 16
"""Enough for the edges of one ink on paper."""


class SheetPaper(Enum):
    """What a sheet is printed on: width, height, and the left and top edges of the block, in millimetres. The
    block of A4 also falls whole on US Letter, printed without scaling and centred or not."""

    A4 = (210.0, 297.0, 10.0, 14.0)
    LETTER = (215.9, 279.4, 12.95, 11.2)

    @property
    def width(self) -> float:
        """Of the paper."""
        return self.value[0]

    @property
    def height(self) -> float:
        """Of the paper."""
        return self.value[1]

    @property
    def left(self) -> float:
        """Edge of the block."""
        return self.value[2]

    @property
    def top(self) -> float:
        """Edge of the block."""
        return self.value[3]


@dataclass(frozen=True, slots=True)
class BlankSheet:
    """One blank sheet (HEAD-01, LET-12).

    `power` and `game` as printed, `orders` such as "Autumn 1642 Movement Orders"; `rows` how many rules are
    wanted at least, one for each unit. `code`: what the QR code of the first page states; None for a sheet
    without. `notes`: lines in small type, as they are printed: address, deadline, an example. `version`: the
    word before the box for a version number, "" for no box. `kinds`: the letters of the two boxes of a row,
    army's first, or none. `units`: names that stand small under the first rules, or none. `words`: what
    is before the box for the four words of the record's root, "" for no box.
    """

    power: str
    game: str
    orders: str
    rows: int = ROWS
    code: SheetCode | None = None
    notes: tuple[str, ...] = ()
    version: str = ""
    kinds: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    paper: SheetPaper = SheetPaper.A4
    words: str = ""


@dataclass(frozen=True, slots=True)
class _PrintedPage:
    """One page as the template takes it; sizes of type in points."""

    sheet: BlankSheet
    paper: SheetPaper
    size: float
    notes_size: float
    version_size: float
    words_size: float
    marks: Markup
    units: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PaperEnvelope:
    """One envelope: who it is to and from, name first (POST-01). `sender` empty leaves the place of a return
    address free. Nothing about the game is printed outside. A line whose letters no font
    of this machine has is a rule to write on by hand."""

    to: tuple[str, ...]
    sender: tuple[str, ...] = ()


def sheets_pdf(blanks: Sequence[BlankSheet]) -> bytes:
    """Blank order sheets, one page for each `ROWS` rows. Raises ValueError without any."""
    if not blanks:
        raise ValueError("no blank sheet is requested")
    # Rounded up: a seventeenth unit needs a second page.
    pages = [
        _page(blank, number) for blank in blanks
        for number in range(-(-max(1, blank.rows, len(blank.units)) // ROWS))
    ]
    html = environment("pictures", markup=True).get_template("sheet.html").render(
        pages=pages, papers=list(SheetPaper), layout=layout, place=_place)
    return to_pdf(html, title="Blank order sheets")


def _page(sheet: BlankSheet, number: int) -> _PrintedPage:
    """One page of a sheet, counted from 0."""
    heading = (sheet.power, sheet.game, sheet.orders)
    code = None if sheet.code is None else replace(sheet.code, page=number + 1)
    units = sheet.units[number * ROWS : (number + 1) * ROWS]
    return _PrintedPage(
        sheet, sheet.paper,
        _type_size(heading, _width(layout.HEADING), HEADING, HEADING_LEAST, HEADING_SPACING),
        _notes_size(sheet.notes), _type_size((sheet.version,), _width(layout.VERSION_WORD), NOTE, NOTE_LEAST),
        _words_size(sheet.words),
        _marks(code, ", ".join(heading)), (*units, *[""] * (ROWS - len(units))))


def _width(area: layout.Area) -> float:
    return area.right - area.left


def _type_size(lines: Sequence[str], room: float, most: float, least: float, spacing: float = 0.0) -> float:
    """The largest type, in points, in which the longest line fits into `room` millimetres."""
    widest = max(fonts.width(words, "plain", 1.0, spacing) for words in lines)
    return max(least, min(most, room / (widest * POINT))) if widest else most


def _notes_size(notes: Sequence[str]) -> float:
    """The largest type, in points, in which all notes fit into their place, long ones on several lines."""
    # Set in as far as the heading above.
    width, height = _width(layout.NOTES) - 1.5, layout.NOTES.bottom - layout.NOTES.top
    size = NOTE
    while size > NOTE_LEAST:
        # A line breaks at a word, so a row holds less than its width.
        rows = sum(-int(-fonts.width(note, "plain", size * POINT) // (0.93 * width)) for note in notes)
        if rows * size * POINT * NOTE_LEADING <= height:
            break
        size -= 0.25
    return size


def _words_size(words: str) -> float:
    """The largest type, in points, in which the words before the foot's box fit on two lines."""
    # Two lines are never filled: a line breaks at a word.
    return _type_size((words,), 2 * 0.8 * _width(layout.WORDS_WORD), NOTE, NOTE_LEAST)


def _place(area: layout.Area) -> str:
    """An area as CSS."""
    return (f"left: {area.left}mm; top: {area.top}mm; width: {area.right - area.left}mm; "
            f"height: {area.bottom - area.top}mm")


def _marks(code: SheetCode | None, label: str) -> Markup:
    """The four marks and the code as one drawing, in millimetres of the block. `label` states to who does not
    see it what the code states to a machine."""
    cell = layout.MARK / 6
    squares: list[str] = []
    for (left, top), cells in zip(layout.MARKS, layout.MARK_CELLS, strict=True):
        black = [(row, column) for row in range(6) for column in range(6)
                 if not (1 <= row <= 4 and 1 <= column <= 4 and cells[row - 1][column - 1] == "1")]
        squares += [_square(left + column * cell, top + row * cell, cell) for row, column in black]
    if code is not None:
        text = code_text(code)
        squares += _drawn(qr_modules(text), layout.CODE)
        squares += _drawn(_foot_modules(text), layout.FOOT_CODE)
    width, height = layout.BLOCK
    return Markup(  # noqa: S704 - numbers alone, and the label
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'style="left: 0; top: 0; width: {width}mm; height: {height}mm">'
        # The title is what goes into the tags of a PDF.
        f'<title>{escape(label)}</title><path d="{"".join(squares)}" fill="#000"/></svg>')


def _drawn(modules: Sequence[Sequence[bool]], area: layout.Area) -> list[str]:
    """The black modules of a code as large as its area allows, from the area's top left; none without any."""
    if not modules:
        return []
    cell = min((area.right - area.left) / len(modules[0]), (area.bottom - area.top) / len(modules))
    return [_square(area.left + column * cell, area.top + row * cell, cell)
            for row, line in enumerate(modules) for column, is_black in enumerate(line) if is_black]


def _foot_modules(text: str) -> list[list[bool]]:
    """The modules of a rectangular Data Matrix (ISO/IEC 21471), black is True, without its quiet zone. Empty
    for a text that none of FOOT_SIZES holds: such a sheet has its other code alone."""
    # Imported here: a worker that only sends mail rarely draws a sheet.
    import numpy as np
    import zxingcpp

    for version in FOOT_SIZES:
        try:
            code = zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.DataMatrix, version=version)
        except ValueError:
            continue
        greys = np.asarray(code.to_image(scale=1, add_quiet_zones=False))
        return [[bool(grey == 0) for grey in row] for row in greys]
    return []


def _square(left: float, top: float, side: float) -> str:
    # A hair wider, so that no white line shows between neighbours.
    return f"M{left:.3f} {top:.3f}h{side + 0.02:.3f}v{side + 0.02:.3f}h-{side + 0.02:.3f}z"


def envelopes_pdf(envelopes: Sequence[PaperEnvelope]) -> bytes:
    """Envelopes of DL size (220 by 110 mm), one a page. Raises ValueError without any."""
    if not envelopes:
        raise ValueError("no envelope is requested")
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
        raise ValueError("no label is requested")
    html = environment("pictures", markup=True).get_template("labels.html").render(
        labels=[fit_address(envelope.to, LABEL) for envelope in envelopes])
    return to_pdf(html, title="Labels")


@dataclass(frozen=True, slots=True)
class FormSheet:
    """One form: power, game and phase as printed and kept in its fields, `rows` for orders, `notes` that say
    what to do, `units` whose names are next to the rows, or none. Words of the labels in the reader's
    language: `order` has the blank "%s" for its number."""

    power: str
    game: str
    orders: str
    rows: int
    notes: tuple[str, ...]
    labels: tuple[str, str, str, str, str]
    order: str
    language: str = "en"
    units: tuple[str, ...] = ()


def form_pdf(sheet: FormSheet) -> bytes:
    """The form as PDF with fields, tagged for screen readers."""
    html = environment("pictures", markup=True).get_template("sheet_form.html").render(
        sheet=sheet, names=(*sheet_form.HEADING, sheet_form.VERSION), prefix=sheet_form.ORDER,
        most=sheet_form.MOST_LETTERS)
    return to_pdf(html, title=f"{sheet.orders}, {sheet.power}", has_fields=True)


@lru_cache(maxsize=32)
def _filled_sheet(heading: tuple[str, ...], orders: tuple[str, ...]) -> bytes:
    # Every player of a power, and each preview, gets the same picture.
    html = environment("pictures", markup=True).get_template("filled_sheet.html").render(
        heading=heading, orders=orders)
    return to_pngs(to_pdf(html, title="A filled sheet"), FILLED_WIDTH, _few_colours)[0]


def _few_colours(page: Image.Image) -> Image.Image:
    return marked(page).quantize(_FILLED_COLOURS, dither=Image.Dither.NONE)


def filled_sheet_picture(heading: Sequence[str], orders: Sequence[str]) -> bytes:
    """The sheet as PNG. `heading` are the lines on top: power, game, season with year and kind of orders;
    `orders` those below, at most some twenty."""
    return _filled_sheet(tuple(heading), tuple(orders))
