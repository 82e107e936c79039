"""Every story of `galloper demo` is played to its end: mails, sheets, turns, letters and pictures are as
expected."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from demo.doubts import NO_REASON
from demo.play import run_demo
from demo.story import NoStory, story_variants

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("slug", story_variants())
def test_a_story_comes_to_its_clean_end(slug: str, tmp_path: Path) -> None:
    """`galloper demo --variant V --fast`, as a person types it."""
    # "WRONG" marks each result that differs from the one worked out by hand.
    site = tmp_path / "site"
    completed_process = subprocess.run(
        [
            sys.executable,
            "-m",
            "service.cli.main",
            "demo",
            "--fast",
            "--keep",
            "--dir",
            str(site),
            "--variant",
            slug,
        ],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=900,
    )
    assert "WRONG" not in completed_process.stdout
    assert completed_process.returncode == 0, completed_process.stderr[-2000:]
    assert "All as it should be" in completed_process.stdout
    # A line of which the reader is no longer sure needs a look at its photograph, written into the manifest.
    assert NO_REASON not in " ".join(completed_process.stdout.split())
    assert list((site / "outbox").glob("*.eml"))


def test_no_site_is_made_for_a_game_without_a_story(tmp_path: Path) -> None:
    with pytest.raises(NoStory):
        run_demo(fast=True, folder=tmp_path / "site", keep=True, variant="heptarchy")
    assert not (tmp_path / "site").exists()


def test_a_folder_that_is_no_demos_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own_file = tmp_path / "letters.txt"
    own_file.write_text("mine", encoding="utf-8")
    assert run_demo(fast=True, folder=tmp_path, keep=True) == 1
    assert "holds something else" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [own_file.name]
