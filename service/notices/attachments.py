"""The files that go out with results: the written results as pictures, the map after a Winter, copies of the
sheets.

Each is named before it is drawn, so a dry run can name them all and draw only the one that a person opens.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Protocol

from PIL import Image
from sqlalchemy.orm import Session

import maps
from adjudicator.calendar import PhaseKind
from adjudicator.outcome import Resolution
from grammar.headings.sheet import parse_sheet_heading
from grammar.headings.values import KnownGame
from maps.variant import Variant
from reading.vocabulary import known_game
from service import pictures
from service.games.ballots import executed
from service.games.lines import SettledLine, lines_of
from service.games.phases import phase_title, position_of
from service.games.turns import NotReady
from service.letters.facts import GameInfo, ResultsFacts
from service.mail.sending.compose import Attachment
from service.notices.current_map import Control, map_date, shown
from service.record.references import on_map, root_mark
from service.store import records
from service.store.blobs import BlobError, Blobs
from service.store.tables import GameRow, LineState, PageRow, PhaseRow

COPY = re.compile(r"sheet-.+-\d+\.png")
"""The names of copies of sheets."""
RESULTS = "results-1.png"
"""The first page of the written results; how many follow is known only after drawing."""
_VERSION = re.compile(r"\s*(?:v|ver|version)[ .]*[\dIl]+\s*$", re.IGNORECASE)


class PictureReader(Protocol):
    """Where photographs lie, by SHA-256."""

    def read(self, key: str) -> bytes:
        """The bytes; raises BlobError."""
        ...


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file by its name and media type, with the function that draws it. `draw` returns several pages for
    the written results, else one."""

    name: str
    kind: str
    draw: Callable[[], list[bytes]]

    def drawn(self) -> list[Attachment]:
        """The finished file, or files. Raises NotReady for a sheet whose stored picture cannot be copied."""
        pages = self.draw()
        if self.name == RESULTS:
            return [
                Attachment(f"results-{number}.png", self.kind, page) for number, page in enumerate(pages, 1)
            ]
        return [Attachment(self.name, self.kind, pages[0])]

    @property
    def named(self) -> Attachment:
        """The file with its name and no content."""
        return Attachment(self.name, self.kind, b"")


def enclosures(
    session: Session, blobs: Blobs, phase: PhaseRow, resolution: Resolution, variant: Variant, info: GameInfo,
    facts: ResultsFacts, hidden_powers: frozenset[str] = frozenset(),
) -> list[Enclosure]:
    """Every file of a phase's results in its order (OUT-04 to OUT-08); nothing is drawn yet. The sheets of
    `hidden_powers` hold what the receiver may not know and are left out."""
    heading = results_heading(phase, resolution)
    files = [Enclosure(RESULTS, "image/png", lambda: pictures.results_pictures(
        info, heading, facts, changes=changes_map(phase, resolution, variant)))]
    if PhaseKind(phase.kind).updates_ownership and maps.shapes(variant.slug):
        centres = resolution.position.centres
        units = shown(session.get_one(GameRow, phase.game_id), resolution.position.units)
        name = f"{info.id}-map-{phase.year}.pdf"
        files.append(Enclosure(name, "application/pdf", lambda: [pictures.board_pdf(
            variant, centres, info.name, map_date(phase, variant.calendar), units=units,
            record=on_map(session, phase.game_id, root_mark(session, phase)),
        )]))
    files += [Enclosure(name, "application/pdf", partial(_one_page, draw)) for part in facts.parts.values()
              for name, draw in part.pdfs(info.id, variant).items()]
    return files + _copies(session, blobs, phase, variant, info, hidden_powers)


def _one_page(draw: Callable[[], bytes]) -> list[bytes]:
    return [draw()]


def sheet_copies(
    session: Session, blobs: PictureReader, phase: PhaseRow, variant: Variant, info: GameInfo
) -> list[Enclosure]:
    """Copies of all sheets that counted, of a game in which nothing is hidden any more."""
    return _copies(session, blobs, phase, variant, info)


def changes_map(phase: PhaseRow, resolution: Resolution, variant: Variant) -> str:
    """A small map of the centres that changed hands in a phase, as SVG, or "" (LET-09)."""
    before = position_of(phase).centres
    after = resolution.position.centres
    owner_before = {centre: power for power, centres in before.items() for centre in centres}
    owner_after = {centre: power for power, centres in after.items() for centre in centres}
    changed = {centre: owner_after.get(centre) for centre in sorted({*owner_before, *owner_after})
               if owner_before.get(centre) != owner_after.get(centre)}
    return pictures.board_changes(variant, changed)


def results_heading(phase: PhaseRow, resolution: Resolution) -> str:
    """The heading of the written results: "Autumn 1642 Movement: results", or with retreats to come "Autumn
    1642 Movement: draft results before retreats" (OUT-04)."""
    # The picture must say so itself: it is pinned up without its letter.
    heading = "draft results before retreats" if resolution.opens_retreats else "results"
    return f"{phase_title(phase)}: {heading}"


def _copies(
    session: Session, blobs: PictureReader, phase: PhaseRow, variant: Variant, info: GameInfo,
    hidden_powers: frozenset[str] = frozenset(),
) -> list[Enclosure]:
    """Copies of the sheets that counted, of powers that are not hidden."""
    sheets = {power: key for power, key in executed(session, phase).items() if power not in hidden_powers}
    lines = lines_of(session, list(sheets.values()))
    known = [known_game(variant, info.name)]
    copies = []
    for power, key in sheets.items():
        slug = power.lower().replace(" ", "-")
        for number, page in enumerate(records.pages(session, key), 1):
            page_lines = [line for line in lines[key] if line.page_id == page.id]
            # A page with nothing but closing words would give an empty copy.
            if page.upright is not None and len(page_lines) > len(_closing(page_lines)):
                draw = partial(_copy, blobs, page, page_lines, known, variant.powers[power].name)
                copies.append(Enclosure(f"sheet-{slug}-{number}.png", "image/png", draw))
    return copies


def _copy(
    blobs: PictureReader, page: PageRow, lines: Sequence[SettledLine], known: Sequence[KnownGame], power: str
) -> list[bytes]:
    try:
        return [_copied(blobs.read(page.upright or ""), page, lines, known)]
    # The message names the power, so that the coordinator can find the damaged sheet.
    except (pictures.SheetUnusable, BlobError, OSError) as fault:
        raise NotReady(f"the stored picture of the sheet of {power} cannot be copied ({fault})") from fault


def control_map(control: Control) -> bytes | None:
    """The map of who owns what as a PDF; None for a board that is not drawn (MAP-01)."""
    if not maps.shapes(control.variant.slug):
        return None
    return pictures.board_pdf(control.variant, control.centres, control.game, control.when,
                              units=control.units, record=control.record)


def _names(lines: Sequence[SettledLine], known: Sequence[KnownGame]) -> list[SettledLine]:
    """Lines above the orders that are not about the game: the sender's real name and address (Q-37)."""
    above = [line for line in lines if line.kind == "heading"]
    # The parser reads the lines about game, power and phase; a version number alone is neither these nor a
    # name.
    game_lines = set(parse_sheet_heading([line.text for line in above], known).lines)
    return [
        line for index, line in enumerate(above)
        if index not in game_lines and not _VERSION.match(line.text)
    ]


def unshown(lines: Sequence[SettledLine], variant: Variant, game: str) -> list[SettledLine]:
    """The lines of a page that no copy shows, because they name its sender or a home (Q-37). `game` is the
    game's name."""
    return [*_names(lines, [known_game(variant, game)]), *_closing(lines)]


def _closing(lines: Sequence[SettledLine]) -> list[SettledLine]:
    """Lines below a page's last order that are neither orders nor struck out: closing words, a signature, an
    address."""
    # a name under the last order once went to all players with the copy.
    below = []
    # From the bottom up: the first order met is the page's last.
    for line in sorted(lines, key=lambda line: line.ordinal, reverse=True):
        if line.kind == "heading":
            continue
        if line.struck or line.state is not LineState.NOT_ORDER:
            break
        below.append(line)
    return below


def _copied(
    upright: bytes, page: PageRow, lines: Sequence[SettledLine], known: Sequence[KnownGame]
) -> bytes:
    """A page from its heading to its last order, with the lines that name its sender painted over."""
    data, corners = turned(upright, page, lines)
    # The copy ends with the last order; closing words that reach into its frame are painted over as well.
    closing = _closing(lines)
    keep = [point for line in lines if line not in closing for point in corners[line.id]]
    masks = [corners[line.id] for line in (*_names(lines, known), *closing)]
    # The first corner of a box is the upper left one and the last the lower left one.
    row = median(math.dist(box[0], box[-1]) for box in corners.values())
    return pictures.sheet_copy(data, keep, masks, max(1.0, row))


def turned(
    upright: bytes, page: PageRow, lines: Sequence[SettledLine]
) -> tuple[bytes, dict[int, list[tuple[float, float]]]]:
    """The page with its writing upright, and the corners of each line on it."""
    with Image.open(io.BytesIO(upright)) as opened:
        width, height = opened.size
        if page.rotation % 360 == 0:
            return upright, {line.id: list(line.box) for line in lines}
        # `rotation` is in degrees clockwise; PIL turns the other way.
        turned = opened.convert("RGB").rotate(-page.rotation, expand=True)
    out = io.BytesIO()
    turned.save(out, "JPEG", quality=90)
    def moved(x: float, y: float) -> tuple[float, float]:
        return {90: (height - y, x), 180: (width - x, height - y), 270: (y, width - x)}[page.rotation]
    return out.getvalue(), {line.id: [moved(x, y) for x, y in line.box] for line in lines}
