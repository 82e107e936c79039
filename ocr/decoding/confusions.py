"""What a recogniser makes of a pen's letters: which it takes for which, and which it loses, each at a price.

The prices are data (`confusions.toml`), counted by `python -m training.calibrate_confusions`, and say
themselves where they come from.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

FILE = "ocr/decoding/confusions.toml"

PAIRS = (
    "a4 ao ae au oc oe ec eo er es ei il i1 l1 lt tf ft it jl 0o 5s 2z 6b 8b 9g 8& 7t gy gq yj jg vy un uv "
    "un nm nr ni rv rn rs "
    "vw uw wm hn hb hk kb hl kl kr kx xr dl cd od ct bl bp pj ps ti tl rt sr sz zr fp fs f1 fi f+ t+ ry ye "
    "hy yz mw l/ 1/ (c )j .,"
    " :; ;, -. -= ~- l) i) l( i/ "
)
"""Pairs of signs that pens make alike, in either direction: what was believed before anything was counted."""


class PriceError(ValueError):
    """The prices cannot be used. Our own fault: names the file and the entry."""


@dataclass(frozen=True, slots=True)
class ConfusionPrices:
    """Nats that a sign costs where the ink shows another or none.

    `shown`: by the sign that was written, then by the one that the ink shows; `lost`: by the sign that was
    written. A pair or sign that is missing costs what any wrong one costs. `provenance`: what was counted, by
    whom one can repeat it.
    """

    shown: Mapping[str, Mapping[str, float]]
    lost: Mapping[str, float]
    provenance: Mapping[str, object]


NO_CONFUSIONS = ConfusionPrices({}, {}, {})
"""No sign looks like another, and none is lost more lightly than another is misread."""


def similar_pairs() -> frozenset[tuple[str, str]]:
    """Every pair of PAIRS, both ways round."""
    pairs = {(pair[0], pair[1]) for pair in PAIRS.split()}
    return frozenset(pairs | {(b, a) for a, b in pairs})


@cache
def default_confusions() -> ConfusionPrices:
    """The prices that come with this release. Raises PriceError where they are faulty."""
    return read_prices((files("ocr.decoding") / "confusions.toml").read_text(encoding="utf-8"))


def read_prices(text: str, name: str = FILE) -> ConfusionPrices:
    """Prices from their TOML; `name` is the file's. Raises PriceError, naming the file and the key."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise PriceError(f"{name} is no TOML: {fault}") from fault
    parts: dict[str, dict[str, object]] = {}
    for part in ("shown", "lost", "provenance"):
        given = found.get(part)
        if not isinstance(given, dict) or (part == "provenance" and not given):
            raise PriceError(f"{name}: [{part}] is missing or empty")
        parts[part] = given
    shown = {
        _sign(key, f"{name}: shown"): _prices(given, f"{name}: shown.{key}")
        for key, given in parts["shown"].items()
    }
    return ConfusionPrices(shown, _prices(parts["lost"], f"{name}: lost"), parts["provenance"])


def _prices(given: object, where: str) -> dict[str, float]:
    if not isinstance(given, dict):
        raise PriceError(f"{where} must be a table of signs and nats")
    for key, price in given.items():
        if (
            isinstance(price, bool)
            or not isinstance(price, int | float)
            or not (math.isfinite(price) and price > 0)
        ):
            raise PriceError(f"{where}.{key} must be a number of nats above 0")
    return {_sign(key, where): float(price) for key, price in given.items()}


def _sign(key: str, where: str) -> str:
    if len(key) != 1:
        raise PriceError(f"{where}: {key!r} is no single sign")
    return key
