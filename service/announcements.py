"""What leaves when a phase is approved: results to all, requests to those who must act, pictures with both.

Everything is rendered before the transaction begins; nothing is put when any rendering failed.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PIL import Image
from sqlalchemy.orm import Session

import maps
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.outcome import Resolution
from grammar.heading_sheet import parse_sheet_heading
from grammar.heading_values import KnownGame
from maps.variant import Variant
from service import letters, pictures
from service.context import known_game, phase_of
from service.correspondence import Desk
from service.desk.queries import executed, phase_title
from service.desk.seal import told
from service.intake_words import canonical_subject
from service.letters_values import (
    AdjustmentFacts,
    Closing,
    GameInfo,
    Holding,
    NextDate,
    ResultsFacts,
    RetreatFacts,
    Sheet,
)
from service.lines import SettledLine, lines_of
from service.outbox_compose import Attachment, OutLetter
from service.results import dislodged_text, show, unit_text
from service.store import codec, records
from service.store.blobs import BlobError
from service.store.tables import GameRow, PageRow, PhaseRow, PhaseState, SubmissionRow
from service.turns import NotReady

DATES_AHEAD = 4
"""Dates of the calendar named in a results letter."""
_VERSION = re.compile(r"\s*(?:v|ver|version)[ .]*[\dIl]+\s*$", re.IGNORECASE)
_WORDS = {"movement": "movement orders close", "retreat": "retreat orders close", "adjustment": "adjustments close"}


@dataclass(frozen=True, slots=True)
class Announcements:
    """Results of a phase as letters."""

    desk: Desk

    def prepare(self, session: Session, phase: PhaseRow, resolution: Resolution) -> Callable[[Session], None]:
        """See `service.turns.Announcements`."""
        game = session.get_one(GameRow, phase.game_id)
        variant = self.desk.load(game.variant)
        info = self.desk.game_info(game)
        facts = self._facts(session, phase, resolution, variant)
        attached = self._pictures(session, phase, resolution, variant, info, facts)
        made: list[OutLetter] = []
        for power, addresses in records.addresses(session, game.id).items():
            for address in addresses:
                to = self.desk.recipient(session, address, variant.powers[power].name)
                made.append(_results(phase_of(phase), resolution)(info, phase_of(phase), to, facts, attached))
                made += self._requests(session, phase, resolution, variant, info, power, address)

        def put(inside: Session) -> None:
            row = inside.get_one(PhaseRow, phase.id)
            for letter in made:
                self.desk.put(inside, letter, row)

        return put

    def map_pdf(self, session: Session, game_id: str) -> bytes | None:
        """The current map of control of a game: of its newest Winter, or of its opening (MAP-01)."""
        game = session.get(GameRow, game_id)
        if game is None:
            return None
        variant = self.desk.load(game.variant)
        centres, year = variant.start.centres, variant.start.phase.year
        for row in records.phases(session, game_id):
            if row.kind == PhaseKind.ADJUSTMENT and row.resolution is not None and row.sent_at is not None:
                centres, year = codec.load_resolution(row.resolution).position.centres, row.year
        return control_map(variant, game.name, centres, f"at the beginning of {year}")

    def _requests(
        self, session: Session, phase: PhaseRow, resolution: Resolution, variant: Variant, info: GameInfo,
        power: str, address: str,
    ) -> list[OutLetter]:
        """What one power is asked to do next: retreats, builds or removals."""
        to = self.desk.recipient(session, address, variant.powers[power].name)
        name = variant.powers[power].name
        wanted = resolution.position.phase
        due = next((p for p in records.phases(session, phase.game_id) if phase_of(p) == wanted), None)
        if due is None:
            return []
        closing = Closing(wanted, due.deadline)
        subject = canonical_subject(info.name, name, wanted, 1)
        beaten = [unit_text(variant, d.unit) for d in resolution.dislodged if d.unit.power == power]
        if wanted.kind is PhaseKind.RETREAT and beaten:
            return [letters.retreat_request(info, phase_of(phase), to, RetreatFacts(tuple(beaten), closing, subject))]
        if wanted.kind is PhaseKind.ADJUSTMENT:
            facts = AdjustmentFacts(resolution.adjust.get(power, 0), closing, subject)
            return [letters.adjustment(info, phase_of(phase), to, facts)]
        return []

    def _facts(self, session: Session, phase: PhaseRow, resolution: Resolution, variant: Variant) -> ResultsFacts:
        chosen = executed(session, phase)
        by_sheet = lines_of(session, list(chosen.values()))
        papers = {key: session.get_one(SubmissionRow, key) for key in chosen.values()}
        names = {p.id: p.name for p in variant.powers.values()}
        ends_year = resolution.position.phase.kind is PhaseKind.ADJUSTMENT or phase.kind == PhaseKind.ADJUSTMENT
        return ResultsFacts(
            powers=show(variant, resolution, {power: by_sheet[key] for power, key in chosen.items()}),
            sheets=tuple(
                Sheet(names[power], papers[key].version, papers[key].sha256 or "") for power, key in chosen.items()
            ),
            dislodged=tuple(dislodged_text(variant, d) for d in resolution.dislodged),
            disbanded=tuple(unit_text(variant, u) for u in resolution.disbanded),
            built=tuple(unit_text(variant, u) for u in resolution.built),
            removed=tuple(unit_text(variant, u) for u in resolution.removed),
            by_lot=tuple(unit_text(variant, u) for u in resolution.removed_by_lot),
            holdings=_holdings(phase, resolution, variant) if ends_year else (),
            winner=None if resolution.winner is None else names[resolution.winner],
            draw=None if resolution.draw_open_to is None else tuple(names[p] for p in resolution.draw_open_to),
            dates=tuple(
                NextDate(f"{row.season} {row.year} {_WORDS.get(row.kind, 'closes')}", row.deadline)
                for row in records.phases(session, phase.game_id)
                if row.ordinal > phase.ordinal and not _skipped(phase_of(row), phase_of(phase), resolution)
            )[:DATES_AHEAD],
            remarks=_unsealings(session, phase),
        )

    def _pictures(
        self, session: Session, phase: PhaseRow, resolution: Resolution, variant: Variant, info: GameInfo,
        facts: ResultsFacts,
    ) -> list[Attachment]:
        """The written results, then the map after a Winter, then copies of every executed sheet (OUT-04 to OUT-08)."""
        pages = pictures.results_pictures(info, f"{phase_title(phase)}: results", facts)
        found = [Attachment(f"results-{at}.png", "image/png", page) for at, page in enumerate(pages, 1)]
        if phase.kind == PhaseKind.ADJUSTMENT:
            centres = resolution.position.centres
            title = control_map(variant, info.name, centres, f"at the beginning of {phase.year}")
            if title is not None:
                found.append(Attachment(f"{info.id}-map-{phase.year}.pdf", "application/pdf", title))
        for power, key in executed(session, phase).items():
            found += self._copies(session, key, power, variant, info)
        return found

    def _copies(
        self, session: Session, submission_id: int, power: str, variant: Variant, info: GameInfo
    ) -> list[Attachment]:
        lines = lines_of(session, [submission_id])[submission_id]
        known = [known_game(variant, info.name)]
        slug = power.lower().replace(" ", "-")
        found = []
        for at, page in enumerate(records.pages(session, submission_id), 1):
            own = [line for line in lines if line.page_id == page.id]
            if page.upright is None or not own:
                continue
            try:
                copy = _copy(self.desk.blobs.read(page.upright), page, own, known)
            except (pictures.SheetUnusable, BlobError, OSError) as fault:
                name = variant.powers[power].name
                raise NotReady(f"the kept picture of the sheet of {name} cannot be copied ({fault})") from fault
            found.append(Attachment(f"sheet-{slug}-{at}.jpg", "image/jpeg", copy))
        return found


def _unsealings(session: Session, phase: PhaseRow) -> tuple[str, ...]:
    """Who looked at sheets before a deadline, and why: of this phase, and of those before it that had no results of their
    own (DESK-02)."""
    found: list[str] = []
    for row in records.phases(session, phase.game_id):
        if row.ordinal > phase.ordinal:
            break
        if row.id != phase.id and row.resolution is not None and row.state == PhaseState.SENT:
            found = []
        elif said := told(row):
            found.append(f"{phase_title(row)}: {said}")
    return tuple(found)


def _results(phase: Phase, resolution: Resolution) -> Callable[..., OutLetter]:
    """Which letter the results of a phase are. Without dislodged units the results of a season are final at once."""
    if phase.kind is PhaseKind.ADJUSTMENT:
        return letters.year_end_results
    if phase.kind is PhaseKind.MOVEMENT and resolution.dislodged:
        return letters.draft_results
    return letters.final_results


def _skipped(row: Phase, phase: Phase, resolution: Resolution) -> bool:
    """The retreats that nobody has to make."""
    return row.kind is PhaseKind.RETREAT and row.season == phase.season and row.year == phase.year and (
        phase.kind is PhaseKind.MOVEMENT and not resolution.dislodged
    )


def _holdings(phase: PhaseRow, resolution: Resolution, variant: Variant) -> tuple[Holding, ...]:
    before = codec.load_position(phase.position or {}).centres
    after = resolution.position.centres
    units = resolution.position.units
    return tuple(
        Holding(
            power=power.name, centres=len(after.get(power.id, ())),
            units=sum(u.power == power.id for u in units), adjust=resolution.adjust.get(power.id, 0),
            gained=tuple(sorted(set(after.get(power.id, ())) - set(before.get(power.id, ())))),
            lost=tuple(sorted(set(before.get(power.id, ())) - set(after.get(power.id, ())))),
        )
        for power in variant.powers.values()
    )


def control_map(variant: Variant, game: str, centres: Mapping[str, frozenset[str]], when: str) -> bytes | None:
    """The map of who owns what as a PDF, `when` in words; None for a board that is not drawn (MAP-01)."""
    if not maps.shapes(variant.slug):
        return None
    return pictures.board_pdf(variant, centres, game, when)


def _names(lines: Sequence[SettledLine], known: Sequence[KnownGame]) -> list[SettledLine]:
    """Lines above the orders that say nothing of the game: the sender's real name and address (Q-37)."""
    above = [line for line in lines if line.kind == "heading"]
    said = set(parse_sheet_heading([line.text for line in above], known).lines)
    return [line for at, line in enumerate(above) if at not in said and not _VERSION.match(line.text)]


def _copy(
    upright: bytes, page: PageRow, lines: Sequence[SettledLine], known: Sequence[KnownGame]
) -> bytes:
    """The written part of a page, with the lines that name its sender painted over."""
    data, corners = _turned(upright, page, lines)
    keep = [point for line in lines for point in corners[line.id]]
    return pictures.sheet_copy(data, keep, [corners[line.id] for line in _names(lines, known)])


def _turned(
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
