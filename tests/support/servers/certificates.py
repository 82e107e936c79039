"""Certificates that no program trusts by default, under the name that tests know."""

from bench.servers.certificates import make_certificate

__all__ = ["make_certificate"]
