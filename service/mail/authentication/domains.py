"""Domains and names of hosts compared: whether the domain of a signature speaks for the domain in From, by
the public suffix list; and names with "*" for one or more labels, or for a part of one.

The first is narrower than the relaxed alignment of DMARC (RFC 7489, 3.1.1) on purpose: a domain speaks for
itself and for names below it, never for its parent or a sibling, because anyone who runs one host of a
university must not sign for all its people.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from publicsuffixlist import PublicSuffixList

from service.store.addresses import ascii_domain


@cache
def _expression(pattern: str) -> re.Pattern[str]:
    # "*.messagingengine.com" is a whole name: neither "evilmessagingengine.com" nor
    # "mx1.messagingengine.com.evil.example" fits.
    parts = (re.escape(part) for part in pattern.strip().rstrip(".").casefold().split("*"))
    return re.compile(r"[a-z0-9_-](?:[a-z0-9_.-]*[a-z0-9_-])?".join(parts))


def fits(name: str, patterns: Iterable[str]) -> bool:
    """Whether a host's name or an authserv-id is one of `patterns`, whole and without regard to case."""
    plain = name.rstrip(".").casefold()
    return ".." not in plain and any(_expression(pattern).fullmatch(plain) for pattern in patterns)


def is_too_wide(pattern: str) -> bool:
    """Whether a pattern would trust strangers: "*", "*.com", "mx*"."""
    if "*" not in pattern:
        return False
    labels = [label for label in pattern.strip().rstrip(".").split(".") if label]
    fixed = [label for label in labels if "*" not in label]
    return len(fixed) < 2


@cache
def _suffixes() -> PublicSuffixList:
    # The list is a file of the package, so nothing is fetched. A top-level name that it does not know counts
    # as a suffix: no one signs for all of it.
    return PublicSuffixList()


def organizational_domain(domain: str) -> str | None:
    """The part of an ASCII domain that a person registered: "example.co.uk" of "mx.example.co.uk". None for
    a public suffix, such as "co.uk" or "github.io" (RFC 7489, 3.2)."""
    return _suffixes().privatesuffix(domain)


def covers(signer: str, domain: str) -> bool:
    """Whether a signature of `signer` speaks for mail From `domain`: the same domain, or a parent of it that
    is not a public suffix."""
    signer_name, name = ascii_domain(signer), ascii_domain(domain)
    if signer_name is None or name is None or organizational_domain(signer_name) is None:
        return False
    return signer_name == name or name.endswith(f".{signer_name}")
