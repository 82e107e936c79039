"""The addresses of the feature, for tests that walk every route, what its commands answer, and what it does
in honest games."""

from __future__ import annotations

from service.features.backup.health import NoteBackup
from service.features.backup.site_file import EnterRestore
from service.record.chain import Root
from tests.features.backup.restores import restores

ROUTES = {"/health/note": ("post",)}
WHO = {"/health/note": {"operator"}}
IN_ENGLISH = {"features/backup/health.py": "operators read English"}
REFUSED = {
    "NoteBackup": NoteBackup("sheet_chosen"),
    "EnterRestore": EnterRestore(Root("nowhere", 1, ""), 0),
}
AROUND_A_STEP = {"a backup": restores}
TOLD_ELSEWHERE = {"Restore test": "it is asked for on the page Health"}
WRONG_INPUT = {
    "backup site folder": (1, "was not overwritten"),
    "restore text --drill": (1, ""),
}
