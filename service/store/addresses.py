"""Mail addresses as they are compared with each other, and the mark by which a stored mail names its author.
Pure."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass
from email.utils import parseaddr

NO_AUTHOR = ""
"""The mark of a mail that no one can be the author of: none, several or unreadable addresses in From."""


def ascii_domain(domain: str) -> str | None:
    """A domain in the form of DNS: lower case, without the last dot, names in other scripts as A-labels (RFC
    5890, 2.3.2.1). None for what is not a domain."""
    domain = domain.strip().rstrip(".")
    if domain.isascii():
        return domain.lower() or None
    # Not the codec "idna", nor casefold: both take "straße" for "strasse", which is another's domain now.
    labels = unicodedata.normalize("NFKC", domain.lower()).split(".")
    if not all(labels):
        return None
    return ".".join(
        label if label.isascii() else f"xn--{label.encode('punycode').decode('ascii')}" for label in labels)


@dataclass(frozen=True, slots=True)
class Provider:
    """How one provider lets a mailbox be spelled. `domain`: the one that is compared, for all of `domains`.
    `ignores_dots`: "j.rich" and "jrich" are one mailbox. `has_tags`: what follows a "+" is not part of its
    name."""

    domain: str
    domains: frozenset[str]
    ignores_dots: bool = False
    has_tags: bool = False

    @property
    def words(self) -> str:
        """How else an address of it may be spelled, for a person."""
        ways = [*(f"@{domain}" for domain in sorted(self.domains) if len(self.domains) > 1),
                *(["with or without dots"] if self.ignores_dots else []),
                *(["with or without “+” and a word"] if self.has_tags else [])]
        return ", ".join(ways)


PROVIDERS = (
    # https://support.google.com/mail/answer/7436150 (dots): true of none of the other domains it serves.
    Provider("gmail.com", frozenset({"gmail.com", "googlemail.com"}), ignores_dots=True, has_tags=True),
    # https://support.apple.com/118230: which of the three an account has depends on its age.
    Provider("icloud.com", frozenset({"icloud.com", "me.com", "mac.com"})),
    # The same name at two of these is two people; no name holds a "+".
    *(Provider(domain, frozenset({domain}), has_tags=True)
      for domain in ("outlook.com", "hotmail.com", "live.com", "msn.com")),
    # https://proton.me/support/addresses-and-aliases: the same name at two of these may be two accounts.
    *(Provider(domain, frozenset({domain}), has_tags=True)
      for domain in ("proton.me", "protonmail.com", "protonmail.ch", "pm.me")),
    # Fastmail's help, "Plus addressing and subdomain addressing".
    *(Provider(domain, frozenset({domain}), has_tags=True) for domain in ("fastmail.com", "fastmail.fm")),
)
_BY_DOMAIN = {domain: provider for provider in PROVIDERS for domain in provider.domains}


def provider_of(address: str) -> Provider | None:
    """The provider that lets this address be spelled in several ways; None for any other."""
    return _BY_DOMAIN.get(ascii_domain(address.rpartition("@")[2]) or "")


def folded_address(address: str) -> str:
    """An address to be compared with others, equal for all spellings of one mailbox (ARR-06): small letters,
    the domain in the form of DNS, and what its provider lets differ."""
    local, _, domain = address.rpartition("@")
    local, domain = local.lower(), ascii_domain(domain) or domain.lower()
    provider = _BY_DOMAIN.get(domain)
    if provider is None:
        return f"{local}@{domain}"
    # A name is never empty, whatever is in front of the sign.
    name = (local.partition("+")[0] or local) if provider.has_tags else local
    name = (name.replace(".", "") or name) if provider.ignores_dots else name
    return f"{name}@{provider.domain}"


def author_mark(address: str) -> str:
    """The mark of an author: equal for all spellings of one mailbox, 64 hexadecimal digits."""
    # A digest: anyone who reads a table of mails that are not judged yet learns no stranger's address.
    return hashlib.sha256(folded_address(address).encode("utf-8", "replace")).hexdigest()


def is_address(text: str) -> bool:
    """Whether this is a bare mail address, as long as one may be (RFC 5321, 4.5.3.1): no name next to it, no
    brackets, no mark that turns letters round, no machine by its number."""
    local, _, domain = text.rpartition("@")
    fits = 0 < len(local.encode("utf-8", "replace")) <= 64 and len(text) <= 254
    return fits and bool(domain) and text.isprintable() and "[" not in domain and parseaddr(text)[1] == text
