"""The wheel: the same bytes each time, all that the program needs, and a program that runs alone (INS-03).

Slow, and it needs a package index: the wheel is installed as anybody would install it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from zipfile import ZipFile

import pytest

from bench.servers.ports import free_port

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

ROOT = Path(__file__).parents[1]
SHEETS = ROOT / "tests" / "data" / "sheets"
RESOURCES = ("adjudicator", "grammar", "maps", "ocr", "reading", "service", "galloper", "templates",
             "migrations")
SOURCE_ONLY = ("bench", "demo", "training", "tests", "tools", "docs")


def _built(folder: Path, umask: str = "022") -> Path:
    # The date is fixed: a working tree may have no commit.
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1760000000", "PYTHON": sys.executable}
    command = ["sh", "-c", f"umask {umask}; tools/wheel {folder}"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    (wheel,) = folder.glob("galloper-*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _built(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def program(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command `galloper` of an environment that has nothing but the wheel and what it requests."""
    home = tmp_path_factory.mktemp("empty")
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    answer = subprocess.run([home / "bin" / "pip", "install", "--quiet", wheel], capture_output=True,
                            text=True, check=False, timeout=900)
    if "Temporary failure in name resolution" in answer.stderr or "No route to host" in answer.stderr:
        pytest.skip("no package index can be reached")
    assert answer.returncode == 0, answer.stderr[-2000:]
    return home / "bin" / "galloper"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder far from the source, with a name that trips careless programs."""
    folder = tmp_path / "Ada's först folder"
    folder.mkdir()
    return folder


def _run(command: Sequence[str | Path], folder: Path, text: str = "") -> subprocess.CompletedProcess[str]:
    # Nothing of this process may reach the program: not its path, not its packages.
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8"}
    return subprocess.run(command, cwd=folder, input=text, capture_output=True, text=True, check=False,
                          env=environment, timeout=300)


def test_two_builds_have_equal_bytes(wheel: Path, tmp_path: Path) -> None:
    """INS-03: anyone who builds it gets the file that was published, whatever rights new files get there."""
    assert _built(tmp_path, umask="077").read_bytes() == wheel.read_bytes()


def test_the_wheel_has_every_resource_and_nothing_beside_the_product(wheel: Path) -> None:
    """INS-03: templates, boards, migrations, networks' layers and py.typed are in; benches, training, tests
    and the photographs of the demo are not."""
    names = set(ZipFile(wheel).namelist())
    tracked = subprocess.run(["git", "ls-files", *RESOURCES], cwd=ROOT, capture_output=True, text=True,
                             check=True).stdout.splitlines()
    assert tracked
    assert set(tracked) <= names
    assert not {name for name in names if name.partition("/")[0] in SOURCE_ONLY}
    assert not {name for name in names if name.endswith((".jpg", ".jpeg", ".png"))}
    assert {f"{name}/py.typed" for name in ("adjudicator", "grammar", "maps", "ocr", "service")} <= names


def test_the_metadata_is_complete(wheel: Path) -> None:
    """INS-03: what an index shows of the package."""
    with ZipFile(wheel) as files:
        (name,) = (name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        text = files.read(name).decode()
    head, _, body = text.partition("\n\n")
    for field in ("Requires-Python: >=3.11", "License-Expression: MIT", "License-File: LICENSE",
                  "Keywords: ", "Author: ", "Classifier: Typing :: Typed",
                  "Classifier: Programming Language :: Python :: 3.14", "Provides-Extra: postgres",
                  "Description-Content-Type: text/markdown", "Provides-Extra: s3"):
        assert field in head, field
    assert body.lstrip().startswith("# Galloper")


def test_a_plain_install_brings_one_cv2(program: Path, elsewhere: Path) -> None:
    """INS-02: by what the packages ask for, not by a trick of the lock."""
    script = ("from importlib.metadata import packages_distributions as owners; import cv2; "
              "print(owners()['cv2'])")
    answer = _run([program.parent / "python", "-c", script], elsewhere)
    assert answer.stdout.strip() == "['opencv-python-headless']", answer.stderr


def test_it_reads_a_sheet(program: Path, elsewhere: Path) -> None:
    """INS-03: networks, word lists and boards are found outside the source tree."""
    sheet = elsewhere / "sheet.jpg"
    shutil.copy(SHEETS / "s005.jpg", sheet)
    answer = _run([program, "read", "--variant", "w3k", sheet, "--json"], elsewhere)
    assert answer.returncode == 0, answer.stderr
    reading = json.loads(answer.stdout)
    lines = [line for page in reading["pages"] for line in page["lines"]]
    assert reading["status"] == "read"
    # As a person copied the sheet (tests/data/sheets/truth.json).
    assert "The Protectorate" in [line["text"] for line in lines]
    assert any(line["order"] and line["status"] == "auto" for line in lines)


def test_it_judges_a_case(program: Path, elsewhere: Path) -> None:
    """INS-03, with the first case of DATC 3.2 (6.A.1: a fleet to a province it does not touch)."""
    case = json.loads((ROOT / "tests" / "data" / "datc" / "datc.json").read_text())["cases"][0]
    answer = _run([program, "adjudicate", "--variant", "standard"], elsewhere, json.dumps(case) + "\n")
    assert answer.returncode == 0, answer.stderr
    result = json.loads(answer.stdout)
    assert {key: result["orders"][0][key] for key in ("result", "reason")} == case["expect"]["orders"][0]
    assert result["positions"] == case["expect"]["positions"]


def test_it_draws_a_map(program: Path, elsewhere: Path) -> None:
    """INS-03: outlines, fonts and templates are found outside the source tree."""
    for kind, magic in (("svg", b"<"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
        answer = _run([program, "map", "draw", "w3k", "-o", f"map.{kind}"], elsewhere)
        assert answer.returncode == 0, answer.stderr
        assert (elsewhere / f"map.{kind}").read_bytes().startswith(magic)


@pytest.fixture
def served(program: Path, elsewhere: Path) -> Iterator[tuple[int, Path]]:
    """A site that runs from the wheel: its port and its folder."""
    answer = _run([program, "init", "site"], elsewhere)
    assert answer.returncode == 0, answer.stderr
    site, port = elsewhere / "site", free_port()
    (site / "mail" / "new").mkdir(parents=True)
    (site / "mail" / "cur").mkdir()
    (site / "mail" / "tmp").mkdir()
    (site / "galloper.toml").write_text(
        'data = "data"\norder_address = "orders@example.org"\ncoordinator = "coordinator@example.org"\n'
        '[mail_in]\nkind = "maildir"\npath = "mail"\ntrusted_authserv_ids = ["mx.example.org"]\n'
        '[mail_out]\nkind = "folder"\npath = "outbox"\nsender = "orders@example.org"\n'
        f"[web]\nport = {port}\n")
    answer = _run([program, "user", "add", site, "Ada"], elsewhere, "a password of many letters\n")
    assert answer.returncode == 0, answer.stderr
    with (site / "log").open("wb") as log, subprocess.Popen(
            [program, "serve", site], cwd=elsewhere, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            env={"PATH": "/usr/bin:/bin", "HOME": str(elsewhere), "LANG": "C.UTF-8"}) as process:
        yield port, site
        process.terminate()
        assert process.wait(60) == 0, (site / "log").read_text()[-2000:]


def test_it_checks_and_starts_a_site(program: Path, served: tuple[int, Path], elsewhere: Path) -> None:
    """INS-03: migrations and the desk's pages are found outside the source tree."""
    port, site = served
    end = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/alive", timeout=5) as answer:
                assert answer.status == 200
                break
        except OSError:
            assert time.monotonic() < end, (site / "log").read_text()[-2000:]
            time.sleep(0.2)
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/sign-in", timeout=5) as answer:
        assert b"password" in answer.read()
    check = _run([program, "check", site], elsewhere)
    assert check.returncode == 0, check.stdout
    assert "networks and tesseract are here" in check.stdout


def test_demo_and_bench_say_where_they_are(program: Path, elsewhere: Path) -> None:
    """HOU-01: a wheel has neither, and says so in a sentence."""
    for name in ("demo", "bench"):
        answer = _run([program, name], elsewhere)
        assert answer.returncode == 1
        assert "comes with the source tree" in answer.stderr
        assert "Traceback" not in answer.stderr
