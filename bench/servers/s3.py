"""A store of objects on loopback that speaks S3: moto's server, if it is installed."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from urllib.request import urlopen

from bench.servers.ports import free_port


def is_installed() -> bool:
    """Whether the server and the client of the extra `s3` are there."""
    return all(importlib.util.find_spec(name) is not None for name in ("moto", "flask_cors", "s3fs"))


@dataclass
class S3:
    """An empty store. `environment` is what a site's process needs to find it."""

    port: int = field(default_factory=free_port)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        return {"AWS_ENDPOINT_URL": self.address, "AWS_DEFAULT_REGION": "us-east-1",
                "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}

    def start(self, seconds: float = 60.0) -> S3:
        """Start, and return when it answers. Raises RuntimeError."""
        self._process = subprocess.Popen(  # noqa: S603 our own command
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self._answers():
                return self
            time.sleep(0.1)
        self.stop()
        raise RuntimeError("the store of objects does not answer")

    def _answers(self) -> bool:
        try:
            urlopen(f"{self.address}/moto-api/", timeout=5).close()  # noqa: S310 our own server
        except OSError:
            return False
        return True

    def stop(self) -> None:
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGTERM)
            self._process.wait()
            self._process = None
