"""What each role may do at the desk: a coordinator everything, a second reader reads lines only, an operator
keeps the site running and sees no sheet. Each stands for the whole site, or a person has a role in single
games."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from service.store.tables_sign_in import BY_GAME


class Role(StrEnum):
    """The roles of people who sign in."""

    COORDINATOR = "coordinator"
    SECOND_READER = "second reader"
    OPERATOR = "operator"
    BY_GAME = BY_GAME


GAME_ROLES = (Role.COORDINATOR, Role.SECOND_READER)
"""The roles that a person may have in one game."""
_READING = ("/desk/", "/images/")
# Opening a seal, judging and closing differences are the coordinator's, though they stand below /desk/.
_NOT_READING = ("/unseal", "/judge", "/close")
_ANYBODY = frozenset({"/", "/sign-out", "/account"})
_OWN_ACCOUNT = "/account/"
_OWN_KEYS = "/desk/keys"
# Not Today: it tells how much of which power waits to be read.
_OF_AN_OPERATOR = frozenset({"/sign-out", "/account", "/health"})
# Pages and forms of no single game that show and change only what belongs to the person's own games.
_FILTERED = frozenset({
    "/games", "/deadlines", "/letters", "/log", "/log/export", "/search", "/quarantine",
    "/quarantine/discard", "/correspondence", "/post", "/post/scans", "/post/scans/file",
    "/post/scans/take-out",
})
# Pictures in the tray, each for whoever put it there.
_OWN_SCANS = "/post/scans/"
NOT_YOURS = ("This page is the coordinator's. Nothing was shown and nothing was changed; a second reader "
             "reads lines at the desk, which Today leads to, an operator has the page Health, and whoever "
             "coordinates one game has the pages of that game.")


class SubjectKind(StrEnum):
    """What the number, digest or name in an address of the desk is of."""

    GAME = "game"
    PHASE = "phase"
    SHEET = "sheet"
    PAGE = "page"
    LINE = "line"
    LETTER = "letter"
    MAIL = "mail"
    PLAYER = "player"
    POSTED = "posted letter"


@dataclass(frozen=True, slots=True)
class Subject:
    """What an address is about: a game's id, or the number or digest of something that belongs to games."""

    kind: SubjectKind
    key: str


_SUBJECTS = {
    "games": SubjectKind.GAME, "previews": SubjectKind.GAME,
    "desk": SubjectKind.PHASE, "results": SubjectKind.PHASE, "sheets": SubjectKind.PHASE,
    "rehearsal": SubjectKind.PHASE,
    "sheet": SubjectKind.SHEET, "letters": SubjectKind.LETTER, "quarantine": SubjectKind.MAIL,
    "correspondence": SubjectKind.PLAYER, "post": SubjectKind.POSTED,
}
_PICTURES = {"line": SubjectKind.LINE, "strip": SubjectKind.LINE, "page": SubjectKind.PAGE}
_BEGIN_A_GAME = "new"
_DIGEST = re.compile(r"[0-9a-f]{64}")


def subject_of(path: str) -> Subject | None:
    """What the page or form at this address is about; None for an address that names nothing of one game."""
    area, _, rest = path.removeprefix("/").partition("/")
    kind, key = _SUBJECTS.get(area), rest.partition("/")[0]
    if area == "images":
        picture, _, name = rest.partition("/")
        kind, key = _PICTURES.get(picture), name.removesuffix(".jpg")
    if kind is None or not key:
        return None
    if kind is SubjectKind.GAME:
        return None if key == _BEGIN_A_GAME else Subject(kind, key)
    if kind is SubjectKind.MAIL:
        key = key.removesuffix(".eml")
        return Subject(kind, key) if _DIGEST.fullmatch(key) else None
    # "+1", "1_0" and digits of other scripts are numbers to some readers and not to others.
    return Subject(kind, key) if key.isascii() and key.isdigit() and len(key) < 19 else None


def may(role: str, path: str) -> bool:
    """True if a person of this role may use the page or form at this address. An unknown role may use
    nothing. Of somebody who has roles in games: the role in the game that the address is about, and BY_GAME
    where it is about none."""
    if role == Role.COORDINATOR:
        return True
    if role == Role.OPERATOR:
        return path in _OF_AN_OPERATOR or path.startswith((_OWN_ACCOUNT, "/health/"))
    if role not in {Role.SECOND_READER, Role.BY_GAME}:
        return False
    if path in _ANYBODY or path == _OWN_KEYS or path.startswith(_OWN_ACCOUNT):
        return True
    if role == Role.BY_GAME:
        return path in _FILTERED or path.startswith(_OWN_SCANS)
    return path.startswith(_READING) and not path.endswith(_NOT_READING)
