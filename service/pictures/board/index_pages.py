"""The pages behind the map: who holds which centre, and every region with its short name, as words for screen
readers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from adjudicator.geo import Province
from adjudicator.units import Unit
from maps.variant import Variant, provinces_by_mark
from service.facts import design
from service.games.results import unit_text
from service.pictures.board.ornament import INK, PAPER

COLUMNS, DEEP = 5, 12
"""Columns of regions, and the most regions in a column of one part of the list. A part is not broken between
pages, so that it is short enough to fill what a page has left."""
TYPE = {"A3": (10.0, 9.0), "A4": (9.0, 8.0)}
"""Points of the type on each paper: of the tables, and of the list of regions."""

STYLE = """
@page index { size: %(size)s; margin: 14mm 12mm; background: %(paper)s;
  @bottom-center { content: string(map-title) ", page " counter(page) " of " counter(pages);
    color: %(ink)s; font-variant-ligatures: none;
    font: italic 9pt "EB Garamond 08", "EB Garamond", Georgia, serif } }
.index { page: index; break-before: page; color: %(ink)s;
  font: %(table)spt/1.25 "EB Garamond 08", "EB Garamond", Georgia, serif;
  /* Ligatures that the map on page one does not use get lost when its fonts are cut down. */
  font-variant-ligatures: none }
.index h1 { font: 20pt "EB Garamond 12", "EB Garamond", serif; text-align: center; margin: 0 0 1mm;
  string-set: map-title content() }
.index h2 { font: italic 12pt "EB Garamond 12", "EB Garamond", serif; margin: 5mm 0 1mm;
  border-bottom: .3pt solid %(ink)s }
.index table { border-collapse: collapse; width: 100%% }
.index td, .index th { text-align: left; vertical-align: top; padding: .8mm 3mm .8mm 0; font-weight: normal }
.index thead th { font-style: italic } .index tbody th { white-space: nowrap }
.index tr { break-inside: avoid; border-bottom: .2pt solid %(rule)s }
.index h2 { break-after: avoid } .index .regions { break-inside: avoid; margin: 0 0 1.6mm }
.index .regions p { font-style: italic; margin: 0 } .index .said { margin: 0 0 1mm; break-after: avoid }
.index ul { display: inline-block; vertical-align: top; width: 19.2%%; margin: 0 .8%% 0 0;
  padding: 0; list-style: none; font-size: %(list)spt }
.index .short { font-weight: bold }
"""


def index_page(
    variant: Variant, centres: Mapping[str, Iterable[str]], title: str, size: str = "A3",
    units: Iterable[Unit] = ()
) -> str:
    """HTML of the table of control and the list of regions, to follow the map in one PDF; with the units that
    are on it."""
    rows = "".join(_power_row(variant, power, centres.get(power, ())) for power in variant.powers)
    held = {region for regions in centres.values() for region in regions}
    units = sorted(units)
    free = sorted(variant.board.provinces[c].name for c in variant.board.centres() if c not in held)
    table_size, list_size = TYPE[size]
    style = STYLE % {"size": size, "table": table_size, "list": list_size, "paper": PAPER, "ink": INK,
                     "rule": design.values()["hairline"]}
    return (
        f"<style>{style}</style><div class='index'><h1>{escape(title)}</h1>"
        "<h2>Who holds which centre</h2><table><thead><tr><th>Letter</th><th>Power</th><th>Centres</th>"
        "<th>Held</th></tr></thead>"
        f"<tbody>{rows}<tr><td></td><th scope='row'>No "
        f"power</th><td>{len(free)}</td><td>{escape(', '.join(free))}</td></tr></tbody></table>"
        f"{_marks(variant)}{_units(variant, units)}<section><h2>Regions and their short "
        f"names</h2>{_said_of_short(variant)}{_regions(variant)}</section></div>"
    )


def _marks(variant: Variant) -> str:
    """What the rules of the game want known of provinces, where they have marks."""
    rows = "".join(
        f"<tr><th scope='row'>{escape(words)}</th><td>{escape(', '.join(names))}</td></tr>"
        for words, names in provinces_by_mark(variant).items()
    )
    return f"<h2>What else is marked</h2><table><tbody>{rows}</tbody></table>" if rows else ""


def _units(variant: Variant, units: Sequence[Unit]) -> str:
    if not units:
        return ""
    rows = ""
    for power in variant.powers.values():
        names = ", ".join(unit_text(variant, unit) for unit in units if unit.power == power.id)
        rows += f"<tr><th scope='row'>{escape(power.name)}</th><td>{escape(names) or 'none'}</td></tr>"
    head = "<thead><tr><th>Power</th><th>Units</th></tr></thead>"
    return f"<h2>Units</h2><table>{head}<tbody>{rows}</tbody></table>"


def _power_row(variant: Variant, power: str, regions: Iterable[str]) -> str:
    names = sorted(variant.board.provinces[region].name for region in regions)
    centres = sum(variant.board.provinces[region].centre for region in regions)
    seat = variant.powers[power]
    return (
        f"<tr><td>{escape(seat.letter)}</td><th scope='row'>{escape(seat.name)}</th><td>{centres}</td>"
        f"<td>{escape(', '.join(names)) or 'none'}</td></tr>"
    )


def _said_of_short(variant: Variant) -> str:
    """How short names are written, where those of water differ from those of land."""
    short = {province.is_sea: province.abbr for province in variant.board.provinces.values() if province.abbr}
    if len(short) < 2 or not short[True].isupper() or short[False].isupper():
        return ""
    return (f"<p class='said'>Short names of water are in capitals ({escape(short[True])}), those of land "
            f"are not ({escape(short[False])}); on the map, names of counties are in capitals too. In an "
            "order either will do.</p>")


def _regions(variant: Variant) -> str:
    """Every region, in parts with columns that are read downwards."""
    listed = sorted(variant.board.provinces.values(), key=lambda province: province.name.removeprefix("The "))
    # Parts of one depth: the last is not a single row.
    parts = -(-len(listed) // (COLUMNS * DEEP))
    deep = -(-len(listed) // (COLUMNS * parts))
    # WeasyPrint balances columns by laying out the whole list several times.
    columns = [listed[start : start + deep] for start in range(0, len(listed), deep)]
    return "".join(_part(columns[start : start + COLUMNS]) for start in range(0, len(columns), COLUMNS))


def _part(columns: Sequence[Sequence[Province]]) -> str:
    first, last = (province.name.removeprefix("The ") for province in (columns[0][0], columns[-1][-1]))
    return (f"<div class='regions'><p>{escape(first)} to {escape(last)}</p>"
            f"{''.join(map(_column, columns))}</div>")


def _column(regions: Iterable[Province]) -> str:
    return f"<ul>{''.join(_region(region) for region in regions)}</ul>"


def _region(province: Province) -> str:
    # A board whose regions are known by a code writes that and no other short name.
    short = province.abbr or (province.id if province.id != province.name else "")
    return f"<li>{escape(province.name)} <span class='short'>{escape(short)}</span></li>"
