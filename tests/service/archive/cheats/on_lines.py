"""Cheats with what was read and decided: lines, decisions, judgings."""

from __future__ import annotations

import json
from datetime import timedelta

from adjudicator.serialize import codec
from service.store.tables import PhaseRow
from tests.service.archive.cheats.on_sheets import ARGYLL, V2
from tests.service.archive.cheats.table import (
    AFTER,
    BEFORE,
    KEEPER,
    OPERATOR,
    Cheat,
    Impossible,
    Play,
    sql,
    without_triggers,
)
from tests.support import keeper
from tests.support.table import Table

OF = "page_id IN (SELECT id FROM pages WHERE submission_id = {sheet})"


def _line(sheet: int, ordinal: int) -> str:
    return f"{OF.format(sheet=sheet)} AND ordinal = {ordinal}"


def _added(kind: str) -> Play:
    """A line that is written into its table by hand."""
    return sql(
        "INSERT INTO lines (page_id, ordinal, box, kind, struck, text, order_text, confidence, status, "
        f"candidates) SELECT page_id, 40, box, '{kind}', 0, text, order_text, 1, 'auto', '[]' "
        f"FROM lines WHERE {_line(ARGYLL, 1)}")


def _decided(by: str, says: str, *, hours: int = 0, ordinal: int = 1, order: str = "") -> Play:
    """A decision that is written into its table by hand."""

    def play(table: Table) -> None:
        at = table.site.clock.now() - timedelta(hours=hours)
        with table.site.engine.begin() as connection:
            connection.exec_driver_sql(
                'INSERT INTO reviews (line_id, key, decision, text, order_text, "by", at, settles) '
                f"SELECT id, ?, ?, ?, ?, ?, ?, 0 FROM lines WHERE {_line(V2, ordinal)}",
                (f"by-hand-{ordinal}", says, order, order or None, by, at.strftime("%Y-%m-%d %H:%M:%S.%f")))

    return play


def _other_end(table: Table) -> None:
    """The judged result is exchanged: a unit stands elsewhere, or is gone."""
    row = keeper.in_play(table)
    document = codec.dump_resolution(codec.load_resolution(row.resolution or {}))
    document["resolution"]["position"]["units"].pop()
    with table.site.store.begin() as session:
        session.get_one(PhaseRow, row.id).resolution = json.loads(json.dumps(document))


def _other_start(table: Table) -> None:
    """A unit of the board before the phase is taken away."""
    row = keeper.in_play(table)
    document = json.loads(json.dumps(row.position))
    document["position"]["units"].pop()
    with table.site.store.begin() as session:
        session.get_one(PhaseRow, row.id).position = document


def _exchanged(table: Table) -> None:
    """A decision is made to say something else, and the phase is judged by it: the program refuses to send
    what was judged before."""
    sql("UPDATE reviews SET decision = 'read', order_text = 'A Atholl H' WHERE id = 2")(table)
    table.judge_phase(keeper.in_play(table).id)


CHEATS = (
    Cheat("an order is deleted from a sheet", KEEPER, BEFORE, "sheets",
          sql(f"DELETE FROM lines WHERE {_line(ARGYLL, 1)}"), "C6"),
    Cheat("an order is written otherwise", KEEPER, BEFORE, "sheets",
          sql(f"UPDATE lines SET text = 'void', order_text = NULL WHERE {_line(V2, 1)}"), "C6"),
    Cheat("an order is called no order", KEEPER, BEFORE, "closed",
          sql(f"UPDATE lines SET status = 'not an order' WHERE {_line(V2, 1)}"), "C6"),
    Cheat("a crossed-out line is called an order", KEEPER, BEFORE, "closed",
          sql("UPDATE lines SET struck = 0, status = 'auto' "
              f"WHERE {OF.format(sheet=V2)} AND struck = 1"), "C6"),
    Cheat("a crossed-out line counts as it stands", KEEPER, BEFORE, "closed",
          sql("UPDATE lines SET status = 'auto', order_text = 'A Atholl - Perth' "
              f"WHERE {OF.format(sheet=V2)} AND struck = 1"), "C6"),
    Cheat("a heading is made an order", KEEPER, BEFORE, "closed",
          sql(f"UPDATE lines SET kind = 'order', order_text = text WHERE {_line(V2, 2)}",
              f"UPDATE lines SET kind = 'order', status = 'auto' WHERE {_line(V2, 0)}"), "C6"),
    Cheat("a line is written into a sheet", KEEPER, BEFORE, "closed",
          _added("order"), "C6"),
    Cheat("a line is cut out that nobody decided", KEEPER, BEFORE, "closed",
          _added("part"), "C7"),
    Cheat("lines are changed without triggers", OPERATOR, BEFORE, "closed",
          without_triggers(f"UPDATE lines SET status = 'not an order' WHERE {_line(V2, 1)}"), "C7"),
    Cheat("a stranger decides a line", KEEPER, BEFORE, "closed", _decided("Mallory", "void"), "C8"),
    Cheat("a decision is dated back", KEEPER, BEFORE, "closed", _decided("Ada", "void", hours=5), "C8"),
    Cheat("a line is decided while the sheets are sealed", KEEPER, BEFORE, "sheets",
          _decided("Ada", "void"), "C8"),
    Cheat("a decision is exchanged", KEEPER, BEFORE, "ready", _exchanged, "C8"),
    Cheat("a decision gets another author", KEEPER, BEFORE, "ready",
          sql("UPDATE reviews SET \"by\" = 'Montrose' WHERE id = 2"), "C8"),
    Cheat("a decision is deleted", KEEPER, AFTER, "sent", sql("DELETE FROM reviews WHERE id = 2"), "C17"),
    Cheat("a line is decided after the results", KEEPER, AFTER, "sent", _decided("Ada", "void"), "C8"),
    Cheat("a line is changed after the results", KEEPER, AFTER, "sent",
          sql(f"UPDATE lines SET text = 'A Atholl - Perth' WHERE {_line(V2, 1)}"), "C6"),
    Cheat("the judged board is exchanged", KEEPER, BEFORE, "ready", _other_end, "7"),
    Cheat("the board before the phase is exchanged", KEEPER, BEFORE, "closed", _other_start, "C11"),
    Cheat("the board before the phase is exchanged early", KEEPER, BEFORE, "sheets", _other_start, "C11"),
)

IMPOSSIBLE = (
    Impossible("the coordinator reads a line at the desk as it is not written", KEEPER,
               "it is an act by right, with name and time. Only eyes see it: results link each order to "
               "its ink, the copies are mailed, and `galloper game read-again` reads them again"),
)
