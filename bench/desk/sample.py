"""The fixed sample of a hundred doubtful lines (tests/data/desk_lines): ink, the reader's offers, the right
decision."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from PIL import Image

DEFAULT = Path(__file__).parents[2] / "tests" / "data" / "desk_lines"
FILE = "lines.json"
SAMPLE_SIZE = 100
PAPER = (236, 230, 214)  # red, green, blue of a page where it shows no line of the sample


class NoSample(Exception):
    """There is no sample to measure on; the sentence names the file."""


class RightDecision(StrEnum):
    """What a person decides about a line: it is an order, it is none, or it is void."""

    READ = "read"
    NOT_ORDER = "not-order"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class SampleLine:
    """One doubtful line: its ink, what the reader made of it, and what is right."""

    # The picture of its ink, and where the picture's top left corner is on the page; corners of its box.
    # Pixels.
    picture: str
    corner: tuple[int, int]
    box: list[list[float]]
    # What the reader made of it, as a row of `lines` has it.
    kind: str
    struck: bool
    text: str
    read_as: str | None
    confidence: float
    candidates: list[dict[str, Any]]
    # What is right: the decision, the canonical order (None if the decision is not READ), the words written.
    decision: RightDecision
    order: str | None
    written: str


@dataclass(frozen=True, slots=True)
class SamplePage:
    """A photographed page of which only the doubtful lines are stored; `size`: width and height in pixels."""

    id: str
    size: tuple[int, int]
    lines: tuple[SampleLine, ...]


@dataclass(frozen=True, slots=True)
class DeskSample:
    """Pages that have a hundred lines together, read for that variant and phase."""

    folder: Path
    variant: str
    phase: str
    pages: tuple[SamplePage, ...]

    def picture(self, page: SamplePage) -> bytes:
        """The page as JPEG: its doubtful lines at their places, bare paper elsewhere."""
        page_image = Image.new("RGB", page.size, PAPER)
        for line in page.lines:
            with Image.open(self.folder / line.picture) as opened:
                page_image.paste(opened.convert("RGB"), line.corner)
        out = io.BytesIO()
        page_image.save(out, "JPEG", quality=85)
        return out.getvalue()


def load_sample(folder: Path = DEFAULT) -> DeskSample:
    """The sample in a folder. Raises NoSample."""
    path = folder / FILE
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        pages = tuple(
            SamplePage(page["id"], (page["size"][0], page["size"][1]), tuple(map(_line, page["lines"])))
            for page in document["sheets"])
        return DeskSample(folder, document["variant"], document["phase"], pages)
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise NoSample(f"{path} cannot be read as doubtful lines ({error!r})") from error


def _line(entry: Mapping[str, Any]) -> SampleLine:
    right = entry["right"]
    return SampleLine(
        entry["picture"], (entry["at"][0], entry["at"][1]), entry["box"], entry["kind"], entry["struck"],
        entry["text"], entry["order"], entry["confidence"], entry["candidates"],
        RightDecision(right["do"]), right.get("order"), right["written"])
