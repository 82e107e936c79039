"""The routes of the feature and what else of it tests of the core must know."""

from __future__ import annotations

from typing import cast

from service.facts.refusals import RefusalReason
from service.features.quarantine.room import AssignMail, Quarantine, QuarantinedMail, RefuseMail
from service.intake.sheets.recognizer import ImageOpener
from service.notices.answers.replies import Replies
from tests.service.archive.honest.game import HonestGame
from tests.service.archive.honest.sheets import read_all
from tests.support.acting import do
from tests.support.table import Table


def room_of(table: Table) -> Quarantine:
    site = table.site
    return Quarantine(
        blobs=site.blobs, jobs=site.jobs, opener=ImageOpener(), load=table.load, post=Replies(table.writer),
        bodies=table.bodies)


NO_ROOM = cast("Quarantine", None)
"""Of an act that is refused before it opens a mail."""


def assigns_or_refuses(game: HonestGame, key: str) -> bool:
    """A mail in quarantine is filed for some power, or refused with an answer; False if it is neither."""
    row, choice, room = game.phase(), game.chance.random(), room_of(game.table)
    if row is not None and choice < 0.5:
        place = QuarantinedMail(row.id, game.chance.choice(sorted(game.powers())))
        do(game.table, AssignMail(room, key, place, game.chance.choice((None, 2))))
        read_all(game)
        return True
    if choice < 0.7 and room.registered(game.site.store(), game.table.mail_row(key)):
        do(game.table, RefuseMail(room, key, next(iter(RefusalReason))))
        return True
    return False


DOORS = {"quarantine": room_of}
HONEST_WITH_MAILS = {"assigns or refuses": assigns_or_refuses}
# What may hold orders is shown after the deadline.
ROUTES = {
    "/quarantine/{sha256}/picture/{number}.jpg": ("get",),
    **dict.fromkeys(("/quarantine/{sha256}/assign", "/quarantine/{sha256}/refuse"), ("post",)),
}
WHO = {route: {"coordinator of it"} for route in ROUTES}
FORMS_WITH_PAGES = {"/quarantine/0123/assign": "/quarantine/0123"}
IN_ENGLISH = dict.fromkeys(
    ("features/quarantine/pages.py", "features/quarantine/room.py"), "coordinators read it")
REFUSED = {
    "AssignMail": AssignMail(NO_ROOM, "0123", QuarantinedMail(1, "Montrose"), None),
    "RefuseMail": RefuseMail(NO_ROOM, "0123", RefusalReason.LATE),
}
