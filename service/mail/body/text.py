"""The text of a mail's body: its bold lines, which may be typed orders (WSB-02, Q-60), and all of it for a
person to read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from html.parser import HTMLParser

from service.mail.mime.parts import MimePart

MOST_LINES, LONGEST = 60, 200
"""Bold lines of one mail, and characters of one line, that are read. No honest turn has more."""
MOST_TEXT = 20_000
"""Characters of the text of one mail that are stored."""
_MOST_BYTES = 1_000_000
"""Bytes of one body part that are read."""

_MOST_OPEN = 300
"""Tags that may be open at the same time; what is opened below them is taken as text."""

_MARK = re.compile(r"\*\*|\[/?b\]", re.IGNORECASE)
_CLOSING = {"**": "**", "[b]": "[/b]"}
_BOLD_TAGS = frozenset({"b", "strong"})
_BREAKS = frozenset(
    {"br", "p", "div", "li", "tr", "ul", "ol", "table", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote"}
)
_EMPTY = frozenset({"br", "hr", "img", "input", "meta", "link", "col", "wbr", "area", "base", "source"})
_UNSEEN = frozenset({"style", "script", "head", "title", "blockquote"})
_HEAVY = re.compile(r"font-weight\s*:\s*(?:bold|bolder|[6-9]00)\b", re.IGNORECASE)


def bold_lines(leaves: Sequence[MimePart]) -> tuple[str, ...]:
    """The bold lines of a mail, in order; empty if there are none. Never raises.

    Bold is `<b>`, `<strong>` and a heavy font in HTML, and `[b]` or `**` in either. Quotations of earlier
    mail are left out. The first body part that holds bold text is taken, HTML before plain text.
    """
    for kind, reader in (("text/html", _from_html), ("text/plain", _from_plain)):
        lines = [line for part in _body_parts(leaves, kind) for line in reader(_text_of(part))]
        if lines:
            return tuple(line[:LONGEST] for line in lines[:MOST_LINES])
    return ()


def plain_text(leaves: Sequence[MimePart]) -> str:
    """The text of a mail as a person reads it, with quotations; "" if it has none. Plain text before HTML.
    Never raises."""
    plain = "\n".join(_text_of(part) for part in _body_parts(leaves, "text/plain"))
    if not plain.strip():
        plain = "\n".join(map(_shown, _body_parts(leaves, "text/html")))
    lines = ("".join(char if char.isprintable() else " " for char in line).rstrip()
             for line in plain[:MOST_TEXT].splitlines())
    return "\n".join(lines).strip()


def _body_parts(leaves: Sequence[MimePart], kind: str) -> list[MimePart]:
    return [part for part in leaves if not part.name and part.declared_type == kind]


def _shown(part: MimePart) -> str:
    return _read_html(_text_of(part)).whole_text()


def _text_of(part: MimePart) -> str:
    """The text of a body part."""
    # The declared charset is not used: UTF-8, else Windows-1252, covers what players send, and a wrong
    # declaration would lose letters.
    text = part.data[:_MOST_BYTES]
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("cp1252", "replace")


def _from_plain(text: str) -> Iterator[str]:
    unquoted = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(">"))
    for marked in _marked(unquoted):
        yield from _cleaned(marked.splitlines())


def _marked(text: str) -> Iterator[str]:
    """What is between a mark and its end."""
    # One pass and no pattern: a million marks without an end must not each be looked for.
    marks = [(mark.group().lower(), mark.start(), mark.end()) for mark in _MARK.finditer(text)]
    last = {name: start for name, start, _ in marks}
    opened: tuple[str, int] | None = None
    for name, start, end in marks:
        if opened is not None and name == _CLOSING[opened[0]] and start > opened[1]:
            yield text[opened[1]:start]
            opened = None
        elif opened is None and name in _CLOSING and last.get(_CLOSING[name], 0) > end:
            opened = name, end


def _from_html(text: str) -> Iterator[str]:
    reader = _read_html(text)
    yield from _cleaned(reader.bold_lines())
    if not reader.has_bold:
        yield from _from_plain(reader.whole_text())


def _read_html(text: str) -> _Bold:
    reader = _Bold()
    # The standard parser raises on a "<![" that is not closed; what came before it counts.
    with suppress(AssertionError):
        reader.feed(text)
        reader.close()
    return reader


def _cleaned(lines: list[str]) -> Iterator[str]:
    """The lines with a letter or a digit, in printable characters with single spaces."""
    for line in lines:
        text = " ".join("".join(char if char.isprintable() else " " for char in line).split())
        if any(char.isalnum() for char in text):
            yield text


class _Bold(HTMLParser):
    """Collects the text of an HTML page, and which of it is bold."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open_tags: list[tuple[str, bool]] = []
        self._pieces: list[tuple[str, bool]] = []
        self.has_bold = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BREAKS:
            self._pieces.append(("\n", True))
        if tag not in _EMPTY and len(self._open_tags) < _MOST_OPEN:
            style = next((value or "" for name, value in attrs if name == "style"), "")
            self._open_tags.append((tag, tag in _BOLD_TAGS or _HEAVY.search(style) is not None))

    def handle_endtag(self, tag: str) -> None:
        if tag in _BREAKS:
            self._pieces.append(("\n", True))
        # Mail programs leave tags open ("<b><p>Capital Essex"), so an end tag closes all that began after it.
        names = [name for name, _ in self._open_tags]
        if tag in names:
            del self._open_tags[len(names) - 1 - names[::-1].index(tag):]

    def handle_data(self, data: str) -> None:
        if any(tag in _UNSEEN for tag, _ in self._open_tags):
            return
        is_bold = any(heavy for _, heavy in self._open_tags)
        self.has_bold = self.has_bold or (is_bold and not data.isspace())
        self._pieces.append((data.replace("\r", " ").replace("\n", " "), is_bold))

    def bold_lines(self) -> list[str]:
        """The bold text, one string for each line of the page as shown."""
        return "".join(text for text, is_bold in self._pieces if is_bold).split("\n")

    def whole_text(self) -> str:
        """The whole text, bold or not."""
        return "".join(text for text, _ in self._pieces)
