"""What the program offers, and what it writes about a played game, as one JSON object: to compare before and
after a change of the house. `python -m tools.inventory > before.json`, then `--compare before.json`.

Sections: the routes of pages, the commands with their options, the settings, and of each game of the demo,
its story played with all letters: the letters byte for byte, the entries of the record, and the events.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Any
from unittest import mock

import typer
from sqlalchemy import select

SETS = frozenset({"/routes", "/settings", "/mounted"})
"""Lists of the inventory without an order."""


def offered() -> dict[str, Any]:
    """Routes, commands and settings."""
    from service.cli import main
    from service.config import Settings
    from tests.support.desk_table import open_desk
    from tests.support.site import make_site
    from tests.support.table import open_table

    with tempfile.TemporaryDirectory() as folder, make_site(Path(folder)) as site:
        app: Any = open_desk(open_table(site)).client.app
        routes = sorted(f"{method.upper()} {path}" for path, methods in app.openapi()["paths"].items()
                        for method in methods)
        mounted = sorted(route.path for route in app.routes if type(route).__name__ == "Mount")
    schema = Settings.model_json_schema()
    tables = {"": schema, **schema.get("$defs", {})}
    settings = sorted(f"{name}.{field}" for name, table in tables.items()
                      for field in table.get("properties", {}))
    commands = dict(_commands(typer.main.get_command(main.app)))
    return {"routes": routes, "mounted": mounted, "commands": commands, "settings": settings}


def _commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, list[str]]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield " ".join(path), sorted(option for each in command.params for option in each.opts)
    else:
        for name, sub in inner.items():
            yield from _commands(sub, (*path, name))


@contextmanager
def without_chance() -> Iterator[None]:
    """Every secret is the next of one row, so that two plays are alike."""
    numbers = itertools.count()

    def next_bytes(size: int) -> bytes:
        return hashlib.shake_256(str(next(numbers)).encode()).digest(size)

    state = random.getstate()
    random.seed(0)
    # `random._urandom` is what `secrets` draws from, under whatever name it was imported.
    with mock.patch.object(random, "_urandom", next_bytes), mock.patch.object(os, "urandom", next_bytes):
        yield
    random.setstate(state)


def played(slug: str) -> dict[str, Any]:
    """The story of a game, played: its letters, record and events."""
    from service.store.letter_parts import finished
    from service.store.tables import EntryRow, EventRow, OutboxRow
    from tests.support.site import make_site
    from tests.support.story_table import play_story

    with tempfile.TemporaryDirectory() as folder, without_chance(), make_site(Path(folder)) as site:
        play_story(site, slug, letters=True, receipts=True)
        with site.store() as session:
            letters = {row.key: _parts(message_from_bytes(finished(site.blobs, row)))
                       for row in session.scalars(select(OutboxRow).order_by(OutboxRow.id))}
            record = [[row.what, row.fact, row.body] for row in session.scalars(
                select(EntryRow).order_by(EntryRow.game_id, EntryRow.number))]
            events = [[row.what, row.actor, row.detail] for row in session.scalars(
                select(EventRow).order_by(EventRow.id))]
    return {"letters": letters, "record": record, "events": events}


def _parts(message: Message) -> list[str]:
    heads = [f"{name}: {message[name]}" for name in ("Subject", "To", "From", "In-Reply-To", "List-Id")]
    parts = [(part.get_content_type(), bytes(part.get_payload(decode=True) or b""))
             for part in message.walk() if not part.is_multipart()]
    return heads + [f"{kind} {hashlib.sha256(data).hexdigest()}" for kind, data in parts]


def differences(before: Any, after: Any, place: str = "") -> Iterator[str]:
    """Where two values differ, in words."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(set(before) | set(after)):
            if key not in before or key not in after:
                yield f"{place}/{key}: {'added' if key in after else 'gone'}"
            else:
                yield from differences(before[key], after[key], f"{place}/{key}")
    elif isinstance(before, list) and isinstance(after, list) and place in SETS:
        yield from (f"{place}: {each} gone" for each in before if each not in after)
        yield from (f"{place}: {each} added" for each in after if each not in before)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (first, second) in enumerate(zip(before, after, strict=True)):
            yield from differences(first, second, f"{place}/{number}")
    elif before != after:
        yield f"{place}: {str(before)[:160]} | {str(after)[:160]}"


def main() -> int:
    """Print the inventory, or compare it with an earlier one; 1 if anything differs."""
    from demo.story import story_variants

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compare", metavar="BEFORE.json", type=Path)
    parser.add_argument("--games", nargs="*", default=None, help="only these")
    chosen = parser.parse_args()
    slugs = story_variants() if chosen.games is None else chosen.games
    inventory = {**offered(), "games": {slug: played(slug) for slug in slugs}}
    if chosen.compare is None:
        json.dump(inventory, sys.stdout, indent=1, sort_keys=True, default=str)
        return 0
    before = json.loads(chosen.compare.read_text("utf-8"))
    after = json.loads(json.dumps(inventory, default=str))
    sentences = list(differences(before, after))
    print("\n".join(sentences) if sentences else "no difference")
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main())
