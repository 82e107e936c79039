"""Orders typed into a mail, for games that take them: what is bold there, put on a sheet as if it had been
photographed.

From there on it is a paper like any other: read by the eye, shown on the desk, copied to all with the results
(WSB-02, Q-60).
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterator
from html.parser import HTMLParser

from PIL import Image, ImageDraw, ImageFont

from service.mail.headers import split
from service.mail.image_types import PictureState, PictureType
from service.mail.message import Picture
from service.mail.mime_parts import MimePart, read_parts
from service.pictures.drawing.fonts import FACES

MOST_LINES, LONGEST = 60, 200
"""Lines of one mail and letters of a line that are taken; no honest turn has more."""
_MARKED = re.compile(r"\*\*(?P<stars>.+?)\*\*|\[b\](?P<code>.+?)\[/b\]", re.DOTALL | re.IGNORECASE)
_BOLD_TAGS = frozenset({"b", "strong"})
_BREAKS = frozenset(
    {"br", "p", "div", "li", "tr", "ul", "ol", "table", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote"}
)
_EMPTY = frozenset({"br", "hr", "img", "input", "meta", "link", "col", "wbr", "area", "base", "source"})
_UNSEEN = frozenset({"style", "script", "head", "title", "blockquote"})
_HEAVY = re.compile(r"font-weight\s*:\s*(?:bold|bolder|[6-9]00)\b", re.IGNORECASE)
_MARGIN, _STEP, _SIZE = 110, 96, 44


def bold_lines(raw: bytes) -> tuple[str, ...]:
    """The bold lines of a mail in its order: `<b>`, `<strong>` and heavy styles in HTML, `[b]` and `**` in
    either. What is quoted from an earlier mail is left out. Never raises."""
    headers, body = split(raw)
    leaves = [part for part in read_parts(headers, body).leaves if not part.name]
    for kind, reader in (("text/html", _from_html), ("text/plain", _from_plain)):
        found = [line for part in leaves if part.declared == kind for line in reader(_words(part))]
        if found:
            return tuple(line[:LONGEST] for line in found[:MOST_LINES])
    return ()


def sheet(lines: tuple[str, ...]) -> Picture:
    """The lines as a picture of a typed sheet."""
    font = ImageFont.truetype(FACES["plain"], _SIZE)
    widest = max(int(font.getlength(line)) for line in lines)
    page = Image.new(
        "RGB", (max(1400, widest + 2 * _MARGIN), max(900, 2 * _MARGIN + _STEP * len(lines))), "white"
    )
    pen = ImageDraw.Draw(page)
    for at, line in enumerate(lines):
        pen.text((_MARGIN, _MARGIN + _STEP * at), line, fill="black", font=font)
    out = io.BytesIO()
    page.save(out, "PNG")
    data = out.getvalue()
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    return Picture(PictureType.PNG, PictureState.GOOD, 1, "typed.png", digest, data, *page.size)


def _words(part: MimePart) -> str:
    try:
        return part.data.decode("utf-8")
    except UnicodeDecodeError:
        return part.data.decode("cp1252", "replace")


def _from_plain(text: str) -> Iterator[str]:
    own = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(">"))
    for found in _MARKED.finditer(own):
        yield from _split((found["stars"] or found["code"] or "").splitlines())


def _from_html(text: str) -> Iterator[str]:
    reader = _Bold()
    reader.feed(text)
    reader.close()
    yield from _split(reader.bold())
    if not reader.heavy:
        yield from _from_plain(reader.all())


def _split(lines: list[str]) -> Iterator[str]:
    for line in lines:
        words = " ".join("".join(sign if sign.isprintable() else " " for sign in line).split())
        if any(sign.isalnum() for sign in words):
            yield words


class _Bold(HTMLParser):
    """Gathers the text of a page, and which of it is bold."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[tuple[str, bool]] = []
        self._pieces: list[tuple[str, bool]] = []
        self.heavy = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BREAKS:
            self._pieces.append(("\n", True))
        if tag not in _EMPTY:
            style = next((value or "" for name, value in attrs if name == "style"), "")
            self._open.append((tag, tag in _BOLD_TAGS or _HEAVY.search(style) is not None))

    def handle_endtag(self, tag: str) -> None:
        if tag in _BREAKS:
            self._pieces.append(("\n", True))
        at = next((n for n in range(len(self._open) - 1, -1, -1) if self._open[n][0] == tag), None)
        if at is not None:
            del self._open[at:]

    def handle_data(self, data: str) -> None:
        if any(tag in _UNSEEN for tag, _ in self._open):
            return
        bold = any(heavy for _, heavy in self._open)
        self.heavy = self.heavy or (bold and not data.isspace())
        self._pieces.append((data.replace("\r", " ").replace("\n", " "), bold))

    def bold(self) -> list[str]:
        """The bold text, a line for each that the page shows."""
        return "".join(text for text, bold in self._pieces if bold).split("\n")

    def all(self) -> str:
        """The whole text."""
        return "".join(text for text, _ in self._pieces)
