"""A board of ours written in the forms that other programs have: what a board means must survive the way
there and back.

These writers know the two formats from their descriptions and nothing of the readers.
"""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

from adjudicator.geo import LAND, SEA, Region, Terrain
from maps.variant import Variant

_SMALL = str.lower


def as_judge_map(variant: Variant) -> str:
    """DPjudge's `.map`: a place that fleets cannot enter from here in small letters, several coasts each on
    its line."""
    board = variant.board
    lines = [f"BEGIN SPRING {variant.start.phase.year} MOVEMENT", f"VICTORY {variant.victory}", "# powers"]
    for power in variant.powers:
        homes = [p.id for p in board.provinces.values() if p.home == power]
        lines.append(f"{power} ({power.title()}ish) {' '.join(homes)}")
        lines += [f"{unit.kind} {unit.region}" for unit in sorted(variant.start.units) if unit.power == power]
    lines.append("UNOWNED " + " ".join(c for c in board.centres() if not board.provinces[c].home))
    for province in board.provinces.values():
        lines += [(f"{province.name} ({c.name.lower()}) = "
                   f"{province.id.lower()}/{c.id.lower()}") for c in province.coasts]
        lines.append(f"{province.name} = {province.id.lower()}")
    for province in board.provinces.values():
        for coast in province.coasts:
            reach = sorted(map(str, board.links[SEA][Region(province.id, coast.id)]))
            lines.append(f"COAST {province.id}/{coast.id} ABUTS {' '.join(reach)}")
        word = {Terrain.SEA: "WATER", Terrain.INLAND: "LAND", Terrain.COASTAL: "COAST"}[province.terrain]
        place = province.id.lower() if province.coasts else province.id
        afloat = set(map(str, board.links[SEA].get(Region(province.id), ())))
        ashore = {str(r) for r in board.links[LAND].get(Region(province.id), ())}
        by_coast = {place.partition("/")[0] for place in afloat}
        abuts = sorted(
            afloat
            | {p if board.provinces[p].terrain is Terrain.INLAND else _SMALL(p) for p in ashore - by_coast}
        )
        lines.append(f"{word} {place} ABUTS {' '.join(abuts)}")
    return "\n".join(lines) + "\n"


# Kinds of adjacency: mv for armies, xc for fleets, the others for fleets on that coast.
DECLARED = """<!DOCTYPE PROVINCES [
<!ELEMENT PROVINCES (PROVINCE+)>
<!ATTLIST ADJACENCY type (mv|xc|nc|sc|wc|ec) "mv" refs CDATA #REQUIRED>
]>
"""


def as_jdip(variant: Variant) -> tuple[str, str]:
    """jDip's `variants.xml` and its adjacency, the elements declared as its own files do."""
    board = variant.board
    beside = ['<?xml version="1.0" encoding="UTF-8"?>', DECLARED, "<PROVINCES>"]
    for province in board.provinces.values():
        beside.append(f"<PROVINCE shortname={quoteattr(province.id.lower())} "
                      f"fullname={quoteattr(province.name)}>")
        if not province.is_sea:
            beside.append(_adjacency("mv", board.links[LAND][Region(province.id)]))
        if Region(province.id) in board.links[SEA]:
            beside.append(_adjacency("xc", board.links[SEA][Region(province.id)]))
        beside += [
            _adjacency(c.id.lower(), board.links[SEA][Region(province.id, c.id)]) for c in province.coasts
        ]
        beside.append("</PROVINCE>")
    beside.append("</PROVINCES>")
    game = ['<?xml version="1.0"?>', "<VARIANTS>", (f'<VARIANT name="{variant.title}" version="1.0" '
                                                    f'default="true">'),
            '<MAP adjacencyURI="own_adjacency.xml"/>']
    game += [f'<POWER name="{power}" adjective="of {power}"/>' for power in variant.powers]
    game.append(f'<STARTINGTIME turn="Spring, {variant.start.phase.year}, Movement"/>')
    game.append(f'<VICTORYCONDITIONS><WINNING_SUPPLY_CENTERS value="{variant.victory}"/></VICTORYCONDITIONS>')
    for centre in board.centres():
        home = (board.provinces[centre].home or "none").lower()
        game.append(f'<SUPPLYCENTER province="{centre.lower()}" homepower="{home}" owner="{home}"/>')
    for unit in sorted(variant.start.units):
        coast = f' unitcoast="{unit.region.coast.lower()}"' if unit.region.coast else ""
        game.append(f'<INITIALSTATE province="{unit.region.province.lower()}" power="{unit.power.lower()}" '
                    f'unit="{"army" if unit.kind == "A" else "fleet"}"{coast}/>')
    return "\n".join([*game, "</VARIANT>", "</VARIANTS>"]), "\n".join(beside)


def _adjacency(kind: str, regions: frozenset[Region]) -> str:
    refs = " ".join(sorted(str(region).lower().replace("/", "-") for region in regions))
    return f'<ADJACENCY type="{kind}" refs="{refs}"/>'
