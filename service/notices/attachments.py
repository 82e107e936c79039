"""The files that go out with results: the written results as pictures, the map after a Winter, copies of the
sheets.

Each is named before it is drawn, so that a rehearsal can name them all and draw one when somebody looks at
it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PIL import Image
from sqlalchemy.orm import Session

import maps
from adjudicator.calendar import PhaseKind
from adjudicator.outcome import Resolution
from grammar.headings.sheet import parse_sheet_heading
from grammar.headings.values import KnownGame
from maps.variant import Variant
from service import pictures
from service.games.ballots import executed
from service.games.lines import SettledLine, lines_of
from service.games.phases import phase_title
from service.games.turns import NotReady
from service.intake.load_context import known_game
from service.letters.facts import GameInfo, ResultsFacts
from service.mail.compose import Attachment
from service.notices.current_map import Control, drawn_when, shown
from service.record.references import on_map, root_mark
from service.store import records
from service.store.blobs import BlobError, Blobs
from service.store.tables import GameRow, LineState, PageRow, PhaseRow

RESULTS = "results-1.png"
"""The first page of the written results; how many follow is known once they are drawn."""
_VERSION = re.compile(r"\s*(?:v|ver|version)[ .]*[\dIl]+\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file by its name and media type, with what draws it. `draw` gives more than one for the written
    results."""

    name: str
    kind: str
    draw: Callable[[], list[bytes]]

    def drawn(self) -> list[Attachment]:
        """The finished file, or files. Raises NotReady for a sheet whose kept picture cannot be copied."""
        pages = self.draw()
        if self.name == RESULTS:
            return [Attachment(f"results-{at}.png", self.kind, page) for at, page in enumerate(pages, 1)]
        return [Attachment(self.name, self.kind, pages[0])]

    @property
    def named(self) -> Attachment:
        """The name alone, with nothing in it."""
        return Attachment(self.name, self.kind, b"")


def enclosures(
    session: Session, blobs: Blobs, phase: PhaseRow, resolution: Resolution, variant: Variant, info: GameInfo,
    facts: ResultsFacts, hushed: frozenset[str] = frozenset(),
) -> list[Enclosure]:
    """Every file of a phase's results in its order (OUT-04 to OUT-08); nothing is drawn yet. The sheets of
    `hushed` powers hold what the receiver may not know and are left out."""
    found = [
        Enclosure(
            RESULTS,
            "image/png",
            lambda: pictures.results_pictures(info, results_heading(phase, resolution), facts),
        )
    ]
    if PhaseKind(phase.kind).updates_ownership and maps.shapes(variant.slug):
        centres = resolution.position.centres
        units = shown(session.get_one(GameRow, phase.game_id), resolution.position.units)
        found.append(
            Enclosure(
                f"{info.id}-map-{phase.year}.pdf",
                "application/pdf",
                lambda: [
                    pictures.board_pdf(
                        variant,
                        centres,
                        info.name,
                        drawn_when(phase, variant.calendar),
                        units=units,
                        record=on_map(root_mark(session, phase)),
                    )
                ],
            )
        )
    for power, key in executed(session, phase).items():
        if power in hushed:
            continue
        found += _copies(session, blobs, key, power, variant, info)
    return found


def results_heading(phase: PhaseRow, resolution: Resolution) -> str:
    """What stands on top of the written results: "Autumn 1642 Movement: results", or of a movement with
    retreats to come "Autumn 1642 Movement: draft results before retreats" (OUT-04), as its letter is
    headed."""
    draft = phase.kind == PhaseKind.MOVEMENT and resolution.dislodged
    return f"{phase_title(phase)}: {'draft results before retreats' if draft else 'results'}"


def _copies(
    session: Session, blobs: Blobs, submission_id: int, power: str, variant: Variant, info: GameInfo
) -> list[Enclosure]:
    lines = lines_of(session, [submission_id])[submission_id]
    known = [known_game(variant, info.name)]
    slug = power.lower().replace(" ", "-")
    found = []
    for at, page in enumerate(records.pages(session, submission_id), 1):
        own = [line for line in lines if line.page_id == page.id]
        if page.upright is not None and len(own) > len(_closing(own)):
            draw = partial(_copy, blobs, page, own, known, variant.powers[power].name)
            found.append(Enclosure(f"sheet-{slug}-{at}.jpg", "image/jpeg", draw))
    return found


def _copy(
    blobs: Blobs, page: PageRow, lines: Sequence[SettledLine], known: Sequence[KnownGame], power: str
) -> list[bytes]:
    try:
        return [_copied(blobs.read(page.upright or ""), page, lines, known)]
    except (pictures.SheetUnusable, BlobError, OSError) as fault:
        raise NotReady(f"the kept picture of the sheet of {power} cannot be copied ({fault})") from fault


def control_map(found: Control) -> bytes | None:
    """The map of who owns what as a PDF; None for a board that is not drawn (MAP-01)."""
    if not maps.shapes(found.variant.slug):
        return None
    return pictures.board_pdf(found.variant, found.centres, found.game, found.when, units=found.units,
                              record=found.record)


def _names(lines: Sequence[SettledLine], known: Sequence[KnownGame]) -> list[SettledLine]:
    """Lines above the orders that say nothing of the game: the sender's real name and address (Q-37)."""
    above = [line for line in lines if line.kind == "heading"]
    said = set(parse_sheet_heading([line.text for line in above], known).lines)
    return [line for at, line in enumerate(above) if at not in said and not _VERSION.match(line.text)]


def unshown(lines: Sequence[SettledLine], variant: Variant, game: str) -> list[SettledLine]:
    """The lines of a page that no copy of it shows, since they name its sender or a home (Q-37). `game` is
    its name."""
    return [*_names(lines, [known_game(variant, game)]), *_closing(lines)]


def _closing(lines: Sequence[SettledLine]) -> list[SettledLine]:
    """Lines below a page's last order that are none, nor struck: closing words, a signature, an address
    (Q-37)."""
    below = []
    for line in sorted(lines, key=lambda one: one.ordinal, reverse=True):
        if line.kind == "heading":
            continue
        if line.struck or line.state is not LineState.NOT_ORDER:
            break
        below.append(line)
    return below


def _copied(
    upright: bytes, page: PageRow, lines: Sequence[SettledLine], known: Sequence[KnownGame]
) -> bytes:
    """A page from heading to last order, with the lines that name its sender painted over."""
    data, corners = turned(upright, page, lines)
    closing = _closing(lines)
    keep = [point for line in lines if line not in closing for point in corners[line.id]]
    return pictures.sheet_copy(data, keep, [corners[line.id] for line in (*_names(lines, known), *closing)])


def turned(
    upright: bytes, page: PageRow, lines: Sequence[SettledLine]
) -> tuple[bytes, dict[int, list[tuple[float, float]]]]:
    """The page with its writing upright, and the corners of each line on it."""
    with Image.open(io.BytesIO(upright)) as opened:
        width, height = opened.size
        if page.rotation % 360 == 0:
            return upright, {line.id: list(line.box) for line in lines}
        turned = opened.convert("RGB").rotate(-page.rotation, expand=True)
    out = io.BytesIO()
    turned.save(out, "JPEG", quality=90)
    def moved(x: float, y: float) -> tuple[float, float]:
        return {90: (height - y, x), 180: (width - x, height - y), 270: (y, width - x)}[page.rotation]
    return out.getvalue(), {line.id: [moved(x, y) for x, y in line.box] for line in lines}
