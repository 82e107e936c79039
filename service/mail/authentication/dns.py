"""Where keys and policies of senders' domains are looked up: TXT records behind a port, with a cache and a
time limit for each mail.

DNS is another person's machine: it may be slow, refuse, or be away. So an answer is a value with three
states, and only "absent" states that there is no record. RFC 1035, RFC 2308 (absent names), RFC 6376, 6.1.2.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from threading import Lock
from time import monotonic, time
from typing import Protocol

SECONDS_PER_QUERY = 5.0
SECONDS_PER_MAIL = 15.0
"""How long all look-ups of one mail may take together."""

SHORTEST_KEPT, LONGEST_KEPT = 60, 3600
"""Bounds in seconds for how long an answer is stored, whatever its TTL states."""
ABSENT_KEPT = 60
"""Seconds for which a name counts as absent: a key that was just published must soon be seen."""
UNAVAILABLE_KEPT = 20
"""Seconds for which a server that did not answer is not asked again, so that twenty mails of one domain do
not wait one after the other."""
MOST_NAMES = 2000
"""Names that are stored at a time."""


class TxtState(StrEnum):
    """The fate of a look-up. ABSENT: DNS states that there is no such record. UNAVAILABLE: DNS said
    nothing that counts; a later try may."""

    ANSWERED = "answered"
    ABSENT = "absent"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True)
class TxtAnswer:
    """The TXT records of a name, each with its strings joined (RFC 6376, 3.6.2.2). `ttl`: seconds. `fault`:
    why there is no answer, as the end of a sentence."""

    state: TxtState
    records: tuple[bytes, ...] = ()
    ttl: int = 0
    fault: str = ""


class TxtLookup(Protocol):
    """The way to DNS."""

    def txt(self, name: str, seconds: float) -> TxtAnswer:
        """The records of a name in ASCII, without its last dot, within so many seconds. Never raises."""
        ...


class SystemLookup:
    """The machine's own resolvers, by dnspython. An answer that was cut off is asked for again by TCP."""

    def txt(self, name: str, seconds: float) -> TxtAnswer:
        """See `TxtLookup`."""
        # 5 MB that a site does without whose mail server proves the senders.
        import dns.exception
        import dns.name
        import dns.resolver
        from dns.rdatatype import TXT

        try:
            # Made again each time: the machine's resolvers may change while the site runs.
            answer = dns.resolver.Resolver().resolve(f"{name}.", TXT, lifetime=seconds, search=False)
        except (
            dns.resolver.NXDOMAIN, dns.resolver.NoAnswer, dns.resolver.YXDOMAIN,
            # No label may be empty or longer than 63 octets (RFC 1035, 2.3.4): such a name cannot exist.
            dns.exception.SyntaxError, dns.name.LabelTooLong, dns.name.NameTooLong, dns.name.EmptyLabel,
            dns.name.IDNAException,
        ):
            return TxtAnswer(TxtState.ABSENT)
        except dns.exception.Timeout:
            return _unavailable(f"did not answer within {seconds:.0f} seconds")
        except dns.resolver.NoNameservers:
            return _unavailable("refused or failed (REFUSED or SERVFAIL)")
        except dns.resolver.NoResolverConfiguration:
            return _unavailable("cannot be asked: this machine names no resolver")
        except (dns.exception.DNSException, OSError, ValueError) as error:
            return _unavailable(f"gave no usable answer ({type(error).__name__})")
        records = tuple(b"".join(record.strings) for record in answer)
        return TxtAnswer(TxtState.ANSWERED, records, int(answer.expiration - time()))


def _unavailable(fault: str) -> TxtAnswer:
    return TxtAnswer(TxtState.UNAVAILABLE, fault=fault)


class TableLookup:
    """Records from a table; every other name is absent. For `galloper intake` and for tests."""

    def __init__(self, table: Mapping[str, str | Sequence[str]]) -> None:
        """Take names in any case, with or without the last dot; each has one record or a list of records."""
        self._records = {
            _folded(name): tuple(text.encode() for text in ((value,) if isinstance(value, str) else value))
            for name, value in table.items()
        }

    def txt(self, name: str, seconds: float) -> TxtAnswer:
        """See `TxtLookup`."""
        records = self._records.get(_folded(name), ())
        return TxtAnswer(TxtState.ANSWERED if records else TxtState.ABSENT, records, LONGEST_KEPT)


NO_DNS = TableLookup({})
"""For a site or a test in which no one is asked."""


def _folded(name: str) -> str:
    return name.casefold().rstrip(".")


class CachedLookup:
    """Another way to DNS with its answers kept for a while. Safe to share between threads."""

    def __init__(self, lookup: TxtLookup, seconds_now: Callable[[], float] = monotonic) -> None:
        self._lookup = lookup
        self._now = seconds_now
        self._kept: OrderedDict[str, tuple[float, TxtAnswer]] = OrderedDict()
        self._lock = Lock()

    def txt(self, name: str, seconds: float) -> TxtAnswer:
        """See `TxtLookup`."""
        key = _folded(name)
        with self._lock:
            until, answer = self._kept.get(key, (0.0, None))
        if answer is not None and self._now() < until:
            return answer
        # Outside the lock: a slow server must not hold up the look-ups of others.
        answer = self._lookup.txt(key, seconds)
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = (self._now() + _seconds_kept(answer), answer)
            while len(self._kept) > MOST_NAMES:
                self._kept.popitem(last=False)
        return answer


def _seconds_kept(answer: TxtAnswer) -> int:
    match answer.state:
        case TxtState.ABSENT:
            return ABSENT_KEPT
        case TxtState.UNAVAILABLE:
            return UNAVAILABLE_KEPT
        case TxtState.ANSWERED:
            return min(max(answer.ttl, SHORTEST_KEPT), LONGEST_KEPT)


@dataclass(slots=True)
class MailLookups:
    """The look-ups of one mail, which share so many seconds."""

    lookup: TxtLookup
    seconds: float = SECONDS_PER_MAIL
    seconds_now: Callable[[], float] = monotonic
    _ends: float = field(init=False)

    def __post_init__(self) -> None:
        self._ends = self.seconds_now() + self.seconds

    def txt(self, name: str) -> TxtAnswer:
        """The records of a name, if there is time left."""
        left = self._ends - self.seconds_now()
        if left <= 0:
            return TxtAnswer(TxtState.UNAVAILABLE, fault="was too slow for all queries of this mail")
        return self.lookup.txt(name, min(SECONDS_PER_QUERY, left))
