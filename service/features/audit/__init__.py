"""Checks of archives, of a running site, and time stamps by an authority outside (README.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from service.feature import Feature, FeatureWork, Interval, SiteTest
from service.features.audit.commands import add_commands

if TYPE_CHECKING:
    from service.bootstrap import Site
    from service.operations.health import Check


def _work(site: Site) -> FeatureWork:
    from service.features.audit import root_stamps
    from service.features.audit.time_stamps import certificates_in

    address, certificates = site.settings.stamp_authority, site.settings.stamp_certificates
    if not address:
        return FeatureWork()
    stamps = root_stamps.RootStamps(
        site.store, site.clock, root_stamps.HttpAuthority(address),
        certificates_in(Path(certificates)) if certificates else "")
    return FeatureWork(intervals=(Interval("stamps", root_stamps.SECONDS, stamps.look, leader_only=True),))


def _checks() -> Sequence[Check]:
    from service.features.audit.root_stamps import CHECK

    return (CHECK,)


def _site_tests() -> Mapping[str, SiteTest]:
    from service.features.audit.root_stamps import AUTHORITY, check_authority

    return {AUTHORITY: check_authority}


FEATURE = Feature("audit", add_commands, work=_work, checks=_checks, site_tests=_site_tests)
