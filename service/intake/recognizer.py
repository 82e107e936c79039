"""The eye as the service has it: files opened in a limited child, then read by the engines of this
process."""

from __future__ import annotations

import hashlib
import io
import os
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import BoundedSemaphore, Lock
from typing import Protocol, runtime_checkable

import numpy as np
from PIL import Image

from ocr.engines import Engine
from ocr.page import Box, Photo, Reading, ReadLine, Status, UnreadableReason
from service.intake.sandbox import Decoded, SandboxLimits, decode_photo
from service.mail.image_types import SMALLEST_SIDE, PictureState, PictureType, PillowProbe, Probe

MOST_REMEMBERED = 8_000_000
"""Bytes of pages of one file that are worth remembering."""


@dataclass(frozen=True, slots=True)
class RecognizedPage:
    """One picture of a file: its upright re-encoded JPEG (None when it could not be opened) and what was
    read."""

    upright: bytes | None = field(repr=False)
    reading: Reading


class Recognizer(Protocol):
    """Looks at one file as it came by mail."""

    def recognize(self, data: bytes, name: str) -> tuple[RecognizedPage, ...]:
        """One Sight per picture of the file, at least one. Never raises on account of `data`; ChildFault
        where this machine is to blame."""
        ...


@runtime_checkable
class LineRecognizer(Protocol):
    """Looks at one line again, in a box that a person has drawn."""

    def recognize_line(self, upright: bytes, box: Box, rotation: int) -> tuple[ReadLine, ...]:
        """What stands in a box of a page's upright picture (`Sight.upright`), in one way or more; empty where
        nobody sees a letter there. `rotation` is the page's quarter turn. Raises OSError for bytes that are
        no picture."""
        ...


class ImageOpener:
    """Opens files in the limited child and remembers the last few: a mail's pictures are looked at by the
    intake and again by the reader moments later."""

    def __init__(self, limits: SandboxLimits = SandboxLimits(), keep: int = 24) -> None:
        self._limits = limits
        self._keep = keep
        self._known: OrderedDict[str, Decoded] = OrderedDict()
        self._lock = Lock()

    def open(self, data: bytes, name: str) -> Decoded:
        """See `service.intake.sandbox.decode_photo`."""
        key = hashlib.sha256(data).hexdigest()
        with self._lock:
            known = self._known.get(key)
        if known is not None:
            return known
        decoded = decode_photo(data, name, self._limits)
        with self._lock:
            if sum(len(page) for page in decoded.pages) <= MOST_REMEMBERED:
                self._known[key] = decoded
            while len(self._known) > self._keep:
                self._known.popitem(last=False)
        return decoded


class EngineRecognizer:
    """Child process, then RapidOCR's networks with Tesseract as second opinion. As many readings at a time as
    there are cores, at most two: more only take longer, and memory stays bounded."""

    def __init__(self, engines: Sequence[Engine] | None = None, opener: ImageOpener | None = None) -> None:
        self._engines = tuple(engines) if engines is not None else _engines()
        self._opener = opener or ImageOpener()
        self._room = BoundedSemaphore(min(2, os.cpu_count() or 1))

    def recognize(self, data: bytes, name: str) -> tuple[RecognizedPage, ...]:
        """See `Recognizer`."""
        decoded = self._opener.open(data, name)
        if decoded.reason is not None:
            return (RecognizedPage(None, Reading(Status.UNUSABLE, decoded.reason, decoded.detail)),)
        from ocr.read import read

        with self._room:
            return tuple(
                RecognizedPage(page, read(Photo(page, name), self._engines)) for page in decoded.pages
            )

    def recognize_line(self, upright: bytes, box: Box, rotation: int) -> tuple[ReadLine, ...]:
        """See `LineRecognizer`."""
        from ocr.read_line import read_line

        with Image.open(io.BytesIO(upright)) as opened:
            picture = np.asarray(opened.convert("RGB"))
        with self._room:
            return read_line(picture, box, rotation, self._engines)


def _engines() -> tuple[Engine, ...]:
    from ocr.engines.default import default_engines
    from ocr.engines.tesseract import Tesseract

    return (*default_engines(), Tesseract())


class UnopenedProbe:
    """Takes every picture for a photograph unopened: for when this machine cannot open any, which is not
    their sender's fault. The reader opens them later, or the paper is held."""

    def probe(self, data: bytes, kind: PictureType) -> Probe:
        """See `service.mail.image_types.PictureProbe`."""
        return Probe(PictureState.GOOD, 1)


class ChildProbe:
    """Opens the pictures of a mail in the limited child; the small ones that are only decoration are told
    from their header, without one."""

    def __init__(self, opener: ImageOpener | None = None) -> None:
        self._opener = opener or ImageOpener()

    def probe(self, data: bytes, kind: PictureType) -> Probe:
        """See `service.mail.image_types.PictureProbe`. Raises as `service.intake.sandbox.decode_photo`
        does."""
        decoded = self._opener.open(data, "picture")
        if decoded.reason is UnreadableReason.TOO_LARGE:
            return Probe(PictureState.BROKEN)
        if decoded.reason is not None:
            locked = "password" in decoded.detail
            return Probe(PictureState.LOCKED if locked else PictureState.BROKEN)
        # What the child hands back is our own JPEG, safe to look at here.
        first = PillowProbe().probe(decoded.pages[0], PictureType.JPEG)
        if min(first.width, first.height) < SMALLEST_SIDE and kind is not PictureType.PDF:
            return Probe(PictureState.DECORATION, 0, first.width, first.height)
        return Probe(PictureState.GOOD, len(decoded.pages), first.width, first.height)
