"""Boards from the forms of other programs (README.md)."""

from __future__ import annotations

from service.feature import Feature
from service.features.importers.commands import add_commands

FEATURE = Feature("importers", add_commands)
