"""Games that only try things out, and are removed again (README.md)."""

from __future__ import annotations

from service.feature import Feature
from service.features.rehearsal.commands import add_commands

FEATURE = Feature("rehearsal", add_commands)
