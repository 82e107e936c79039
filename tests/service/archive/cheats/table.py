"""The form of a cheat, and small means that several use: SQL past the program, and records written again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

from service.games import lots, sealed_lots, turns
from service.notices import results_facts
from service.record import game_key, judged_entry, references
from tests.support.altered import entries, rechained, unpacked
from tests.support.keeper import VICTIM, Evidence
from tests.support.table import Table

BEFORE, AFTER = "before mailing", "after mailing"
KEEPER, OPERATOR, PLAYER, WITH_PLAYER = "keeper", "operator", "player", "keeper with player"
EXCHANGED = (
    (lots, "check_committed"), (turns, "executed"), (results_facts, "notable_of"), (judged_entry, "count"),
    (sealed_lots, "sheets_on_record"), (sealed_lots, "opened_seed"), (sealed_lots, "seal"),
    (game_key, "of_game"), (game_key, "_secret"), (references, "root_mark"))
"""The parts of the program that cheats exchange."""

Chain = list[dict[str, Any]]
"""The entries of a record, in order."""
Forge = Callable[[Evidence], Evidence]
"""What a cheat makes of the evidence once the game was played on, where it changes the archive itself."""
Play = Callable[[Table], Forge | None]


@dataclass(frozen=True, slots=True)
class Cheat:
    """One way to cheat: by whom, before or after the letters were mailed, from which stage of the game, how
    it is played, and which rule finds it. `needs`: "" if the archive alone shows it, "letters" if the
    letters of the cheated player are needed, "pool" if those of two players are. `is_named`: it is not a
    fault by itself, and everybody is informed of the entry. `open_issue`: why it is not found yet, "" if it
    is."""

    name: str
    role: str
    when: str
    stage: str
    play: Play
    rule: str
    needs: str = ""
    is_named: bool = False
    open_issue: str = ""


@dataclass(frozen=True, slots=True)
class Impossible:
    """A way to cheat that no checker of an archive and letters can find, and why."""

    name: str
    role: str
    why: str


def sql(*statements: str) -> Play:
    """Change the database past the program; its triggers stand."""

    def play(table: Table) -> None:
        with table.site.engine.begin() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)

    return play


def without_triggers(*statements: str) -> Play:
    """Change the database with its triggers taken away meanwhile, as its operator can."""

    def play(table: Table) -> None:
        with table.site.engine.begin() as connection:
            triggers = connection.exec_driver_sql(
                "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").all()
            for name, _ in triggers:
                connection.exec_driver_sql(f"DROP TRIGGER {name}")
            for statement in statements:
                connection.exec_driver_sql(statement)
            for _, text in triggers:
                connection.exec_driver_sql(text)

    return play


def exchange(module: ModuleType, name: str, value: object) -> None:
    """Change the program itself, as its operator can; the tests put it back (`EXCHANGED`)."""
    assert (module, name) in EXCHANGED
    setattr(module, name, value)


def both(change: Callable[[bytes], bytes]) -> Forge:
    """A forger of both editions."""
    return lambda shown: Evidence(change(shown.whole), change(shown.players), shown.letters)


def written_anew(change: Callable[[Chain], Chain]) -> Forge:
    """The whole archive with other entries, all digests computed again; of the players' the same, as far as
    open."""

    def forge(data: bytes) -> bytes:
        files = unpacked(data)
        chain = change(entries(files))
        named = json.dumps([entry["body"] for entry in chain if "body" in entry])
        files = {name: text for name, text in files.items()
                 if "/" not in name or name.startswith("positions/") or _key(name) in named}
        return rechained(files, chain)

    return both(forge)


def _key(name: str) -> str:
    return name.partition("/")[2].partition(".")[0]


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def rewritten(kind: str, change: Callable[[bytes], bytes]) -> Play:
    """The victim's newest letter of a kind is another than the one on record."""

    def forge(shown: Evidence) -> Evidence:
        hers = shown.letters[VICTIM]
        name = max(name for name in hers if f"-{kind}-" in name)
        return replace(shown, letters={**shown.letters, VICTIM: {**hers, name: change(hers[name])}})

    return lambda _table: forge
