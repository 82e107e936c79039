"""Cheats with the record itself, with archives and with letters."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.service.archive.cheats.on_sheets import V1, V2, removal
from tests.service.archive.cheats.table import (
    AFTER,
    BEFORE,
    KEEPER,
    OPERATOR,
    Chain,
    Cheat,
    Forge,
    Play,
    both,
    sha,
    written_anew,
)
from tests.support.altered import entries, older, packed, unpacked
from tests.support.keeper import VICTIM, Evidence
from tests.support.table import Table


def is_entry(entry: dict[str, Any], what: str, **tells: object) -> bool:
    """Whether an entry is open, of this kind, and has these values."""
    body = entry.get("body")
    return (body is not None and body["what"] == what
            and all(body["tells"].get(key) == value for key, value in tells.items()))


def without_the_second_version(chain: Chain) -> Chain:
    """As if the sheet had never come: no mail, no reading, no receipt; the judging names the first."""
    mails = {e["body"]["tells"]["mail"] for e in chain if is_entry(e, "sheet", sheet=V2)}
    lines: dict[str | None, int] = {}
    for entry in chain:
        if is_entry(entry, "reading", sheet=V1):
            lines = {line["order"]: line["line"]
                     for page in entry["body"]["tells"]["pages"] for line in page["lines"]}
    last_receipt = max((e["n"] for e in chain if is_entry(e, "letter", kind="receipt")), default=0)
    left = [e for e in chain if not (
        any(is_entry(e, kind, sheet=V2) for kind in ("sheet", "reading", "aside", "decision"))
        or (is_entry(e, "mail") and e["body"]["tells"]["mail"] in mails)
        or (e["n"] == last_receipt and VICTIM in e["body"]["tells"]["to"]))]
    for entry in left:
        if is_entry(entry, "judged", phase=2):
            tells = entry["body"]["tells"]
            tells["executed"][VICTIM] = 1
            tells["not_executed"] = {}
            for order in tells["orders"]:
                if order["power"] == VICTIM:
                    order["line"] = lines.get(order["written"], order["line"])
    return left


def _earlier(chain: Chain) -> Chain:
    """Decisions after the deadline are dated before it."""
    for entry in chain:
        if is_entry(entry, "decision"):
            entry["body"]["entered"] = "2027-03-10T00:00:00Z"
    return chain


def _by(forge: Forge) -> Play:
    """The game is played honestly, and the evidence is forged."""
    return lambda _table: forge


def _of_players(change: Callable[[Chain], None]) -> Forge:
    """The players' archive with other entries, shown as either edition."""

    def forge(shown: Evidence) -> Evidence:
        files = unpacked(shown.players)
        chain = entries(files)
        change(chain)
        archive = packed(files, chain)
        return Evidence(archive, archive, shown.letters)

    return forge


def _closed(kind: str, *, head: str = "") -> Play:
    """An entry of the victim's sheet that the players' archive closes."""

    def close(chain: Chain) -> None:
        for entry in chain:
            if is_entry(entry, kind, sheet=V2):
                body, salt = entry.pop("body"), entry.pop("salt")
                words = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
                entry["inner"] = sha(f"{salt}\n{words}".encode())
                entry["head"] = head or f"{kind} {body['tells']['phase']}"

    return _by(_of_players(close))


def _close_without_a_word(chain: Chain) -> None:
    for entry in chain:
        if is_entry(entry, "sheet", sheet=V2):
            del entry["body"], entry["salt"]


def _cut_before_the_last_judging(data: bytes) -> bytes:
    """An archive from before the last judging."""
    files = unpacked(data)
    last = [entry["n"] for entry in entries(files) if is_entry(entry, "judged")][-1]
    return older(files, last - 2)


def _deleted_entries(table: Table) -> None:
    with table.site.engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM record WHERE what = 'decision'")


def _exchanged_entry(table: Table) -> None:
    """The body of an entry is written again in the database, with its own leaf, and the chain is not."""
    with table.site.engine.begin() as connection:
        connection.exec_driver_sql(
            "UPDATE record SET body = replace(body, '\"fate\":\"counts\"', '\"fate\":\"held\"') "
            "WHERE what = 'sheet'")


def _cut_and_gone_on(table: Table) -> None:
    """The last entries are deleted, and the chain is continued from before them: a backup put back in
    secret."""
    with table.site.engine.begin() as connection:
        last = connection.exec_driver_sql(
            f"SELECT number FROM record WHERE what = 'sheet' AND fact = '{V2}'").scalar_one()
        for statement in removal(V2):
            connection.exec_driver_sql(statement)
        connection.exec_driver_sql("DELETE FROM record_due")
        connection.exec_driver_sql(f"DELETE FROM record WHERE number >= {last}")
        link = connection.exec_driver_sql(f"SELECT link FROM record WHERE number = {last - 1}").scalar_one()
        connection.exec_driver_sql(f"UPDATE record_heads SET number = {last - 1}, link = '{link}'")


def _two_truths(shown: Evidence) -> Evidence:
    """The archive is of another record than the letters of most players, and fits those of one."""

    def change(chain: Chain) -> Chain:
        for entry in chain:
            if is_entry(entry, "sheet", sheet=2):
                entry["body"]["tells"]["flags"] = ["year_differs"]
        return chain

    forged = written_anew(change)(shown)
    # The victim's letters are made to fit: they name the roots and leaves of the forged record.
    pairs: dict[str, str] = {}
    for old, new in zip(entries(unpacked(shown.whole)), entries(unpacked(forged.whole)), strict=True):
        pairs |= {old["leaf"]: new["leaf"], old["link"]: new["link"]}
    letters = {power: dict(mails) for power, mails in shown.letters.items()}
    for name, data in shown.letters[VICTIM].items():
        fitting = data
        for before, after in pairs.items():
            fitting = fitting.replace(before.encode(), after.encode())
        letters[VICTIM][name] = fitting
    return Evidence(forged.whole, forged.players, letters)


def _wrong_letter(shown: Evidence) -> Evidence:
    """The results that one player gets name another version as counted."""
    letters = {name: data.replace(b"version 2", b"version 1") if "final" in name else data
               for name, data in shown.letters[VICTIM].items()}
    return replace(shown, letters=shown.letters | {VICTIM: letters})


def _other_photographs(shown: Evidence) -> Evidence:
    files = {name: data[:-1] + b"x" if name.startswith("photographs/") else data
             for name, data in unpacked(shown.whole).items()}
    return replace(shown, whole=packed(files))


def _missing_mail(shown: Evidence) -> Evidence:
    files = unpacked(shown.whole)
    del files[next(name for name in files if name.startswith("mails/"))]
    return replace(shown, whole=packed(files))


CHEATS = (
    Cheat("the record is written again without a sheet", OPERATOR, BEFORE, "sent",
          _by(written_anew(without_the_second_version)), "6", needs="letters"),
    Cheat("the record is written again with earlier times", OPERATOR, BEFORE, "sent",
          _by(written_anew(_earlier)), "C14"),
    Cheat("an entry is changed", OPERATOR, AFTER, "sent", _exchanged_entry, "2"),
    Cheat("entries are deleted", OPERATOR, AFTER, "sent", _deleted_entries, "2"),
    Cheat("the chain is cut and goes on", OPERATOR, BEFORE, "sheets", _cut_and_gone_on, "6", needs="letters"),
    Cheat("an older archive is shown", KEEPER, AFTER, "sent", _by(both(_cut_before_the_last_judging)), "6",
          needs="letters"),
    Cheat("a sheet is closed in the players' archive", KEEPER, AFTER, "sent", _closed("sheet"), "C16"),
    Cheat("a sheet is closed as words beside the orders", KEEPER, AFTER, "sent",
          _closed("sheet", head="aside 2"), "2"),
    Cheat("a sheet is closed without a word", KEEPER, AFTER, "sent",
          _by(_of_players(_close_without_a_word)), "C16"),
    Cheat("the reading of a sheet that counted is closed", KEEPER, AFTER, "sent", _closed("reading"), "C6"),
    Cheat("two players get two records", OPERATOR, BEFORE, "sent", _by(_two_truths), "6", needs="pool"),
    Cheat("one player's results name another version", OPERATOR, BEFORE, "sent", _by(_wrong_letter), "6",
          needs="letters"),
    Cheat("a photograph in the archive is changed", KEEPER, AFTER, "sent", _by(_other_photographs), "3"),
    Cheat("a mail is left out of the archive", KEEPER, AFTER, "sent", _by(_missing_mail), "3"),
)
