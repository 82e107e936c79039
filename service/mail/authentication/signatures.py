"""Our own proof of a sender: a DKIM signature of the From domain, checked here.

dkimpy counts the headers and checks the RSA signature. What decides whether a signature may count (tags, key
record, time, alignment) is judged here, because dkimpy compares times with the machine's clock, accepts l=,
SHA-1 and keys of domains that only test, and takes a key record's faults for a wrong signature.
RFC 6376, 6.1; RFC 8301; RFC 7489, 3.1.1.

What a domain publishes about mail in its name, as far as we obey it: whether only its very own signature
counts (RFC 7489, 6.3 and 6.6.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from logging import getLogger

from service.mail.authentication.dns import MailLookups, TxtState
from service.mail.authentication.domains import covers, organizational_domain
from service.mail.authentication.signature_tags import (
    LONGEST_RECORD,
    Canonicalization,
    Signature,
    SignatureFault,
    check_key,
    read_signature,
    read_tags,
)
from service.mail.authentication.signed_body import body_digest
from service.mail.authentication.signed_headers import SignedMail, read_signed_mail
from service.mail.authentication.verdict import OURSELVES, Authentication, AuthResult, Method, Proof
from service.store.addresses import ascii_domain


def wants_exact_domain(domain: str, lookups: MailLookups) -> bool | str:
    """Whether the DMARC record for `domain` states adkim=s. Without a record: no. A text if DNS did not
    answer: why, as the end of a sentence."""
    # The domain's own record, and only without one that of the organization.
    for name in dict.fromkeys((domain, organizational_domain(domain) or domain)):
        answer = lookups.txt(f"_dmarc.{name}")
        if answer.state is TxtState.UNAVAILABLE:
            return answer.fault
        policies = [tags for record in answer.records if (tags := _policy(record))]
        # RFC 7489, 6.6.3: several records are as good as none.
        if len(policies) == 1:
            return policies[0].get("adkim", "r").casefold() == "s"
        if policies:
            return False
    return False


def _policy(record: bytes) -> dict[str, str] | None:
    if not record.startswith(b"v=DMARC1") or len(record) > LONGEST_RECORD:
        return None
    try:
        return read_tags(record.decode("ascii"))
    except (UnicodeDecodeError, SignatureFault):
        return None


MOST_READ = 20
"""Signature headers of one mail that are read; a mail that went through two lists has five."""
MOST_CHECKED = 4
"""Signatures of the From domain whose key is fetched and that are checked."""
MOST_KEYS = 3
"""Key records under one name that are tried, where a domain has several."""
CLOCK_SLACK = timedelta(hours=1)
"""How far a signer's clock may be ahead of our mail server's."""


_SILENT = getLogger(f"{__name__}.dkimpy")
# Its lines quote what strangers write.
_SILENT.disabled = True


class _TryLater(Exception):
    """DNS gave no answer; the sentence shows which name was asked for."""


def prove_by_signature(
    raw: bytes, domain: str, received_at: datetime, lookups: MailLookups
) -> Authentication:
    """Judge the From `domain` of a whole mail, received at `received_at` (UTC), by its own signatures.

    NONE: no signature of that domain. TEMPORARY: DNS did not answer, so a later try may prove it. Never
    raises.
    """
    try:
        return _prove(raw, domain, received_at, lookups)
    except SignatureFault as fault:
        return Authentication(AuthResult.FAIL, None, f"We could not check the sender: {fault}.")
    # A stranger's bytes went through a library; whatever it stumbled over, the mail is not proved.
    except Exception as error:
        return Authentication(
            AuthResult.FAIL, None, f"The signature could not be checked ({type(error).__name__})."
        )


def _prove(raw: bytes, domain: str, received_at: datetime, lookups: MailLookups) -> Authentication:
    mail = read_signed_mail(raw)
    if not mail.signatures:
        return Authentication(AuthResult.NONE, None, f"The mail has no signature of {domain}.")
    check = _Check(mail, ascii_domain(domain) or domain, received_at, lookups)
    faults: list[str] = []
    later: list[str] = []
    to_check: list[tuple[int, Signature]] = []
    for index, value in enumerate(mail.signatures[:MOST_READ]):
        try:
            to_check.append((index, check.read(value)))
        except SignatureFault as fault:
            faults.append(str(fault))
    for index, signature in to_check[:MOST_CHECKED]:
        try:
            check.check(index, signature)
        except SignatureFault as fault:
            # Before those of other domains: this one shows the coordinator more.
            faults.insert(0, str(fault))
        except _TryLater as fault:
            later.append(str(fault))
        else:
            return Authentication(AuthResult.PASS, Proof(Method.OWN_DKIM, OURSELVES, domain.casefold()),
                                  f"The signature of {signature.domain} was checked here and is good.")
    if later:
        return Authentication(AuthResult.TEMPORARY, None, f"{later[0]}.")
    return Authentication(AuthResult.FAIL, None, f"The signature proves nothing of {domain}: {faults[0]}.")


@dataclass(slots=True)
class _Check:
    """The checks of one mail's signatures; the body is counted once in each form."""

    mail: SignedMail
    domain: str
    received_at: datetime
    lookups: MailLookups
    _digests: dict[Canonicalization, bytes] = field(default_factory=dict)

    def read(self, value: bytes) -> Signature:
        """A signature that may count, as far as the mail alone shows. Raises SignatureFault."""
        signature = read_signature(value)
        # Before anything else: a stranger's domain is asked for nothing.
        if not covers(signature.domain, self.domain):
            raise SignatureFault(f"it is of {signature.domain}")
        # Without it anybody could send the photographs of one turn again for the next.
        if "subject" not in signature.signed:
            raise SignatureFault("it does not cover the Subject")
        if signature.signed_at is not None and signature.signed_at > self.received_at + CLOCK_SLACK:
            raise SignatureFault("it was made after the mail came")
        if signature.expires_at is not None and signature.expires_at < self.received_at:
            raise SignatureFault("it had expired when the mail came")
        return signature

    def check(self, index: int, signature: Signature) -> None:
        """Fetch the key and check. Raises SignatureFault or _TryLater."""
        if self._digest(signature.body) != signature.body_digest:
            raise SignatureFault("the body was changed after it was signed")
        faults = []
        for record in self._records(signature)[:MOST_KEYS]:
            try:
                check_key(record, signature)
                _check_headers(self.mail, index, signature, record)
                break
            except SignatureFault as fault:
                faults.append(fault)
        else:
            raise faults[0]
        if signature.domain != self.domain:
            self._check_policy()

    def _digest(self, how: Canonicalization) -> bytes:
        if how not in self._digests:
            self._digests[how] = body_digest(self.mail.body, how)
        return self._digests[how]

    def _records(self, signature: Signature) -> Sequence[bytes]:
        answer = self.lookups.txt(signature.key_name)
        match answer.state:
            case TxtState.UNAVAILABLE:
                raise _TryLater(f"The DNS of {signature.domain} {answer.fault}")
            case TxtState.ABSENT:
                raise SignatureFault(f"{signature.domain} publishes no such key")
            case TxtState.ANSWERED:
                return answer.records

    def _check_policy(self) -> None:
        wish = wants_exact_domain(self.domain, self.lookups)
        # Without the policy we would accept what the domain may forbid, so this waits as for a key.
        if isinstance(wish, str):
            raise _TryLater(f"The DNS of {self.domain} {wish}")
        if wish:
            raise SignatureFault("its domain must be exactly that of From (adkim=s)")


def _check_headers(mail: SignedMail, index: int, signature: Signature, record: bytes) -> None:
    """Raise SignatureFault unless the signature fits the headers and the key."""
    # Not by every site: see `dns.SystemLookup`.
    import dkim

    checker = dkim.DKIM(logger=_SILENT)
    checker.headers = [list(header) for header in mail.headers]
    # Without bh= dkimpy passes over the body, which is checked already.
    tags = {name.encode(): text.encode() for name, text in signature.tags.items() if name != "bh"}
    tags |= {b"a": signature.algorithm.encode(), b"c": f"{signature.headers}/{signature.body}".encode()}
    signed = [name.encode() for name in signature.signed]
    try:
        is_good = checker.verify_sig(
            tags, signed, (mail.signature_name(index), mail.signatures[index]), lambda *_, **__: record)
    except dkim.NaClNotFoundError as error:
        raise SignatureFault("it uses Ed25519, which this installation cannot check") from error
    except dkim.DKIMException as error:
        raise SignatureFault(f"it cannot be checked ({type(error).__name__})") from error
    if not is_good:
        raise SignatureFault("the headers were changed after they were signed, or the key is another")
