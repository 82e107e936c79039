"""What the commands of the feature answer, for `tests/service/cli/test_wrong_input.py`."""

from __future__ import annotations

WRONG_INPUT = {"map import text --out new": (1, "nothing was written")}
