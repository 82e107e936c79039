"""Cheats with letters and their signatures (TRU-03): by the keeper, and by a player who accuses one."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Callable
from dataclasses import replace

from service.record import game_key
from service.store.signatures import public_of
from tests.service.archive.cheats.table import (
    AFTER,
    BEFORE,
    KEEPER,
    OPERATOR,
    PLAYER,
    Cheat,
    Play,
    exchange,
    sql,
    without_triggers,
)
from tests.support.acting import do
from tests.support.keeper import VICTIM, Evidence, mailed, recognize
from tests.support.table import Table


def _rewritten(kind: str, change: Callable[[str], str]) -> Play:
    """A letter of the victim with other words, which she shows."""

    def forge(shown: Evidence) -> Evidence:
        letters = dict(shown.letters[VICTIM])
        name = max(name for name in letters if f"-{kind}-" in name)
        message = email.message_from_bytes(letters[name], policy=email.policy.default)
        body = message.get_body(("plain",))
        assert body is not None
        body.set_content(change(" ".join(body.get_content().split())))
        letters[name] = message.as_bytes()
        return replace(shown, letters={**shown.letters, VICTIM: letters})

    return lambda _table: forge


def _with_another_time(text: str) -> str:
    stamp = text.partition(", received ")[2].partition(",")[0]
    return text.replace(stamp, "2027-03-01T00:00:00Z")


def _send_one(table: Table) -> None:
    now = table.site.clock.now()
    table.take(mailed(VICTIM, 9, 170, now), now)
    recognize(table, table.submissions()[-1].id, moved=True)


def _unsigned(table: Table) -> None:
    """Receipts leave without a signature from now on."""
    exchange(game_key, "of_game", lambda *_game: None)
    _send_one(table)


def _other_key(table: Table) -> None:
    """Receipts are signed with a key that is on no record."""
    exchange(game_key, "_secret", lambda *_key: b"k" * 32)
    exchange(game_key, "of_game", lambda *_game: public_of(b"k" * 32))
    _send_one(table)


def _key_changed(table: Table) -> None:
    do(table, game_key.ChangeKey(table.game, "because it suits me"))


def _key_in_silence(table: Table) -> None:
    without_triggers(f"UPDATE game_keys SET public = '{public_of(b'k' * 32)}'")(table)
    exchange(game_key, "_secret", lambda *_key: b"k" * 32)
    _send_one(table)


CHEATS = (
    Cheat("a player forges the time of a receipt", PLAYER, AFTER, "sent",
          _rewritten("receipt", _with_another_time), "C21", needs="letters"),
    Cheat("a player takes the signature off a receipt", PLAYER, AFTER, "sent",
          _rewritten("receipt", lambda text: text.replace("Signed with the key", "By the way")), "C21",
          needs="letters"),
    Cheat("results leave without a root", KEEPER, BEFORE, "sent",
          _rewritten("final_results", lambda text: text.replace("The record of", "About")), "C21",
          needs="letters"),
    Cheat("receipts leave without a signature", KEEPER, BEFORE, "sheets", _unsigned, "C21", needs="letters"),
    Cheat("receipts are signed with a key that is not on record", KEEPER, BEFORE, "sheets", _other_key, "C21",
          needs="letters"),
    Cheat("the key is changed at will", KEEPER, BEFORE, "sheets", _key_changed, "C15", is_named=True),
    Cheat("the key is exchanged by hand", OPERATOR, BEFORE, "closed",
          sql(f"UPDATE game_keys SET public = '{public_of(b'k' * 32)}'"), "C21"),
    Cheat("the key is deleted", OPERATOR, AFTER, "sent", sql("DELETE FROM game_keys"), "C17"),
    Cheat("the key is exchanged without triggers, and receipts go on", OPERATOR, BEFORE, "sheets",
          _key_in_silence, "C21", needs="letters"),
)
