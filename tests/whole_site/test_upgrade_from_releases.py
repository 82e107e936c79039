"""A site that a release made, and this program with one more step behind its tables (REL-04). Each release
leaves `tests/data/releases/VERSION.tar.xz` (docs/how-to/cut-a-release.md): a site after its first turn,
the archive of its game, and a letter of results."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import migrations
from service.cli.migrate import STEPS_DUE
from service.store.record_triggers import TRIGGERS
from tests.support.own_site import game_file, own_site

ROOT = Path(__file__).parents[2]
RELEASES = sorted((ROOT / "tests" / "data" / "releases").glob("*.tar.xz"))
NEXT = """'''The longest name of a game, for a page that is yet to come.'''
import sqlalchemy as sa
from alembic import op
revision, down_revision = "9999", "{before}"
def upgrade():
    op.add_column("games", sa.Column("trial_length", sa.Integer(), nullable=True))
    op.execute("UPDATE games SET trial_length = length(name)")
    if {killed}:
        import os, signal
        os.kill(os.getpid(), signal.SIGKILL)
    with op.batch_alter_table("games") as games:
        games.alter_column("trial_length", existing_type=sa.Integer(), nullable=False)
"""
PROGRAM = """
import sys
import migrations
from service.cli.main import app
migrations.__file__ = sys.argv.pop()
app()
"""


@pytest.fixture(params=[*RELEASES, None], ids=lambda path: path.name if path else "today")
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The folder in which a release played its first game; of today's program, a site with a game."""
    if request.param is None:
        own_site(tmp_path / "site")
        begun = galloper("game", "new", tmp_path / "site", game_file(tmp_path))
        assert begun.returncode == 0, begun.stderr
        exported = galloper("game", "export", tmp_path / "site", "powick-bridge",
                            tmp_path / "powick-bridge.zip", "--reason", "A trial.")
        assert exported.returncode == 0, exported.stderr
        return tmp_path
    with tarfile.open(request.param) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path


def later_scripts(folder: Path, *, killed: bool) -> Path:
    """The scripts of a later program, with a step that adds a column and fills it; its package file."""
    scripts = folder / f"later-{killed}"
    shutil.copytree(Path(migrations.__file__).parent, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    before = max(path.name.partition("_")[0] for path in (scripts / "versions").glob("[0-9]*.py"))
    step = NEXT.format(before=before, killed=killed)
    (scripts / "versions" / "9999_trial.py").write_text(step)
    return scripts / "__init__.py"


def galloper(*words: str | Path, scripts: Path | None = None) -> subprocess.CompletedProcess[str]:
    start = ["-m", "galloper"] if scripts is None else ["-c", PROGRAM]
    command = [sys.executable, *start, *map(str, words), *([] if scripts is None else [str(scripts)])]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_site_of_a_release_is_upgraded_and_loses_nothing(made: Path) -> None:
    """REL-04: the check names the steps; a process killed in the last one changes nothing; the same command
    ends the work, fills the column and leaves a copy; the record, the archive and the letter verify as
    before."""
    site = made / "site"
    file = site / "data" / "galloper.sqlite"

    def rows() -> dict[str, int]:
        with sqlite3.connect(file) as connection:
            names = [name for (name,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'alembic%'")]
            return {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
                    for name in names}

    before = rows()
    checked = galloper("upgrade", site, "--check", scripts=later_scripts(made, killed=False))
    assert checked.returncode == STEPS_DUE, checked.stderr
    assert "  9999  The longest name of a game, for a page that is yet to come.\n" in checked.stdout
    killed = galloper("upgrade", site, scripts=later_scripts(made, killed=True))
    assert killed.returncode == -signal.SIGKILL
    assert rows() == before
    done = galloper("upgrade", site, scripts=made / "later-False" / "__init__.py")
    assert done.returncode == 0, done.stderr
    assert len(list(file.parent.glob("galloper.sqlite.*-before-9999.*"))) == 2
    assert rows() == before
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT trial_length FROM games").fetchall() == [(len("Powick Bridge"),)]
        triggers = {name for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'")}
    assert {trigger.name for trigger in TRIGGERS} <= triggers
    live = galloper("verify", "--live", site, scripts=made / "later-False" / "__init__.py")
    assert live.returncode == 0, live.stdout + live.stderr
    archive = galloper("verify", made / "powick-bridge.zip", *made.glob("*.eml"))
    assert archive.returncode == 0, archive.stdout + archive.stderr


def test_there_is_a_site_of_each_release() -> None:
    """REL-04: from 1.0.0 on."""
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    headings = [line.split()[1] for line in changelog.splitlines() if line.startswith("## ")]
    released = {version for version in headings if version != "Unreleased:"}
    assert released <= {path.name.removesuffix(".tar.xz") for path in RELEASES}
