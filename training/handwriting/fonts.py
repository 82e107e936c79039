"""Handwriting fonts under the SIL Open Font Licence, fetched from npm when sheets are composed.

The fonts stay in a cache outside the repository; neither they nor anything converted from them is
committed. Each package's own LICENSE file is read, and a package that is not under the OFL is refused.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

# The @fontsource release the demo's sheets were composed with.
VERSION = "5.3.0"

# Families, by the last part of their npm name.
HANDS = (
    "architects-daughter", "bad-script", "caveat", "cedarville-cursive", "covered-by-your-grace", "delius",
    "gochi-hand", "handlee", "indie-flower", "kalam", "mansalva", "marck-script", "nanum-pen-script",
    "neucha", "patrick-hand", "reenie-beanie", "shadows-into-light", "short-stack", "the-girl-next-door",
)

# Families whose letters touch: they are moved less, or the joins would break.
JOINED = frozenset({
    "bad-script", "cedarville-cursive", "damion", "dancing-script", "ephesis", "marck-script", "ms-madi",
    "oooh-baby",
    "square-peg",
})


class FontError(Exception):
    """A font is missing, is not under the OFL, or could not be fetched; the sentence shows what to do."""


def default_cache() -> Path:
    """The folder for fetched fonts: below XDG_CACHE_HOME, or ~/.cache."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "galloper" / "fonts"


def fetch(cache: Path, families: Sequence[str] | None = None) -> None:
    """Install the packages in a temporary folder with npm and keep each family as a .ttf in `cache`; HANDS by
    default.

    Raises FontError when npm is missing or fails, or when a LICENSE is not the OFL.
    """
    npm = shutil.which("npm")
    if npm is None:
        raise FontError("npm is not on the path; install Debian's npm, or give fonts with --font NAME=FILE")
    chosen_hands = HANDS if families is None else families
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "package.json").write_text(
            json.dumps({"name": "hands", "version": "1.0.0", "private": True})
        )
        packages = [f"@fontsource/{hand}@{VERSION}" for hand in chosen_hands]
        # A package of fonts needs no script when it is installed, and none is run.
        command = [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", *packages]
        completed_process = subprocess.run(  # noqa: S603
            command, cwd=folder, capture_output=True, text=True, check=False)
        if completed_process.returncode != 0:
            raise FontError(f"npm could not fetch the fonts: {completed_process.stderr.strip()[-400:]}")
        for hand in chosen_hands:
            _keep(Path(folder) / "node_modules" / "@fontsource" / hand, hand, cache)


def _keep(package: Path, hand: str, cache: Path) -> None:
    from fontTools.ttLib import TTFont

    licence = (package / "LICENSE").read_text(encoding="utf-8", errors="replace")
    if "SIL Open Font License" not in licence:
        raise FontError(f"@fontsource/{hand} is not under the SIL Open Font License")
    font = TTFont(package / "files" / f"{hand}-latin-400-normal.woff2")
    # Without a flavour fontTools writes plain TrueType in place of woff2.
    font.flavor = None
    font.save(cache / f"{hand}.ttf")
    (cache / f"{hand}.LICENSE.txt").write_text(licence, encoding="utf-8")


def locate(hand: str, cache: Path, font_files: dict[str, Path]) -> Path:
    """The file of a hand: one named on the command line, else the cached one. Raises FontError."""
    path = font_files.get(hand, cache / f"{hand}.ttf")
    if not path.is_file():
        raise FontError(f"no font for hand {hand!r} at {path}; run: python -m training.sheets.compose fonts")
    return path
