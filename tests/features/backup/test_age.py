"""Backups for the holder of a key alone (SEC-03)."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from service.features.backup import age
from service.features.backup.age import KeyFault
from service.features.backup.site_commands import backup_site, restore_site
from tests.support.own_site import SETTINGS, own_site

pyrage = pytest.importorskip("pyrage")


@pytest.fixture
def key(tmp_path: Path) -> Path:
    identity = pyrage.x25519.Identity.generate()
    path = tmp_path / "backup-key.txt"
    path.write_text(f"# public key: {identity.to_public()}\n{identity}\n")
    return path


def encrypted(folder: Path, key: Path) -> Path:
    public = key.read_text().split()[3]
    backup_site(
        own_site(folder / "site", f'backup_recipients = ["{public}"]\n{SETTINGS}'),
        folder / "b.age",
        sys.stderr,
        quiet=True,
    )
    return folder / "b.age"


def test_a_backup_opens_with_its_key_alone(tmp_path: Path, key: Path) -> None:
    path = encrypted(tmp_path, key)
    data = path.read_bytes()
    assert data.startswith(age.BEGINNING)
    assert b"manifest.json" not in data
    assert b"tables/" not in data
    out = io.StringIO()
    assert restore_site(path, None, out, key=key) == 0
    assert "The drill succeeded" in out.getvalue()
    with pytest.raises(KeyFault, match="--key"):
        restore_site(path, None, out)
    other = tmp_path / "other.txt"
    other.write_text(str(pyrage.x25519.Identity.generate()))
    with pytest.raises(KeyFault, match="not for this key"):
        restore_site(path, None, out, key=other)
    with pytest.raises(KeyFault, match="has no secret key"):
        restore_site(path, None, out, key=path)
    path.write_bytes(data[:-40])
    with pytest.raises(KeyFault, match="damaged"):
        restore_site(path, None, out, key=key)


def test_a_fault_while_it_is_written_ends_the_backup(tmp_path: Path, key: Path) -> None:
    def write(out: io.BufferedIOBase) -> int:
        out.write(bytes(1_000_000))
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"), (tmp_path / "x").open("wb") as file:
        age.write_encrypted(write, file, [key.read_text().split()[3]])  # type: ignore[arg-type]
    with pytest.raises(KeyFault, match="backup_recipients"):
        encrypted(tmp_path, _wrong(tmp_path))


def _wrong(folder: Path) -> Path:
    (folder / "wrong.txt").write_text("# public key: age1wrong\n")
    return folder / "wrong.txt"
