"""A throw-away PostgreSQL cluster on a Unix socket, if the server's binaries are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from psycopg import sql

from bench.servers.dovecot import unprivileged


def binaries() -> Path | None:
    """The folder with the newest `initdb`; None if PostgreSQL is not installed."""
    known = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]), reverse=True
    )
    on_path = shutil.which("initdb")
    return known[0].parent if known else Path(on_path).parent if on_path else None


@dataclass
class Postgres:
    """One cluster with one database, which `url` empties."""

    root: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="pg")))

    def start(self, *options: str) -> Postgres:
        """A new cluster, or, where there is a folder `data` already, that one. `options` are further ones of
        the server, "name=value"."""
        account = unprivileged()
        os.chown(self.root, account.pw_uid, account.pw_gid)
        data, log = str(self.root / "data"), str(self.root / "log")
        if not Path(data).exists():
            self._run("initdb", "-D", data, "-U", "galloper", "-A", "trust", "-E", "UTF8", "--no-sync")
        # No TCP port, and no fsync: what a power cut does to PostgreSQL is not measured here.
        settings = " ".join(f'-c "{option}"' for option in ("listen_addresses=", "fsync=off", *options))
        self._run("pg_ctl", "-D", data, "-w", "-l", log, "-o", f"{settings} -k {self.root}", "start")
        return self

    def base_backup(self, folder: Path) -> None:
        """Copy the running cluster into a new folder, as `pg_basebackup` does."""
        self._run("pg_basebackup", "-h", str(self.root), "-U", "galloper", "-D", str(folder), "-X", "none",
                  "-c", "fast", "--no-sync")

    def halt(self) -> None:
        """Stop it in order; `start` brings it back."""
        self._run("pg_ctl", "-D", str(self.root / "data"), "-w", "-m", "fast", "stop")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", str(self.root / "data"), "-w", "-m", "immediate", "stop")
        shutil.rmtree(self.root, ignore_errors=True)

    @property
    def address(self) -> str:
        """The URL of the database, as it is."""
        return f"postgresql://galloper@/postgres?host={self.root}"

    def url(self) -> str:
        """The URL of the database, emptied."""
        # Emptied instead of created: a new database for each test is a thousand files.
        address = self.address
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where datname = current_database() and pid <> pg_backend_pid()"
            )
            for (schema,) in connection.execute(
                    "select nspname from pg_namespace where nspname !~ '^pg_'"
                    " and nspname <> 'information_schema'").fetchall():
                connection.execute(sql.SQL("drop schema {} cascade").format(sql.Identifier(schema)))
            connection.execute("create schema public")
        return address

    def _run(self, program: str, *arguments: str) -> None:
        folder = binaries()
        assert folder is not None, "PostgreSQL's server binaries are not installed"
        # PostgreSQL refuses to run as root.
        account, root = unprivileged(), os.geteuid() == 0
        # The server inherits pg_ctl's standard output; a pipe would never come to its end.
        quiet = program == "pg_ctl"
        completed_process = subprocess.run(  # noqa: S603 our own command
            [str(folder / program), *arguments],
            cwd=self.root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL if quiet else subprocess.PIPE,
            stderr=subprocess.DEVNULL if quiet else subprocess.STDOUT,
            check=False,
            user=account.pw_uid if root else None,
            group=account.pw_gid if root else None,
            extra_groups=[] if root else None,
        )
        if completed_process.returncode != 0:
            raise RuntimeError(f"{program} failed: {(completed_process.stdout or b'').decode()[-1500:]}")
