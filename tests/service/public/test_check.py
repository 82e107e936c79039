"""TRU-06: the page for players states in ten lines how a game is checked, and it works as it states: in an
empty folder, with Python and the one file alone."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from fastapi.testclient import TestClient

from service.archive.export import Edition
from tests.support.played import archived, kept, played
from tests.support.site import Site
from tests.support.table import open_table

PAGE = Path(__file__).parents[3] / "docs/check.md"


def test_the_ten_lines_are_done_literally(site: Site, client: TestClient, tmp_path: Path) -> None:
    """The page of the site and the page of the documents say the same command; it is typed as it is."""
    table = played(site)
    shown = client.get("/public/check").text
    words = PAGE.read_text()
    assert [line[:3] for line in words.split("\n") if re.match(r"\d+\. ", line)] == [
        f"{number}. "[:3] for number in range(1, 11)]
    assert shown.count("<li>") == 10
    command = re.search(r"Type: `(.+?)`", words)
    assert command is not None
    assert f"<code>{command[1]}</code>" in shown
    folder = tmp_path / "empty"
    folder.mkdir()
    link = re.search(r'href="(/public/verify_record\.py)"', shown)
    assert link is not None
    (folder / "verify_record.py").write_bytes(client.get(link[1]).content)
    (folder / "archive.zip").write_bytes(archived(table, Edition.PLAYERS))
    # Without a letter, and in a terminal that leaves the asterisk as it is, nothing breaks.
    done = _typed(command[1], folder, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "no letter was compared" in done.stdout
    letters = kept(table, folder)
    assert letters
    done = _typed(command[1], folder, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    # Lines 6 and 8 of the page.
    assert any(line.startswith(letters[0].name) for line in done.stdout.split("\n"))
    last = done.stdout.strip().split("\n")[-1]
    assert "unbroken" in last
    assert "Root " in last
    # Line 9: a changed letter is named.
    receipt = next(path for path in letters if "receipt" in path.name)
    receipt.write_bytes(re.sub(rb"entry (\d+)", rb"entry 9\1", receipt.read_bytes()))
    done = _typed(command[1], folder, tmp_path)
    assert done.returncode != 0
    assert "NOT AS IT SHOULD BE" in done.stdout + done.stderr


def _typed(command: str, folder: Path, place: Path) -> subprocess.CompletedProcess[str]:
    """A command typed in a folder, by a path with Python alone, so that nothing of ours can help."""
    programs = place / "programs"
    if not programs.exists():
        programs.mkdir()
        (programs / "python3").symlink_to(shutil.which("python3", path="/usr/bin:/bin") or sys.executable)
    return subprocess.run(["/bin/sh", "-c", command], cwd=folder, env={"PATH": str(programs)},
                          capture_output=True, text=True, check=False)


def test_the_game_page_leads_to_it(site: Site, client: TestClient) -> None:
    table = open_table(site)
    assert "/public/check" in client.get(f"/public/{table.game}").text
