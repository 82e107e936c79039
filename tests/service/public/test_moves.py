"""The move browser: what its page states is what the judge lets a lone unit do, for every place, coast and
kind of unit (MOVE-01, MOVE-02, MOVE-03)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser

import pytest

import maps
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import Region
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.orders import Move
from adjudicator.outcome import Result
from adjudicator.units import Unit, UnitRef
from maps.names import regions_named
from maps.valid_moves import has_movement_phases
from maps.variant import Variant
from service.public.moves import page

MOST_BYTES = 300_000


class _Page(HTMLParser):
    """Rows of (place, unit, coast, goals) as a reader of the page sees them."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[str, str, str, list[str]]] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self._in: list[str] = []
        self._place = self._text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.anchors.add(values.get("id") or "")
        if tag == "a":
            self.links.append(values.get("href") or "")
        if tag in {"h3", "b", "a"}:
            self._text = ""
            self._in.append(tag)

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag not in {"h3", "b", "a"}:
            return
        text = self._text.strip()
        if tag == "h3":
            self._place = text
        elif tag == "b":
            unit, _, coast = text.partition(", ")
            self.rows.append((self._place, unit, coast, []))
        elif self.rows and self._place:
            self.rows[-1][3].append(text)


def read(html: str) -> _Page:
    parsed = _Page()
    parsed.feed(html)
    return parsed


def _region(variant: Variant, text: str) -> Region:
    name, _, coast = text.partition("/")
    (match, *_) = (
        r for r in regions_named(variant.names, name) if variant.board.provinces[r.province].name == name
    )
    return Region(match.province, variant.board.provinces[match.province].coast_id(coast) if coast else None)


MARCHED_OVER = [slug for slug in maps.variants() if has_movement_phases(maps.load(slug))]


def _judged(variant: Variant, unit: Unit) -> Iterator[Region]:
    """Where the judge lets a lone unit go: every region of the board is tried."""
    # The year's last, in which nothing is frozen: the page is about the map in any month.
    *_, season = (season for season, kind in variant.calendar.steps if kind is PhaseKind.MOVEMENT)
    phase = Phase(variant.start.phase.year + 1, season, PhaseKind.MOVEMENT)
    start = replace(variant.start, phase=phase, units=frozenset({unit}), dislodged=(), contested=frozenset())
    for province in variant.board.provinces.values():
        coasts = [Region(province.id, coast.id) for coast in province.coasts]
        for goal in [Region(province.id), *coasts]:
            if goal.province == unit.region.province:
                continue
            order = Move(power=unit.power, unit=UnitRef(unit.kind, unit.region), to=goal)
            resolution = judge(variant.context(), variant.rules, start, [order], Lots(()))
            (after,) = resolution.position.units
            # A lone unit: whatever the judge lets it do is allowed by the map alone.
            if resolution.outcomes[0].result is Result.SUCCEEDS and after.region != unit.region:
                yield after.region


LARGE = frozenset({"war1648", "w3k", "bretwalda", "britain1066"})
"""Boards that take three to twenty seconds; the others prove the same page at each landing."""


@pytest.mark.parametrize(
    "slug", [pytest.param(slug, marks=pytest.mark.slow) if slug in LARGE else slug for slug in MARCHED_OVER]
)
def test_page_says_what_the_judge_allows(slug: str) -> None:
    variant = maps.load(slug)
    parsed = read(page(variant).html)
    kinds = {kind.name: kind.letter for kind in variant.kinds.values()}
    stands = set()
    for place, unit, coast, goals in parsed.rows:
        _same(variant, place, kinds[unit], coast, goals)
        stands.add(_region(variant, place).province)
    assert stands == set(variant.board.provinces)


def _same(variant: Variant, place: str, kind: str, coast: str, goals: list[str]) -> None:
    region = _region(variant, f"{place}/{coast}" if coast else place)
    unit = Unit(next(iter(variant.powers)), kind, region)
    targets = {_region(variant, goal) for goal in goals}
    assert targets == set(_judged(variant, unit)), (place, kind, coast)


@pytest.mark.parametrize("slug", maps.variants())
def test_page_is_small_whole_and_its_links_lead_somewhere(slug: str) -> None:
    built = page(maps.load(slug))
    parsed = read(built.html)
    assert len(built.html.encode()) <= MOST_BYTES
    assert {link.removeprefix("#") for link in parsed.links} <= parsed.anchors
    # nothing to fetch: it works offline
    assert not re.search(r"\bsrc=|https?://[^ )<]+\.(?:js|css|woff)", built.html)


@pytest.mark.parametrize("slug", maps.variants())
def test_page_knows_no_game(slug: str) -> None:
    """MOVE-02: no units, no owners, no advice; the page is made from the board alone."""
    variant = maps.load(slug)
    html = page(variant).html
    for power in variant.powers.values():
        assert power.person == "" or power.person not in html
    # Without any unit on the board the page is the same, byte for byte.
    assert page(replace(variant, start=replace(variant.start, units=frozenset()))).html == html


@pytest.mark.parametrize("slug", maps.variants())
def test_the_page_is_in_the_readers_language_but_for_the_boards_own_words(slug: str) -> None:
    """LET-10: it alone of the players' pages was English for everybody."""
    german, english = (page(maps.load(slug), code).html for code in ("de", "en"))
    assert '<html lang="de">' in german
    assert '<html lang="en-GB">' in english
    for words in ("Find a place", "in one move", "supply centre", 's">coastal', 's">inland', "; also ",
                  "By land", "neighbours by land", "Places by letter", "every game on this board"):
        assert words not in german
    assert "Einen Ort finden" in german
    # Names of places and units are what a sheet is written with.
    names = re.findall(r"<h3>(.*?)</h3>", english)
    assert len(names) > 20
    assert re.findall(r"<h3>(.*?)</h3>", german) == names
    assert re.findall(r'<a href="#p\d+">.*?</a>', german) == re.findall(r'<a href="#p\d+">.*?</a>', english)
