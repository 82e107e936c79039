"""docs/tutorial/first-game.md, each command as it is there: from an empty folder to sent results."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from demo.coordinator import ScriptedCoordinator

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tutorial" / "first-game.md"
SECONDS = 240
"""The deadline of the page is two minutes off; the rest is for a slow machine."""
END = "-- end of a block --"


def blocks(kind: str) -> list[str]:
    """The blocks of the page of one kind, in its order."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def block_with(words: str) -> str:
    (block,) = [block for block in blocks("sh") if words in block]
    return block


def test_the_page_has_the_commands_that_the_test_runs() -> None:
    """INS-08: what is set up beforehand is there, and no block is left out by the test below."""
    assert re.search(r"^setup:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert "make -C ~/galloper setup" in blocks("console")[0]
    assert len(blocks("console")) == 1
    assert [block for block in blocks("sh") if "galloper serve" in block] == [block_with("galloper serve")]


class Shell:
    """The first window: one shell that stops at the first command that fails."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._bash = subprocess.Popen(
            ["bash", "-e"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
        )

    def run(self, block: str) -> str:
        """What a block prints."""
        assert self._bash.stdin is not None
        assert self._bash.stdout is not None
        self._bash.stdin.write(f"{block}\necho '{END}'\n")
        self._bash.stdin.flush()
        printed: list[str] = []
        for line in self._bash.stdout:
            if line.strip() == END:
                return "".join(printed)
            printed.append(line)
        raise AssertionError(f"the shell ended at:\n{block}\n{''.join(printed)}")

    def close(self) -> None:
        assert self._bash.stdin is not None
        self._bash.stdin.close()
        self._bash.wait(30)


def until(true: Callable[[], bool], what: str) -> None:
    """Wait for what the page states comes by itself."""
    end = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < end, f"nobody saw {what} in {SECONDS} s"
        time.sleep(1)


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.skipif(shutil.which("bash") is None, reason="the page is written for bash")
def test_every_command_of_the_first_game_does_what_the_page_says(tmp_path: Path) -> None:
    """INS-08. Only the port differs, so that a site that runs on this machine is not in the way."""
    (tmp_path / "galloper").symlink_to(ROOT)
    port = _free_port()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GALLOPER_")} | {
        "HOME": str(tmp_path),
        "GALLOPER_WEB__PORT": str(port),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    outbox = tmp_path / "first-game" / "site" / "outbox"
    first = Shell(environment)
    serving: subprocess.Popen[bytes] | None = None
    said: dict[str, str] = {}
    try:
        for block in blocks("sh"):
            if "galloper serve" in block:
                serving = subprocess.Popen(
                    ["bash", "-ec", block.replace("galloper serve", "exec galloper serve")], env=environment
                )
                until(lambda: len(list(outbox.glob("*welcome*"))) == 10, "the welcomes")
                continue
            if "grep receipt" in block:
                until(lambda: any(outbox.glob("*receipt*")), "the receipt")
            if block == "galloper game show site\n":
                until(lambda: ": ready;" in first.run("galloper game show site"), "the judged phase")
            if "grep finalresults" in block:
                _approve(port)
                until(lambda: len(list(outbox.glob("*finalresults*"))) == 10, "the results")
            said[block] = first.run(block)
    finally:
        first.close()
        if serving is not None:
            serving.terminate()
            serving.wait(60)
    everything = "".join(said.values())
    for printed in blocks("text"):
        assert printed.strip() in everything
    assert "MEND" not in said[block_with("galloper check")]
    assert said[block_with("grep finalresults")].count(".eml") == 10


def _approve(port: int) -> None:
    """The words of the page about the browser: sign in, follow the results, approve."""
    signs_in = re.search(r"sign in as `(\w+)` with `([\w-]+)`", PAGE.read_text("utf-8"))
    assert signs_in is not None
    name, password = signs_in.groups()
    visitor = ScriptedCoordinator(f"http://127.0.0.1:{port}")
    today = visitor.post("/sign-in", name=name, password=password)
    assert "Approve the results" in today
    led = re.search(r'href="/results/(\d+)"', today)
    assert led is not None
    assert "Approve and send to all players" in visitor.get(f"/results/{led[1]}")
    visitor.approve(int(led[1]))
