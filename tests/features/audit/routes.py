"""What the feature does in honest games (`tests/service/archive/honest/play.py`), and what its command
answers (`tests/service/cli/test_wrong_input.py`)."""

from __future__ import annotations

from tests.features.audit.cheats_on_stamps import stamp_roots
from tests.service.archive.honest.game import HonestGame


def has_roots_stamped(game: HonestGame) -> None:
    """The site's authority answers."""
    stamp_roots(game.table)


WRONG_INPUT = {
    "verify nowhere": (1, "there is no such file"),
    "verify folder": (1, "this is a folder; give a file"),
}
AFTER_RESULTS = {"stamps": has_roots_stamped}
