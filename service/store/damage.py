"""A database whose pages are damaged, by its own report."""

from __future__ import annotations

from sqlalchemy.exc import DBAPIError

WHAT_TO_DO = (
    "Stop the site, keep a copy of the database as it is, and restore the newest backup on another disk; "
    "newer mails are in the mailbox and are received again.")
_DAMAGED_STATES = ("XX001", "XX002")
"""PostgreSQL: data_corrupted, index_corrupted."""
_DAMAGED_WORDS = ("malformed", "file is not a database", "disk I/O error")
"""SQLite's."""


def is_damage(error: DBAPIError) -> bool:
    """Whether the database reports that its pages are damaged."""
    words = f"{error.orig}"
    return getattr(error.orig, "sqlstate", "") in _DAMAGED_STATES or any(
        each in words for each in _DAMAGED_WORDS)


def damage_in_words(error: DBAPIError) -> str:
    """A damaged database, in a sentence."""
    words = f"{error.orig}".strip().partition("\n")[0]
    return f"The database is damaged or cannot be read: {words}."
