"""The checks of the documents find what is wrong, and the pages of the repository pass those that need no
built site. `make docs` builds the site and checks the rest; the slow test here does the same."""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
import typer.main

from service.cli.main import app
from tests.support.features import is_taken_out
from tools.documents.checks import is_well_formed, missing_paths, site_faults
from tools.documents.pages import place_links
from tools.documents.reference import schema_page

ROOT = Path(__file__).parents[2]
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "CHANGELOG.md"]

DIGESTED = {"record", "words", "lots", "receipt"}
"""Texts like "galloper lots 2" that digests are made of (docs/record.md)."""


def _commands(text: str) -> Iterator[list[str]]:
    """The words of each command that a page shows, in a block or a sentence, without `galloper`. One with
    "..." is not whole and left out."""
    blocks = re.findall(r"^ *```[^\n]*\n(.*?)^ *```$|^((?: {4,}.*\n)+)", text, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in "".join(block).replace("\\\n", " ").splitlines()]
    plain = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.MULTILINE | re.DOTALL)
    sentences = [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", plain)]
    for line in (*lines, *sentences):
        shown = re.match(r"(?:\$ |echo .* \| |\.venv/bin/)*(?:\S*/)?galloper (.*)", line.strip())
        if shown is not None and "..." not in line and "…" not in line:
            words = shlex.split(re.sub(r"\$\([^)]*\)", "1", shown[1]), comments=True)
            # N is any number.
            yield ["1" if word == "N" else word for word in words]


def _command_fault(words: list[str]) -> str:
    """The faults of a command, "" if there are none. A sentence may leave its arguments out."""
    command: Any = typer.main.get_command(app)
    rest = list(words)
    while rest and rest[0] in getattr(command, "commands", {}):
        command = command.commands[rest.pop(0)]
    if hasattr(command, "commands"):
        # A group alone, an option of the program itself, or a word for any command: `galloper COMMAND`.
        return "" if not rest or rest[0].startswith("--") or rest[0].isupper() else f"no command {rest[0]}"
    try:
        command.make_context(" ".join(words), rest).close()
    except Exception as error:
        # By name, since typer may bring its own copy of click. `--help` ends by Exit.
        return "" if type(error).__name__ in {"MissingParameter", "Exit"} else f"{error}"
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_of_a_page_is_one_that_there_is(page: Path) -> None:
    """REL-02: with the options that it has."""
    faults = {
        " ".join(words): fault
        for words in _commands(page.read_text("utf-8"))
        if not is_taken_out(words) and words[0] not in DIGESTED and (fault := _command_fault(words))
    }
    assert faults == {}


def test_a_wrong_command_of_a_page_is_found() -> None:
    """REL-02"""
    text = "Run `galloper chekc DIR`.\n\n```sh\necho x | galloper map draw w3k --paint # picture\n```\n"
    commands = list(_commands(text))
    assert commands == [["map", "draw", "w3k", "--paint"], ["chekc", "DIR"]]
    assert all(_command_fault(words) for words in commands)
    assert not _command_fault(["map", "draw", "w3k", "-o", "map.pdf"])


def test_no_page_names_a_path_that_is_not_there() -> None:
    """INS-08"""
    from tools.documents.__main__ import page_faults

    assert page_faults() == []


def test_paths_in_the_text_are_looked_up() -> None:
    """INS-08. A name in angle brackets, capitals or a star represents any; tests are named below tests/."""
    text = (
        "`service/config.py` `service/confg.py` `maps/<game>/variant.toml` `maps/<game>/variant.json` "
        "`service/cli` `docs/*.md` `docs/*.rst` `tools/test_documents.py::test_x` `tools/test_nothing.py`"
    )
    assert missing_paths(text, ROOT) == [
        "service/confg.py",
        "maps/<game>/variant.json",
        "docs/*.rst",
        "tools/test_nothing.py",
    ]


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ('<a href="b.html">b</a>', None),
        ('<a href="c.html">c</a>', "leads nowhere"),
        ('<a href="b.html#there">b</a>', None),
        ('<a href="b.html#elsewhere">b</a>', "no such place"),
        ('<a href="#elsewhere">b</a>', "no such place"),
        ('<a href="https://example.org/x">x</a>', None),
        ('<a href="https://exam ple.org/">x</a>', "not an address"),
        ('<a href="https:///x">x</a>', "not an address"),
        ('<script src="own.js"></script>', None),
        ('<script src="https://cdn.example.org/x.js"></script>', "from outside"),
        ('<script src="//cdn.example.org/x.js"></script>', "from outside"),
        ('<link rel="stylesheet" href="https://fonts.example.org/css">', "from outside"),
        ('<link rel="preload" href="http://fonts.example.org/f.woff2" as="font">', "from outside"),
        ('<img src="data:image/png;base64,AA==">', None),
        ('<img src="gone.png">', "not there"),
        ('<style>@import "https://example.org/x.css";</style>', "from outside"),
        ('<p style="background: url(//example.org/x.png)">x</p>', "from outside"),
    ],
)
def test_dead_links_and_foreign_loads_of_a_built_page_are_told(
    page: str, fault: str | None, tmp_path: Path
) -> None:
    """INS-08"""
    (tmp_path / "a.html").write_text(f"<html><body>{page}</body></html>", "utf-8")
    (tmp_path / "b.html").write_text('<h1 id="there">b</h1>', "utf-8")
    (tmp_path / "own.js").write_text("", "utf-8")
    told = site_faults(tmp_path)
    assert (
        (told == [])
        if fault is None
        else (len(told) == 1 and fault in told[0] and told[0].startswith("a.html"))
    )


def test_a_style_sheet_that_loads_a_font_from_outside_is_told(tmp_path: Path) -> None:
    """INS-08"""
    (tmp_path / "x.css").write_text("@font-face { src: url('https://example.org/f.woff2') }", "utf-8")
    assert site_faults(tmp_path) == ["x.css: loads https://example.org/f.woff2 from outside"]


def test_addresses_are_well_formed_or_not() -> None:
    """INS-08. RFC 3986: a host, a port that is a number, no blank."""
    for good in ("https://example.org", "http://127.0.0.1:8642/desk", "mailto:ada@example.org"):
        assert is_well_formed(good)
    for bad in (
        "https://",
        "http://exa mple.org",
        "https://example..org",
        "https://example.org:port/",
        "mailto:ada",
        "ftp://example.org",
    ):
        assert not is_well_formed(bad), bad


def test_links_are_led_to_where_their_target_stands_on_the_site() -> None:
    """INS-08. The site begins at docs/; a file that it does not have is named and not linked."""
    text = (
        "[a](docs/record.md#lots) [b](docs/adr) [LICENSE](LICENSE) `[c](docs/record.md)` [d](https://x.org)"
    )
    placed = place_links(text, PurePosixPath("CONTRIBUTING.md"), ROOT)
    assert placed == (
        "[a](record.md#lots) [b](explanation/decisions.md) `LICENSE` `[c](docs/record.md)` [d](https://x.org)"
    )
    up = place_links("[a](../../ARCHITECTURE.md)", PurePosixPath("docs/how-to/upgrade.md"), ROOT)
    assert up == "[a](../ARCHITECTURE.md)"


def test_a_schema_becomes_a_page_of_its_keys() -> None:
    """INS-08"""
    part = {
        "type": "object",
        "properties": {"port": {"type": "integer", "default": 993, "description": "Its port."}},
    }
    page = schema_page(
        "Settings",
        {
            "properties": {"mail": {"$ref": "#/$defs/M"}, "data": {"type": "string"}},
            "required": ["data"],
            "$defs": {"M": part},
        },
        "Opening.",
        variables="GALLOPER_",
    )
    assert "| `data` | text | needed | <br>`GALLOPER_DATA` |" in page
    assert "## `[mail]`" in page
    assert "| `port` | whole number | `993` | Its port.<br>`GALLOPER_MAIL__PORT` |" in page


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_links_nowhere_dead(tmp_path: Path) -> None:
    """INS-08: every command and every setting has its place in the reference."""
    if importlib.util.find_spec("sphinx") is None:
        pytest.skip("needs the group docs; make docs installs it")
    built = subprocess.run(
        [sys.executable, "-m", "tools.documents", str(tmp_path / "site")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    commands = (tmp_path / "site" / "reference" / "command-line.html").read_text("utf-8")
    assert "galloper-game-new" in commands
    assert "GALLOPER_MAIL_IN__TRUSTED_AUTHSERV_ID" in (
        tmp_path / "site" / "reference" / "settings.html"
    ).read_text("utf-8")
