"""The legend: who is who in colour, pattern and letter, how many centres each holds, what the marks mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape

import shapely

from maps.variant import Power, Variant
from service.pictures.board.centre_marks import TOWN_TONE, crown, disc, ink_of, shield
from service.pictures.board.ornament import INK, PALE, fitting_size, flourish, panel
from service.pictures.drawing.hatch import hatch
from service.pictures.drawing.svg import path, text
from service.pictures.drawing.values import KINGDOM, Rect

_POINT = "point"
ROW, HEAD, MARK_ROW, SHORT_ROW = 6.5, 17.0, 4.4, 2.75


def legend_height(variant: Variant, short: int, *, towns: bool = True) -> float:
    """Height in millimetres of a board's legend with room for so many short names, and for the mark of
    `towns` where it has them."""
    names = 6.0 + SHORT_ROW * ((short + 1) // 2) if short else 0.0
    return HEAD + len(variant.powers) * ROW + _marks_height(variant, towns=towns) + names


def _marks_height(variant: Variant, *, towns: bool) -> float:
    return 7.4 + MARK_ROW * (2 + towns + bool(variant.capitals) + _has_kingdoms(variant))


def _has_kingdoms(variant: Variant) -> bool:
    return any(KINGDOM in province.marks for province in variant.board.provinces.values())


def draw_legend(
    box: Rect, variant: Variant, held: Mapping[str, Power], short: Sequence[tuple[str, str]], *, towns: bool
) -> str:
    """The panel. `held` maps region to owner; `short` are short names with the names they represent; `towns`
    whether some centres are drawn as towns within a county."""
    # A power may hold regions without a centre; they have its colour and do not count.
    counts = Counter(power.id for region, power in held.items() if variant.board.provinces[region].centre)
    x = (box.x0 + box.x1) / 2
    parts = [
        panel(box), text(x, box.y0 + 8.2, "The Powers", "display", 5.2, f'fill="{INK}"'),
        text(x, box.y0 + 12.0, "and the centres they hold", "display-italic", 2.9, f'fill="{INK}"'),
    ]
    y = box.y0 + HEAD - 1.5
    for power in variant.powers.values():
        parts.append(_row(box, y, power, counts[power.id]))
        y += ROW
    y += 1.8
    parts.append(flourish(x, y, box.width * 0.5))
    total = len(variant.board.centres())
    parts += _marks(box, y + 4.2, total - sum(counts.values()), variant, towns=towns)
    y += _marks_height(variant, towns=towns) - 3.2
    if short:
        parts.append(text(x, y + 1.6, "Short names", "display-italic", 3.0, f'fill="{INK}"'))
        half = (len(short) + 1) // 2
        for index, (brief, full) in enumerate(sorted(short)):
            left = box.x0 + 4.5 + (box.width - 8) / 2 * (index // half)
            words = f"{brief}  {full}"
            parts.append(text(left, y + 5.2 + SHORT_ROW * (index % half), words, "roman",
                              fitting_size(words, "roman", 2.3, box.width / 2 - 5), f'fill="{INK}"',
                              anchor="start"))
    return "".join(parts)


def _row(box: Rect, y: float, power: Power, count: int) -> str:
    left = box.x0 + 4.5
    # The same pattern as on the map, at the scale of the swatch.
    swatch = shapely.box(left, y, left + 9.5, y + 5.0)
    strokes = path(hatch(power.pattern, swatch, 1.0))
    words = "1 centre" if count == 1 else f"{count} centres"
    person = "" if power.person in {power.name, ""} else power.person
    note = "; ".join(filter(None, (person, letter_note(power))))
    base = y + (2.7 if note else 3.6)
    return "".join((
        f'<g class="key" data-power="{escape(power.id, quote=True)}">',
        (f'<path d="{path(swatch)}" fill="{PALE}"/><path d="{path(swatch)}" fill="{power.colour}" '
         f'fill-opacity="0.4"/>'),
        f'<path d="{strokes}" fill="none" stroke="{ink_of(power)}" stroke-width="0.2"/>',
        f'<path d="{path(swatch)}" fill="none" stroke="{INK}" stroke-width="0.25"/>',
        f'<circle cx="{left + 4.75:.2f}" cy="{y + 2.5:.2f}" r="1.7" fill="{PALE}"/>',
        text(left + 4.75, y + 3.55, power.letter, "bold", 3.3, f'fill="{INK}"'),
        text(left + 12, base, power.name, "display", 3.5, f'fill="{INK}"', anchor="start"),
        text(left + 12, y + 5.0, note, "italic", 2.3, f'fill="{INK}"', anchor="start") if note else "",
        text(box.x1 - 4.5, base, words, "display", 3.1, f'fill="{INK}"', anchor="end"),
        "</g>",
    ))


def letter_note(power: Power) -> str:
    """What a power's letter represents, where its name has no word that begins with it: "R for Rupert"."""
    if any(word.startswith(power.letter) for word in power.name.removeprefix("The ").split()):
        return ""
    words = [word for name in (power.person, *power.aliases) for word in name.split() if word != "The"]
    meant = power.letter_word or next((word for word in words if word.startswith(power.letter)), "")
    return f"{power.letter} for {meant}" if meant else f"{power.letter} in {power.name.removeprefix('The ')}"


def _marks(box: Rect, y: float, free: int, variant: Variant, *, towns: bool) -> list[str]:
    left = box.x0 + 6.8
    first = next(iter(variant.powers.values())).letter
    town = ((f'<path d="{path(disc(left, y, 1.5))}" fill="{TOWN_TONE}" stroke="{INK}" '
             f'stroke-width="0.3"/>'), _POINT,
            "a town, as wide as its ground; a wash of its owner around")
    rows = [
        *([town] if towns else []),
        (f'<path d="{path(shield(left, y, 1.6))}" fill="{PALE}" stroke="{INK}" stroke-width="0.3"/>',
         text(left, y + 0.8, first, "bold", 2.3, f'fill="{INK}"'),
         f"{'the centre of a county' if towns else 'a centre'}, and its owner"),
        ("", _POINT, f"a centre that no power owns ({free} of {len(variant.board.centres())})"),
    ]
    if variant.capitals:
        rows.append(("", crown(left, y + 0.8), "a capital of a kingdom"))
    if _has_kingdoms(variant):
        rows.append(("", crown(left, y + 0.8), "a state of the kingdom type"))
    parts = []
    for index, (mark, inner, words) in enumerate(rows):
        symbol = mark + ((f'<circle cx="{left:.2f}" cy="{y:.2f}" r="0.6" '
                         f'fill="{INK}"/>') if inner is _POINT else inner)
        parts.append(
            f'<g transform="translate(0 {MARK_ROW * index:.2f})">{symbol}'
            + text(left + 4.4, y + 0.9, words, "display-italic",
                   fitting_size(words, "display-italic", 2.9, box.x1 - left - 7.0), f'fill="{INK}"',
                   anchor="start")
            + "</g>"
        )
    return parts
