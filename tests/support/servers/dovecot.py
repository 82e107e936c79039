"""The private Dovecot of the benches, under the name that tests know."""

from bench.servers.dovecot import PASSWORD, USER, Dovecot, folder_contents, unprivileged
from bench.servers.ports import free_port

__all__ = ["PASSWORD", "USER", "Dovecot", "folder_contents", "free_port", "unprivileged"]
