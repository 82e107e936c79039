"""Rule sets, found by module name. A module here offers `RULES`, a subclass of Ruleset; there is no list to
edit."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Mapping
from pathlib import Path

from adjudicator.ruleset import Ruleset

RENAMED_HOOKS: Mapping[str, str] = {
    "words": "word_list",
    "takes": "accepts_order",
    "opening": "opening_position",
    "first_paper_counts": "first_version_counts",
    "takes_typed_orders": "accepts_typed_orders",
    "standing": "public_holdings",
    "sight": "visible_position",
    "told": "redact_resolution",
    "support_follows": "support_follows_mover",
    "paradox_holds": "convoy_paradox_fails_all_moves",
    "first_of_two_counts": "first_of_two_orders_counts",
    "owner_stands_in": "owner_replaces_silent_commander",
    "deployed": "initial_deployment",
    "ready": "before_resolution",
    "beaten": "dislodged_for_retreat",
    "remembers": "keeps_memory",
    "landed": "after_retreat",
    "after_retreats": "memory_after_retreats",
    "after_winter": "memory_after_winter",
    "books": "before_adjustments",
    "feeds": "supply_from",
    "affords": "can_afford",
    "bars_removal": "removal_fault",
    "bars_build": "build_fault",
    "any_coast_will_do": "picks_missing_coast",
    "sends_on": "passes_supply_on",
    "allowance": "unit_allowance",
    "strikes_removals": "builds_strike_removals",
    "winter_reason": "adjustment_reason",
    "enforced": "enforced_removals",
    "enforce": "choose_removals",
    "settled": "after_year",
    "wins_in_winter": "tests_victory_in_winter",
    "draws_at_once": "draw_ends_game",
}
"""Hooks of Ruleset that had another name in an older Galloper: old to new. An override with an old name would
never be called, and the game would be judged by other rules without a word."""


def add_folder(folder: Path) -> None:
    """Add the rule sets in a folder, a module each. Raises ValueError if the name of one is taken."""
    known = {module.name for module in pkgutil.iter_modules(__path__)}
    taken = sorted(module.name for module in pkgutil.iter_modules([str(folder)]) if module.name in known)
    if taken:
        raise ValueError(f"{', '.join(taken)}: a rule set of that name is known already")
    __path__.append(str(folder))
    importlib.invalidate_caches()


def load(
    name: str, values: Mapping[str, object], citations: Mapping[str, object] | None = None,
    figures: Mapping[str, object] | None = None,
) -> Ruleset:
    """The rule set of that name with a variant's named choices, citations and figures.

    Raises ValueError naming the rule set when there is none of that name, the hook when it has an old one, or
    the key when a choice, a citation or a figure is unknown or not allowed.
    """
    if not name.isidentifier() or importlib.util.find_spec(f"{__name__}.{name}") is None:
        raise ValueError(f"there is no rule set called {name!r}")
    kind: type[Ruleset] = importlib.import_module(f"{__name__}.{name}").RULES
    _refuse_renamed_hooks(name, kind)
    rules = kind(name, dict(values), dict(citations or {}), dict(figures or {}))
    rules.check()
    return rules


def _refuse_renamed_hooks(name: str, kind: type[Ruleset]) -> None:
    hooks = {hook for owner in kind.__mro__ if owner not in Ruleset.__mro__ for hook in vars(owner)}
    outdated = sorted(hooks & set(RENAMED_HOOKS))
    if outdated:
        renamed = ", ".join(f"{hook} is {RENAMED_HOOKS[hook]} now" for hook in outdated)
        raise ValueError(f"the rule set {name!r} has hooks of an older Galloper: {renamed} (docs/boards.md)")


def import_all() -> None:
    """Import every rule set, so that each class of orders and of state that one of them brings is known."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
