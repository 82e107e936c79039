"""The boards: data in folders, one loader.

`variants()` names them, `load(slug)` reads one, `load_folder(path)` one from anywhere, `check_folder(path)`
lists its faults and `shapes(slug)` gives what a map draws. `add_folder(path)` adds a folder of
your own boards, whose `own_tables` go into the archives of their games.
"""

from __future__ import annotations

from collections.abc import Mapping

from maps import geometry
from maps.faults import Fault, MapError
from maps.geometry import Shape
from maps.loader import (
    add_folder,
    added_folders,
    check_folder,
    folder,
    load,
    load_folder,
    own_digest,
    own_tables,
    variants,
)
from maps.variant import NameRow, Power, Spelling, Variant


def shapes(slug: str) -> Mapping[str, Shape]:
    """Province id to its drawn shape; empty for a board without shapes. Raises MapError for an unknown
    slug."""
    return geometry.shapes(folder(slug))


__all__ = [
    "Fault",
    "MapError",
    "NameRow",
    "Power",
    "Shape",
    "Spelling",
    "Variant",
    "add_folder",
    "added_folders",
    "check_folder",
    "folder",
    "load",
    "load_folder",
    "own_digest",
    "own_tables",
    "shapes",
    "variants",
]
