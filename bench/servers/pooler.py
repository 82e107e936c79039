"""PgBouncer in front of a throw-away PostgreSQL cluster, one connection a transaction."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from dataclasses import dataclass, field

import psycopg

from bench.servers.dovecot import unprivileged
from bench.servers.postgres import Postgres

PORT = 6432
"""Part of its socket's name, in the cluster's own folder."""
START_SECONDS = 60.0

_SETTINGS = """[databases]
* = host={root} port=5432
[pgbouncer]
listen_addr =
listen_port = {port}
unix_socket_dir = {root}
auth_type = trust
auth_file = {root}/users
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 1000
logfile = {root}/pooler.log
"""


def program() -> str | None:
    """Where PgBouncer is installed; None where it is not."""
    return shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


@dataclass
class Pooler:
    """A pooler with `size` connections to the running cluster."""

    cluster: Postgres
    size: int = 40
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def start(self) -> Pooler:
        """Raises TimeoutError if it does not answer within `START_SECONDS`."""
        root, path, account = self.cluster.root, program(), unprivileged()
        assert path is not None, "PgBouncer is not installed"
        users, settings = root / "users", root / "pooler.ini"
        users.write_text('"galloper" ""\n', encoding="utf-8")
        settings.write_text(_SETTINGS.format(root=root, port=PORT, size=self.size), encoding="utf-8")
        for file in (users, settings):
            # This process may have a umask that keeps others out.
            file.chmod(0o644)
        # PgBouncer refuses to run as root, as PostgreSQL does.
        is_root = os.geteuid() == 0
        self._process = subprocess.Popen(  # noqa: S603 our own command
            [path, "-q", str(settings)], cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, user=account.pw_uid if is_root else None,
            group=account.pw_gid if is_root else None, extra_groups=[] if is_root else None)
        end = time.monotonic() + START_SECONDS
        while not self._answers():
            if time.monotonic() > end or self._process.poll() is not None:
                raise TimeoutError("PgBouncer does not answer")
            time.sleep(0.05)
        return self

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.address, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    @property
    def address(self) -> str:
        """The URL of the cluster's database, through the pooler."""
        return f"{self.cluster.address}&port={PORT}"

    def stop(self) -> None:
        """End it; the cluster goes on."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(10)
            self._process = None
