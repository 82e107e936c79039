"""`python -m service.pictures.board.place_names [BOARD ...]`: place the names of some boards, or of all that
are drawn, and store the result next to the board. Run by hand when a board, its names or the solver change.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import maps
from service.pictures.board.map_sheet import plan_map
from service.pictures.board.placement import placement_file, placement_text
from service.pictures.drawing.values import A3, A4

PAPERS = (A3, A4)


def main(slugs: Sequence[str]) -> int:
    """Write the files of placing and print where they are. Exit code 0."""
    for slug in slugs or [variant_slug for variant_slug in maps.variants() if maps.shapes(variant_slug)]:
        variant, shapes = maps.load(slug), maps.shapes(slug)
        for paper in PAPERS:
            path = placement_file(maps.folder(slug), paper)
            path.write_text(
                placement_text(variant, shapes, plan_map(variant, shapes, paper), paper), encoding="utf-8"
            )
            print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
