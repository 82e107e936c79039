"""The addresses of the feature, for tests that walk every route, what its commands answer, and what it does
in honest games."""

from __future__ import annotations

from tests.features.backup.restores import restores

ROUTES = {"/health/note": ("post",)}
WHO = {"/health/note": {"operator"}}
IN_ENGLISH = {"features/backup/pages.py": "operators read English"}
EVENTS_BESIDE_ACTS = {"features/backup/pages.py": 1}
AROUND_A_STEP = {"a backup": restores}
TOLD_ELSEWHERE = {"Restore test": "it is asked for on the page Health"}
WRONG_INPUT = {
    "backup site folder": (1, "was not overwritten"),
    "restore text --drill": (1, ""),
}
