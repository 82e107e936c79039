"""The year-end map shows who owns the centres, and no units (Q-13, MAP-03)."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Mapping
from dataclasses import replace

import pypdfium2
import pytest

from adjudicator.geo import Region
from adjudicator.serialize import codec
from adjudicator.units import Unit
from service.notices.results import ResultsAnnouncer
from service.store.tables import PhaseState
from tests.support.site import Site
from tests.support.table import Table, open_table


@pytest.fixture
def table(site: Site) -> Table:
    """A game with one judged phase; its outcome is used as a Winter's."""
    opened = open_table(site)
    phase = opened.phase()
    site.clock.set(phase.deadline)
    opened.close_phase(phase.id)
    return opened


def winter_map(table: Table, units: frozenset[Unit], centres: Mapping[str, frozenset[str]]) -> bytes:
    """The PDF that everybody gets when a Winter ends with these units and centres."""
    winter = next(
        number for number, phase in enumerate(table.phases(), start=1) if phase.kind == "adjustment"
    )
    position = replace(table.variant.start, units=units, centres=centres)
    table.set_phase(winter, state=PhaseState.SENT, sent_at=table.site.clock.now(),
                    resolution=codec.dump_resolution(replace(table.resolution(), position=position)))
    with table.site.store() as session:
        pdf = ResultsAnnouncer(table.writer).map_pdf(session, table.game)
    assert pdf is not None
    return pdf


def seen(pdf: bytes) -> tuple[bytes, str]:
    """Its first page as pixels, and its words."""
    with pypdfium2.PdfDocument(io.BytesIO(pdf)) as document:
        page = document[0]
        return page.render(scale=1).to_numpy().tobytes(), page.get_textpage().get_text_bounded()


@pytest.mark.slow
def test_with_every_unit_elsewhere_the_map_is_the_same_and_with_other_owners_it_is_not(table: Table) -> None:
    """Q-13, MAP-03: control only, which is the default."""
    start = table.variant.start
    rng = random.Random(13)
    owners = sorted(table.variant.powers)
    places = rng.sample(sorted(table.variant.board.provinces), 60)
    elsewhere = frozenset(
        Unit(owners[index % 10], "AF"[index % 2], Region(place)) for index, place in enumerate(places)
    )
    assert elsewhere != start.units
    as_begun = seen(winter_map(table, start.units, start.centres))
    assert seen(winter_map(table, elsewhere, start.centres)) == as_begun
    assert not re.search(r"\b(Army|Fleet|Armies|Fleets)\b", as_begun[1])
    swapped = {**start.centres, "Montrose": start.centres["Argyll"], "Argyll": start.centres["Montrose"]}
    assert seen(winter_map(table, start.units, swapped))[0] != as_begun[0]
