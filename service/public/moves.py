"""The move browser: every valid move of a board on one page, independent of any game (MOVE-01, MOVE-02,
MOVE-03).

It is one file that contains its style and script, so that it can be saved, read offline and printed as a
booklet. Without the script it is an alphabetical list.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response

import maps
from adjudicator.geo import Province, Region, SeaRole, Terrain
from maps.names import normalize
from maps.valid_moves import has_movement_phases, neighbours_by_sea, valid_moves
from maps.variant import Spelling, Variant, mark_phrases
from service.facts import design
from service.letters.language import ENGLISH, N_, language
from service.public.page import FOLDER, environment, language_of
from service.web.access import PUBLIC

router = APIRouter(dependencies=[PUBLIC])
UNKNOWN = N_("There is no such map here. Check the address in your letters.")
_TERRAINS = {Terrain.INLAND: N_("inland"), Terrain.COASTAL: N_("coastal"), Terrain.SEA: N_("sea")}
_STATES = {Terrain.INLAND: N_("inland state"), Terrain.COASTAL: N_("coastal state"),
           Terrain.SEA: N_("sea state")}
_SEA_REGIONS = {SeaRole.PRIMARY: N_("primary region of the %(area)s sea area"),
                SeaRole.LOCAL: N_("local region of the %(area)s sea area")}


@dataclass(frozen=True, slots=True)
class UnitMoves:
    """Where one kind of unit may go. `unit` is "Army" or "Fleet", or, on a board without marches, the way
    there ("By land"); `coast` is the unit's coast or "". `destinations` are pairs of a region's printed name
    and the anchor of its province."""

    unit: str
    coast: str
    destinations: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ProvinceEntry:
    """One province. `description`: "coastal, supply centre". `search_text`: all spellings, folded and joined
    by "|". `moves` has one item for each kind of unit and coast."""

    anchor: str
    name: str
    description: str
    other_spellings: tuple[str, ...]
    search_text: str
    moves: tuple[UnitMoves, ...]


@dataclass(frozen=True, slots=True)
class MovesPage:
    """The finished page and a Content-Security-Policy that allows its own style and script and nothing
    else."""

    html: str
    policy: str


@router.get("/public/moves/{slug}")
def moves_page(request: Request, slug: str) -> Response:
    """The valid moves of one board, the same for every game on it. Raises 404 for an unknown board."""
    if slug not in maps.variants():
        raise HTTPException(404, UNKNOWN)
    code = language_of(request)
    page = _cached_page(slug, code)
    headers = {"Content-Security-Policy": page.policy, "Cache-Control": "private, max-age=86400",
               "Vary": "Accept-Language, Cookie", "Content-Language": code}
    return Response(page.html, media_type="text/html; charset=utf-8", headers=headers)


# Boards do not change while a process runs, and a page lists every move of a board.
@lru_cache(maxsize=16)
def _cached_page(slug: str, code: str) -> MovesPage:
    return page(maps.load(slug), code)


def page(variant: Variant, code: str = ENGLISH) -> MovesPage:
    """The whole page of a board, in a language; names of places, units and what the rules call their marks
    stay in the game's."""
    # In the page itself, so that it can be saved and read offline; the policy allows these two by their
    # digest.
    style, script = design.style_sheet() + _asset("moves.css"), _asset("moves.js")
    html = environment(code).get_template("moves.html").render(
        title=variant.title, entries=entries(variant, code), style=style, script=script, note=variant.note,
        marched_over=has_movement_phases(variant), hint=", ".join(_search_examples(variant)))
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; img-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
    return MovesPage(html, policy)


def entries(variant: Variant, code: str = ENGLISH) -> tuple[ProvinceEntry, ...]:
    """Every province, by name, described in a language."""
    ordered = sorted(variant.board.provinces.values(), key=lambda p: normalize(p.name))
    anchors = {province.id: f"p{number}" for number, province in enumerate(ordered)}
    return tuple(_entry(variant, province, anchors, language(code).say) for province in ordered)


def _entry(
    variant: Variant, province: Province, anchors: dict[str, str], say: Callable[..., str]
) -> ProvinceEntry:
    # Names before abbreviations: the list after "also" begins with what a person would write.
    spellings = [
        row.text for row in variant.names
        if row.region == Region(province.id) and row.spelling is not Spelling.ABBREVIATION]
    codes = [
        row.text for row in variant.names
        if row.region == Region(province.id) and row.spelling is Spelling.ABBREVIATION]
    other_spellings = tuple(
        dict.fromkeys(text for text in [*spellings, *codes] if normalize(text) != normalize(province.name))
    )
    search_text = "|".join(dict.fromkeys(normalize(text) for text in (province.name, *other_spellings)))
    moves = (
        _marches(variant, province, anchors)
        if has_movement_phases(variant)
        else _neighbours(variant, province, anchors, say)
    )
    return ProvinceEntry(
        anchors[province.id], province.name, _description(variant, province, say), other_spellings,
        search_text, moves
    )


def _marches(variant: Variant, province: Province, anchors: dict[str, str]) -> tuple[UnitMoves, ...]:
    unit_moves = []
    for moves in valid_moves(variant, Region(province.id)):
        coast = variant.board.region_text(moves.region).partition("/")[2]
        destinations = _linked(variant, moves.to, anchors)
        unit_moves.append(UnitMoves(variant.kinds[moves.kind].name, coast, destinations))
    return tuple(unit_moves)


def _neighbours(
    variant: Variant, province: Province, anchors: dict[str, str], say: Callable[..., str]
) -> tuple[UnitMoves, ...]:
    unit_moves = []
    for over, others in neighbours_by_sea(variant, province.id).items():
        way = (
            say("Across the %(sea)s", sea=variant.board.provinces[over].name)
            if over
            else say("Washes")
            if province.is_sea
            else say("By land")
        )
        destinations = _linked(variant, others, anchors)
        unit_moves.append(UnitMoves(way, "", destinations))
    return tuple(unit_moves)


def _linked(
    variant: Variant, regions: Iterable[Region], anchors: dict[str, str]
) -> tuple[tuple[str, str], ...]:
    return tuple((variant.board.region_text(region), anchors[region.province]) for region in regions)


def _search_examples(variant: Variant) -> list[str]:
    """Examples for the search box: the first land and the first sea by name."""
    ordered = sorted(variant.board.provinces.values(), key=lambda p: normalize(p.name))
    return [
        next(p.name for p in ordered if p.is_sea is sea)
        for sea in (False, True)
        if any(p.is_sea is sea for p in ordered)
    ]


def _description(variant: Variant, province: Province, say: Callable[..., str]) -> str:
    terrain = say(_TERRAINS[province.terrain])
    words = [terrain, say("supply centre") if province.centre else "", province.area or ""]
    # WSB-11: on such a board states take states next to them; nothing marches and nothing is a supply centre.
    if not has_movement_phases(variant):
        words = [say(_STATES[province.terrain]) if province.centre else terrain]
    if province.is_sea:
        in_area = province.role and province.area
        words = [
            say(_SEA_REGIONS[province.role], area=province.area)
            if province.role and in_area
            else say("at sea")
        ]
    return ", ".join(word for word in (*words, *mark_phrases(variant, province)) if word)


def _asset(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8").strip()


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
