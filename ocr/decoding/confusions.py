"""Letter confusions: which letters a recogniser takes for which, and which it loses, each at a price.

The prices are data (`confusions.toml`), counted by `python -m training.calibrate_confusions`; the file states
on what. Only what a recogniser surely takes for another letter has a price: where it is in doubt, its own
chances state it.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

FILE = "ocr/decoding/confusions.toml"

# The counting starts from these, so that a pair that never occurred in the sample is not dearer than one that
# no one believes in.
PAIRS = (
    "a4 ao ae au oc oe ec eo er es ei il i1 l1 lt tf ft it jl 0o 5s 2z 6b 8b 9g 8& 7t gy gq yj jg vy un uv "
    "un nm nr ni rv rn rs vw uw wm hn hb hk kb hl kl kr kx xr dl cd od ct bl bp pj ps ti tl rt sr sz zr fp "
    "fs f1 fi f+ t+ ry ye hy yz mw l/ 1/ (c )j ., :; ;, -. -= ~- l) i) l( i/"
)
"""Pairs of signs that pens make alike, in either direction, as believed before anything was counted."""


class PriceError(ValueError):
    """The prices cannot be used. Our own fault; the text names the file and the entry."""


@dataclass(frozen=True, slots=True)
class ConfusionPrices:
    """The cost of a sign, in nats, if the ink shows another or none.

    `shown`: by the sign that was written, then by the one that the ink shows. `lost`: by the sign that was
    written. A pair or sign that is missing costs what any wrong one costs (`decoder.Search.wrong_letter`).
    `provenance`: what was counted, and the command that repeats it.
    """

    shown: Mapping[str, Mapping[str, float]]
    lost: Mapping[str, float]
    provenance: Mapping[str, object]


NO_CONFUSIONS = ConfusionPrices({}, {}, {})
"""Prices for tests and counts: every wrong or lost sign costs the same."""


def similar_pairs() -> frozenset[tuple[str, str]]:
    """Every pair of PAIRS, in both orders."""
    pairs = {(pair[0], pair[1]) for pair in PAIRS.split()}
    return frozenset(pairs | {(b, a) for a, b in pairs})


@cache
def default_confusions() -> ConfusionPrices:
    """The prices that come with this release. Raises PriceError if they are faulty."""
    return read_prices((files(__package__) / "confusions.toml").read_text(encoding="utf-8"))


def read_prices(text: str, name: str = FILE) -> ConfusionPrices:
    """Prices from their TOML. `name`: of the file. Raises PriceError, which names the file and the key."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise PriceError(f"{name} is not TOML: {fault}") from fault
    parts: dict[str, dict[str, object]] = {}
    for part in ("shown", "lost", "provenance"):
        table = document.get(part)
        if not isinstance(table, dict) or (part == "provenance" and not table):
            raise PriceError(f"{name}: [{part}] is missing or empty")
        parts[part] = table
    shown = {
        _sign(key, f"{name}: shown"): _prices(table, f"{name}: shown.{key}")
        for key, table in parts["shown"].items()
    }
    return ConfusionPrices(shown, _prices(parts["lost"], f"{name}: lost"), parts["provenance"])


def _prices(table: object, entry: str) -> dict[str, float]:
    """Prices by sign. `entry`: where they are in the file, for the PriceError."""
    if not isinstance(table, dict):
        raise PriceError(f"{entry} must be a table of signs and nats")
    for key, price in table.items():
        if (
            isinstance(price, bool)
            or not isinstance(price, int | float)
            or not (math.isfinite(price) and price > 0)
        ):
            raise PriceError(f"{entry}.{key} must be a number of nats above 0")
    return {_sign(key, entry): float(price) for key, price in table.items()}


def _sign(key: str, entry: str) -> str:
    if len(key) != 1:
        raise PriceError(f"{entry}: {key!r} is not a single sign")
    return key
