"""Signs that pens make alike, so that a recogniser takes one for the other."""

from __future__ import annotations

PAIRS = (
    "a4 ao ae au oc oe ec eo er es ei il i1 l1 lt tf ft it jl 0o 5s 2z 6b 8b 9g 8& 7t gy gq yj jg vy un uv un nm nr ni rv rn rs "
    "vw uw wm hn hb hk kb hl kl kr kx xr dl cd od ct bl bp pj ps ti tl rt sr sz zr fp fs f1 fi f+ t+ ry ye hy yz mw l/ 1/ (c )j .,"
    " :; ;, -. -= ~- l) i) l( i/ "
)
"""Pairs of signs, in either direction."""


def alike() -> frozenset[tuple[str, str]]:
    """Every pair of signs that look alike, both ways round."""
    pairs = {(pair[0], pair[1]) for pair in PAIRS.split()}
    return frozenset(pairs | {(b, a) for a, b in pairs})
