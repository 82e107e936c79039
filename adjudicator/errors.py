"""The base of every error whose text is a sentence for a person."""

from __future__ import annotations


class UserFacingError(Exception):
    """An error whose text is a sentence for a person: what happened, what is safe, what to do.

    The command line prints the sentence and ends with 1. Any other exception is a fault of ours and keeps its
    traceback. It is here because `maps` and `grammar` raise it too and this package is below both.
    """
