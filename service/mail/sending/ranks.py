"""In which order letters leave that wait together: first what somebody must act on while there is time."""

from __future__ import annotations

from collections.abc import Mapping

USUAL = 30
"""The rank of a kind that is not named here."""

RANKS: Mapping[str, int] = {
    # A clock is running: for an order that is asked for, a sheet to be sent again, a moved deadline.
    "retreat_request": 10, "deadline_moved": 10, "coordinator_notice": 10, "link": 10,
    "announcement": 10, "sign_up": 15,
    "rejection": 15, "receipt": 15, "receipt_late": 15, "receipt_posted": 15, "held": 15, "command": 15,
    "reminder": 20, "adjustment": 20, "draft_results": 25,
    "final_results": 40, "year_end_results": 50, "postal_pack": 50, "welcome": 50,
}
"""Kind of a letter to its rank; the lowest goes first, and of one rank the one that was written first."""


def rank_of(kind: str) -> int:
    """The rank of a letter of this kind."""
    return RANKS.get(kind, USUAL)
