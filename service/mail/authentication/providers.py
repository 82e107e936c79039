"""What a mail provider's server writes on top of a mail that it took in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adjudicator.errors import UserFacingError
from service.mail.authentication.domains import fits, is_too_wide
from service.mail.authentication.places import Place, place_of

_HOST = re.compile(r"(?:(?:by|from)\s+)?([A-Za-z0-9*._:-]+)", re.IGNORECASE)


class ProviderError(UserFacingError):
    """A provider's setting cannot be used; the sentence shows why."""


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider, or one server of one's own.

    `key`: its short name in settings. `names`: the authserv-ids that it writes, patterns with "*"; "" for a
    server that writes none. `border_hosts`: the hosts whose Received lines it writes, patterns; empty if they
    are not known. `stands`: where its stamps stand, in words, and `place`: the same as a value.
    `entry_hosts`: those of its hosts that take mail from outside and from no one else. `dmarc`: whether
    it writes a DMARC result. `label`: its name for people. `sentence`: what a coordinator must know. """

    key: str
    names: tuple[str, ...]
    border_hosts: tuple[str, ...] = ()
    stands: str = ""
    dmarc: bool = True
    label: str = ""
    sentence: str = ""
    place: Place = Place.BOTH
    entry_hosts: tuple[str, ...] = ()

    def is_named(self, authserv_id: str) -> bool:
        """Whether a stamp with this authserv-id is in the provider's name."""
        if not authserv_id:
            return "" in self.names
        return fits(authserv_id, (name for name in self.names if name))

    def owns(self, host: str) -> bool:
        """Whether a host, as a Received line names it, is one of the provider's."""
        if fits(host, self.border_hosts) or any(
            pattern.endswith(":") and host.startswith(pattern) for pattern in self.border_hosts
        ):
            return True
        return not self.border_hosts and self._is_neighbour(host)

    @property
    def has_hosts(self) -> bool:
        """Whether anything is known about the provider's hosts; "OpenDMARC" has nothing about them."""
        return bool(self.border_hosts) or any("." in name for name in self.names)

    def _is_neighbour(self, host: str) -> bool:
        """Where only names are known: the server of that name, or one next to or below it."""
        dotted = [name for name in self.names if "." in name]
        parents = [name.partition(".")[2] for name in dotted if name.count(".") > 1]
        return fits(host, [pattern for name in (*dotted, *parents) for pattern in (name, f"*.{name}")])


def provider_from_mapping(
    key: str, source: Mapping[str, Any], known: Sequence[Provider] = ()
) -> Provider:
    """A provider from settings or from a context: `names`, `border_hosts`, `stands`, `dmarc`, `label`, and
    `setting` or `sentence`. What is not given comes from the provider of that key or with these names in
    `known`. Raises ProviderError.
    """
    source = {name: value for name, value in source.items() if value is not None}
    try:
        names = _texts(source["names"]) if "names" in source else None
    except TypeError as error:
        raise ProviderError(f"the provider {key} needs `names`, a list of texts") from error
    folded = None if names is None else tuple(name.casefold() for name in names)
    habit = next((preset for preset in known if preset.key == key
                  or (folded and folded == tuple(name.casefold() for name in preset.names))), None)
    if names is None and habit is None:
        raise ProviderError(f"the provider {key} needs `names`: what its server writes first into "
                            "Authentication-Results")
    wide = next((name for name in names or () if is_too_wide(name)), None)
    if wide is not None:
        raise ProviderError(f'the provider {key} has the name "{wide}", which would trust strangers; '
                            "give at least two parts without *, such as *.example.org")
    if names == () and habit is None and source.get("border_hosts"):
        # No name at all is the empty one; the border then states whose stamp it is.
        names = ("",)
    base = habit or Provider(key, names or (), label=key)
    try:
        return _with(base, key, names, source)
    except TypeError as error:
        raise ProviderError(f"the provider {key} is not in the form of docs/contract.md: {error}") from error


def _with(
    base: Provider, key: str, names: tuple[str, ...] | None, source: Mapping[str, Any]
) -> Provider:
    hosts = _hosts(_texts(source.get("border_hosts", ())))
    stands = str(source.get("stands", ""))
    return replace(
        base,
        key=key,
        names=base.names if names is None else names,
        border_hosts=hosts or base.border_hosts,
        stands=stands or base.stands,
        dmarc=bool(source.get("dmarc", base.dmarc)),
        label=str(source.get("label", base.label)),
        sentence=str(source.get("sentence", source.get("setting", base.sentence))),
        place=_agreed(base.place, place_of(stands)) if stands else base.place,
        # Another server without a name than Microsoft's has other hosts.
        entry_hosts=base.entry_hosts if not hosts or set(base.border_hosts) & set(hosts) else (),
    )


def _agreed(known: Place, said: Place) -> Place:
    """The place that fits what is known of a provider and what is stated about it; BOTH states little."""
    if known is said or Place.BOTH in {known, said}:
        return said if known is Place.BOTH else known
    # Gmail's stamps are below its Received line, and some descriptions say above. Both are looked at then.
    return Place.ANYWHERE if Place.ANYWHERE in {known, said} else Place.BOTH


def provider_of_names(names: Sequence[str], known: Sequence[Provider] = ()) -> Provider:
    """A provider of whom only the authserv-ids are given: the one in `known` that writes all of them, with
    these names alone, or an unknown one. Raises ProviderError for a name that would trust strangers."""
    wide = next((name for name in names if is_too_wide(name)), None)
    if wide is not None:
        raise ProviderError(f'the trusted name "{wide}" would trust strangers; give at least two parts '
                            "without *, such as *.example.org")
    habit = next((preset for preset in known if names and all(
        name in preset.names or preset.is_named(name.replace("*", "x")) for name in names)), None)
    return Provider("", tuple(names)) if habit is None else replace(habit, names=tuple(names))


def _texts(value: Any) -> tuple[str, ...]:
    texts = (value,) if isinstance(value, str) else value
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str | None) for text in texts):
        raise TypeError("names and hosts are lists of texts")
    # A server that writes no name is named by "", and by null in some hands.
    return tuple((text or "").strip() for text in texts)


def _hosts(values: Sequence[str]) -> tuple[str, ...]:
    """Patterns of hosts without remarks: "by 2002: (internal hop)" is "2002:"."""
    pieces = [piece.strip() for value in values for piece in re.split(r",|;|\s+and\s+|\s+or\s+", value)]
    return tuple(match.group(1).casefold() for piece in pieces if (match := _HOST.match(piece)))
