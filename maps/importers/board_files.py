"""A draft of a board as the files of our form. Calendar, units and rules come from a board that is played
already."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adjudicator.geo import Terrain
from maps.importers.draft import COASTS, BoardDraft, DraftName, DraftPower, ImportReport, link_pairs
from maps.names import normalize

COLOURS = (
    "#c62828", "#1f4fb2", "#3f9b35", "#efd23a", "#4a4f57", "#c2188f", "#2aa79b", "#7b4a1e", "#8fb8e8",
    "#ef8a17", "#c9a0e8", "#1010e0", "#e0e0ac", "#10e010", "#c610e0", "#e09292", "#2a4410", "#782a44",
    "#ace010", "#92922a")
"""Colours that differ plainly, any two of them (MAP-04)."""
PATTERNS = (
    "diagonal", "cross", "horizontal", "vertical", "dots", "waves", "chevron", "grid", "back-diagonal",
    "rings")
_SHORT = 3
"""Letters up to which a spelling counts as an abbreviation."""
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
HEADING, PROVINCES, BORDERS = "variant.toml", "provinces.csv", "borders.csv"
NAMES, SETUP, WORDING, RULINGS = "names.csv", "setup.csv", "orders.lark", "rulings.md"
MODEL_FILES = (HEADING, WORDING, RULINGS)
_PROVINCE_COLUMNS = ("id", "name", "abbr", "terrain", "centre", "area", "role", "home", "coasts")
_OWN_TO_MODEL = ("capitals", "middle", "open_east", "strip", "conduct")
"""Keys of a heading that mention the model's own places and players."""


@dataclass(frozen=True, slots=True)
class ModelBoard:
    """A board that is played already, from which calendar, units and rules are taken: its name, and the text
    of those of MODEL_FILES that it has."""

    slug: str
    texts: Mapping[str, str]

    @property
    def heading(self) -> dict[str, Any]:
        """Its `variant.toml` as a table."""
        return tomllib.loads(self.texts[HEADING])

    @property
    def wording(self) -> dict[str, str]:
        """The files that belong to its rules: the words of its own orders, and its house rules."""
        return {name: text for name, text in self.texts.items() if name != HEADING}


def board_files(draft: BoardDraft, model: ModelBoard, report: ImportReport) -> dict[str, str]:
    """Every file of the folder by its name.

    A spelling of two places that the source does not call ambiguous is a fault.
    """
    # The importer cannot know the licence of a map: that stays with the file it came from.
    note = f"Read from {draft.origin}; whose work that is, and under which licence, is said there."
    top = {"title": draft.title, "victory": draft.victory, "note": note}
    provinces = (
        (province.id, province.name, "", province.terrain.value, "yes" if province.centre else "", "", "",
         province.home, "; ".join(f"{code} = {COASTS[code]}" for code in province.coasts if code in COASTS))
        for province in draft.places.values())
    setup = (*draft.units, *((power, "centre", centre) for power, centre in draft.owned))
    return model.wording | {
        HEADING: heading_text(model, draft.seats, top, draft.start, _counts(draft)),
        PROVINCES: _csv(_PROVINCE_COLUMNS, provinces),
        BORDERS: _csv(("a", "b", "kind", "one_way"), _borders(draft)),
        NAMES: _csv(("text", "region", "spelling", "ambiguous"), _names(draft, report)),
        SETUP: _csv(("power", "unit", "region"), setup),
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
    # Line feeds alone, as in the tables that git keeps.
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


def _names(draft: BoardDraft, report: ImportReport) -> Iterable[Sequence[str]]:
    own_texts = {
        province.id: {normalize(province.id), normalize(province.name)} for province in draft.places.values()
    }
    places_by_text: defaultdict[str, set[str]] = defaultdict(set)
    for place, texts in own_texts.items():
        for text in texts:
            places_by_text[text].add(place)
    rows: dict[tuple[str, str], DraftName] = {}
    doubtful: set[str] = set()
    for named in draft.names:
        form = normalize(named.text)
        # The loader takes id and name of each province by itself; a row for them would be a second one.
        if not form or form in own_texts.get(named.region, ()):
            continue
        rows.setdefault((form, named.region), named)
        places_by_text[form].add(named.region)
        doubtful |= {form} if named.ambiguous else set()
    for (form, region), named in rows.items():
        several = len(places_by_text[form]) > 1
        if several and form not in doubtful:
            listed = " and ".join(sorted(places_by_text[form]))
            report.fault(*named.source, f"{named.text!r} means {listed}; one of them needs another spelling")
        short = len(named.text) <= _SHORT
        text = named.text.upper() if short else named.text[:1].upper() + named.text[1:]
        yield text, region, "abbreviation" if short else "alias", "yes" if several else ""


def heading_text(
    model: ModelBoard, seats: Sequence[DraftPower], top: Mapping[str, object],
    start: tuple[str, int, str] | None = None, counts: Mapping[str, int] | None = None,
) -> str:
    """A `variant.toml` with calendar, units and rules of the model; `top` replaces keys of its first table.

    Without `seats` the model's powers stay. With them, what it states about its own places goes.
    """
    data = model.heading
    data.pop("counts", None)
    if seats:
        # They name the model's provinces and players; on another board they would be faults, or wrong.
        for key in _OWN_TO_MODEL:
            data.pop(key, None)
        data["powers"] = _powers(seats)
    if start is not None:
        data["calendar"] = data["calendar"] | {"start": _start(start, data["calendar"]["steps"])}
    kept_keys = {key: value for key, value in data.items() if key not in top}
    return to_toml({**top, **kept_keys, "counts": dict(counts or {})})


def _start(start: tuple[str, int, str], steps: Sequence[Sequence[str]]) -> list[object]:
    """Season, year and phase; where only one season has such a phase it is meant, whatever it is called."""
    season, year, kind = start
    same = [step[0] for step in steps if step[1] == kind]
    # A source may call the builds those of Autumn, where our calendar has them in Winter.
    return [same[0] if season not in same and len(same) == 1 else season, year, kind]


def _powers(seats: Sequence[DraftPower]) -> list[dict[str, object]]:
    letters: set[str] = set()
    rows: list[dict[str, object]] = []
    taken = {normalize(text) for seat in seats for text in (seat.id, seat.name)}
    for number, seat in enumerate(seats):
        letter_choices = (seat.letter, *seat.name.upper(), *_LETTERS)
        letter = next(
            # The source's own letter first, then the name's, so that "F" stays France where it can (MAP-05).
            (choice for choice in letter_choices if choice and choice in _LETTERS and choice not in letters),
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
    # JSON leaves DEL as it is, and TOML forbids it in a text.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
