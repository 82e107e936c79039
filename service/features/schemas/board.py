"""Schemas of a board's folder: `variant.toml`, and the rows of its four tables. What one row states about
another (a border's ends, a name's region) no schema can hold: `galloper map check` does."""

from __future__ import annotations

from adjudicator.calendar import PhaseKind
from adjudicator.geo import SeaRole, Terrain
from maps.provinces import PROVINCE_COLUMNS, PROVINCE_EXTRAS, Touch
from maps.variant import Spelling
from service.features.schemas.parts import (
    COUNT,
    FILLED,
    FLAG,
    TEXT,
    WHOLE,
    Schema,
    an_object,
    list_of,
    one_of,
    table_of,
    with_text,
)

YES: Schema = {"enum": ["", "yes"]}


def variant_file() -> Schema:
    """`variant.toml`, as `maps.variant_file` reads it."""
    season, year, kind = FILLED, WHOLE, one_of(PhaseKind)
    calendar = an_object(
        {
            "steps": with_text(
                list_of(
                    {"type": "array", "prefixItems": [season, kind], "items": False, "minItems": 2},
                    minItems=1,
                ),
                "The phases of a year in their order: season and kind.",
            ),
            "start": with_text(
                {"type": "array", "prefixItems": [season, year, kind], "items": False, "minItems": 3},
                "The first phase: season, year and kind; one of the steps.",
            ),
        }
    )
    unit = an_object(
        {
            "name": with_text(FILLED, "What the unit is called."),
            "moves": with_text(list_of(TEXT), "The borders it crosses: `land`, `sea`."),
            "carries": with_text({**FLAG, "default": False}, "Whether it convoys others."),
            "carried": with_text({**FLAG, "default": False}, "Whether others can convoy it."),
            "attacks": with_text({**FLAG, "default": True}, "Whether it may enter an occupied place."),
            "alone": with_text({**WHOLE, "default": 1}, "Its strength in defence without support."),
            "retreats": with_text({**FLAG, "default": True}, "Whether it retreats when dislodged."),
            "boards_at_sea": with_text({**FLAG, "default": False}, "Whether it goes aboard while at sea."),
            "also": with_text({"type": "array", "items": {"type": "string"}, "default": []},
                              "What players write for its name."),
        },
        ("moves", "carries", "carried", "attacks", "alone", "retreats", "boards_at_sea", "also"),
    )
    unit["required"].append("moves")
    power = an_object(
        {
            "id": with_text(FILLED, "Its name in the tables."),
            "name": with_text(TEXT, "Its printed name; the id if absent."),
            "aliases": with_text(list_of(FILLED), "Other names that a sheet may have."),
            "person": with_text(TEXT, "Who leads it in the story."),
            "colour": with_text({"type": "string", "pattern": "^#[0-9a-f]{6}$"}, "Its colour on the map."),
            "pattern": with_text(FILLED, "Its pattern on the map, for readers who cannot tell colours "
                                         "apart."),
            "letter": with_text(FILLED, "Its letter on the map."),
            "letter_word": with_text(TEXT, "The meaning of the letter, if no name of the power shows it."),
            "kingdom": with_text(TEXT, "Its kingdom, in games that have them."),
            "victory": with_text(
                COUNT, "Centres that win for this power, where powers differ."
            ),
            "article": with_text(
                {**FLAG, "default": False},
                "Whether sentences add an article to its name: the Confederacy."
            ),
            "plural": with_text(
                {**FLAG, "default": False}, "Whether its name takes a plural verb: the Scots were."
            ),
        },
        ("name", "aliases", "person", "letter_word", "kingdom", "victory", "article", "plural"),
    )
    rules = an_object(
        {
            "module": with_text(
                FILLED, "The rule set, a module of `adjudicator.rules` or of `boards/rules`."
            ),
            "values": with_text({"type": "object"}, "Answers to what the printed rules leave open."),
            "earlier": with_text(
                table_of(FILLED), "Earlier answers, for games that began under them."
            ),
            "citations": with_text(table_of(FILLED), "The source of a sentence of the results."),
            "figures": with_text({"type": "object"}, "Numbers and lists that the rules need."),
        },
        ("values", "earlier", "citations", "figures"),
    )
    return an_object(
        {
            "title": with_text(FILLED, "The game's title."),
            "victory": with_text(COUNT, "Centres that win."),
            "note": with_text(TEXT, "The source of the board."),
            "middle": with_text(
                {
                    "type": "array",
                    "minItems": 2,
                    "items": False,
                    "prefixItems": [
                        {"type": "number", "minimum": -180, "maximum": 180},
                        {"type": "number", "minimum": -90, "maximum": 90},
                    ],
                },
                "Where the drawing is centred: longitude and latitude in degrees.",
            ),
            "open_east": with_text(
                {**FLAG, "default": False}, "Whether the board continues east of its drawing."
            ),
            "strip": with_text(WHOLE, "The least width of each sea on a drawing, in kilometres."),
            "conduct": with_text(
                list_of(FILLED), "Rules of conduct for the welcome letter."
            ),
            "capitals": with_text(
                table_of(list_of(FILLED)), "By kingdom, the regions that are its capitals."
            ),
            "calendar": calendar,
            "units": with_text(
                {"type": "object", "minProperties": 1, "additionalProperties": unit},
                "Kinds of units, by their letter.",
            ),
            "rules": rules,
            "counts": with_text(table_of(COUNT), "Figures that the tables must agree with."),
            "powers": with_text(list_of(power, minItems=1), "The powers."),
        },
        ("note", "middle", "open_east", "strip", "conduct", "capitals", "counts"),
    )


def province_row() -> Schema:
    """A row of `provinces.csv`."""
    columns: dict[str, Schema] = {
        "id": with_text(FILLED, "Its name in the other tables."),
        "name": with_text(FILLED, "Its name in print."),
        "terrain": with_text(one_of(Terrain), "Terrain, the units that can be there: armies, both, fleets."),
        "abbr": with_text(TEXT, "Its short form."),
        "centre": with_text(YES, "Whether it is a supply centre."),
        "area": with_text(TEXT, "The sea area or the country that it is part of."),
        "role": with_text(one_of("", SeaRole), "Its part in its sea area."),
        "home": with_text(TEXT, "The power whose home it is."),
        "coasts": with_text(TEXT, "Named coasts: `NC = North Coast; SC = South Coast`."),
        "marks": with_text(TEXT, "Words with a meaning in the rules of the game."),
    }
    assert set(columns) == {*PROVINCE_COLUMNS, *PROVINCE_EXTRAS}
    return an_object(columns, PROVINCE_EXTRAS)


def border_row() -> Schema:
    """A row of `borders.csv`."""
    columns = {
        "a": with_text(FILLED, "A province, with its coast where needed."),
        "b": with_text(FILLED, "What it touches."),
        "kind": with_text(one_of(Touch), "How they touch."),
        "one_way": with_text(YES, "Whether the border is one-way."),
    }
    return an_object(columns, ("one_way",))


def name_row() -> Schema:
    """A row of `names.csv`."""
    columns = {
        "text": with_text(FILLED, "The spelling."),
        "region": with_text(FILLED, "The region that it means."),
        "spelling": with_text(one_of(Spelling), "What sort of spelling it is."),
        "ambiguous": with_text(YES, "Whether another region shares it."),
    }
    return an_object(columns, ("ambiguous",))


def setup_row() -> Schema:
    """A row of `setup.csv`."""
    return an_object(
        {
            "power": with_text(FILLED, "A power, by its id."),
            "unit": with_text(FILLED, "A kind of unit by its letter, or `centre`."),
            "region": with_text(FILLED, "The unit's region, or the power's centre."),
        }
    )
