"""Output as it arrives where it goes: a terminal of 80 columns, with and without NO_COLOR, and a pipe whose
reader has gone (INS-05). The program runs as its own process: these are things of its last moments."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

from service.cli.main import app

PROGRAM = [sys.executable, "-c", "from service.cli.main import main; main()"]
COLUMNS = 80
CASE = {"phase": "movement", "units": ["FRANCE A PAR"],
        "orders": [{"power": "FRANCE", "order": "hold", "type": "A", "loc": "PAR"}]}
PIPE = 65_536
"""Bytes that a pipe of Linux holds; a writer of more has to notice that no one reads."""


def _environment(**more: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items()
                 if name not in {"NO_COLOR", "COLUMNS", "LINES"}}
    return {**inherited, "TERM": "xterm-256color", "PYTHONPATH": str(Path.cwd()), **more}


def _on_terminal(words: list[str], **environment: str) -> str:
    """What the program writes to a terminal of 24 rows and 80 columns."""
    screen, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    with subprocess.Popen([*PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal,
                          env=_environment(**environment)):
        os.close(terminal)
        shown = b""
        while True:
            try:
                piece = os.read(screen, PIPE)
            except OSError:
                # Linux ends a terminal with EIO when the last process has closed it.
                break
            shown += piece
    os.close(screen)
    return shown.decode().replace("\r\n", "\n")


def _commands(command: object, words: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    inner = getattr(command, "commands", {})
    return [words, *(line for name, part in inner.items() for line in _commands(part, (*words, name)))]


@pytest.mark.parametrize("words", _commands(typer.main.get_command(app)), ids=" ".join)
def test_every_help_fits_eighty_columns(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """INS-05: nothing is cut and nothing wraps in the middle of a word."""
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    shown = CliRunner().invoke(app, [*words, "--help"], prog_name="galloper")
    assert shown.exit_code == 0, shown.output
    assert "Usage: galloper" in shown.output
    assert [line for line in shown.output.splitlines() if len(line) > COLUMNS] == []


@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}], ids=str)
def test_a_terminal_gets_folded_lines_and_no_colour(environment: dict[str, str]) -> None:
    """INS-05: a line of moves has 183 letters; NO_COLOR has no colour to take away."""
    shown = _on_terminal(["map", "moves", "w3k", "Lyme Bay"], **environment)
    assert all(len(line) <= COLUMNS for line in shown.splitlines()), shown
    assert "\x1b" not in shown
    assert "Les Sept-Isles and Eddystone Rocks, Plymouth Sea Area" in " ".join(shown.split())


def test_a_program_gets_whole_lines() -> None:
    """INS-05: what is folded for eyes would be cut records in a pipe."""
    piped = subprocess.run([*PROGRAM, "map", "moves", "w3k", "Lyme Bay"], capture_output=True, text=True,
                           check=True, env=_environment()).stdout
    assert max(map(len, piped.splitlines())) > COLUMNS


@pytest.mark.slow
def test_a_board_is_checked_in_eighty_columns() -> None:
    shown = _on_terminal(["map", "check", "w3k"], NO_COLOR="1")
    assert all(len(line) <= COLUMNS for line in shown.splitlines()), shown
    assert shown.startswith("w3k: no fault. Wars of the Three Kingdoms: 287 regions")


@pytest.mark.parametrize(("line", "both"), [
    ("map moves w3k Thames --json", False),
    ("map moves w3k Thames", False),
    ("--help", True),
    ("map check nowhere", True),
])
def test_a_reader_that_leaves_is_no_fault(line: str, both: bool, tmp_path: Path) -> None:
    """`galloper ... | head -1` and `galloper ... 2>&1 | head -1`: nothing on standard error, a code of the
    contract."""
    errors = tmp_path / "errors"
    with errors.open("w") as error_file, subprocess.Popen(
            [*PROGRAM, *line.split()], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if both else error_file, env=_environment()) as process:
        assert process.stdout is not None
        # Before the program writes at all, so that its first write finds no person.
        process.stdout.close()
        code = process.wait(60)
    assert code in {0, 1}
    assert errors.read_text() == ""


def test_the_code_of_a_closed_pipe_is_that_of_the_contract(tmp_path: Path) -> None:
    """More than a pipe holds: the program must notice, and states by its code that not all was written."""
    typed = tmp_path / "typed"
    typed.write_text((json.dumps(CASE) + "\n") * 1500)
    with typed.open() as typed_file, subprocess.Popen(
            [*PROGRAM, "adjudicate", "--variant", "standard"], stdin=typed_file, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=_environment()) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 1
    assert json.loads(first)["orders"][0]["result"] == "succeeds"
    assert len(first) * 1500 > PIPE
