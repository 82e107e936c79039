"""The throw-away PostgreSQL cluster of the benches, under the name that tests know."""

from bench.servers.postgres import Postgres, binaries

__all__ = ["Postgres", "binaries"]
