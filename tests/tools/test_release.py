"""`tools/release`: a signed tag with the notes of its version, and nothing from an unfinished tree; and the
table of licences."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tools.licences import LOCK, licence_of, packages

ROOT = Path(__file__).parents[2]
NOTES = "You notice that it is a release.\n"


def _run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with what the command reads, and a throwaway key for its tags."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("needs ssh-keygen for a throwaway key")
    folder = tmp_path / "project"
    (folder / "tools").mkdir(parents=True)
    shutil.copy(ROOT / "tools" / "release", folder / "tools")
    (folder / "pyproject.toml").write_text('version = "2.3.4"\n')
    (folder / "CITATION.cff").write_text("version: 2.3.4\n")
    (folder / "CHANGELOG.md").write_text(
        f"# Changelog\n\n## 2.3.4 - a day\n\n{NOTES}\n## 2.3.3\n\nOlder words.\n")
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    (tmp_path / "signers").write_text(f"ada@example.org {key.with_suffix('.pub').read_text()}")
    _run(folder, "git", "init", "-q")
    for name, value in (("user.name", "Ada"), ("user.email", "ada@example.org"), ("gpg.format", "ssh"),
                        ("user.signingkey", f"{key}.pub"),
                        ("gpg.ssh.allowedSignersFile", str(tmp_path / "signers"))):
        _run(folder, "git", "config", name, value)
    _run(folder, "git", "add", ".")
    _run(folder, "git", "commit", "-qm", "2.3.4")
    return folder


def test_a_release_is_a_signed_tag_with_its_notes(project: Path) -> None:
    """REL-04"""
    made = _run(project, "tools/release", "tag")
    assert made.returncode == 0, made.stderr
    assert 'Good "git" signature for ada@example.org' in made.stderr
    body = _run(project, "git", "tag", "-l", "--format=%(contents:subject)%(contents:body)", "v2.3.4").stdout
    assert NOTES.strip() in body
    assert "Older words" not in body
    again = _run(project, "tools/release", "tag")
    assert (again.returncode, "v2.3.4 is there already" in again.stderr) == (1, True)


@pytest.mark.parametrize(("file", "text", "words"), [
    ("README.md", "unfinished", "the working tree has changes"),
    ("CHANGELOG.md", "# Changelog\n\n## 2.3.3\n\nOlder words.\n", 'no section "## 2.3.4"'),
    ("CITATION.cff", "version: 2.3.3\n", "another version than 2.3.4"),
])
def test_an_unfinished_release_is_refused(project: Path, file: str, text: str, words: str) -> None:
    """REL-04"""
    (project / file).write_text(text)
    if file != "README.md":
        _run(project, "git", "commit", "-qam", "change")
    refused = _run(project, "tools/release", "tag")
    assert (refused.returncode, words in refused.stderr) == (1, True)
    assert not _run(project, "git", "tag").stdout


def test_licences_are_those_that_packages_declare() -> None:
    """REL-07: three of three forms, one of the lock for each."""
    locked = dict(packages(LOCK.read_text("utf-8")))
    assert len(locked) > 80
    assert {name: licence_of(name) for name in ("lark", "cryptography", "imapclient")} == {
        "lark": "MIT License", "cryptography": "Apache-2.0 OR BSD-3-Clause",
        "imapclient": "its file COPYING"}
