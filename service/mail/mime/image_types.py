"""Whether the files of a mail open as photographs. A Protocol opens them: the service does so in a limited
child process, tests in their own.

The formats are those of `ocr.image.formats`, for every door."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ocr.image.formats import PictureFormat
from ocr.unreadable import FileTrouble
from service.facts.files import FileFate

SMALLEST_SIDE = 200
"""Pixels; a picture smaller on either side is decoration (a logo, a smiley)."""


@dataclass(frozen=True, slots=True)
class Probe:
    """The answer of a probe. `fate`: SHEET until it is read, SMALL, OURS or UNOPENED. `pages`:
    photographs in the file, 0 unless it may be a sheet. `width` and `height` in pixels, 0 if unknown.
    `troubles`: what is wrong with a photograph at first sight, as flags of a verdict. `trouble` and `number`:
    why it does not open. `more`: pictures of it that are not read. `seconds`: processor time that it took."""

    fate: FileFate
    pages: int = 0
    width: int = 0
    height: int = 0
    troubles: tuple[str, ...] = ()
    trouble: FileTrouble | None = None
    number: int = 0
    more: int = 0
    seconds: float = 0.0


SECONDS_OF_A_MAIL = 60.0
"""Processor time that the pictures of one mail may take together. Twenty photographs of 12 million pixels
take half of it; four JPEGs with 60,000 scans each took 133."""


class PictureProbe(Protocol):
    """Opens one file of a known format, or finds that it does not open. Must not raise because of the
    bytes."""

    def probe(
        self, data: bytes, kind: PictureFormat, seconds: float = SECONDS_OF_A_MAIL
    ) -> Probe:
        """Open `data` as `kind`, within some seconds of processor time."""
        ...
