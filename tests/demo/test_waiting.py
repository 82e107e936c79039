"""A slow machine is waited for and named; what cannot go on ends in a sentence (INS-06)."""

from __future__ import annotations

import io
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from demo import play, waiting
from demo.mail_server import DemoMailServer, MailServerError
from demo.play import run_demo
from demo.teller import Teller
from demo.waiting import DemoError, Patience, meanwhile
from tests.support.site import Site


class FakeDisk(NamedTuple):
    """As `shutil.disk_usage` answers, bytes."""

    total: int
    used: int
    free: int


def patience(
    site: Site, folder: Path, out: io.StringIO, check: Callable[[], None] = lambda: None
) -> Patience:
    return Patience(site.store, folder, Teller(out), check)


def test_a_slow_machine_is_told_and_waited_for(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "SLOW_SECONDS", 0.1)
    monkeypatch.setattr(waiting, "LOOK_SECONDS", 0.0)
    out, looks = io.StringIO(), list[int]()

    def happened() -> bool:
        looks.append(1)
        return len(looks) > 6

    patience(site, tmp_path, out).until("the sheets to be read", happened)
    sentence = "This machine is slow or busy: the demo waits for the sheets to be read."
    assert out.getvalue().count(sentence) == 1


def test_only_when_nothing_advances_for_long_it_gives_up(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "STALL_SECONDS", 0.3)
    monkeypatch.setattr(waiting, "LOOK_SECONDS", 0.0)
    steps, looks = [0], list[int]()
    monkeypatch.setattr(waiting, "progress", lambda _store: tuple(steps))

    def happened() -> bool:
        looks.append(1)
        # One more mail with each look for a second, three times as long as nothing may happen.
        steps[0] = min(len(looks), 10)
        return False

    with pytest.raises(DemoError, match="the sheets to be read, without progress"):
        patience(site, tmp_path, io.StringIO()).until("the sheets to be read", happened)
    assert len(looks) > 10


def test_a_full_disk_and_a_dead_mail_server_are_named_at_once(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = DemoMailServer()
    server.start()
    try:
        waits = patience(site, tmp_path, io.StringIO(), server.check)
        assert server._child is not None
        server._child.kill()
        server._child.wait()
        with pytest.raises(MailServerError, match="ended from outside"):
            waits.until("mails", lambda: False)
    finally:
        server.stop()
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: FakeDisk(10, 10, 0))
    with pytest.raises(DemoError, match="the disk is full"):
        patience(site, tmp_path, io.StringIO()).until("mails", lambda: False)


def test_a_long_call_moves_the_line_and_its_fault_comes_through() -> None:
    out, go_on = io.StringIO(), threading.Event()
    assert meanwhile(Teller(out), "drawing", lambda: go_on.wait(0.1) or 7) == 7

    def fails() -> None:
        raise OSError("away")

    with pytest.raises(OSError, match="away"):
        meanwhile(Teller(out), "drawing", fails)


def test_a_folder_that_cannot_be_used_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("here", encoding="utf-8")
    # Below a file no folder can be made, not even by root.
    assert run_demo(fast=True, folder=tmp_path / "file" / "site", keep=True) == 1
    assert "cannot be used (Not a directory)" in capsys.readouterr().err
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: FakeDisk(10, 10, 5_000_000))
    assert run_demo(fast=True, folder=tmp_path / "site", keep=True) == 1
    assert "has 5 MB left, and the demo needs 300 MB" in capsys.readouterr().err


def test_an_unexpected_fault_is_a_sentence_and_its_places_are_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*_arguments: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(play, "_run", run)
    assert run_demo(fast=True, folder=tmp_path / "site", keep=True) == 1
    words = capsys.readouterr().err
    assert words.startswith("galloper: the demo stopped: the disk is full. Nothing outside")
    assert "Traceback" not in words
    assert words.count("\n") == 1
