"""Cheats with the record itself, with archives and with letters."""

from __future__ import annotations

import json
from typing import Any

from tests.service.archive.cheats.on_sheets import V2
from tests.service.archive.cheats.table import (
    AFTER,
    BEFORE,
    KEEPER,
    OPERATOR,
    Cheat,
    both,
    written_anew,
)
from tests.support.altered import entries, older, packed, unpacked
from tests.support.keeper import VICTIM, Evidence
from tests.support.table import Table

Chain = list[dict[str, Any]]


def _of(entry: dict[str, Any], what: str, **tells: object) -> bool:
    body = entry.get("body")
    return body is not None and body["what"] == what and all(body["tells"].get(k) == v for k,
        v in tells.items())


def _without_the_second_version(chain: Chain) -> Chain:
    """As if the sheet had never come: no mail, no sheet, no reading, no receipt; the judging says the
    first."""
    mails = {e["body"]["tells"]["mail"] for e in chain if _of(e, "sheet", sheet=V2)}
    lines = {}
    for entry in chain:
        if _of(entry, "reading", sheet=1):
            lines = {line["order"]: line["line"] for page in entry["body"]["tells"]["pages"]
                for line in page["lines"]}
    left = [e for e in chain if not (
        _of(e, "sheet", sheet=V2) or _of(e, "reading", sheet=V2) or _of(e, "aside", sheet=V2)
        or _of(e, "decision", sheet=V2) or (_of(e, "mail") and e["body"]["tells"]["mail"] in mails)
        or (_of(e, "letter", kind="receipt") and e["n"] > 45 and VICTIM in e["body"]["tells"]["to"]
            and e["n"] == max(x["n"] for x in chain if _of(x, "letter", kind="receipt"))))]
    for entry in left:
        if _of(entry, "judged", phase=2):
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
        if _of(entry, "decision"):
            entry["body"]["entered"] = "2027-03-10T00:00:00Z"
    return chain


def _rewritten(change: object) -> object:
    return lambda _table: written_anew(change)  # type: ignore[arg-type]


def _closed(kind: str, *, head: str = "") -> object:
    """An entry of the victim's sheet that the players' archive closes."""

    def close(shown: Evidence) -> Evidence:
        files = unpacked(shown.players)
        whole = {entry["n"]: entry for entry in entries(unpacked(shown.whole))}
        chain = entries(files)
        for entry in chain:
            if _of(entry, kind, sheet=V2):
                body, salt = entry.pop("body"), entry.pop("salt")
                words = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
                import hashlib

                entry["inner"] = hashlib.sha256(f"{salt}\n{words}".encode()).hexdigest()
                entry["head"] = head or f"{kind} {body['tells']['phase']}"
        assert whole
        return Evidence(packed(files, chain), packed(files, chain), shown.letters)

    return lambda _table: close


def _quite_closed(_table: Table) -> object:
    def close(shown: Evidence) -> Evidence:
        files = unpacked(shown.players)
        chain = entries(files)
        for entry in chain:
            if _of(entry, "sheet", sheet=V2):
                del entry["body"], entry["salt"]
        return Evidence(packed(files, chain), packed(files, chain), shown.letters)

    return close


def _shorter(_table: Table) -> object:
    """An archive from before the last judging."""

    def cut(data: bytes) -> bytes:
        files = unpacked(data)
        last = [e["n"] for e in entries(files) if _of(e, "judged")][-1]
        return older(files, last - 2)

    return both(cut)


def _deleted_entries(table: Table) -> None:
    with table.site.engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM record WHERE what = 'decision'")


def _exchanged_entry(table: Table) -> None:
    """The body of an entry is written anew in the database, with its own leaf, and the chain is not."""
    with table.site.engine.begin() as connection:
        connection.exec_driver_sql(
            "UPDATE record SET body = replace(body, '\"fate\":\"counts\"', '\"fate\":\"held\"') WHERE what "
            "= 'sheet'")


def _cut_and_gone_on(table: Table) -> None:
    """The last entries are deleted, and the chain is continued from before them: a backup put back in
    secret."""
    with table.site.engine.begin() as connection:
        last = connection.exec_driver_sql(
            f"SELECT number FROM record WHERE what = 'sheet' AND fact = '{V2}'").scalar_one()
        for table_name in ("lines", "pages", "submissions"):
            where = {"lines": f"page_id IN (SELECT id FROM pages WHERE submission_id = {V2})",
                     "pages": f"submission_id = {V2}", "submissions": f"id = {V2}"}[table_name]
            connection.exec_driver_sql(f"DELETE FROM {table_name} WHERE {where}")
        connection.exec_driver_sql("DELETE FROM record_due")
        connection.exec_driver_sql(f"DELETE FROM record WHERE number >= {last}")
        link = connection.exec_driver_sql(f"SELECT link FROM record WHERE number = {last - 1}").scalar_one()
        connection.exec_driver_sql(f"UPDATE record_heads SET number = {last - 1}, link = '{link}'")


def _two_truths(_table: Table) -> object:
    """The archive is of another record than the letters of most players, and fits those of one."""
    return _letters_of_another_game


def _letters_of_another_game(shown: Evidence) -> Evidence:
    def change(chain: Chain) -> Chain:
        for entry in chain:
            if _of(entry, "sheet", sheet=2):
                entry["body"]["tells"]["flags"] = ["year_differs"]
        return chain

    forged = written_anew(change)(shown)
    # The victim's letters are made to fit: they name the roots and leaves of the forged record.
    pairs: dict[str, str] = {}
    for old, new in zip(entries(unpacked(shown.whole)), entries(unpacked(forged.whole)), strict=True):
        pairs |= {old["leaf"]: new["leaf"], old["link"]: new["link"]}
    letters = {name: dict(own) for name, own in shown.letters.items()}
    for name, data in letters[VICTIM].items():
        fitting = data
        for before, after in pairs.items():
            fitting = fitting.replace(before.encode(), after.encode())
        letters[VICTIM][name] = fitting
    files = unpacked(forged.whole)
    return Evidence(packed(dict(files)), forged.players, letters)


def _wrong_letter(table: Table) -> object:
    """The results that one player gets name another version as counted."""

    def forge(shown: Evidence) -> Evidence:
        letters = {name: dict(own) for name, own in shown.letters.items()}
        letters[VICTIM] = {name: data.replace(b"version 2", b"version 1") if "final" in name else data
                           for name, data in letters[VICTIM].items()}
        return Evidence(shown.whole, shown.players, letters)

    return forge


def _photograph(_table: Table) -> object:
    def forge(data: bytes) -> bytes:
        files = unpacked(data)
        for name in files:
            if name.startswith("photographs/"):
                files[name] = files[name][:-1] + b"x"
        return packed(files)

    return lambda shown: Evidence(forge(shown.whole), shown.players, shown.letters)


def _missing_mail(_table: Table) -> object:
    def forge(data: bytes) -> bytes:
        files = unpacked(data)
        gone = [name for name in files if name.startswith("mails/")][:1]
        return packed({name: text for name, text in files.items() if name not in gone})

    return lambda shown: Evidence(forge(shown.whole), shown.players, shown.letters)


CHEATS = (
    Cheat("the record is written anew without a sheet", OPERATOR, BEFORE, "sent",
          _rewritten(_without_the_second_version), "6", needs="letters"),  # type: ignore[arg-type]
    Cheat("the record is written anew with earlier times", OPERATOR, BEFORE, "sent", _rewritten(_earlier),
        "C14"),  # type: ignore[arg-type]
    Cheat("an entry is changed", OPERATOR, AFTER, "sent", _exchanged_entry, "2"),
    Cheat("entries are deleted", OPERATOR, AFTER, "sent", _deleted_entries, "2"),
    Cheat("the chain is cut and goes on", OPERATOR, BEFORE, "sheets", _cut_and_gone_on, "6", needs="letters"),
    Cheat("an older archive is shown", KEEPER, AFTER, "sent", _shorter, "6", needs="letters"),
        # type: ignore[arg-type]
    Cheat("a sheet is closed in the players' archive", KEEPER, AFTER, "sent", _closed("sheet"), "C16"),
        # type: ignore[arg-type]
    Cheat("a sheet is closed as words beside the orders", KEEPER, AFTER, "sent", _closed("sheet",
        head="aside 2"),
          "2"),  # type: ignore[arg-type]
    Cheat("a sheet is closed without a word", KEEPER, AFTER, "sent", _quite_closed, "C16"),
        # type: ignore[arg-type]
    Cheat("the reading of a sheet that counted is closed", KEEPER, AFTER, "sent", _closed("reading"), "C6"),
        # type: ignore[arg-type]
    Cheat("two players get two records", OPERATOR, BEFORE, "sent", _two_truths, "6", needs="pool"),
        # type: ignore[arg-type]
    Cheat("one player's results name another version", OPERATOR, BEFORE, "sent", _wrong_letter, "6",
          needs="letters"),  # type: ignore[arg-type]
    Cheat("a photograph in the archive is changed", KEEPER, AFTER, "sent", _photograph, "3"),
        # type: ignore[arg-type]
    Cheat("a mail is left out of the archive", KEEPER, AFTER, "sent", _missing_mail, "3"),
        # type: ignore[arg-type]
)
