"""Games in the formats of other programs (README.md)."""

from __future__ import annotations

from service.feature import Feature
from service.features.formats.commands import FORMATS, add_commands, export

FEATURE = Feature("formats", add_commands, exporters=dict.fromkeys(FORMATS, export))
