"""Whether the domain of a signature speaks for the domain in From, by the public suffix list.

Narrower than the relaxed alignment of DMARC (RFC 7489, 3.1.1) on purpose: a domain speaks for itself and for
names below it, never for its parent or a sibling, because whoever runs one host of a university must not sign
for all its people.
"""

from __future__ import annotations

from functools import cache

from publicsuffixlist import PublicSuffixList

from service.store.addresses import ascii_domain


@cache
def _suffixes() -> PublicSuffixList:
    # The list is a file of the package, so nothing is fetched. A top-level name that it does not know counts
    # as a suffix: nobody signs for all of it.
    return PublicSuffixList()


def organizational_domain(domain: str) -> str | None:
    """The part of an ASCII domain that somebody registered: "example.co.uk" of "mx.example.co.uk". None for
    a public suffix, such as "co.uk" or "github.io" (RFC 7489, 3.2)."""
    return _suffixes().privatesuffix(domain)


def covers(signer: str, domain: str) -> bool:
    """Whether a signature of `signer` speaks for mail From `domain`: the same domain, or a parent of it that
    is no public suffix."""
    signer_name, name = ascii_domain(signer), ascii_domain(domain)
    if signer_name is None or name is None or organizational_domain(signer_name) is None:
        return False
    return signer_name == name or name.endswith(f".{signer_name}")
