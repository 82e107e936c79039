"""The maps of the boards that come with the program; the placing of names is worked out once for each board
and paper, and the newest drawings are kept, because a public page may be asked for at any rate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from threading import Lock

import maps
from adjudicator.units import Unit
from maps.variant import Variant
from service.pictures.board.changes_map import changes_svg
from service.pictures.board.map_sheet import MapPlan, draw_map, map_pdf
from service.pictures.board.placement import plan_from
from service.pictures.drawing.render import to_png
from service.pictures.drawing.values import A3, MapOptions, PaperSize

PNG_WIDTH = 1600
"""Pixels across of a map for a screen; its names can be read at twice the size of a telephone."""

Held = tuple[tuple[str, tuple[str, ...]], ...]
_one_at_a_time = Lock()


@cache
def board_plan(slug: str, paper: PaperSize = A3) -> MapPlan:
    """The plan of one board on one paper. Raises NoShapes for a board that has no drawn shapes."""
    return plan_from(maps.folder(slug), maps.load(slug), maps.shapes(slug), paper)


def board_svg(
    variant: Variant, centres: Mapping[str, Iterable[str]], title: str, subtitle: str,
    units: Iterable[Unit] = ()
) -> str:
    """The control of a board as SVG; `centres` maps owner to regions. `units` stand on it where a game asks
    for them."""
    return draw_map(
        variant,
        maps.shapes(variant.slug),
        centres,
        title,
        subtitle,
        MapOptions(units=frozenset(units)),
        board_plan(variant.slug),
    )


def board_pdf(
    variant: Variant, centres: Mapping[str, Iterable[str]], title: str, subtitle: str, paper: PaperSize = A3,
    units: Iterable[Unit] = (), record: str = "",
) -> bytes:
    """The same as PDF, with the table of control and the short names behind the map, and the root of a game's
    record below it."""
    with _one_at_a_time:
        return _pdf(
            variant.slug,
            _frozen(centres),
            title,
            subtitle,
            MapOptions(paper, units=frozenset(units), record=record),
        )


def board_png(
    variant: Variant, centres: Mapping[str, Iterable[str]], title: str, subtitle: str,
    units: Iterable[Unit] = ()
) -> bytes:
    """The same as a picture for a screen."""
    with _one_at_a_time:
        return _png(variant.slug, _frozen(centres), title, subtitle, frozenset(units))


def board_changes(variant: Variant, owners: Mapping[str, str | None]) -> str:
    """A small map of the centres that changed hands, as SVG: each with its new owner, None for nobody. ""
    where none changed, and for a board that is not drawn."""
    if not owners or not maps.shapes(variant.slug):
        return ""
    return changes_svg(variant, board_plan(variant.slug), owners)


def _frozen(centres: Mapping[str, Iterable[str]]) -> Held:
    # The caches below need a key that can be hashed and is the same for the same control.
    return tuple((owner, tuple(sorted(regions))) for owner, regions in sorted(centres.items()))


@lru_cache(maxsize=16)
def _pdf(slug: str, held: Held, title: str, subtitle: str, options: MapOptions) -> bytes:
    return map_pdf(
        maps.load(slug), maps.shapes(slug), dict(held), title, subtitle, options,
        board_plan(slug, options.paper)
    )


@lru_cache(maxsize=16)
def _png(slug: str, held: Held, title: str, subtitle: str, units: frozenset[Unit]) -> bytes:
    return to_png(board_svg(maps.load(slug), dict(held), title, subtitle, units), PNG_WIDTH)
