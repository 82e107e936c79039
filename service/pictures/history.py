"""A game that was played, drawn: the chart of centres, a line for each power over the years (BEY-02, BEY-03);
and the end of a game as a printed sheet (BEY-03)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from markupsafe import Markup

from maps.variant import Power, Variant
from service.letters.facts import GameInfo, GameOverFacts
from service.letters.language import ENGLISH, N_, language
from service.letters.render import CHART, end_words, environment
from service.pictures.board.centre_marks import attribute, ink_of
from service.pictures.board.ornament import INK, PALE
from service.pictures.drawing.render import to_pdf
from service.pictures.drawing.svg import text

_BEGINNING = N_("beginning")
CHART_MM = (176.0, 57.0)
"""Width and height of the chart; ten names need the height."""
_LEFT, _TOP, _FOOT, _NAMES = 7.0, 3.5, 7.0, 52.0
_LEAST = 5.2
"""Millimetres between two names, one below the other."""
_DASH = 1.6
"""Millimetres of each power's part where several have the same line."""


def centre_chart(
    variant: Variant, years: Sequence[str], counts: Mapping[str, Sequence[int]], code: str
) -> str:
    """A line for each power of `counts` (by id): its centres at the beginning and at the end of each of
    `years`, in the language of a code."""
    label, beginning = (language(code).say(words) for words in (CHART, _BEGINNING))
    wide, high = CHART_MM
    most = max(1, *(number for line in counts.values() for number in line))
    right, bottom = wide - _NAMES, high - _FOOT
    columns = [_LEFT + (right - _LEFT) * index / len(years) for index in range(len(years) + 1)]

    def y_of(number: int) -> float:
        return bottom - (bottom - _TOP) * number / most

    parts = [_grid(columns, (beginning, *years), most, right, y_of(0), y_of(most))]
    ends: list[tuple[float, Power, int]] = []
    for power_id, numbers in counts.items():
        power = variant.powers[power_id]
        # Whose numbers are the same from one year to the next have one line there, each a part in turn: a
        # line next to it would lie where the number is another.
        shared = [[other for other in counts if counts[other][year:year + 2] == numbers[year:year + 2]]
                  for year in range(len(years))]
        points = [(x, y_of(number)) for x, number in zip(columns, numbers, strict=True)]
        parts.append(_line(points, power, [(each.index(power_id), len(each)) for each in shared]))
        ends.append((points[-1][1], power, numbers[-1]))
    parts += [_dot(x, y_of(number)) for index, x in enumerate(columns)
              for number in sorted({numbers[index] for numbers in counts.values()})]
    parts += _names(ends, right, high)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{attribute(label)}" '
            f'width="{wide:g}mm" height="{high:g}mm" viewBox="0 0 {wide:g} {high:g}">'
            # Readers of a page take the label, those of a PDF the title.
            f'<title>{attribute(label)}</title>{"".join(parts)}</svg>')


def _grid(
    columns: Sequence[float], names: Sequence[str], most: int, right: float, bottom: float, top: float
) -> str:
    step = max(1, -(-most // 6))
    parts = []
    for number in range(0, most + 1, step):
        y = bottom - (bottom - top) * number / most
        parts.append(f'<path d="M{_LEFT:.2f} {y:.2f}H{right:.2f}" stroke="{INK}" stroke-width="0.1" '
                     'stroke-opacity="0.45"/>')
        parts.append(text(_LEFT - 1.4, y + 1.0, str(number), "roman", 3.0, f'fill="{INK}"', "end"))
    # Every year while there is room for their names.
    each = max(1, -(-len(columns) // 9))
    for index, (x, name) in enumerate(zip(columns, names, strict=True)):
        parts.append(f'<path d="M{x:.2f} {bottom:.2f}v1" stroke="{INK}" stroke-width="0.2"/>')
        if index % each == 0:
            anchor = "start" if index == 0 else "middle"
            parts.append(text(x if index else _LEFT, bottom + 4.4, name, "italic", 3.2, f'fill="{INK}"',
                              anchor))
    return "".join(parts)


def _line(
    points: Sequence[tuple[float, float]], power: Power, turns: Sequence[tuple[int, int]]
) -> str:
    """A power's line through its points. `turns`, for each piece of it: which of the powers that share the
    piece this is, from 0, and how many they are."""
    pieces = []
    for (start, end), (turn, sharers) in zip(pairwise(points), turns, strict=True):
        dashes = ("" if sharers == 1 else f' stroke-dasharray="{_DASH} {_DASH * (sharers - 1):g}" '
                  f'stroke-dashoffset="{-_DASH * turn:g}"')
        pieces.append(f'<path d="M{start[0]:.2f} {start[1]:.2f}L{end[0]:.2f} {end[1]:.2f}" fill="none" '
                      f'stroke="{ink_of(power)}" stroke-width="0.6"{dashes}/>')
    return f'<g data-power="{attribute(power.id)}">{"".join(pieces)}</g>'


def _dot(x: float, y: float) -> str:
    return f'<circle cx="{x:.2f}" cy="{y:.2f}" r="0.6" fill="{INK}"/>'


def _names(ends: Sequence[tuple[float, Power, int]], right: float, high: float) -> list[str]:
    """The names at the lines' ends, moved apart where they would meet."""
    ranked = sorted(ends, key=lambda end: end[0])
    places = [max(y, 2.6) for y, _, _ in ranked]
    for index in range(1, len(places)):
        places[index] = max(places[index], places[index - 1] + _LEAST)
    # What hangs over the foot pushes all above it up.
    over = max(0.0, places[-1] - (high - 2.6)) if places else 0.0
    if over:
        places[-1] -= over
        for index in range(len(places) - 2, -1, -1):
            places[index] = min(places[index], places[index + 1] - _LEAST)
    parts = []
    for y, (end, power, number) in zip(places, ranked, strict=True):
        x = right + 8.0
        parts.append(
            f'<path d="M{right + 0.8:.2f} {end:.2f}L{x - 2.6:.2f} {y:.2f}" stroke="{ink_of(power)}" '
            'stroke-width="0.2"/>'
            f'<circle cx="{x:.2f}" cy="{y:.2f}" r="2.1" fill="{PALE}" stroke="{ink_of(power)}" '
            'stroke-width="0.5"/>'
            + text(x, y + 1.05, power.letter, "bold", 3.1, f'fill="{INK}"')
            + text(x + 3.4, y + 1.15, f"{power.name}, {number}", "roman", 3.7, f'fill="{INK}"', "start"))
    return parts


def game_over_pdf(game: GameInfo, facts: GameOverFacts, variant: Variant) -> bytes:
    """The end of a game as a printed sheet: how it ended, standings, chart, counts and thanks."""
    template = environment("pictures", markup=True).get_template("game_over.html")
    chart = centre_chart(variant, facts.years, facts.chart, ENGLISH)
    heading = f"The end of {game.name}"
    html = template.render(game=game, facts=facts, heading=heading, caption=CHART,
                           end=end_words(game, facts), chart=Markup(chart))  # noqa: S704 - our own drawing
    return to_pdf(html, title=heading)
