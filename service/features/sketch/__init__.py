"""Sketch maps of boards that bring no drawing (README.md)."""

from __future__ import annotations

from service.feature import Feature
from service.features.sketch.commands import add_commands

FEATURE = Feature("sketch", add_commands)
