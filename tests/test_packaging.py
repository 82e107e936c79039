"""What the package requests: what it imports and nothing else, one `cv2`, no index of ours (INS-01, 02)."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from service.config import ConfigError, Settings
from service.store import blobs, engine

ROOT = Path(__file__).parents[1]
PYPROJECT: Mapping[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]
EXTRAS = PROJECT["optional-dependencies"]
PRODUCT = ("adjudicator", "grammar", "maps", "ocr", "reading", "service", "galloper", "templates",
           "migrations")
BESIDE = ("bench", "demo", "training", "tools")
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-bench.lock")

DISTRIBUTION = {
    "PIL": "pillow", "argon2": "argon2-cffi", "cv2": "opencv-python-headless", "dkim": "dkimpy",
    "dns": "dnspython", "flufl": "flufl-bounce", "multipart": "python-multipart", "zxingcpp": "zxing-cpp",
    "py_ecc": "py-ecc",
}
"""Module to the package that has it, where the names differ."""

FEATURES = ROOT / "service" / "features"
EXTRAS_OF_FEATURES = {
    "age": "backup", "codes": "passkeys_and_codes", "passkeys": "passkeys_and_codes", "stamps": "audit",
    "sketch": "sketch",
}
"""Extras that one feature requests, by name."""

NOT_IMPORTED = {
    "python-multipart": "FastAPI reads forms with it",
    "psycopg": "SQLAlchemy and DBOS load it by the database's address",
    "fsspec": "loaded by name when photo_store is set",
    "s3fs": "fsspec loads it by the address",
    "rapidocr": "its network files are read, not its code",
}


def test_every_package_that_the_product_imports_is_declared() -> None:
    """INS-02: nothing rests on what another package happens to bring."""
    used = {name for folder in PRODUCT for name in imported(ROOT / folder)}
    assert used - declared(
        [*PROJECT["dependencies"],
         *(name for extra in ("s3", "postgres", "beacon", "codes", "passkeys", "age", "stamps", "sketch")
           for name in EXTRAS[extra])]) == set()
    groups = [*PYPROJECT["dependency-groups"]["dev"], *PYPROJECT["dependency-groups"]["bench"]]
    beside = {name for folder in BESIDE for name in imported(ROOT / folder)}
    everything = [*PROJECT["dependencies"], *(name for extra in EXTRAS.values() for name in extra), *groups]
    assert beside - declared(everything) == set()


def test_every_package_that_the_product_declares_is_used() -> None:
    """INS-02: a package that nothing imports is dropped, or its reason is written down."""
    used = {name for folder in (*PRODUCT, "demo") for name in imported(ROOT / folder)}
    of_features = {extra for extra, name in EXTRAS_OF_FEATURES.items() if (FEATURES / name).is_dir()}
    asked = declared(PROJECT["dependencies"])
    for extra in {"s3", "postgres", "demo"} | of_features:
        asked |= declared(EXTRAS[extra])
    assert asked - used == set(NOT_IMPORTED)


def test_each_extra_of_a_feature_is_for_that_feature_alone() -> None:
    """Without its feature, nothing requests it."""
    for extra, name in EXTRAS_OF_FEATURES.items():
        packages = declared(EXTRAS[extra])
        used = {path for folder in PRODUCT for path in (ROOT / folder).rglob("*.py")
                if packages & imported_by(path)}
        assert all(path.is_relative_to(FEATURES / name) for path in used), (extra, used)


def test_every_file_of_the_product_is_of_a_kind_that_the_wheel_takes() -> None:
    """INS-03: the feed of roots was missing from an installed site (what test_wheel.py sees, sooner)."""
    kinds = ("*.py", *PYPROJECT["tool"]["setuptools"]["package-data"]["*"])
    tracked = subprocess.run(["git", "ls-files", *PRODUCT], cwd=ROOT, capture_output=True, text=True,
                             check=True).stdout.splitlines()
    assert tracked
    assert [name for name in tracked if not any(fnmatch(Path(name).name, kind) for kind in kinds)] == []


def test_the_package_asks_for_a_cv2_without_a_display_and_the_locks_have_no_other() -> None:
    """INS-02: two packages that write the folder cv2 overwrite each other's files."""
    owners = {"opencv-python", "opencv-python-headless", "opencv-contrib-python",
              "opencv-contrib-python-headless"}
    assert declared(PROJECT["dependencies"]) & owners == {"opencv-python-headless"}
    for name in LOCKS:
        assert set(locked(name)) & owners == {"opencv-python-headless"}, name


def test_each_lock_has_what_is_asked_for_with_hashes_and_names_no_index() -> None:
    """INS-01: one set of hashes for all Pythons; where packages come from is the machine's setting."""
    groups = PYPROJECT["dependency-groups"]
    extras = [name for extra in ("demo", "postgres", "codes", "passkeys", "age") for name in EXTRAS[extra]]
    need = [*PROJECT["dependencies"], *extras, *groups["build"]]
    for name, more in zip(LOCKS, ([], groups["dev"], [*groups["dev"], *groups["bench"]]), strict=True):
        versions, text = locked(name), (ROOT / name).read_text("ascii")
        for line in [*need, *more]:
            requirement = Requirement(line)
            assert versions[canonicalize_name(requirement.name)] in requirement.specifier, (name, line)
        assert all("--hash=sha256:" in entry for entry in re.split(r"\n(?=\S)", text.strip())), name
        assert "://" not in text, name
        assert "index-url" not in text, name


def test_the_larger_lock_has_every_version_of_the_smaller_one() -> None:
    run, dev, bench = (locked(name).items() for name in LOCKS)
    assert run <= dev <= bench


def test_a_missing_driver_is_answered_with_the_extra_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """INS-02: without the extra, one sentence that names it."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(engine.MissingDriver, match=r'pip install "galloper\[postgres\]"'):
        engine.open_engine("postgresql://galloper@localhost/galloper")
    monkeypatch.setitem(sys.modules, "s3fs", None)
    settings = Settings.model_validate({
        "data": str(tmp_path), "photo_store": "s3://bucket/site", "order_address": "a@example.org",
        "coordinator": "b@example.org", "mail_in": {}, "mail_out": {"sender": "a@example.org"},
    })
    with pytest.raises(ConfigError, match=r'pip install "galloper\[s3\]"'):
        blobs.open_blobs(settings)


@pytest.mark.parametrize(("python", "sqlite", "fits"), [
    ((3, 11), (3, 40, 1), True), ((3, 13), (3, 46, 1), True), ((3, 12), (3, 40, 1), False),
])
def test_a_new_python_on_an_old_sqlite_is_refused_before_a_job_fails(
    python: tuple[int, ...], sqlite: tuple[int, ...], *, fits: bool
) -> None:
    """INS-01: DBOS asks SQLite for milliseconds from Python 3.12 on (dbos/_migration.py,
    get_sqlite_timestamp_expr); before 3.42 SQLite answers NULL, and no job can be written."""
    if fits:
        engine.check_sqlite_of_queue(python, sqlite)
    else:
        with pytest.raises(engine.MissingDriver, match=r"3\.42 or newer"):
            engine.check_sqlite_of_queue(python, sqlite)


@cache
def imported(folder: Path) -> frozenset[str]:
    """The packages, by the names that indexes know, of every import below a folder."""
    return frozenset(name for path in folder.rglob("*.py") for name in imported_by(path))


@cache
def imported_by(path: Path) -> frozenset[str]:
    """Those of one file."""
    ours = {*PRODUCT, *BESIDE, "tests"}
    modules = {name.partition(".")[0] for node in ast.walk(ast.parse(path.read_bytes()))
               for name in _modules(node)}
    return frozenset(canonicalize_name(DISTRIBUTION.get(name, name))
                     for name in modules - ours - set(sys.stdlib_module_names))


def _modules(node: ast.AST) -> Iterable[str]:
    match node:
        case ast.Import():
            return [alias.name for alias in node.names]
        case ast.ImportFrom(module=str(module), level=0):
            return [module]
    return []


def declared(lines: Iterable[str]) -> set[str]:
    """The packages of requirements, by the names that indexes know."""
    return {canonicalize_name(Requirement(line).name) for line in lines}


@cache
def locked(name: str) -> Mapping[str, str]:
    """Package to version of a lock file."""
    return dict(re.findall(r"^([a-z0-9-]+)==([^ ]+)", (ROOT / name).read_text("ascii"), re.MULTILINE))
