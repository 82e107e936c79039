"""Orders typed into a mail, for games that take them (WSB-02, Q-60): only bold text counts.

The text goes to the grammar as it was typed. `typed_page` also draws it, for the desk and for the copies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html.parser import HTMLParser

from adjudicator.calendar import PhaseKind
from grammar.headings.sheet import parse_sheet_heading
from grammar.headings.values import KnownGame
from grammar.order_starts import order_starts
from grammar.order_traits import is_incomplete
from grammar.remarks import is_harmless
from grammar.respellings import has_order_word
from maps.variant import Variant
from reading.decode import MOST_CANDIDATES
from reading.line import InterpretedLine
from reading.review import review_uncertain_neighbours
from reading.status import LineState
from reading.vocabulary import forms_of, lexicon_of, parse_typed, printed
from service.mail.headers import split_mail
from service.mail.mime_parts import MimePart, read_parts

MOST_LINES, LONGEST = 60, 200
"""Lines of one mail, and characters of one line, that are read. No honest turn has more."""
MOST_WRAPPED = 3
"""Lines into which a mail program may break one order: 200 characters in 72 columns (RFC 3676, 4.2)."""

_MARKED = re.compile(r"\*\*(?P<stars>.+?)\*\*|\[b\](?P<code>.+?)\[/b\]", re.DOTALL | re.IGNORECASE)
_BOLD_TAGS = frozenset({"b", "strong"})
_BREAKS = frozenset(
    {"br", "p", "div", "li", "tr", "ul", "ol", "table", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote"}
)
_EMPTY = frozenset({"br", "hr", "img", "input", "meta", "link", "col", "wbr", "area", "base", "source"})
_UNSEEN = frozenset({"style", "script", "head", "title", "blockquote"})
_HEAVY = re.compile(r"font-weight\s*:\s*(?:bold|bolder|[6-9]00)\b", re.IGNORECASE)


def bold_lines(raw: bytes) -> tuple[str, ...]:
    """The bold lines of a raw mail, in order; empty if there are none. Never raises.

    Bold is `<b>`, `<strong>` and a heavy font in HTML, and `[b]` or `**` in either. Quotations of earlier
    mail are left out. The first body part that holds bold text is taken, HTML before plain text.
    """
    headers, body = split_mail(raw)
    body_parts = [part for part in read_parts(headers, body).leaves if not part.name]
    for kind, reader in (("text/html", _from_html), ("text/plain", _from_plain)):
        lines = [line for part in body_parts if part.declared_type == kind for line in reader(_text_of(part))]
        if lines:
            return tuple(line[:LONGEST] for line in lines[:MOST_LINES])
    return ()


@dataclass(frozen=True, slots=True)
class TypedText:
    """Typed text as orders of one power in one phase, by the grammar alone."""

    variant: Variant
    kind: PhaseKind
    power: str
    games: Sequence[KnownGame]

    def orders(self, text: str) -> str | None:
        """The canonical text of the orders in `text`, if the grammar lists every word as it is spelled.

        None otherwise, and for a signature.
        """
        parsed = parse_typed(self.variant, self.kind, self.power, text)
        if parsed.complaint is not None or parsed.score < 1.0:
            return None
        # Many powers are called like a place, and in some games a place by itself is an order to hold.
        if is_incomplete(parsed.orders) and is_harmless(text, lexicon_of(self.variant)):
            return None
        return printed(parsed.orders, self.variant.board)

    def row_spans(self, rows: Sequence[str]) -> tuple[range, ...]:
        """The rows of each line: mostly one row, or several if a mail program broke an order.

        A row continues the row above if the two together make another order, and at least one of them is no
        order by itself.
        """
        spans: list[range] = []
        start = 0
        while start < len(rows):
            orders, stop = self.orders(rows[start]), start + 1
            for end in range(start + 2, min(start + MOST_WRAPPED, len(rows)) + 1):
                if orders is not None and self.orders(rows[end - 1]) is not None:
                    break
                # "10 Grain for Conquest of Kent" is an order, and with the next row, "with the King",
                # another.
                longer = self.orders(" ".join(rows[start:end]))
                if longer is not None and longer != orders:
                    orders, stop = longer, end
            spans.append(range(start, stop))
            start = stop
        return tuple(spans)

    def settle(
        self, lines: Sequence[InterpretedLine], least_confidence: float
    ) -> tuple[InterpretedLine, ...]:
        """The lines, with a final status where the words leave no doubt: exact orders and whole headings.

        A person checks such an order only if the lines beside it may belong to it, or if the game wants all
        lines checked (`least_confidence` > 1).
        """
        settled = [self._settled(line, least_confidence) for line in lines]
        with_neighbours = zip([None, *settled], settled, [*settled[1:], None], strict=False)
        lexicon = lexicon_of(self.variant)
        return tuple(
            review_uncertain_neighbours(line, above, below, lexicon) for above, line, below in with_neighbours
        )

    def _settled(self, line: InterpretedLine, least_confidence: float) -> InterpretedLine:
        order = self.orders(line.text)
        if order is None:
            is_heading = line.kind == "heading" and self._is_whole_heading(line.text)
            return replace(line, status=LineState.NOT_ORDER) if is_heading else line
        other_candidates = [candidate for candidate in line.candidates if candidate["order"] != order]
        # Nothing is misread in typed text, so score and confidence are 1.
        candidates = ({"text": order, "order": order, "score": 1.0}, *other_candidates)
        return replace(
            line, kind="order", order=order, confidence=1.0, candidates=candidates[:MOST_CANDIDATES],
            status=LineState.AUTO if least_confidence <= 1.0 else LineState.OPEN,
        )

    def _is_whole_heading(self, text: str) -> bool:
        """Whether it names game or power and the season, and has no word of an order."""
        # "Red attacks Kent in Harvest 601" names power and season, and a person must see it.
        heading = parse_sheet_heading([text], self.games)
        starts = order_starts(lexicon_of(self.variant), (forms_of(self.variant, self.kind),))
        is_named = (heading.game or heading.power) and heading.season and not heading.unsure
        return bool(is_named) and not starts.begins_short_order(text) and not has_order_word(text, starts)


def _text_of(part: MimePart) -> str:
    """The text of a body part."""
    # The declared charset is not used: UTF-8, else Windows-1252, covers what players send, and a wrong
    # declaration would lose letters.
    try:
        return part.data.decode("utf-8")
    except UnicodeDecodeError:
        return part.data.decode("cp1252", "replace")


def _from_plain(text: str) -> Iterator[str]:
    unquoted = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(">"))
    for marked in _MARKED.finditer(unquoted):
        yield from _cleaned((marked["stars"] or marked["code"] or "").splitlines())


def _from_html(text: str) -> Iterator[str]:
    reader = _Bold()
    reader.feed(text)
    reader.close()
    yield from _cleaned(reader.bold_lines())
    if not reader.has_bold:
        yield from _from_plain(reader.whole_text())


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
        if tag not in _EMPTY:
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
