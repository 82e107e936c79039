"""A ship under sail, for the open water of a map: drawn here in a hundred units, stern at the left."""

from __future__ import annotations

from service.pictures.drawing.values import Rect

_INK = "#3a2a1c"
_HULL = ("M14 70C16 62 15 58 13 54L24 56L25 62L66 63C74 61 79 58 83 53L90 50C88 58 84 66 78 73C64 77 30 77 "
         "20 75Z")
_WALES = ("M16 66C34 69 62 69 81 62M18 71C36 74 62 74 79 69M24 58L24 63M29 66L29 69M37 66.5L37 69.5M45 67L45 "
          "70M53 67L53 70M61 66L61 69M69 65L69 68")
_MASTS = "M28 62L28 20M48 63L48 8M68 62L68 18M83 53L99 42"
_SAILS = (
    "M19 46C22 39 22 32 20 26C25 24 32 24 37 26C40 33 40 40 38 46C32 49 25 49 19 46Z",
    "M35 52C40 44 40 37 37 30C43 27 54 27 60 30C65 38 65 46 61 52C53 56 43 56 35 52Z",
    "M39 27C42 22 42 18 40 14C45 12 51 12 56 14C59 19 59 23 57 27C51 29 45 29 39 27Z",
    "M59 48C63 41 63 35 60 30C65 27 72 27 77 30C81 36 81 43 79 48C73 51 65 51 59 48Z",
    "M62 27C64 24 64 21 63 18C66 17 70 17 74 18C76 21 76 24 75 27C71 28 66 28 62 27Z",
)
_FOLDS = ("M23 44C26 38 26 32 25 27M31 46C34 39 34 32 32 26M43 52C47 44 47 36 44 30M53 53C57 45 57 37 53 "
          "30M46 27C48 22 48 18 46 14M66 48C69 42 69 36 67 30M73 48C76 42 76 36 72 30")
_FLAGS = ("M48 8C53 5 56 10 62 7L61 4C56 7 53 2 48 5ZM28 20C24 18 21 22 16 20L17 17C21 19 24 15 28 17ZM68 "
          "18C72 15 75 20 80 17L79 14C75 17 72 12 68 15Z")
_SEA = ("M4 77C9 74 13 74 17 77C21 80 25 80 29 77C33 74 37 74 41 77C45 80 49 80 53 77C57 74 61 74 65 77C69 "
        "80 73 80 77 77C81 74 85 74 89 77C92 79 94 79 97 77M10 83C14 81 18 81 22 83M44 84C48 82 52 82 56 "
        "84M74 83C78 81 82 81 86 83")


def ship(box: Rect, paper: str) -> str:
    """The ship in a box; `paper` is the colour of its sails."""
    size = min(box.width, box.height)
    sails = "".join(f'<path d="{sail}" fill="{paper}" stroke="{_INK}" stroke-width="1"/>' for sail in _SAILS)
    return (f'<g transform="translate({box.x0:.2f} {box.y0:.2f}) scale({size / 100:.4f})" '
            f'stroke-linecap="round"><path d="{_MASTS}" fill="none" stroke="{_INK}" '
            'stroke-width="1.5"/><path d="M28 20L13 54M48 8L28 58M48 8L68 58M68 18L99 42M48 24L83 53" '
            f'fill="none" stroke="{_INK}" stroke-width="0.4"/>{sails}<path d="{_FOLDS}" fill="none" '
            f'stroke="{_INK}" stroke-width="0.45"/><path d="{_FLAGS}" fill="{_INK}"/><path d="{_HULL}" '
            f'fill="{_INK}"/><path d="{_WALES}" fill="none" stroke="{paper}" stroke-width="0.9"/><path '
            f'd="{_SEA}" fill="none" stroke="{_INK}" stroke-width="0.8"/></g>')
