"""Which Galloper this is."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version as installed


@cache
def version() -> str:
    """This Galloper's version; "" where it runs from a folder that is not installed."""
    # Every page asks, and the metadata are searched anew each time.
    try:
        return installed("galloper")
    except PackageNotFoundError:
        return ""
