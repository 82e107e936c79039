"""Cheats with letters and their signatures (TRU-03): by the keeper, and by a player who accuses one."""

from __future__ import annotations

from functools import partial

from service.record import game_key
from service.store.signatures import public_of
from tests.service.archive.cheats.table import (
    AFTER,
    BEFORE,
    KEEPER,
    OPERATOR,
    PLAYER,
    Cheat,
    exchange,
    rewritten,
    sql,
    without_triggers,
)
from tests.support.acting import do
from tests.support.keeper import VICTIM, mailed, recognize
from tests.support.proofs import REMOVED, with_proof, with_words, without_proof
from tests.support.table import Table


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
          rewritten("receipt", partial(with_proof, received="2027-03-01T00:00:00Z")), "C21",
          needs="letters"),
    Cheat("a player forges the words of a receipt", PLAYER, AFTER, "sent",
          rewritten("receipt", partial(with_words, change=lambda words: words.replace(
              "received 2027-", "received 2026-"))), "C21", needs="letters"),
    Cheat("a player takes the signature off a receipt", PLAYER, AFTER, "sent",
          rewritten("receipt", partial(with_proof, signature="", key="")), "C21", needs="letters"),
    Cheat("results leave without a root", KEEPER, BEFORE, "sent",
          rewritten("final_results", without_proof), "C21", needs="letters"),
    Cheat("results leave without what they tell", KEEPER, BEFORE, "sent",
          rewritten("final_results", partial(with_proof, sheets=REMOVED, tell=REMOVED)), "C25",
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
