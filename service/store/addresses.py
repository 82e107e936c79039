"""Mail addresses as they are compared with each other, and the mark by which a stored mail names its author.
Pure."""

from __future__ import annotations

import hashlib
import unicodedata
from email.utils import parseaddr

NO_AUTHOR = ""
"""The mark of a mail that nobody can be the author of: none, several or unreadable addresses in From."""


def ascii_domain(domain: str) -> str | None:
    """A domain as DNS knows it: lower case, without the last dot, names in other scripts as A-labels (RFC
    5890, 2.3.2.1). None for what is no domain."""
    domain = domain.strip().rstrip(".")
    if domain.isascii():
        return domain.lower() or None
    # Not the codec "idna", nor casefold: both take "straße" for "strasse", which is another's domain now.
    labels = unicodedata.normalize("NFKC", domain.lower()).split(".")
    if not all(labels):
        return None
    return ".".join(
        label if label.isascii() else f"xn--{label.encode('punycode').decode('ascii')}" for label in labels)


def folded_address(address: str) -> str:
    """An address to be compared with others: small letters, the domain as DNS knows it."""
    local, _, domain = address.rpartition("@")
    return f"{local.lower()}@{ascii_domain(domain) or domain.lower()}"


def author_mark(address: str) -> str:
    """The mark of an author: equal for all spellings of one address, 64 hexadecimal digits."""
    # A digest: whoever reads a table of mails that are not judged yet learns no stranger's address.
    return hashlib.sha256(folded_address(address).encode("utf-8", "replace")).hexdigest()


def is_address(text: str) -> bool:
    """Whether this is a bare mail address, as long as one may be (RFC 5321, 4.5.3.1): no name beside it, no
    brackets, no mark that turns letters round, no machine by its number."""
    local, _, domain = text.rpartition("@")
    fits = 0 < len(local.encode("utf-8", "replace")) <= 64 and len(text) <= 254
    return fits and bool(domain) and text.isprintable() and "[" not in domain and parseaddr(text)[1] == text
