"""JSON Schemas (draft 2020-12) of the files that people and programs write and read, from the code's classes
and closed sets. `galloper schema NAME` prints one.

Other code calls `schema` and reads `SCHEMAS`; commands call `print_schema` and `write_settings_schema`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TextIO

from pydantic import BaseModel

from adjudicator.errors import UserFacingError
from service.cli.schemas import answers, board, record
from service.cli.schemas.parts import Schema

SETTINGS_SCHEMA_FILE = "galloper.schema.json"
"""The file that the first line of `templates/site/galloper.toml` names."""
DIALECT = "https://json-schema.org/draft/2020-12/schema"


class NoSuchSchema(UserFacingError):
    """There is no schema of this name; the sentence names those there are."""


def _settings() -> Schema:
    from service.config import Settings

    return _of_model(Settings)


def _game() -> Schema:
    from service.games.create import GameFile

    return _of_model(GameFile)


def _of_model(model: type[BaseModel]) -> Schema:
    schema = model.model_json_schema()
    # A class's text is for programmers; its settings have their own.
    for table in (schema, *schema.get("$defs", {}).values()):
        table.pop("description", None)
        for field in table.get("properties", {}).values():
            field.pop("title", None)
            if "description" in field:
                field["description"] = " ".join(field["description"].split())
    return schema


_MAKERS: Mapping[str, tuple[str, Callable[[], Schema]]] = {
    "settings": ("A site's settings, `galloper.toml`.", _settings),
    "game": ("A game's file, which `galloper game new` takes.", _game),
    "board": ("A board's `variant.toml`.", board.variant_file),
    "provinces": ("A row of a board's `provinces.csv`, by its columns.", board.province_row),
    "borders": ("A row of a board's `borders.csv`, by its columns.", board.border_row),
    "names": ("A row of a board's `names.csv`, by its columns.", board.name_row),
    "setup": ("A row of a board's `setup.csv`, by its columns.", board.setup_row),
    "record": ("A line of `record.jsonl`: an entry of a game's record.", record.entry),
    "manifest": ("An archive's `manifest.json`.", record.manifest),
    "read": ("What `galloper read --json` prints for a photograph.", answers.read_answer),
    "parse": ("What `galloper parse --json` prints for a line.", answers.parse_answer),
    "case": ("What `galloper adjudicate` takes: a position and its orders.", answers.case),
    "answer": ("What `galloper adjudicate` prints for a case.", answers.case_answer),
    "intake": ("What `galloper intake --json` prints for a mail.", answers.intake_answer),
}
SCHEMAS: Mapping[str, str] = {name: sentence for name, (sentence, _) in _MAKERS.items()}
"""Every schema by its name, with a sentence that says of what it is."""


def schema(name: str) -> dict[str, Any]:
    """A JSON Schema by its name. Raises NoSuchSchema."""
    if name not in _MAKERS:
        raise NoSuchSchema(f"There is no schema {name!r}; there are: {', '.join(_MAKERS)}.")
    sentence, make = _MAKERS[name]
    heading = {
        "$schema": DIALECT,
        "$id": f"urn:galloper:schema:{name}",
        "title": f"Galloper: {name}",
        "description": sentence.replace("`", ""),
    }
    return heading | {key: value for key, value in make().items() if key not in heading}


def print_schema(name: str | None, out: TextIO) -> int:
    """Print a schema as JSON, or the list of all where no name is given. Raises NoSuchSchema."""
    if name is None:
        for each, sentence in SCHEMAS.items():
            print(f"{each:10} {sentence.replace('`', '')}", file=out)
    else:
        print(_text(name), file=out)
    return 0


def write_settings_schema(folder: Path) -> Path:
    """Write the schema of the settings beside them, for editors; its path. An older one is replaced."""
    path = folder / SETTINGS_SCHEMA_FILE
    path.write_text(_text("settings") + "\n", encoding="utf-8")
    return path


def _text(name: str) -> str:
    return json.dumps(schema(name), indent=2, ensure_ascii=False)
