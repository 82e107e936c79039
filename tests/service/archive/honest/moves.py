"""The game comes to another database: by a move to PostgreSQL, by an archive."""

from __future__ import annotations

import shutil
from datetime import timedelta

from sqlalchemy import update

from service.archive.forget import forget
from service.archive.import_game import contents_here, import_archive
from service.archive.move_database import move
from service.store.engine import open_engine
from service.store.tables import PhaseRow, PhaseState, UserRow
from tests.service.archive.honest.game import COORDINATORS, HonestGame
from tests.support.features import of_features
from tests.support.played import archived
from tests.support.site import make_site


def moves_to_postgresql(game: HonestGame) -> None:
    if game.database is None or game.site.url.startswith("postgresql"):
        return
    url, old = game.database(), game.site
    target = open_engine(url)
    try:
        move(old.engine, target, lambda *_args: None)
    finally:
        target.dispose()
    place = game.folder / f"site-{game.moves + 1}"
    place.mkdir(parents=True)
    old_files = old.blobs.path("0" * 64).parents[1]
    # Before the first mail and letter there is none.
    if old_files.exists():
        shutil.copytree(old_files, place / "blobs")
    site = game.sites.enter_context(make_site(place, url, now=game.now + timedelta(minutes=5), migrated=True))
    game.settle_in(site)


def imports(game: HonestGame) -> None:
    """The whole archive is put into another site, and the game goes on there."""
    game.keep_letters()
    path = game.folder / f"moved-{game.moves}.zip"
    path.write_bytes(archived(game.table))
    site = game.new_site()
    game.settle_in(site)
    imports_people(game)
    import_archive(path, site.engine, site.blobs, site.jobs, site.clock.now(), contents_here)


def imports_people(game: HonestGame) -> None:
    """The coordinators sign in at the new site too."""
    with game.site.store.begin() as session:
        for name in COORDINATORS:
            session.add(UserRow(name=name, password="-", role="coordinator", created_at=game.now))


def ends_and_forgets(game: HonestGame) -> None:
    """The game ends, as by a draw, and two players ask to be forgotten; their letters stay with them."""
    row = game.phase()
    if row is None or row.state not in {PhaseState.WAITING, PhaseState.OPEN} or game.submissions(row.id):
        return
    game.keep_letters()
    with game.site.store.begin() as session:
        session.execute(update(PhaseRow).where(
            PhaseRow.game_id == game.table.game, PhaseRow.state != PhaseState.SENT,
        ).values(state=PhaseState.SENT, closed_at=game.now))
    for prepare in of_features("BEFORE_FORGETTING").values():
        prepare(game)
    mails = sorted(set(game.powers().values()))
    for mail in game.chance.sample(mails, k=min(2, len(mails))):
        forget(game.site.store, game.site.blobs, mail, "galloper player forget", game.now)
    game.is_kept = True
