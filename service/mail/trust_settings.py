"""Whose word about a sender counts, from a site's settings. A fault shows which key and what to write."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from service.config import ConfigError, MailIn
from service.mail.authentication.presets import PRESETS, preset
from service.mail.authentication.providers import Provider, provider_from_mapping
from service.mail.authentication.trust import NOBODY, Trust, trust_in

_NAME = re.compile(r"[A-Za-z0-9_*.-]+", re.ASCII)
_LONGEST = 253


def trust_of(settings: MailIn) -> Trust:
    """Trust in the mailbox's own server, in no one if the settings name none, and in our own proof as they
    say. Raises ConfigError."""
    return replace(_trusted(settings), own_proof=settings.own_proof)


def _trusted(settings: MailIn) -> Trust:
    faults = [*_clashes(settings), *_name_faults(settings)]
    if faults:
        raise ConfigError("; ".join(faults))
    if settings.provider:
        return Trust((_known(settings.provider, settings.trusted_authserv_ids),))
    if settings.stamps is not None:
        return Trust((provider_from_mapping("", settings.stamps.model_dump(), PRESETS),))
    return trust_in(settings.trusted_authserv_ids) if any(settings.trusted_authserv_ids) else NOBODY


def _known(key: str, names: Sequence[str]) -> Provider:
    try:
        known = preset(key.strip().lower())
    except KeyError:
        keys = [each.key for each in PRESETS]
        near = difflib.get_close_matches(key.strip().lower(), keys, 1, 0.5)
        hint = f'did you mean "{near[0]}"?' if near else f"known are {', '.join(sorted(keys))}"
        raise ConfigError(
            f'mail_in.provider: there is no provider "{key}"; {hint} For another one, leave it out and run '
            "galloper check, which proposes the setting") from None
    if names:
        # Postfix's two programs write two names: that of the server, and OpenDMARC.
        known_names = () if known.border_hosts else known.names
        return replace(known, names=tuple(dict.fromkeys((*known_names, *names))))
    if not known.border_hosts:
        raise ConfigError(
            f'mail_in.provider: "{known.key}" is a program, and each server that runs it has its own '
            'name; add mail_in.trusted_authserv_ids = ["mx.example.org"] with it; galloper '
            "check shows it")
    return known


def _clashes(settings: MailIn) -> Iterator[str]:
    keys = [name for name in ("provider", "trusted_authserv_ids", "stamps") if getattr(settings, name)]
    # A program such as opendmarc needs both: its habits, and the name of the server.
    if len(keys) > 1 and keys != ["provider", "trusted_authserv_ids"]:
        yield (f"mail_in: {' and '.join(keys)} all set whose stamps count; keep {keys[0]} and remove the "
               "rest")


def _name_faults(settings: MailIn) -> Iterator[str]:
    table = settings.stamps
    lists = [("trusted_authserv_ids", settings.trusted_authserv_ids)]
    if table is not None:
        # A server that writes no name at all, as Microsoft's, is named by "".
        lists += [("stamps.names", tuple(filter(None, table.names))),
                  ("stamps.border_hosts", table.border_hosts)]
        if "" in table.names and not table.border_hosts:
            yield ('mail_in.stamps.names: with the empty name "" only border_hosts show whose stamp '
                   "it is; add them")
    for key, names in lists:
        for name in names:
            if fault := _fault(name):
                yield f"mail_in.{key}: {fault}"


def _fault(name: str) -> str:
    """The fault of a name or pattern, or ""."""
    if len(name) > _LONGEST or not _NAME.fullmatch(name):
        return f'"{name[:60]}" is not the name of a server; write it as in the header'
    end = name.rpartition("*")[2]
    if "*" not in name:
        return ""
    if not end.startswith("."):
        # "*example.org" would take "attackerexample.org", and "mx.example.*" "mx.example.attacker.org".
        return (f'"{name}" would match servers of strangers; a pattern ends in a whole domain, such as '
                f'"*.{end.lstrip("-") or "example.org"}"')
    if end.count(".") < 2 or _is_public(end.lstrip(".")):
        return f'"{name}" would match every server under {end}; write more, as "*.example{end}"'
    return ""


def _is_public(domain: str) -> bool:
    """Whether anybody may register names under a domain."""
    from publicsuffixlist import PublicSuffixList

    return bool(PublicSuffixList().is_public(domain))
