"""One renderer for all pictures: WeasyPrint makes PDF from SVG or HTML, pdfium turns PDF into PNG."""

from __future__ import annotations

import base64
import io
import re
import zlib
from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING

from PIL import Image, ImageFile

from adjudicator.errors import UserFacingError
from service.pictures.drawing.vector_form import VectorForm, embed_form, read_form

if TYPE_CHECKING:
    import pydyf
    from weasyprint import Document, Page



class RenderError(UserFacingError, RuntimeError):
    """A picture could not be made."""


_UNNAMED = "A drawing"
"""Words of a drawing that is only made into a picture: without any, WeasyPrint logs an error each time."""


RUNS = zlib.Z_RLE
"""The packing of a PNG of four flat colours: by runs of one colour. The closest search saves a page 1 % of
its bytes and a copy of a sheet 5 %, and takes 18 times as long, a fifth of a set of results."""


def to_pdf(
    pages: str | Sequence[str], *, title: str = "", has_fields: bool = False,
    descriptions: Sequence[str] = (),
) -> bytes:
    """PDF of SVG pages (one page each, the size they name in millimetres), which HTML parts may follow; or of
    one HTML document, which names its own paper.

    The file carries headings, tables, words of pictures and reading order for screen readers, and states that
    it conforms to PDF/UA-1 (ISO 14289-1). `has_fields`: inputs of the HTML become fields to be filled in.
    `descriptions`: the words for who does not see each of the SVG pages, which are also the names of the
    file's bookmarks; the title where there are none.
    Nothing is loaded from anywhere: a picture is made of what it is handed. Raises RenderError for SVG
    without a size.
    """
    sheets = [pages] if isinstance(pages, str) else list(pages)
    forms = [read_form(sheet) if _is_svg(sheet) else None for sheet in sheets]
    document = "".join(
        _page(sheet, number, title, form, descriptions[number] if descriptions else "")
        for number, (sheet, form) in enumerate(zip(sheets, forms, strict=True))
    )
    pages_html = (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title></head>'
        f"<body style='margin:0'>{document}</body></html>"
    ) if _is_svg(sheets[0]) else sheets[0]
    # WeasyPrint finds a face by the family that its file names first. EB Garamond's sizes for small print and
    # for titles both name "EB Garamond", so it would embed one file and set the other's letters with it, by
    # the other's widths (ISO 14289-1, 7.21.5). A document has one size of each style.
    for quote in ("'", '"'):
        pages_html = pages_html.replace(f"{quote}EB Garamond 08{quote}", f"{quote}EB Garamond 12{quote}")
    return write_pdf(pages_html, forms, has_fields)


def write_pdf(pages_html: str, forms: Sequence[VectorForm | None], has_fields: bool) -> bytes:
    """An HTML document as PDF. `forms`: the drawings that are put into its pages after WeasyPrint, None for a
    page without one; see `to_pdf`."""
    from weasyprint import HTML, URLFetcher

    # WeasyPrint lets Pillow take files that end half way, for the whole process; a photograph must not pass
    # as whole.
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    # Only a picture inside the document itself may be "fetched".
    fetcher = URLFetcher(allowed_protocols=("data",))
    data = HTML(string=pages_html, url_fetcher=fetcher).write_pdf(
        pdf_tags=True, pdf_forms=has_fields, finisher=lambda document, pdf: _finish(document, pdf, forms)
    )
    if not isinstance(data, bytes):
        raise RenderError("WeasyPrint gave no PDF")
    return data


def balance_columns(pages_html: str) -> str:
    """An HTML document whose two columns, filled one after the other (`column-fill: auto`), end at about the
    same height: the `<section>` at which the last page changes columns has a break before it.

    WeasyPrint's own balance makes the columns a pixel higher each time until all fits; where sections stay in
    one piece it lays the page out a hundred times."""
    from weasyprint import HTML, URLFetcher

    count = iter(range(pages_html.count("<section>")))
    numbered = re.sub("<section>", lambda _: f'<section data-number="{next(count)}">', pages_html)
    document = HTML(string=numbered, url_fetcher=URLFetcher(allowed_protocols=("data",))).render()
    pieces = next(filter(None, map(_pieces_in_columns, reversed(document.pages))), [])
    heights = [height for _, height in pieces]
    breaks = [(max(sum(heights[:at]), sum(heights[at:])), number)
              for at, (number, _) in enumerate(pieces) if at and number]
    if not breaks:
        return pages_html
    first, after = pages_html.split("<section>"), int(min(breaks)[1]) + 1
    return ("<section>".join(first[:after]) + '<section style="break-before: column">'
            + "<section>".join(first[after:]))


def _pieces_in_columns(page: Page) -> list[tuple[str, float]]:
    """What the columns of a page hold, in its order: the number of each section, "" for anything else, and
    its height in pixels of CSS."""
    columns = [box for box in page._page_box.descendants()  # noqa: SLF001 (there is no other way to a box)
               if getattr(box, "is_column", False)]
    return [("" if box.element is None else box.element.get("data-number", ""), box.margin_height())
            for column in columns for box in column.children if box.is_in_normal_flow()]


def _is_svg(sheet: str) -> bool:
    return sheet.lstrip().startswith("<svg")


def _finish(document: Document, pdf: pydyf.PDF, forms: Sequence[VectorForm | None]) -> None:
    _put_forms(pdf, forms)
    _name_no_byte_order_mark(pdf)
    _say_scopes(document)
    document.metadata.include_in_pdf(pdf, "ua", version=1, conformance=None, compress=False)


def _name_no_byte_order_mark(pdf: pydyf.PDF) -> None:
    """A form's font carries every letter, U+FEFF too, which no glyph of a PDF/UA file may represent (ISO
    14289-1, 7.21.7). Unicode has U+2060 in its place."""
    for part in pdf.objects:
        rows = getattr(part, "stream", [])
        if b"begincmap" in rows:
            part.stream = [row.replace(b"> <feff>", b"> <2060>") if isinstance(row, bytes) else row
                           for row in rows]


def _say_scopes(document: Document) -> None:
    """Say of each header cell whether it heads its row or its column (ISO 14289-1, 7.5). WeasyPrint names the
    headers in each cell of data, so that a header whose column holds headers alone represents nothing."""
    for page in document.pages:
        for box in page._page_box.descendants():  # noqa: SLF001 (there is no other way to a box)
            if box.element_tag == "th" and getattr(box, "mark", None) is not None:
                heads_row = box.element is not None and box.element.get("scope") == "row"
                box.mark["A"]["Scope"] = "/Row" if heads_row else "/Column"


def _put_forms(pdf: pydyf.PDF, forms: Sequence[VectorForm | None]) -> None:
    """Exchange each picture that keeps a drawing's place for the drawing."""
    numbers = {
        (thing.extra["Width"], thing.extra["Height"]): number
        for number, thing in enumerate(pdf.objects)
        if "Subtype" in getattr(thing, "extra", {}) and thing.extra["Subtype"] == "/Image"
    }
    for number, form in enumerate(forms):
        if form is not None:
            embed_form(form, pdf, numbers[_place(number)])


def _place(number: int) -> tuple[int, int]:
    """Pixels of the picture that keeps the place of a page's drawing; no other picture is so wide."""
    return (10_000 + number, 1)


def _kept_place(number: int) -> str:
    out = io.BytesIO()
    Image.new("L", _place(number)).save(out, "PNG")
    return f"data:image/png;base64,{base64.b64encode(out.getvalue()).decode()}"


def _page(sheet: str, number: int, title: str, form: VectorForm | None, description: str) -> str:
    if not _is_svg(sheet):
        return sheet
    size = re.match(r'\s*<svg[^>]*?width="([\d.]+)mm"\s+height="([\d.]+)mm"', sheet)
    if size is None:
        raise RenderError("an SVG page must name its width and height in millimetres")
    width, height = size.groups()
    # As a picture the drawing is parsed once, as XML; written into the page it is parsed as HTML and each of
    # its thousands of elements is asked for its style first, which takes as long as the drawing.
    svg = base64.b64encode(sheet.encode()).decode()
    source = f"data:image/svg+xml;base64,{svg}" if form is None else _kept_place(number)
    box_style = f"width:{width}mm;height:{height}mm"
    return (
        f"<style>@page p{number}{{size:{width}mm {height}mm;margin:0}}"
        f".p{number}{{page:p{number};{box_style};overflow:hidden;font-size:0}}"
        f".p{number} img{{display:block;{box_style}}}"
        ".described{bookmark-level:1;bookmark-label:attr(title)}</style>"
        f'<div class="p{number}{" described" if description else ""}" '
        f'title="{escape(description, quote=True)}">'
        f'<img alt="{escape(description or title or _UNNAMED, quote=True)}" src="{source}"></div>'
    )


def _as_it_is(picture: Image.Image) -> Image.Image:
    return picture


def to_pngs(
    source: str | bytes, width: int, finish: Callable[[Image.Image], Image.Image] = _as_it_is,
    packing: int | None = None,
) -> list[bytes]:
    """PNG pages, `width` pixels each, of PDF bytes, SVG or HTML. `finish`: what is done to each page, RGB,
    such as adding a mark or leaving few colours. `packing`: a strategy of zlib, such as RUNS; None for the
    closest search where there are few colours."""
    import pypdfium2

    pdf = source if isinstance(source, bytes) else to_pdf(source)
    document = pypdfium2.PdfDocument(pdf)
    pages = []
    try:
        for page in document:
            picture = finish(page.render(scale=width / page.get_width()).to_pil().convert("RGB"))
            out = io.BytesIO()
            if packing is None:
                picture.save(out, "PNG", optimize=picture.mode == "P")
            else:
                picture.save(out, "PNG", compress_type=packing)
            pages.append(out.getvalue())
            page.close()
    finally:
        document.close()
    return pages


def to_png(source: str | bytes, width: int) -> bytes:
    """The first page as PNG, `width` pixels wide."""
    return to_pngs(source, width)[0]
