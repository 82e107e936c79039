"""Ports for servers on loopback."""

from __future__ import annotations

import socket


def free_port() -> int:
    """A port of loopback that nobody listens on now."""
    with socket.socket() as probe:
        # Port 0: the kernel chooses one that is free.
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
