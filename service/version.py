"""Which Galloper this is."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version as installed


def version() -> str:
    """This Galloper's version; "" where it runs from a folder that is not installed."""
    try:
        return installed("galloper")
    except PackageNotFoundError:
        return ""
