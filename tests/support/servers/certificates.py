"""Certificates that nobody trusts unless told to, under the name that tests know."""

from bench.servers.certificates import make_certificate

__all__ = ["make_certificate"]
