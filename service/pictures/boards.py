"""The maps of the boards that come with the program; the placing of names is worked out once for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

import maps
from maps.variant import Variant
from service.pictures.map_sheet import MapPlan, draw_map, map_pdf, plan_map


@cache
def plan_of(slug: str) -> MapPlan:
    """The plan of one board. Raises NoShapes for a board that has no drawn shapes."""
    return plan_map(maps.load(slug), maps.shapes(slug))


def board_svg(variant: Variant, centres: Mapping[str, Iterable[str]], title: str, subtitle: str) -> str:
    """The control of a board as SVG; `centres` maps owner to regions."""
    return draw_map(variant, maps.shapes(variant.slug), centres, title, subtitle, plan=plan_of(variant.slug))


def board_pdf(variant: Variant, centres: Mapping[str, Iterable[str]], title: str, subtitle: str) -> bytes:
    """The same as PDF, with the table of control and the short names behind the map."""
    return map_pdf(variant, maps.shapes(variant.slug), centres, title, subtitle, plan=plan_of(variant.slug))
