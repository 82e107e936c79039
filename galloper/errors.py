"""The faults, as exceptions whose text is a sentence for a person."""

from __future__ import annotations

from adjudicator.errors import UserFacingError


class GalloperError(UserFacingError):
    """The base of every exception that this package raises on purpose. Its text shows what happened and what
    to do."""


class BoardError(GalloperError, LookupError):
    """A board, or a power or province of a board, that is not known by that name."""


class PositionError(GalloperError, ValueError):
    """JSON that is not a position of its board; the sentence begins with the field at fault."""


class OrderError(GalloperError, ValueError):
    """A text or JSON that is not an order.

    `text`: what was to be read. `span`: the characters [from, to) of it that could not be read; None for
    JSON. `suggestions`: orders that are near it, best first, as texts.
    """

    def __init__(
        self, message: str, text: str = "", span: tuple[int, int] | None = None,
        suggestions: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message)
        self.text = text
        self.span = span
        self.suggestions = suggestions


class LotsError(GalloperError):
    """The phase draws more lots than there are numbers."""


class GameOverError(GalloperError):
    """The game has ended, and no further phase can be judged."""


class SavedGameError(GalloperError, ValueError):
    """A saved game that cannot be read or written; the sentence names the field at fault."""


class FormatError(GalloperError, ValueError):
    """A game that another program's format cannot hold, or a file that is not in its format; the sentence
    names the phase, line or case."""


class SheetError(GalloperError):
    """A photograph that cannot be opened, or a sheet that does not show what was asked."""


class DrawingError(GalloperError):
    """A map that cannot be drawn."""


class MissingLibraryError(GalloperError, ImportError):
    """A library that reading, parsing or drawing needs is not installed; the sentence names the package."""
