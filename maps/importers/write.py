"""A draft of a board as a folder of our tables. Heading, units and rules come from a board that is played
already."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import maps
from adjudicator.geo import Terrain
from maps.importers.draft import COASTS, BoardDraft, DraftName, DraftPower, ImportReport, link_pairs
from maps.names import normalize

COLOURS = (
    "#c62828", "#1f4fb2", "#3f9b35", "#efd23a", "#4a4f57", "#c2188f", "#2aa79b", "#7b4a1e", "#8fb8e8",
    "#ef8a17",
    "#c9a0e8", "#1010e0", "#e0e0ac", "#10e010", "#c610e0", "#e09292", "#2a4410", "#782a44", "#ace010",
    "#92922a",
)
"""Colours that differ plainly, any two of them (MAP-04)."""
PATTERNS = (
    "diagonal",
    "cross",
    "horizontal",
    "vertical",
    "dots",
    "waves",
    "chevron",
    "grid",
    "back-diagonal",
    "rings",
)
_SHORT = 3
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
HEADING, PROVINCES, BORDERS, NAMES, SETUP = (
    "variant.toml",
    "provinces.csv",
    "borders.csv",
    "names.csv",
    "setup.csv",
)
WORDING, RULINGS = "orders.lark", "rulings.md"


def wording(like: str) -> dict[str, str]:
    """What goes along with the rules of the board `like`: the words its own orders have, and its house
    rules."""
    return {name: (maps.folder(like) / name).read_text("utf-8") for name in (WORDING, RULINGS)
            if (maps.folder(like) / name).exists()}


def tables(draft: BoardDraft, like: str, troubles: ImportReport) -> dict[str, str]:
    """Every file of the folder by its name. A spelling of two places that the source does not call ambiguous
    is a fault."""
    return wording(like) | {
        HEADING: heading(
            like,
            draft.seats,
            {
                "title": draft.title,
                "victory": draft.victory,
                "note": (f"Read from {draft.origin}; whose work that is, and under which licence, is said "
                         f"there."),
            },
            draft.start,
            _counts(draft),
        ),
        PROVINCES: _csv(
            ("id", "name", "abbr", "terrain", "centre", "area", "role", "home", "coasts"),
            (
                (
                    province.id,
                    province.name,
                    "",
                    province.terrain.value,
                    "yes" if province.centre else "",
                    "",
                    "",
                    province.home,
                    "; ".join(f"{coast} = {COASTS[coast]}" for coast in province.coasts if coast in COASTS),
                )
                for province in draft.places.values()
            ),
        ),
        BORDERS: _csv(("a", "b", "kind", "one_way"), _borders(draft)),
        NAMES: _csv(("text", "region", "spelling", "ambiguous"), _names(draft, troubles)),
        SETUP: _csv(
            ("power", "unit", "region"),
            (
                *((power, kind, region) for power, kind, region in draft.units),
                *((power, "centre", province) for power, province in draft.owned),
            ),
        ),
    }


def _counts(draft: BoardDraft) -> dict[str, int]:
    """The board's own figures, so that a row lost later is seen (`maps/checks.py`)."""
    terrain = [place.terrain for place in draft.places.values()]
    one_way = sum(single for _, single in link_pairs(draft.links))
    return {
        "provinces": len(terrain), **{kind.value: terrain.count(kind) for kind in Terrain},
        "centres": sum(place.centre for place in draft.places.values()), "powers": len(draft.seats),
        "units": len(draft.units), **({"one_way": one_way} if one_way else {}),
    }


def _csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _borders(draft: BoardDraft) -> Iterable[Sequence[str]]:
    """Each border once; what leads one way only from the first to the second."""
    for link, single in link_pairs(draft.links):
        seas = sum(draft.places[end.partition("/")[0]].terrain.value == "sea" for end in (link.a, link.b))
        kind = ("shore", "coast-touch", "sea-touch")[seas] if link.afloat else "land"
        yield link.a, link.b, kind, "yes" if single else ""


def _names(draft: BoardDraft, troubles: ImportReport) -> Iterable[Sequence[str]]:
    own_texts = {
        province.id: {normalize(province.id), normalize(province.name)} for province in draft.places.values()
    }
    meant: defaultdict[str, set[str]] = defaultdict(set)
    for place, texts in own_texts.items():
        for text in texts:
            meant[text].add(place)
    rows: dict[tuple[str, str], DraftName] = {}
    doubtful: set[str] = set()
    for named in draft.names:
        form = normalize(named.text)
        if not form or form in own_texts.get(named.region, ()):
            continue
        rows.setdefault((form, named.region), named)
        meant[form].add(named.region)
        doubtful |= {form} if named.ambiguous else set()
    for (form, region), named in rows.items():
        several = len(meant[form]) > 1
        if several and form not in doubtful:
            listed = " and ".join(sorted(meant[form]))
            troubles.fault(*named.at, f"{named.text!r} means {listed}; one of them needs another spelling")
        short = len(named.text) <= _SHORT
        text = named.text.upper() if short else named.text[:1].upper() + named.text[1:]
        yield text, region, "abbreviation" if short else "alias", "yes" if several else ""


# The heading
# ---------------------------------------------------------------------------------------------------------


def heading(
    like: str, seats: Sequence[DraftPower], top: Mapping[str, object],
    start: tuple[str, int, str] | None = None,
    counts: Mapping[str, int] | None = None,
) -> str:
    """A `variant.toml` with calendar, units and rules of the board `like`. Without seats its powers stay,
    with them what it says of its own places (kingdoms, where it is drawn, its figures, how its players meet)
    goes."""
    data = tomllib.loads((maps.folder(like) / HEADING).read_text("utf-8"))
    data.pop("counts", None)
    if seats:
        for key in ("capitals", "middle", "open_east", "strip", "conduct"):
            data.pop(key, None)
        data["powers"] = _powers(seats)
    if start is not None:
        data["calendar"] = data["calendar"] | {"start": _start(start, data["calendar"]["steps"])}
    return to_toml(
        {**top, **{key: value for key, value in data.items() if key not in top}, "counts": dict(counts or {})}
    )


def _start(start: tuple[str, int, str], steps: Sequence[Sequence[str]]) -> list[object]:
    """Season, year and phase; where only one season has such a phase it is meant, whatever it is called
    (builds after the Autumn are those of Winter)."""
    season, year, kind = start
    same = [step[0] for step in steps if step[1] == kind]
    return [same[0] if season not in same and len(same) == 1 else season, year, kind]


def _powers(seats: Sequence[DraftPower]) -> list[dict[str, object]]:
    letters: set[str] = set()
    rows: list[dict[str, object]] = []
    taken = {normalize(text) for seat in seats for text in (seat.id, seat.name)}
    for number, seat in enumerate(seats):
        wanted = (seat.letter, *seat.name.upper(), *_LETTERS)
        letter = next(
            (choice for choice in wanted if choice and choice in _LETTERS and choice not in letters),
            str(number),
        )
        letters.add(letter)
        aliases = [alias for alias in seat.aliases if normalize(alias) not in taken]
        taken |= {normalize(alias) for alias in aliases}
        rows.append({
            "id": seat.id, "name": seat.name, **({"aliases": aliases} if aliases else {}),
            "colour": COLOURS[number] if number < len(COLOURS) else f"#{number * 9973 % 0xFFFFFF:06x}",
            "pattern": PATTERNS[number] if number < len(PATTERNS) else f"diagonal-{number}",
            "letter": letter,
        })
    return rows


def to_toml(table: Mapping[str, Any], path: str = "") -> str:
    """A table as TOML: plain values first, then the tables in it. JSON's texts, numbers and lists are TOML's
    too."""
    plain_ones = [f"{_key(key)} = {_value(value)}\n" for key, value in table.items() if not _is_table(value)]
    parts = ["".join(plain_ones)]
    for key, value in table.items():
        if not _is_table(value):
            continue
        name = f"{path}.{_key(key)}" if path else _key(key)
        for inner in value if isinstance(value, list) else [value]:
            head = f"[[{name}]]" if isinstance(value, list) else f"[{name}]"
            parts.append(f"{head}\n{to_toml(inner, name)}")
    return "\n".join(part for part in parts if part)


def _is_table(value: object) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and bool(value) and isinstance(value[0], dict))


def _key(key: str) -> str:
    return key if key.isascii() and key.replace("_", "").replace("-", "").isalnum() else json.dumps(key)


def _value(value: object) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Put the files into a folder that is not there yet, or holds nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
