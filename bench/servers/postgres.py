"""A throw-away PostgreSQL cluster on a Unix socket, where the server's binaries are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from bench.servers.dovecot import unprivileged


def binaries() -> Path | None:
    """The folder with `initdb`, newest version first; None where PostgreSQL is not installed."""
    known = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]), reverse=True
    )
    on_path = shutil.which("initdb")
    return known[0].parent if known else Path(on_path).parent if on_path else None


@dataclass
class Postgres:
    """One cluster with one database; `url` empties it. PostgreSQL refuses to run as root, so root steps
    down."""

    root: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="pg")))

    def start(self) -> Postgres:
        account = unprivileged()
        os.chown(self.root, account.pw_uid, account.pw_gid)
        self._run(
            "initdb",
            "-D",
            str(self.root / "data"),
            "-U",
            "galloper",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-sync",
        )
        self._run(
            "pg_ctl",
            "-D",
            str(self.root / "data"),
            "-w",
            "-l",
            str(self.root / "log"),
            "-o",
            f"-c listen_addresses='' -c fsync=off -k {self.root}",
            "start",
        )
        return self

    def stop(self) -> None:
        self._run("pg_ctl", "-D", str(self.root / "data"), "-w", "-m", "immediate", "stop")
        shutil.rmtree(self.root, ignore_errors=True)

    def url(self) -> str:
        """The address of an empty database: always the same one, emptied. A database a test is a thousand
        files."""
        address = f"postgresql://galloper@/postgres?host={self.root}"
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where datname = current_database() and pid <> pg_backend_pid()"
            )
            connection.execute("drop schema if exists dbos cascade")
            connection.execute("drop schema public cascade")
            connection.execute("create schema public")
        return address

    def _run(self, program: str, *arguments: str) -> None:
        found = binaries()
        assert found is not None, "PostgreSQL's server binaries are not installed"
        account, root = unprivileged(), os.geteuid() == 0
        command: Sequence[str] = [str(found / program), *arguments]
        done = (
            subprocess.run(  # noqa: S603 our own command
                command,
                cwd=self.root,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
                user=account.pw_uid if root else None,
                group=account.pw_gid if root else None,
                extra_groups=[] if root else None,
            )
            if program != "pg_ctl"
            else _detached(command, self.root, account.pw_uid, account.pw_gid)
        )
        if done.returncode != 0:
            raise RuntimeError(f"{program} failed: {(done.stdout or b'').decode()[-1500:]}")


def _detached(command: Sequence[str], cwd: Path, uid: int, gid: int) -> subprocess.CompletedProcess[bytes]:
    # The server inherits what pg_ctl writes to; a pipe would never come to its end.
    root = os.geteuid() == 0
    return subprocess.run(  # noqa: S603 our own command
        command,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
        user=uid if root else None,
        group=gid if root else None,
        extra_groups=[] if root else None,
    )
