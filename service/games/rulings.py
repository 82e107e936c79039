"""The house rules that results cite, and their page."""

from __future__ import annotations

from functools import cache

import maps
from maps.rulings import Ruling, rulings


@cache
def rules_of(slug: str) -> tuple[Ruling, ...]:
    """The house rules of a board that comes with the program; empty for any other board."""
    return rulings(maps.folder(slug), maps.load(slug)) if slug in maps.variants() else ()


def path_of(slug: str) -> str:
    """The path of their page on the site, "" where there are none."""
    return f"/public/rules/{slug}" if rules_of(slug) else ""
