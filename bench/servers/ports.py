"""Ports for servers on loopback."""

from __future__ import annotations

import socket
from random import SystemRandom

FIRST, LAST = 15_000, 32_767
"""Below the ports that the kernel gives to outgoing connections (RFC 6056; Linux from 32768 on): one of those
was taken between the question and a server's start."""


def free_port() -> int:
    """A port of loopback that no one listens on now. Raises OSError when none is found."""
    chance = SystemRandom()
    for _ in range(100):
        port = chance.randint(FIRST, LAST)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise OSError(f"of 100 ports from {FIRST} to {LAST} none is free")
