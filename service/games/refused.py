"""The one exception for an act that is not done, and what every reason of a person is held against."""

from __future__ import annotations

from adjudicator.errors import UserFacingError

LEAST_REASON = 10
"""Letters of a reason: less than a sentence shows the players nothing."""
MOST_REASON = 500
NO_REASON = "Nothing was changed: this needs a reason, in a sentence for the record."


class Refused(UserFacingError):
    """An act was not done. The sentence names the reason, that nothing was changed, and what to do."""


class NotFound(Refused):
    """What an act names is not there, or belongs to another game."""


class NoReason(Refused):
    """An act that needs a reason came without a sentence of one."""


def reason_of(text: str, most: int = MOST_REASON, no_reason: str = NO_REASON) -> str:
    """A reason without needless blanks, at most `most` letters. Raises NoReason with that sentence for fewer
    than `LEAST_REASON`."""
    reason = " ".join(text.split())[:most]
    if len(reason) < LEAST_REASON:
        raise NoReason(no_reason)
    return reason
