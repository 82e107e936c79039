"""A public beacon of chance: drand's chain of rounds, each unknown before its second (ADR
0021).

A round's signature is checked with the chain's public key, so it does not matter who hands it over.
Pure. https://drand.love, "Specification"; the signature is BLS on BLS12-381 (RFC 9380 for the digest).
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from adjudicator.errors import UserFacingError

MARGIN = timedelta(minutes=10)
"""Between a deadline and the first round that may be drawn with. The clocks of mail servers and ours may
differ, and no mail that is in time may have been written by a person who has seen the round."""
_DIGEST_OF_ROUND = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
"""The domain of the chain's scheme `bls-unchained-g1-rfc9380`."""


class NoBeaconLibrary(UserFacingError):
    """A signature of the beacon cannot be checked, because the package py_ecc is not installed."""


@dataclass(frozen=True, slots=True)
class BeaconChain:
    """A chain of scheme `bls-unchained-g1-rfc9380`. `chain`: its hash, 64 digits. `genesis`: the time of
    round 1, in seconds since 1970. `period`: seconds between two rounds. `key`: its public key, 192
    digits."""

    chain: str
    genesis: int
    period: int
    key: str

    def first_round(self, deadline: datetime) -> int:
        """The number of the first round that comes at least `MARGIN` after a deadline."""
        seconds = int((deadline + MARGIN).timestamp())
        return max(1, -((self.genesis - seconds) // self.period) + 1)

    def time_of(self, number: int) -> datetime:
        """When a round is made."""
        return datetime.fromtimestamp(self.genesis + (number - 1) * self.period, UTC)

    def as_entry(self) -> dict[str, Any]:
        """The chain as an entry of the record shows it."""
        return asdict(self)


QUICKNET = BeaconChain(
    "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971", 1692803367, 3,
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
    "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a")
"""The chain `quicknet` of the League of Entropy, a round every three seconds since August 2023."""
CHAINS: Mapping[str, BeaconChain] = {"quicknet": QUICKNET}
"""The chains that a site may name."""


def from_entry(chain: Mapping[str, Any]) -> BeaconChain:
    """The chain of an entry."""
    return BeaconChain(str(chain["chain"]), int(chain["genesis"]), int(chain["period"]), str(chain["key"]))


def randomness(signature: str) -> str:
    """The value of a round: the SHA-256 of its signature, 64 digits."""
    return hashlib.sha256(bytes.fromhex(signature)).hexdigest()


def prepare() -> bool:
    """Load the library that `is_signed` needs, before this process is shut in; whether it is installed."""
    if find_spec("py_ecc") is None:
        return False
    depth = sys.getrecursionlimit()
    try:
        for name in ("bls.hash_to_curve", "bls.point_compression", "optimized_bls12_381"):
            import_module(f"py_ecc.{name}")
    finally:
        # It lets all of Python go 100,000 calls deep. A stranger's JSON of so many brackets would then break
        # the C stack, and with it the process, where it is refused now.
        sys.setrecursionlimit(depth)
    return True


def is_signed(chain: BeaconChain, number: int, signature: str) -> bool:
    """Whether a signature is the chain's own of this round. Raises NoBeaconLibrary."""
    prepare()
    try:
        from py_ecc.bls.hash_to_curve import hash_to_G1
        from py_ecc.bls.point_compression import decompress_G1, decompress_G2
        from py_ecc.optimized_bls12_381 import (
            FQ12,
            G2,
            curve_order,
            final_exponentiate,
            is_inf,
            multiply,
            neg,
            pairing,
        )
    except ImportError as error:
        raise NoBeaconLibrary('The signature of the beacon cannot be checked here; pip install '
                              '"galloper[beacon]"') from error
    try:
        raw, key = bytes.fromhex(signature), bytes.fromhex(chain.key)
        if (len(raw), len(key)) != (48, 96):
            return False
        point = decompress_G1(int.from_bytes(raw, "big"))
        owner = decompress_G2((int.from_bytes(key[:48], "big"), int.from_bytes(key[48:], "big")))
    except ValueError:
        return False
    # A point outside the group of order r could represent another (draft-irtf-cfrg-bls-signature, 5.3).
    if is_inf(point) or is_inf(owner) or not is_inf(multiply(point, curve_order)):
        return False
    message = hashlib.sha256(number.to_bytes(8, "big")).digest()
    digest = hash_to_G1(message, _DIGEST_OF_ROUND, hashlib.sha256)
    product = (pairing(G2, point, final_exponentiate=False)
               * pairing(neg(owner), digest, final_exponentiate=False))
    return bool(final_exponentiate(product) == FQ12.one())
