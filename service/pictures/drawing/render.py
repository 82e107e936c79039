"""One renderer for all pictures: WeasyPrint makes PDF from SVG or HTML, pdfium turns PDF into PNG."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Sequence
from html import escape

from PIL import Image, ImageFile

from adjudicator.errors import UserFacingError

MM_PER_INCH = 25.4
POINTS_PER_INCH = 72.0


class RenderError(UserFacingError, RuntimeError):
    """A picture could not be made."""


def to_pdf(pages: str | Sequence[str], *, title: str = "", tagged: bool = True) -> bytes:
    """PDF of SVG pages (one page each, the size they name in millimetres), which HTML parts may follow; or of
    one HTML document, which names its own paper.

    `tagged` puts headings, tables and reading order into the file for screen readers (PDF/UA's structure).
    Nothing is loaded from anywhere: a picture is made of what it is handed. Raises RenderError for SVG
    without a size.
    """
    from weasyprint import HTML, URLFetcher

    # WeasyPrint lets Pillow take files that end half way, for the whole process; a photograph must not pass
    # as whole.
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    sheets = [pages] if isinstance(pages, str) else list(pages)
    document = "".join(_page(sheet, number, title) for number, sheet in enumerate(sheets))
    pages_html = (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title></head>'
        f"<body style='margin:0'>{document}</body></html>"
    ) if _is_svg(sheets[0]) else sheets[0]
    # Only a picture inside the document itself may be "fetched".
    fetcher = URLFetcher(allowed_protocols=("data",))
    data = HTML(string=pages_html, url_fetcher=fetcher).write_pdf(pdf_tags=tagged)
    if not isinstance(data, bytes):
        raise RenderError("WeasyPrint gave no PDF")
    return data


def _is_svg(sheet: str) -> bool:
    return sheet.lstrip().startswith("<svg")


def _page(sheet: str, number: int, title: str) -> str:
    if not _is_svg(sheet):
        return sheet
    size = re.match(r'\s*<svg[^>]*?width="([\d.]+)mm"\s+height="([\d.]+)mm"', sheet)
    if size is None:
        raise RenderError("an SVG page must name its width and height in millimetres")
    width, height = size.groups()
    # As a picture the drawing is parsed once, as XML; written into the page it is parsed as HTML and each of
    # its thousands of elements is asked for its style first, which takes as long as the drawing.
    source = base64.b64encode(sheet.encode()).decode()
    box_style = f"width:{width}mm;height:{height}mm"
    return (
        f"<style>@page p{number}{{size:{width}mm {height}mm;margin:0}}"
        f".p{number}{{page:p{number};{box_style};overflow:hidden;font-size:0}}"
        f".p{number} img{{display:block;{box_style}}}</style>"
        f'<div class="p{number}"><img alt="{escape(title, quote=True)}" '
        f'src="data:image/svg+xml;base64,{source}"></div>'
    )


def to_pngs(source: str | bytes, width: int, colours: int = 0) -> list[bytes]:
    """PNG pages, `width` pixels each, of PDF bytes, SVG or HTML. `colours` up to 256 makes files of type
    smaller; 0 keeps every shade."""
    import pypdfium2

    pdf = source if isinstance(source, bytes) else to_pdf(source)
    document = pypdfium2.PdfDocument(pdf)
    pages = []
    try:
        for page in document:
            picture = page.render(scale=width / page.get_width()).to_pil().convert("RGB")
            if colours:
                # Type has few shades, so a palette loses nothing; dithering would add noise that PNG cannot
                # pack.
                picture = picture.quantize(colours, dither=Image.Dither.NONE)
            out = io.BytesIO()
            picture.save(out, "PNG")
            pages.append(out.getvalue())
            page.close()
    finally:
        document.close()
    return pages


def to_png(source: str | bytes, width: int) -> bytes:
    """The first page as PNG, `width` pixels wide."""
    return to_pngs(source, width)[0]
