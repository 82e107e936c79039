"""Reading is lexical only (NON-03, DESK-03, Q-01): through the door that has the game at hand, a sheet reads
the same to the last bit whatever is on the board and anyone who owns it."""

from __future__ import annotations

import random
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from sqlalchemy import select

from adjudicator.geo import Region
from adjudicator.position import Position
from adjudicator.serialize import codec
from adjudicator.units import Unit
from ocr.engines.ppocr import default_engines
from ocr.page import Photo
from ocr.read import read
from reading.review import ReviewLimits
from service.intake.sheets.read_submission import SubmissionReader
from service.intake.sheets.recognizer import RecognizedPage
from service.notices.answers.replies import Replies
from service.store.tables import LineRow, PageRow
from tests.support.site import Site
from tests.support.table import Table, open_table

SHEETS = Path("tests/data/sheets")
DEMO = Path("demo/data/w3k")
QUICK = (SHEETS / "s007.jpg",)
OTHERS = sorted(path for folder in (SHEETS, DEMO) for path in folder.glob("*.jpg") if path not in QUICK)
"""Every other photograph that comes with the sources, the demo's picture of a meadow among them."""


@dataclass
class Sheet:
    """A recognizer that sees one sheet in whatever file it is handed. It looks once: it knows of no game."""

    data: bytes
    pages: list[RecognizedPage] = field(default_factory=list)

    def recognize(self, data: bytes, name: str) -> tuple[RecognizedPage, ...]:
        if not self.pages:
            self.pages.append(RecognizedPage(self.data, read(Photo(self.data, name), default_engines())))
        return tuple(self.pages)


def shuffled(position: Position, table: Table, seed: int) -> Position:
    """Every unit of another kind somewhere else, every centre with another owner."""
    rng = random.Random(seed)
    provinces = sorted(table.variant.board.provinces)
    places = rng.sample(provinces, len(position.units))
    owners = sorted(position.centres)
    taken = [rng.sample(provinces, 3) for _ in owners]
    return replace(
        position,
        units=frozenset(
            Unit(kind=rng.choice("AF"), power=rng.choice(owners), region=Region(place)) for place in places
        ),
        centres={owner: frozenset(held) for owner, held in zip(owners, taken, strict=True)},
    )


def lines_read(table: Table, sheet: Sheet, version: int) -> list[tuple[object, ...]]:
    """The sheet mailed and read: everything that is stored of each line."""
    subject = table.subject("Montrose", version)
    table.take(table.mail("Montrose", 60 + version, subject=subject), table.phase().opens_at)
    submission_id = table.submissions()[-1].id
    site = table.site
    SubmissionReader(
        store=site.store, blobs=site.blobs, clock=site.clock, recognizer=sheet, load=table.load,
        replies=Replies(table.writer), on_read=lambda _: None, limits=ReviewLimits(),
    ).read({"submission": submission_id})  # fmt: skip
    with site.store() as session:
        rows = session.scalars(select(LineRow).join(PageRow).where(PageRow.submission_id == submission_id)
                               .order_by(PageRow.ordinal, LineRow.ordinal))
        return [
            (r.box, r.kind, r.struck, r.text, r.order, r.confidence, r.status, r.candidates) for r in rows
        ]


def read_twice(site: Site, path: Path) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """A sheet read on the game's own board, and again on one where everything is somewhere else."""
    table = open_table(site)
    sheet = Sheet(path.read_bytes())
    before = lines_read(table, sheet, 1)
    position = table.position(1)
    other = shuffled(position, table, 7)
    assert other.units != position.units
    table.set_phase(1, position=codec.dump_position(other))
    return before, lines_read(table, sheet, 2)


@pytest.mark.slow
@pytest.mark.parametrize("path", QUICK, ids=lambda path: path.stem)
def test_a_sheet_reads_the_same_whatever_stands_on_the_board(site: Site, path: Path) -> None:
    before, after = read_twice(site, path)
    assert sum(line[4] is not None for line in before) > 5
    assert after == before


@pytest.mark.slow
@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.stem)
def test_so_does_every_other_sheet_of_the_sources(site: Site, path: Path) -> None:
    before, after = read_twice(site, path)
    assert bool(before) is (path.stem != "meadow")
    assert after == before


def test_every_photograph_of_the_sources_is_among_them() -> None:
    # A sheet that is added to the demo's manifest is read here too.
    named = tomllib.loads((DEMO / "manifest.toml").read_text(encoding="utf-8"))["sheet"]
    assert {sheet["name"] for sheet in named} <= {path.stem for path in OTHERS}
