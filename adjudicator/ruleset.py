"""What a variant sets and overrides. The judge asks the rule set, never which game it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Ruleset:
    """Values from `[rules]` of a variant's `variant.toml`; behaviour lives in `adjudicator/rules/<name>.py`.

    `name` is the module under `adjudicator.rules`. `values` are the variant's named choices, checked by that module.
    """

    name: str
    values: Mapping[str, object] = field(default_factory=dict)
