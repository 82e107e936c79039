"""The API for programs, and their notices (README.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from service.feature import Feature, FeatureWork, Interval

if TYPE_CHECKING:
    from fastapi import FastAPI

    from service.bootstrap import Site
    from service.operations.health import Check


def _mounts(site: FastAPI) -> Mapping[str, FastAPI]:
    from service.features.programs.api import PREFIX, create_api

    return {PREFIX: create_api(site)}


def _work(site: Site) -> FeatureWork:
    from service.features.programs.webhooks import SECONDS, Webhooks

    webhooks = Webhooks(site.store, site.clock, (*site.settings.webhooks, *site.settings.notices))
    return FeatureWork(
        intervals=(Interval("webhooks", SECONDS, webhooks.look, leader_only=True),),
        renew=webhooks.renew, stop=webhooks.stop)


def _checks() -> Sequence[Check]:
    from service.features.programs.webhooks import CHECK

    return (CHECK,)


FEATURE = Feature("programs", mounts=_mounts, work=_work, checks=_checks)
