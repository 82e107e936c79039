"""Recognition of the photographs of a mail: opened in a limited child, then read by the engines here."""

from __future__ import annotations

import hashlib
import io
import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from threading import BoundedSemaphore, Lock
from typing import Protocol, runtime_checkable

import numpy as np
from PIL import Image

from grammar.headings.sheet_code import OWN_PICTURE
from ocr.engines import Engine
from ocr.engines.hand import Hand, LearntLine
from ocr.freed_memory import give_back
from ocr.image.formats import PictureFormat
from ocr.image.sheet_form import rows_of
from ocr.page import Box, Photo, Reading, ReadLine, Status
from service.facts.files import FileFate
from service.intake.opening.sandbox import Decoded, SandboxLimits, decode_photo
from service.mail.mime.image_types import SECONDS_OF_A_MAIL, SMALLEST_SIDE, Probe

MOST_LOOKED_AT = 6
"""Photographs of one file that are looked at before they are read. By hand."""

MOST_REMEMBERED = 8_000_000
"""Bytes of the pages of one file that are remembered, at most."""

MOST_KEPT = 400.0
"""Memory of this process, MiB, above which freed memory is given back after a file was read. The networks and
the automata of one board are 290."""


@dataclass(frozen=True, slots=True)
class RecognizedPage:
    """One picture of a file: upright and encoded again as JPEG (None if it could not be opened), and its
    reading. `typed`: the rows of a form that was filled in with a keyboard; then nothing else of the file is
    read."""

    upright: bytes | None = field(repr=False)
    reading: Reading
    typed: tuple[str, ...] = field(default=(), repr=False)


class Recognizer(Protocol):
    """Reads one file as it came by mail."""

    def recognize(self, data: bytes, name: str) -> tuple[RecognizedPage, ...]:
        """One page per picture of the file, at least one. Never raises because of `data`; raises ChildFault
        if this machine is to blame."""
        ...


@runtime_checkable
class LineRecognizer(Protocol):
    """Reads one line again, in a box that a person drew."""

    def recognize_line(self, upright: bytes, box: Box, rotation: int) -> tuple[ReadLine, ...]:
        """Alternative readings of a box of `RecognizedPage.upright`; empty if no engine sees a letter.

        `rotation`: the page's quarter turn in degrees. Raises OSError for bytes that are not a picture.
        """
        ...


@dataclass(frozen=True, slots=True)
class LessonPage:
    """Lines of one upright page (`RecognizedPage.upright`) of which it is certain what they say. `line_ids`:
    their numbers on file."""

    upright: bytes = field(repr=False)
    rotation: int
    boxes: tuple[Box, ...]
    texts: tuple[str, ...] = field(repr=False)
    line_ids: tuple[int, ...] = ()


@runtime_checkable
class HandRecognizer(Protocol):
    """A recognizer that learns how one person writes, and reads with what it learnt."""

    def learn(self, pages: Sequence[LessonPage]) -> Hand | None:
        """A person's hand from lines of theirs; None if too few of them fit."""
        ...

    def with_hand(self, hand: Hand) -> Recognizer:
        """The same recognizer for that person's photographs."""
        ...


class ImageOpener:
    """Opens files, in the limited child unless `decode` does it otherwise, and remembers the last
    `remembered_files` of them."""

    def __init__(
        self, limits: SandboxLimits = SandboxLimits(), remembered_files: int = 24,
        decode: Callable[[bytes, SandboxLimits], Decoded] = decode_photo,
    ) -> None:
        self._limits, self._decode = limits, decode
        self._most_files = remembered_files
        # The intake opens the pictures of a mail to judge it, and the reader opens them again moments later.
        self._by_digest: OrderedDict[str, Decoded] = OrderedDict()
        self._lock = Lock()

    def open(self, data: bytes, seconds: float = SECONDS_OF_A_MAIL) -> Decoded:
        """See `service.intake.opening.sandbox.decode_photo`. `seconds`: processor time that it may take, if
        that is less than the limits."""
        key = hashlib.sha256(data).hexdigest()
        with self._lock:
            remembered = self._by_digest.get(key)
        if remembered is not None:
            return replace(remembered, seconds=0.0)
        cpu_seconds = max(1, min(self._limits.cpu_seconds, int(seconds)))
        decoded = self._decode(data, replace(self._limits, cpu_seconds=cpu_seconds))
        with self._lock:
            if sum(len(page) for page in decoded.pages) <= MOST_REMEMBERED:
                self._by_digest[key] = decoded
            while len(self._by_digest) > self._most_files:
                self._by_digest.popitem(last=False)
        return decoded


class EngineRecognizer:
    """Child process, then RapidOCR's networks with Tesseract as second opinion."""

    def __init__(
        self, engines: Sequence[Engine] | None = None, opener: ImageOpener | None = None, at_once: int = 0
    ) -> None:
        """`at_once`: how many files are read at the same time; 0 for one a core, at most two."""
        self._engines = tuple(engines) if engines is not None else _engines()
        self._opener = opener or ImageOpener()
        # One reading a core, at most two: more only take longer, and memory stays bounded.
        self._room = BoundedSemaphore(at_once or min(2, os.cpu_count() or 1))

    def recognize(self, data: bytes, name: str) -> tuple[RecognizedPage, ...]:
        """See `Recognizer`."""
        return self.recognize_with(self._engines, data, name)

    def recognize_with(
        self, engines: Sequence[Engine], data: bytes, name: str
    ) -> tuple[RecognizedPage, ...]:
        """The same with other engines."""
        decoded = self._opener.open(data)
        if decoded.trouble is not None:
            return (RecognizedPage(None, Reading(Status.UNUSABLE, decoded.reason, decoded.detail)),)
        rows = rows_of(decoded.fields)
        if rows:
            return (RecognizedPage(decoded.pages[0], Reading(Status.READ), rows),)
        # Imported here: a worker that reads nothing needs 126 MB without the networks, 184 MB with them.
        from ocr.read import read

        with self._room:
            recognized = tuple(
                RecognizedPage(page, read(Photo(page, name), engines)) for page in decoded.pages
            )
        give_back(above=MOST_KEPT)
        return recognized

    def recognize_line(self, upright: bytes, box: Box, rotation: int) -> tuple[ReadLine, ...]:
        """See `LineRecognizer`."""
        from ocr.read_line import read_line

        with Image.open(io.BytesIO(upright)) as opened:
            picture = np.asarray(opened.convert("RGB"))
        with self._room:
            return read_line(picture, box, rotation, self._engines)


    def with_hand(self, hand: Hand) -> Recognizer:
        """See `HandRecognizer`."""
        return _PersonalRecognizer(self, _engines(hand))

    def learn(self, pages: Sequence[LessonPage]) -> Hand | None:
        """See `HandRecognizer`."""
        from ocr.engines import finetuned
        from ocr.engines.hand import fit
        from ocr.engines.ppocr import common_layer, default_engines
        from ocr.learn import KnownLine, learn

        learnt: list[LearntLine] = []
        for page in pages:
            with Image.open(io.BytesIO(page.upright)) as opened:
                picture = np.asarray(opened.convert("RGB"))
            lines = [KnownLine(box, text) for box, text in zip(page.boxes, page.texts, strict=True)]
            with self._room:
                learnt += learn(picture, page.rotation, lines, default_engines())
        return fit(learnt, common_layer(), finetuned.SHA256)


@dataclass(frozen=True, slots=True)
class _PersonalRecognizer:
    """The recognizer with the engines of one person's hand."""

    common: EngineRecognizer
    engines: tuple[Engine, ...]

    def recognize(self, data: bytes, name: str) -> tuple[RecognizedPage, ...]:
        """See `Recognizer`."""
        return self.common.recognize_with(self.engines, data, name)


def _engines(hand: Hand | None = None) -> tuple[Engine, ...]:
    from ocr.engines.ppocr import default_engines
    from ocr.engines.tesseract import Tesseract

    return (*default_engines(hand=hand), Tesseract())


class UnopenedProbe:
    """Takes every picture for a photograph without opening it.

    For a machine that cannot open any, which is not the sender's fault. The reader opens them later, or puts
    the sheet on hold.
    """

    def probe(
        self, data: bytes, kind: PictureFormat, seconds: float = SECONDS_OF_A_MAIL
    ) -> Probe:
        """See `service.mail.mime.image_types.PictureProbe`."""
        return Probe(FileFate.SHEET, 1)


class OpenerProbe:
    """Opens the pictures of a mail as the reader opens them, and looks for what a photograph may lack
    (`ocr.image.first_look`) unless `first_look` is false."""

    def __init__(self, opener: ImageOpener | None = None, *, first_look: bool = True) -> None:
        self._opener, self._first_look = opener or ImageOpener(), first_look

    def probe(
        self, data: bytes, kind: PictureFormat, seconds: float = SECONDS_OF_A_MAIL
    ) -> Probe:
        """See `service.mail.mime.image_types.PictureProbe`. Raises as `decode_photo` of
        `service.intake.opening.sandbox` does."""
        decoded = self._opener.open(data, seconds)
        return replace(self._probe_of(decoded, kind), seconds=decoded.seconds)

    def _probe_of(self, decoded: Decoded, kind: PictureFormat) -> Probe:
        if decoded.trouble is not None:
            return Probe(FileFate.UNOPENED, trouble=decoded.trouble, number=decoded.number)
        # The child returns our own JPEG, whose header is safe to read in this process.
        with Image.open(io.BytesIO(decoded.pages[0])) as first_page:
            width, height = first_page.size
        if min(width, height) < SMALLEST_SIDE and kind is not PictureFormat.PDF:
            return Probe(FileFate.SMALL, width=width, height=height)
        if all(map(_is_ours, decoded.pages)):
            return Probe(FileFate.OURS, width=width, height=height)
        # Our own drawings and scans are even and sharp: only what a camera took is looked at.
        is_looked_at = self._first_look and kind is not PictureFormat.PDF
        troubles = _troubles(decoded.pages) if is_looked_at else ()
        return Probe(FileFate.SHEET, len(decoded.pages), width, height, troubles, more=decoded.more)


def _is_ours(page: bytes) -> bool:
    from ocr.image.own_mark import bears_mark

    with Image.open(io.BytesIO(page)) as opened:
        return bears_mark(np.asarray(opened.convert("RGB")), OWN_PICTURE)


def _troubles(pages: Sequence[bytes]) -> tuple[str, ...]:
    """The faults of the photographs at first sight, each word once."""
    # Imported here, as the networks are: a worker that only sends mail needs none of it.
    from ocr.image.first_look import first_look

    words: dict[str, None] = {}
    for page in pages[:MOST_LOOKED_AT]:
        with Image.open(io.BytesIO(page)) as opened:
            words |= dict.fromkeys(map(str, first_look(np.asarray(opened.convert("RGB")))))
    return tuple(words)
