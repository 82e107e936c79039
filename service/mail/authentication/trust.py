"""Whose word about a sender counts at a site."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.mail.authentication.presets import PRESETS, preset
from service.mail.authentication.providers import (
    Provider,
    ProviderError,
    provider_from_mapping,
    provider_of_names,
)


@dataclass(frozen=True, slots=True)
class Trust:
    """`providers`: those that may have taken in the site's mail. Empty: no server's stamp counts.
    `own_proof`: a mail that none of them stamped is proved by its DKIM signature, which we check."""

    providers: tuple[Provider, ...] = ()
    own_proof: bool = False


NOBODY = Trust()
"""No server's word counts."""


def trust_in(names: Sequence[str], *, own_proof: bool = False) -> Trust:
    """Trust in servers by their authserv-ids, which may be patterns with "*"; empty names are left out.
    Raises ProviderError for a name that would trust strangers."""
    given = tuple(name.strip() for name in names if name.strip())
    return Trust((provider_of_names(given, PRESETS),) if given else (), own_proof)


def trust_from_mapping(source: Mapping[str, Any], provider: str | None = None) -> Trust:
    """The trust that a context or a site's settings describe: `providers` (key to provider), `provider` (one
    of these keys, or the key of a preset), `trusted_authserv_ids`, `trusted_authserv_id`, `own_proof` (True
    where a table of `dns` is given). `provider` as argument goes before the one in `source`. Raises
    ProviderError."""
    described = source.get("providers", {})
    if not isinstance(described, Mapping):
        raise ProviderError("`providers` is an object: key to provider")
    chosen = provider or source.get("provider")
    # With one provider there is nothing to choose.
    if not chosen and len(described) == 1:
        chosen = next(iter(described))
    trusted: tuple[Provider, ...] = ()
    if chosen:
        trusted = (_provider(str(chosen), described),)
    ids = source.get("trusted_authserv_ids") or ()
    if isinstance(ids, str) or not all(isinstance(name, str) for name in ids):
        raise ProviderError("`trusted_authserv_ids` is a list of names")
    by_name = trust_in((*ids, str(source.get("trusted_authserv_id") or "")))
    # The empty name in the list is meant: it is how Microsoft's server signs.
    nameless = (provider_of_names(("",), PRESETS),) if "" in ids else ()
    return Trust((*trusted, *nameless, *by_name.providers), bool(source.get("own_proof", "dns" in source)))


def _provider(key: str, described: Mapping[str, Any]) -> Provider:
    if key not in described:
        try:
            return preset(key)
        except KeyError:
            keys = ", ".join(sorted({*described, *(known.key for known in PRESETS)}))
            raise ProviderError(f"the provider {key} is not known; the known ones are {keys}") from None
    source = described[key]
    if not isinstance(source, Mapping):
        raise ProviderError(f"the provider {key} is not in the form of docs/contract.md")
    return provider_from_mapping(key, source, PRESETS)
