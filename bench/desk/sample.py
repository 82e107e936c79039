"""The fixed sample of a hundred doubtful lines (tests/data/desk_lines): ink, what the reader offered, what is
right."""

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
MOST = 100
PAPER = (236, 230, 214)
"""Red, green, blue of a page where no line of it is kept."""


class NoSample(Exception):
    """There is no sample to measure on; the sentence names the file."""


class Do(StrEnum):
    """What a person does with a line: read it as an order, say that it is none, or find it void."""

    READ = "read"
    NOT_ORDER = "not-order"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class SampleLine:
    """One doubtful line. `box`: corners in pixels of its page; `candidates` as a line row keeps them;
    `order`: the canonical order that was written, None where `do` is not READ; `written`: its words."""

    picture: str
    at: tuple[int, int]
    box: list[list[float]]
    kind: str
    struck: bool
    text: str
    read_as: str | None
    confidence: float
    candidates: list[dict[str, Any]]
    do: Do
    order: str | None
    written: str


@dataclass(frozen=True, slots=True)
class SamplePage:
    """A photographed page of which only the doubtful lines are kept. `size`: width and height in pixels."""

    id: str
    size: tuple[int, int]
    lines: tuple[SampleLine, ...]


@dataclass(frozen=True, slots=True)
class DeskSample:
    """Pages with a hundred lines together. `variant` and `phase` are what they were read for."""

    folder: Path
    variant: str
    phase: str
    pages: tuple[SamplePage, ...]

    def picture(self, page: SamplePage) -> bytes:
        """The page as JPEG: its doubtful lines at their places, bare paper elsewhere."""
        made = Image.new("RGB", page.size, PAPER)
        for line in page.lines:
            with Image.open(self.folder / line.picture) as opened:
                made.paste(opened.convert("RGB"), line.at)
        out = io.BytesIO()
        made.save(out, "JPEG", quality=85)
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


def _line(given: Mapping[str, Any]) -> SampleLine:
    right = given["right"]
    return SampleLine(
        given["picture"], (given["at"][0], given["at"][1]), given["box"], given["kind"], given["struck"],
        given["text"],
        given["order"], given["confidence"], given["candidates"], Do(right["do"]), right.get("order"),
        right["written"])
