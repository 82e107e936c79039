"""`galloper verify --live`: the running site compared with its own record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from sqlalchemy import select
from sqlalchemy.orm import Session

from adjudicator.errors import UserFacingError
from service.archive.away import bring_back_here, games_away
from service.archive.forget import forgotten_files
from service.clock import SystemClock
from service.record import chain, live
from service.record.live import Difference, How
from service.site_folder import opened, settings_of
from service.store.blobs import BlobError, Blobs, open_blobs
from service.store.engine import Store
from service.store.letter_parts import LetterBlobs
from service.store.tables import EntryRow, GameRow, RecordPendingRow


def verify_site(folder: Path, out: TextIO, *, as_json: bool = False, quiet: bool = False) -> int:
    """Compare every game of a site with its record, enter what differs, and print a line for each. Returns 0
    if nothing differs, else 1. The site may be served meanwhile."""
    settings = settings_of(folder)
    with opened(settings) as store:
        with store() as session:
            games = list(session.scalars(select(GameRow.id).order_by(GameRow.id)))
            away = frozenset(games_away(session))
        results = []
        for game in games:
            if game in away:
                results.append(_of_game_away(store, open_blobs(settings), game))
                continue
            with store.begin() as session:
                differences = [*_pending(session, game), *chain.enter_differences(session, game)]
                missing = list(_missing_files(session, open_blobs(settings), game))
            with store() as session:
                root = chain.root(session, game)
            results.append((root, differences, missing))
    for root, differences, missing in results:
        sentences = [difference.sentence for difference in differences] + missing
        if as_json:
            print(json.dumps({"game": root.game_id, "sound": not sentences, "faults": sentences,
                              "entries": root.number, "root": root.link}, ensure_ascii=False), file=out)
            continue
        for sentence in sentences:
            print(f"NOT AS IT SHOULD BE: {root.game_id}: {sentence}", file=out)
        if not sentences and not quiet:
            print(f"{root.game_id}: the database agrees with its record, {root.number} entries. Root "
                  f"{root.link}", file=out)
        elif sentences and not quiet:
            print(f"{root.game_id}: each is entered, and the next results name it to all players.", file=out)
    return 1 if any(differences or missing for _, differences, missing in results) else 0


def _of_game_away(
    store: Store, blobs: Blobs, game: str
) -> tuple[chain.Root, list[Difference], list[str]]:
    """The same of a game whose rows are away: brought back, compared, and left where it was."""
    with store() as session:
        root = chain.root(session, game)
        try:
            bring_back_here(session, blobs, game, SystemClock().now())
            differences = live.differences(session, game, frozenset())
            missing = list(_missing_files(session, blobs, game))
        except (UserFacingError, BlobError) as fault:
            differences, missing = [], [str(fault)]
        session.rollback()
    return root, differences, missing


def _pending(session: Session, game: str) -> Iterator[Difference]:
    """Rows written past the program since its last transaction: the triggers noted it, and every
    transaction of the program enters its own notes before it ends."""
    for kind, fact in session.execute(
        select(RecordPendingRow.what, RecordPendingRow.fact).distinct().order_by(RecordPendingRow.fact)
    ):
        number = session.scalar(select(EntryRow.number).where(
            EntryRow.game_id == game, EntryRow.what == kind, EntryRow.fact == fact
        ).order_by(EntryRow.number.desc()).limit(1))
        if number is not None and kind not in {"gone", "person"}:
            yield Difference(How.CHANGED, kind, fact, number)


def _missing_files(session: Session, blobs: Blobs, game: str) -> Iterator[str]:
    """Files that entries name and the site has no more, or not as they were."""
    files, gone = LetterBlobs(session, blobs), forgotten_files(session, game)
    for row in chain.entries(session, game):
        tells = json.loads(row.body)["tells"]
        for key in _files_of(row.what, tells):
            try:
                files.read(key)
            except BlobError:
                if key in gone:
                    continue
                yield f"The file {key[:12]} of entry {row.number} is missing or was changed."


def _files_of(kind: str, tells: dict[str, Any]) -> list[str]:
    match kind:
        case "mail":
            return [tells["mail"]]
        case "letter":
            return [tells["message"]]
        case "sheet":
            return list(tells["photographs"])
        case _:
            return []
