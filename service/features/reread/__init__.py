"""Old sheets read again by the reader of today (README.md)."""

from __future__ import annotations

from service.feature import Feature
from service.features.reread.commands import add_commands

FEATURE = Feature("reread", add_commands)
