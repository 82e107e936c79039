"""The private Dovecot of the benches, under the name that tests know."""

from bench.servers.dovecot import PASSWORD, USER, Dovecot, free_port, unprivileged

__all__ = ["PASSWORD", "USER", "Dovecot", "free_port", "unprivileged"]
