"""What the commands of the feature answer, for `tests/service/cli/test_wrong_input.py`."""

from __future__ import annotations

WRONG_INPUT = {"game read-again bytes": (1, "damaged or cut off")}
