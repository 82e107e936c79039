"""Which pictures of a mail bring no orders, where a mail is judged and not filed (ARR-03). On a site the
reader finds the same when it reads the sheet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from grammar.headings.sheet import parse_sheet_heading
from grammar.headings.values import KnownGame
from ocr.page import Page
from reading.no_sheet import PageKind, WrittenLine, kind_of_page
from service.facts.files import FileFate
from service.intake.sheets.read_submission import FATES
from service.intake.sheets.recognizer import Recognizer
from service.mail.message import IncomingMail, Picture


class SheetTest(Protocol):
    """Finds the pictures of a mail that bring no orders."""

    def fates(self, mail: IncomingMail, game: KnownGame) -> dict[str, FileFate]:
        """The fates of those pictures, by digest; `game` is the one that the mail is for."""
        ...


@dataclass(frozen=True, slots=True)
class ReadingTest:
    """Reads the pictures, each once, and looks at their words alone."""

    recognizer: Recognizer
    _known: dict[tuple[str, str], FileFate] = field(default_factory=dict, repr=False, compare=False)

    def fates(self, mail: IncomingMail, game: KnownGame) -> dict[str, FileFate]:
        """See `SheetTest`. A file is put aside whole: if no page of it may be a sheet."""
        fates: dict[str, FileFate] = {}
        for picture in mail.usable_pictures:
            key = picture.digest, game.name
            if key not in self._known:
                self._known[key] = self._fate(picture, game)
            if self._known[key] is not FileFate.SHEET:
                fates[picture.digest] = self._known[key]
        return fates

    def _fate(self, picture: Picture, game: KnownGame) -> FileFate:
        kinds = [_kind(page, game) for recognized in self.recognizer.recognize(picture.data, picture.name)
                 for page in recognized.reading.pages]
        # What could not be read at all may be anything.
        return FileFate.SHEET if not kinds or PageKind.SHEET in kinds else FATES[kinds[0]]


def _kind(page: Page, game: KnownGame) -> PageKind:
    heading = parse_sheet_heading([line.text for line in page.lines], [game])
    lines = [WrittenLine(line.text, line.score, index in heading.lines)
             for index, line in enumerate(page.lines)]
    return kind_of_page(lines, heading, game.starts, is_form=page.printed is not None)
