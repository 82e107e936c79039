"""The first run of a site, without a text editor (README.md)."""

from __future__ import annotations

from service.feature import Feature
from service.features.setup.commands import add_commands

FEATURE = Feature("setup", add_commands)
