"""Results and holdings in large print and as plain tables (BEY-08): a PDF tagged for screen readers, in type
of 20 points, black on white; and the same as text, a row a line, for Braille and for who listens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from fastapi import Request
from fastapi.responses import Response

from service import pictures
from service.public.page import environment, language_of
from service.web.public_limits import DrawnOnce


@dataclass(frozen=True, slots=True)
class Table:
    """One table: what it is called, its columns, and its rows, each with a cell for each column; the first
    cell names the row."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Form(Enum):
    """How tables are given out, by the end of their address."""

    PDF = "pdf"
    TEXT = "txt"


def answer_with(
    request: Request, form: Form, title: str, intro: Sequence[str], tables: Sequence[Table], cache: str
) -> Response:
    """The answer with these tables."""
    if form is Form.TEXT:
        return Response(as_text(title, intro, tables), media_type="text/plain; charset=utf-8",
                        headers={"Cache-Control": cache})
    code = language_of(request)
    html = environment(code).get_template("large_print.html").render(
        name=title, intro=intro, tables=tables)
    # One drawing for anyone who requests the same: large type makes many pages.
    drawn: DrawnOnce = request.app.state.drawn
    data = drawn.get(("large", html), lambda: pictures.to_pdf(html, title=title))
    return Response(data, media_type="application/pdf", headers={"Cache-Control": cache})


def as_text(title: str, intro: Sequence[str], tables: Sequence[Table]) -> str:
    """The tables as text: each row a line, its cells separated by semicolons and empty ones left out."""
    lines = [title, *intro]
    for table in tables:
        lines += ["", table.caption]
        lines += ["; ".join(cell for cell in row if cell) for row in table.rows]
    return "\n".join(lines) + "\n"
