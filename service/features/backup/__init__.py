"""Backups of a whole site, and how old they are (README.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from service.feature import Feature, SiteTest, Slot
from service.features.backup.commands import add_commands

if TYPE_CHECKING:
    from fastapi import APIRouter

    from service.operations.health import Check


def _routers() -> Sequence[APIRouter]:
    from service.features.backup import pages

    return (pages.router,)


def _checks() -> Sequence[Check]:
    from service.features.backup import health

    return health.CHECKS


def _site_tests() -> Mapping[str, SiteTest]:
    from service.features.backup import health

    return {"backup": health.check_site_backup}


FEATURE = Feature(
    "backup", add_commands, routers=_routers, checks=_checks, site_tests=_site_tests,
    slots={Slot.HEALTH: "backup/health_card.html"},
    notices={"noted": "It is noted in the log, with your name and the time. Nothing else was changed."})
