"""Orders typed into a mail, for games that take them (WSB-02, Q-60): only bold text counts, which
`service.mail.body.text` finds.

The text goes to the grammar as it was typed. It is also drawn as a page, in black on white with the box of
each row: the desk, the receipts and the copies show it, since they show a page of any sheet. Nothing reads
it.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace

from PIL import Image, ImageDraw, ImageFont

from adjudicator.calendar import PhaseKind
from grammar.headings.sheet import parse_sheet_heading
from grammar.headings.values import KnownGame
from grammar.order_starts import order_starts
from grammar.order_traits import is_incomplete
from grammar.remarks import is_harmless
from grammar.respellings import has_order_word
from maps.variant import Variant
from ocr.image.formats import PictureFormat
from ocr.page import Box, Page, Reading, ReadLine, Status, Strike
from reading.decode import MOST_CANDIDATES
from reading.line import InterpretedLine
from reading.review import review_uncertain_neighbours
from reading.status import LineState
from reading.vocabulary import forms_of, lexicon_of, parse_typed, printed
from service.facts.files import FileFate
from service.intake.sheets.recognizer import RecognizedPage
from service.mail.message import Picture
from service.pictures.drawing.fonts import FACES

MOST_WRAPPED = 3
"""Lines into which a mail program may break one order: 200 characters in 72 columns (RFC 3676, 4.2)."""

_MARGIN, _STEP, _SIZE = 110, 96, 44
"""Pixels: margin around the rows, distance from row to row, height of the letters."""
_LEAST_WIDTH, _LEAST_HEIGHT = 1400, 900
_JPEG_QUALITY = 92


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
        self, lines: Sequence[InterpretedLine], least_confidence: float, *, are_whole: bool = False
    ) -> tuple[InterpretedLine, ...]:
        """The lines, with a final status where the words leave no doubt: exact orders and whole headings.

        A person checks such an order only if the lines next to it may belong to it, or if the game needs all
        lines checked (`least_confidence` > 1). `are_whole`: no line belongs to another, as in the fields of a
        form.
        """
        settled = [self._settled(line, least_confidence) for line in lines]
        if are_whole:
            return tuple(settled)
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
        """Whether it names game or power and the season, and has no word of an order; or is the line that
        names the phase, or the game, and no more."""
        # "Last Stand" is on our own form of a game of that name, and "stand" is a word of an order.
        if text.casefold() in {name.casefold() for game in self.games for name in (game.name, *game.aliases)}:
            return True
        # "Red attacks Kent in Harvest 601" names power and season, and a person must see it.
        heading = parse_sheet_heading([text], self.games)
        # "May 1618 Movement Orders" is on our own form, and "may" is a word of doubt anywhere else.
        if not heading.unsure and text.casefold() == (
                f"{heading.season} {heading.year} {heading.kind} orders".casefold()):
            return True
        starts = order_starts(lexicon_of(self.variant), (forms_of(self.variant, self.kind),))
        is_named = (heading.game or heading.power) and heading.season and not heading.unsure
        return bool(is_named) and not starts.begins_short_order(text) and not has_order_word(text, starts)


def as_picture(rows: Sequence[str]) -> Picture:
    """The page as a picture of the mail. Its digest is the text's."""
    page, _ = _draw(rows)
    # By the text, so that the same text sent twice is one sheet, even if another release draws it otherwise.
    digest = hashlib.sha256("\n".join(rows).encode()).hexdigest()
    return Picture(
        PictureFormat.PNG, FileFate.SHEET, 1, "typed.png", digest, _saved(page, "PNG"), *page.size
    )


def as_reading(rows: Sequence[str], spans: Sequence[range]) -> tuple[RecognizedPage, ...]:
    """The result of an engine that misreads nothing: a line for each span of rows, score 1, no posteriors."""
    page, boxes = _draw(rows)
    lines = tuple(
        ReadLine(
            _around([boxes[row] for row in span]), (), " ".join(rows[row] for row in span), 1.0, Strike()
        )
        for span in spans
    )
    upright = _saved(page, "JPEG", quality=_JPEG_QUALITY)
    return (RecognizedPage(upright, Reading(Status.READ, pages=(Page(1, 0, 0.0, lines),))),)


def _draw(rows: Sequence[str]) -> tuple[Image.Image, list[tuple[float, float, float, float]]]:
    """The page, and left, top, right and bottom of each row's letters in pixels."""
    font = ImageFont.truetype(FACES["plain"], _SIZE)
    widest = max(int(font.getlength(row)) for row in rows)
    size = (max(_LEAST_WIDTH, widest + 2 * _MARGIN), max(_LEAST_HEIGHT, 2 * _MARGIN + _STEP * len(rows)))
    page = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(page)
    boxes = []
    for index, row in enumerate(rows):
        corner = (_MARGIN, _MARGIN + _STEP * index)
        pen.text(corner, row, fill="black", font=font)
        boxes.append(pen.textbbox(corner, row, font=font))
    return page, boxes


def _around(boxes: Sequence[tuple[float, float, float, float]]) -> Box:
    """The upright rectangle around all boxes."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    left, top, right, bottom = min(lefts), min(tops), max(rights), max(bottoms)
    return Box(((left, top), (right, top), (right, bottom), (left, bottom)))


def _saved(page: Image.Image, kind: str, **options: int) -> bytes:
    encoded = io.BytesIO()
    page.save(encoded, kind, **options)
    return encoded.getvalue()
