"""Photographs of handwritten sheets to lines and orders. Needs the packages of the reader."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudicator.calendar import Phase, PhaseKind
from galloper.boards import Board, as_board
from galloper.errors import OrderError, SheetError
from galloper.libraries import needed_for
from galloper.orders import Order
from galloper.parsing import parse_orders

if TYPE_CHECKING:
    from service.intake.sheets.read_photo import PhotoReading
    from service.intake.sheets.recognizer import EngineRecognizer


@dataclass(frozen=True, slots=True)
class SheetLine:
    """One line of a sheet.

    `kind` is "heading", "order" or "other"; `text` what was written; `order` canonical text or None.
    `confidence`, 0 to 1: the chance that `order` (`text` without one) is what was written. `is_open`: a
    person should look at it. `is_struck`: it is crossed out. `box`: its corners in pixels of the photograph,
    clockwise from the top left of the writing. `candidates`: other readings, best first, as texts.
    """

    kind: str
    text: str
    order: str | None
    confidence: float
    is_open: bool
    is_struck: bool
    box: tuple[tuple[int, int], ...] = field(repr=False)
    candidates: tuple[str, ...] = field(repr=False)

    def __str__(self) -> str:
        return self.order or self.text


@dataclass(frozen=True, slots=True, repr=False)
class Sheet:
    """A photograph as it was read.

    `status` is "read" or "unusable"; `reason` why it is unusable ("blurred", "too_dark" ...) or None. `power`
    and `phase` are what the heading states; None where it has nothing that is known. `lines` are those of all
    pages, from top to bottom.
    """

    board: Board
    status: str
    reason: str | None
    power: str | None
    phase: Phase | None
    kind: str | None
    lines: tuple[SheetLine, ...]
    inner: Mapping[str, Any] = field(repr=False)

    @property
    def order_lines(self) -> tuple[SheetLine, ...]:
        """The lines that are orders and are not struck out, read or not."""
        return tuple(line for line in self.lines if line.kind == "order" and not line.is_struck)

    def orders(self, power: str | None = None, *, with_open: bool = False) -> tuple[Order, ...]:
        """The orders on the sheet as values, for a game: those that no one need look at, and with
        `with_open` the best guess for the others too.

        `power`: whose sheet it is, if not as in its heading. Raises SheetError if neither states it.
        """
        author = power or self.power
        if author is None:
            raise SheetError("The heading of the sheet names no power that is known; give the power.")
        # Without those that a person should look at: a wrong order is worse than a missing one.
        texts = [line.order for line in self.order_lines if line.order and (with_open or not line.is_open)]
        # The heading may be unreadable, and an order shows its phase by its words.
        kinds = dict.fromkeys(kind for _, kind in self.board.phases)
        return tuple(order for text in texts for order in _orders_of(text, self.board, author, [
            *([self.kind] if self.kind else []), *kinds]))

    def to_json(self) -> dict[str, Any]:
        """The object of `galloper read --json` (docs/contract.md)."""
        return deepcopy(dict(self.inner))

    def __repr__(self) -> str:
        if self.status != "read":
            return f"<Sheet: {self.status}, {str(self.reason).replace('_', ' ')}>"
        lines = self.order_lines
        is_open = sum(line.is_open for line in lines)
        return f"<Sheet of {self.power or 'nobody known'}: {len(lines)} orders, {is_open} of them open>"


def read_sheet(
    photo: str | PathLike[str] | bytes, *, board: str | Board, phase: str | None = None
) -> Sheet:
    """Read a photograph of a handwritten sheet (JPEG, PNG, HEIC, TIFF, WebP or PDF).

    `photo` is a file's name, or its bytes. `phase`: its kind, "movement", "retreat", "adjustment" or the
    board's own; without it the sheet's own heading decides. The first call of a program loads the networks,
    which takes a second. Raises SheetError if the file or the phase is not there, BoardError, and
    MissingLibraryError.
    """
    sheet_board = as_board(board)
    kinds = tuple(dict.fromkeys(kind for _, kind in sheet_board.phases))
    if phase is not None and phase not in kinds:
        raise SheetError(f"The board {sheet_board.name} has no phase {phase!r}; it has {', '.join(kinds)}.")
    name, data = _bytes_of(photo)
    with needed_for("Reading a sheet"):
        from reading.page import PageReader
        from reading.vocabulary import vocabulary_of
        from service.intake.sheets.read_photo import photo_json, read_photo

        recognizer = _recognizer()
    vocabulary = vocabulary_of(sheet_board.inner, None if phase is None else PhaseKind(phase))
    reading = read_photo(
        data, name, recognizer, PageReader(vocabulary), sheet_board.inner, by_heading=phase is None)
    return _sheet(sheet_board, reading, photo_json(name, reading), phase)


def _orders_of(text: str, board: Board, power: str, kinds: list[str]) -> tuple[Order, ...]:
    """The orders of canonical text, by the first kind of phase that takes it."""
    for kind in kinds:
        try:
            # Several orders of one line are parted by semicolons, which the grammar takes.
            return parse_orders(text.replace("; ", "\n"), board=board, power=power, phase=kind)
        except OrderError:
            continue
    raise SheetError(f"{text!r} is an order of no phase of the board {board.name}.")


def _bytes_of(photo: str | PathLike[str] | bytes) -> tuple[str, bytes]:
    if isinstance(photo, bytes):
        return "photograph", photo
    path = Path(fspath(photo))
    try:
        return path.name, path.read_bytes()
    except OSError as error:
        raise SheetError(f"{path} cannot be read ({error.strerror}); check the name.") from error


# The networks take a second to load, and a program reads many sheets.
@cache
def _recognizer() -> EngineRecognizer:
    from service.intake.sheets.recognizer import EngineRecognizer

    return EngineRecognizer()


def _sheet(board: Board, reading: PhotoReading, answer: dict[str, Any], phase: str | None) -> Sheet:
    # Only one page of several has the heading, and it need not be the first that was photographed.
    headings = [page.content.heading for page in reading.pages]
    heading = next((heading for heading in headings if heading.power is not None), None) or next(
        iter(headings), None)
    lines = tuple(
        SheetLine(
            line["kind"], line["text"], line["order"], line["confidence"], line["status"] == "open",
            line["struck"], tuple((x, y) for x, y in line["box"]),
            tuple(str(candidate["text"]) for candidate in line["candidates"]))
        for page in answer["pages"] for line in page["lines"])
    power = named_phase = kind = None
    if heading is not None:
        power = None if heading.power is None else board.power(heading.power)
        kind = heading.kind
        if heading.kind is not None and heading.season is not None and heading.year is not None:
            named_phase = Phase(heading.year, heading.season, heading.kind)
    return Sheet(board, reading.status, reading.reason, power, named_phase,
                 phase or (None if kind is None else kind.value), lines, answer)
