"""Calendar, feed, move browser, blank sheet and year-end pack of every game there is: its own phases and
units, no word of another game's (issue 9, "Through the whole service")."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pypdfium2
import pytest

import maps
from adjudicator.calendar import Phase, PhaseKind
from maps.variant import Variant
from service.letters.language import phase_words
from service.notices.results import ResultsAnnouncer
from service.public.moves import page
from tests.service.notices.test_letters_of_every_game import foreign
from tests.service.public.test_moves import read
from tests.support.public_site import visitor
from tests.support.site import Site
from tests.support.table import COORDINATOR, Table, open_table


def _year(variant: Variant) -> list[str]:
    """The phases of a game from its beginning, as players write them, one year of them."""
    phase, titles = variant.start.phase, []
    for _ in variant.calendar.steps:
        titles.append(phase_words(phase))
        phase = variant.calendar.phase_after(phase)
    return titles


def _foreign(slug: str, text: str) -> set[str]:
    bare = re.sub("powick.bridge|clock in summer", "", text, flags=re.IGNORECASE)
    return {match.group() for pattern in foreign(slug) for match in re.finditer(pattern, bare, re.IGNORECASE)}


QUICK = "brittania"
"""The game that is looked at whenever tests run, since its calendar is the least like any other's; all are in
the slow run."""
GAMES = [slug if slug == QUICK else pytest.param(slug, marks=pytest.mark.slow) for slug in maps.variants()]


@pytest.mark.parametrize("slug", GAMES)
def test_calendar_feed_and_sheet_name_the_phases_of_the_game_and_no_others(site: Site, slug: str) -> None:
    """CAL-13, CAL-16, POST-07."""
    table = open_table(site, slug=slug)
    phases = [phase_words(Phase(row.year, row.season, PhaseKind(row.kind))) for row in table.phases()]
    year = _year(table.variant)
    assert phases[:len(year)] == year[:len(phases)]
    with visitor(site) as client:
        calendar = client.get(f"/public/{table.game}/calendar").text
        ics = client.get(f"/public/{table.game}/calendar.ics").text.replace("\r\n ", "")
        front = client.get(f"/public/{table.game}").text
        sheet = client.get(
            f"/public/{table.game}/sheets.pdf", params={"power": next(iter(table.variant.powers)), "phase": 1}
        )
    shown_phases = [
        " ".join(title.split()) for title in re.findall(r'<th scope="row">([^<]*)</th>', calendar)
    ]
    assert shown_phases == phases
    assert all(title in ics for title in phases)
    # what describes them names months of the real calendar
    summaries = "\n".join(re.findall("SUMMARY:.*", ics))
    assert _foreign(slug, calendar) | _foreign(slug, summaries) | _foreign(slug, front) == set()
    words = "".join(leaf.get_textpage().get_text_range() for leaf in pypdfium2.PdfDocument(sheet.content))
    assert phases[0] in words
    assert _foreign(slug, words) == set()


@pytest.mark.parametrize("slug", maps.variants())
def test_the_move_browser_has_the_units_of_its_board(slug: str) -> None:
    """MOVE-01: a row for each kind that may be there; on a board of states none, but what lies next to."""
    variant = maps.load(slug)
    html = page(variant).html
    ways = {way for _, way, _, _ in read(html).rows}
    if slug == "brittania":
        assert all(re.fullmatch(r"By land|Washes|Across the .+ \(\d\)", way) for way in ways)
        assert "supply centre" not in html
    else:
        assert ways == {kind.name for kind in variant.kinds.values()}
    hint = re.search(r'placeholder="([^"]*), …"', html)
    assert hint is not None
    assert set(hint.group(1).split(", ")) <= {p.name for p in variant.board.provinces.values()}


@pytest.mark.parametrize(("slug", "phase", "packs"), [
    ("brittania", Phase(601, "Harvest", PhaseKind.TURN), 1),
    ("britain1066", Phase(1067, "April", PhaseKind.ADJUSTMENT), 0),
    pytest.param("britain1066", Phase(1067, "December", PhaseKind.ADJUSTMENT), 1, marks=pytest.mark.slow),
    pytest.param("war1648", Phase(1618, "June", PhaseKind.ADJUSTMENT), 0, marks=pytest.mark.slow),
    pytest.param("war1648", Phase(1618, "December", PhaseKind.ADJUSTMENT), 1, marks=pytest.mark.slow),
    pytest.param("bretwalda", Phase(621, "Winter", PhaseKind.ADJUSTMENT), 1, marks=pytest.mark.slow),
])
def test_the_post_goes_out_once_a_game_year(site: Site, slug: str, phase: Phase, packs: int) -> None:
    """OUT-10, Q-12: with the last results of a year that show who owns what; a year of Brittania is a
    turn."""
    variant = maps.load(slug)
    table = open_table(site, slug=slug, position=replace(variant.start, phase=phase))
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    _finish(table)
    assert [row.recipient for row in table.letters("postal_pack")] == [COORDINATOR] * packs


def _finish(table: Table) -> None:
    row = table.phase()
    table.site.clock.set(row.deadline + timedelta(minutes=1))
    table.close_phase(row.id)
    table.approve_phase(row.id, "ada")

