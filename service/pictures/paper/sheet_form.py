"""The order sheet as a PDF form, for who cannot write by hand (BEY-08): large type, a label for each field,
read back from its fields alone (`ocr.image.sheet_form`)."""

from __future__ import annotations

from dataclasses import dataclass

from ocr.image import sheet_form
from service.letters.render import environment
from service.pictures.drawing.render import to_pdf


@dataclass(frozen=True, slots=True)
class FormSheet:
    """One form: power, game and phase as printed and kept in its fields, `rows` for orders, `notes` that say
    what to do, `units` whose names stand beside the rows, or none. Words of the labels in the reader's
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
