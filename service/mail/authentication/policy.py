"""What a domain publishes about mail in its name, as far as we obey it: whether only its very own signature
counts (RFC 7489, 6.3 and 6.6.3)."""

from __future__ import annotations

from service.mail.authentication.alignment import organizational_domain
from service.mail.authentication.dns import MailLookups, TxtState
from service.mail.authentication.signature_tags import LONGEST_RECORD, SignatureFault, read_tags


def wants_exact_domain(domain: str, lookups: MailLookups) -> bool | str:
    """Whether the DMARC record for `domain` says adkim=s. Without a record: no. A text if DNS did not answer:
    why, as the end of a sentence."""
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
