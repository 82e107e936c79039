"""What a child in its jail can still do: it tries, as a person would who had taken it over (`galloper
check`)."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any


def answer_probe(form: bytes) -> bytes:
    """Try every act, with `form` as JSON: {"files", "folders", "sockets", "process"}, each a path or a
    process id of the site that it must not reach. The answer is a list of the acts that could be done."""
    aims = json.loads(form)
    return json.dumps([words for words, act in _acts(aims) if _can(act)]).encode()


def _acts(aims: dict[str, Any]) -> list[tuple[str, Callable[[], Any]]]:
    acts: list[tuple[str, Callable[[], Any]]] = [
        ("start a program", partial(subprocess.run, ["/bin/true"], check=True)),
        ("start a process", _fork),
        ("open a socket", partial(socket.socket, socket.AF_INET)),
        ("open a socket of this machine", socket.socketpair),
        ("signal its parent", partial(os.kill, aims["process"], 0)),
        ("read another process", Path(f"/proc/{aims['process']}/environ").read_bytes),
    ]
    for path in aims["files"]:
        acts += [(f"read {path}", Path(path).read_bytes), (f"write {path}", partial(_open_to_write, path))]
    for path in aims["folders"]:
        acts += [
            (f"list {path}", partial(os.listdir, path)),
            (f"write into {path}", partial(_write_into, path)),
        ]
    acts += [(f"reach {path}", partial(_connect, path)) for path in aims["sockets"]]
    return acts


def _can(act: Callable[[], Any]) -> bool:
    with suppress(Exception):
        act()
        return True
    return False


def _fork() -> None:
    process = os.fork()
    if process == 0:
        os._exit(0)
    os.waitpid(process, 0)


def _open_to_write(path: str) -> None:
    os.close(os.open(path, os.O_WRONLY))


def _write_into(folder: str) -> None:
    path = Path(folder) / f".galloper-probe-{os.getpid()}"
    path.write_bytes(b"")
    path.unlink()


def _connect(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(path)
