"""The answer about a mail's sender: proved or not, by whose word, and why in a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

OURSELVES = "ourselves"
"""`Proof.by` where no server vouched but we checked the signature."""


class AuthResult(StrEnum):
    """Facts about the From domain. NONE: no one whose word counts said anything. TEMPORARY: DNS did
    not answer, so a later try may prove it; until then the mail is neither accepted nor refused."""

    PASS = "pass"  # noqa: S105 - the word of RFC 8601
    FAIL = "fail"
    NONE = "none"
    TEMPORARY = "temperror"


class Method(StrEnum):
    """The proof of a sender: our server's DMARC or DKIM result, a list's ARC seal, our own DKIM check,
    or, of a sheet that came by a page and not by mail, the player's secret link."""

    DMARC = "dmarc"
    DKIM = "dkim"
    ARC = "arc"
    OWN_DKIM = "own-dkim"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class Proof:
    """What authenticated a mail. `by`: the authserv-id that vouched, or OURSELVES. `domain`: the domain that
    was proved, in lower case."""

    method: Method
    by: str
    domain: str


@dataclass(frozen=True, slots=True)
class Authentication:
    """Whether the From domain is proved. `proof`: set if and only if `result` is PASS. `reason`: one plain
    sentence for the coordinator."""

    result: AuthResult
    proof: Proof | None
    reason: str

    @property
    def is_proved(self) -> bool:
        """Whether the mail may count, and its sender may be answered."""
        return self.result is AuthResult.PASS
