"""What each role may do at the desk: a coordinator everything, a second reader reads lines only, an operator
keeps the site running and sees no sheet."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """The roles of people who sign in."""

    COORDINATOR = "coordinator"
    SECOND_READER = "second reader"
    OPERATOR = "operator"


_READING = ("/desk/", "/images/")
# Opening a seal, judging and closing differences are the coordinator's, though they stand below /desk/.
_NOT_READING = ("/unseal", "/judge", "/close")
_ANYBODY = frozenset({"/", "/sign-out", "/account"})
_OWN_ACCOUNT = "/account/"
# Not Today: it tells how much of which power waits to be read.
_OF_AN_OPERATOR = frozenset({"/sign-out", "/account", "/health"})
NOT_YOURS = ("This page is the coordinator's. Nothing was shown and nothing was changed; a second reader "
             "reads lines at the desk, which Today leads to, and an operator has the page Health.")


def may(role: str, path: str) -> bool:
    """True if a person of this role may use the page or form at this address. An unknown role may use
    nothing."""
    if role == Role.COORDINATOR:
        return True
    if role == Role.OPERATOR:
        return path in _OF_AN_OPERATOR or path.startswith((_OWN_ACCOUNT, "/health/"))
    if role != Role.SECOND_READER:
        return False
    if path in _ANYBODY or path.startswith(_OWN_ACCOUNT):
        return True
    return path.startswith(_READING) and not path.endswith(_NOT_READING)
