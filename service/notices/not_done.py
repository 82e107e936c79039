"""The answer to an act of a coordinator that was not done."""

from __future__ import annotations


class NotDone(Exception):
    """The act was not done. The sentence says why, what is safe and what to do."""
