"""Rule sets, found by module name. A module here offers `RULES`, a subclass of Ruleset; there is no list to
edit."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Mapping
from pathlib import Path

from adjudicator.ruleset import Ruleset


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

    Raises ValueError naming the rule set when there is none of that name, or the key when a choice, a
    citation or a figure is unknown or not allowed.
    """
    if not name.isidentifier() or importlib.util.find_spec(f"{__name__}.{name}") is None:
        raise ValueError(f"there is no rule set called {name!r}")
    kind: type[Ruleset] = importlib.import_module(f"{__name__}.{name}").RULES
    rules = kind(name, dict(values), dict(citations or {}), dict(figures or {}))
    rules.check()
    return rules


def import_all() -> None:
    """Import every rule set, so that each class of orders and of state that one of them brings is known."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
