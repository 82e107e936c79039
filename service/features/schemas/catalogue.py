"""JSON Schemas (draft 2020-12) of the files that people and programs write and read, from the code's classes
and closed sets. `galloper schema NAME` prints one.

Other code calls `schema` and reads `SCHEMAS`; the command calls `print_schema`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TextIO

from adjudicator.errors import UserFacingError
from service.cli.model_schemas import SETTINGS, of_model, settings, text_of, with_heading
from service.features.schemas import answers, board, record
from service.features.schemas.parts import Schema


class NoSuchSchema(UserFacingError):
    """There is no schema of this name; the sentence names those there are."""


def _game() -> Schema:
    from service.games.create import GameFile

    return of_model(GameFile)


_MAKERS: Mapping[str, tuple[str, Callable[[], Schema]]] = {
    "settings": (SETTINGS, settings),
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
"""Every schema by its name, with a sentence that describes it."""


def schema(name: str) -> dict[str, Any]:
    """A JSON Schema by its name. Raises NoSuchSchema."""
    if name not in _MAKERS:
        raise NoSuchSchema(f"There is no schema {name!r}; there are: {', '.join(_MAKERS)}.")
    sentence, make = _MAKERS[name]
    return with_heading(name, sentence, make())


def print_schema(name: str | None, out: TextIO) -> int:
    """Print a schema as JSON, or the list of all where no name is given. Raises NoSuchSchema."""
    if name is None:
        for each, sentence in SCHEMAS.items():
            print(f"{each:10} {sentence.replace('`', '')}", file=out)
    else:
        print(text_of(schema(name)), file=out)
    return 0
