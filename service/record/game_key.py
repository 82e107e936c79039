"""The key that a game signs its receipts with (docs/record.md, "A signed receipt"; TRU-03)."""

from __future__ import annotations

import json
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from service import site_key
from service.facts.events import Event
from service.games.acts.act import ActTable, LoggedEvent, ReasonedAct
from service.record import chain
from service.record.references import root_words
from service.site_key import NoSiteKey
from service.store import records
from service.store.digests import link, plain
from service.store.signatures import Statement, public_of, sign
from service.store.tables import EntryRow, GameKeyRow, SubmissionRow


@dataclass(frozen=True, slots=True)
class SignedReceipt:
    """What a receipt has next to its entry: the entry's salt and body, the root of that moment, and a
    signature with the public key, both "" where the site's key is not here. `before`: the link of the entry
    before, from which the root follows."""

    statement: Statement
    before: str
    salt: str
    body: str
    public: str
    signature: str

    @property
    def words(self) -> str:
        """The root in four words, by which people compare it."""
        return root_words(self.statement.root)

    def file(self) -> bytes:
        """The file `receipt.json` of the letter."""
        statement = self.statement
        return (json.dumps({
            "format": "galloper receipt 1", "game": statement.game, "entry": statement.number,
            "leaf": statement.leaf, "before": self.before, "root": statement.root,
            "received": statement.received, "mail": statement.mail,
            "salt": self.salt, "body": json.loads(self.body), "key": self.public, "signature": self.signature,
        }, indent=1, ensure_ascii=False) + "\n").encode()


def of_game(session: Session, game_id: str) -> str | None:
    """The public key in use, made where the game has none; None where the site's key is not here.

    If the site has another key than the one that this game's came from, the game gets a new one, of which all
    are informed.
    """
    row = _newest(session, game_id)
    try:
        if row is None:
            row = _add(session, game_id, 1)
        elif public_of(_secret(session, game_id, row.number)) != row.public:
            row = _add(session, game_id, row.number + 1)
            records.log_event(session, chain.now_of(session), Event.KEY_CHANGED, game_id=game_id,
                              detail={"number": row.number, "why": "the site has another key"})
    except NoSiteKey:
        # A receipt must leave, be it without a signature: the player waits for it.
        return None
    return row.public


@dataclass(frozen=True, slots=True)
class ChangeKey(ReasonedAct[GameKeyRow]):
    """Signs the receipts of a game with another key from now on; all players read it in the next results. The
    outcome is the new key. Raises NoSiteKey besides."""

    game: str
    why: str

    def change(self, table: ActTable) -> GameKeyRow:
        """Make the next key."""
        before = _newest(table.session, table.game(self.game).id)
        return _add(table.session, self.game, 1 if before is None else before.number + 1)

    def event(self, table: ActTable, outcome: GameKeyRow, letters: int) -> LoggedEvent:
        """The number of the key and the reason."""
        return LoggedEvent(Event.KEY_CHANGED, self.game, {"number": outcome.number, "why": self.reason})


def signed_receipt(
    session: Session, submission: SubmissionRow, game_id: str
) -> SignedReceipt | None:
    """The receipt of a sheet that came by mail, over its first entry; None if the sheet has no entry."""
    public = of_game(session, game_id)
    row = chain.entry_of(session, game_id, "sheet", str(submission.id))
    key = _newest(session, game_id)
    if row is None:
        return None
    before = session.scalar(select(EntryRow.link).where(
        EntryRow.game_id == game_id, EntryRow.number == row.number - 1)) or ""
    statement = Statement(game_id, row.number, row.leaf, link(before, row.number, row.leaf),
                          str(plain(submission.received_at)), submission.sha256 or "-")
    if public is None or key is None:
        return SignedReceipt(statement, before, row.salt, row.body, "", "")
    signature = sign(_secret(session, game_id, key.number), statement)
    return SignedReceipt(statement, before, row.salt, row.body, public, signature)


def _newest(session: Session, game_id: str) -> GameKeyRow | None:
    return session.scalars(select(GameKeyRow).where(GameKeyRow.game_id == game_id)
                           .order_by(GameKeyRow.number.desc()).limit(1)).first()


def _secret(session: Session, game_id: str, number: int) -> bytes:
    return site_key.of_session(session).derive("key of receipts", game_id, str(number))


def _add(session: Session, game_id: str, number: int) -> GameKeyRow:
    public = public_of(_secret(session, game_id, number))
    # Two letters of one game may be written at once.
    records.insert_once(session, GameKeyRow, game_id=game_id, number=number, public=public)
    return session.get_one(GameKeyRow, (game_id, number))
