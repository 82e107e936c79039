"""`galloper check`, the part about stamps: what the newest mails show, and the setting that fits (BOX-02)."""

from __future__ import annotations

from service.config import Settings
from service.operations.findings import Finding, FindingState

NAME = "stamps"
_OTHER_MAIL = "Send a mail from another provider, such as a friend's, and check again"


def check_stamps(settings: Settings) -> Finding:
    """Read the headers of the newest mails and compare them with what is set; nothing is marked or moved."""
    from service.mail.account import open_source
    from service.mail.headers import split_mail
    from service.mail.mailbox.imap import ImapSource
    from service.mail.mailbox.maildir import MaildirSource
    from service.mail.mailbox.source import MailboxError
    from service.mail.stamp_survey import MOST_MAILS, fitting, survey, was_taken_in
    from service.mail.trust_settings import trust_of

    incoming = settings.mail_in
    trust = trust_of(incoming)
    source = open_source(incoming)
    if not isinstance(source, ImapSource | MaildirSource):
        return Finding(NAME, FindingState.UNKNOWN, "the newest mails cannot be checked here")
    try:
        mails = [split_mail(block)[0] for block in source.newest_headers(MOST_MAILS)]
    except MailboxError as error:
        return Finding(NAME, FindingState.UNKNOWN, f"not checked: {error}")
    finally:
        source.close()
    result = survey(mails, "" if incoming.kind == "maildir" else incoming.host, settings.order_address)
    if not result.mails:
        proposal = f" The mailbox is at {result.server}:" if result.lines else ""
        return Finding(NAME, FindingState.NOTE, f"there is no mail to look at. {_OTHER_MAIL}.{proposal}",
                       "" if trust.providers else "\n".join(result.lines))
    fit = fitting(filter(was_taken_in, mails), trust)
    if trust.providers and 2 * fit >= result.mails:
        return Finding(NAME, FindingState.WELL,
                       f"the settings fit {fit} of the newest {result.mails} mails{_variety(result.domains)}")
    state = FindingState.NOTE
    beginning = "no setting"
    if trust.providers:
        beginning = f"the settings fit {fit} of the newest {result.mails} mails"
        state = FindingState.TROUBLE if result.lines else FindingState.NOTE
    stamps = f" Seen: {'; '.join(result.stamp_kinds)}." if result.stamp_kinds else ""
    if not result.lines:
        return Finding(
            NAME, state,
            f"{beginning}, and this mailbox does not stamp its mails: none of {result.mails} mails has an "
            "Authentication-Results header above the line of your own server. A header below that line may "
            "come from the sender and does not count. Ask the server's operator to switch such headers on; "
            f"until then only the senders' own signatures can prove a mail (mail_in.own_proof).{stamps}")
    is_sure = result.certainty == "sure"
    doubt = "" if is_sure else f" This is likely, not sure. {_more_needed(result.domains)}."
    return Finding(
        NAME, state,
        f"{beginning}; {result.agreeing} of {result.mails} mails were received and stamped by "
        f"{result.server}.{doubt} Replace the line below [mail_in] by this one:{stamps}",
        "\n".join(result.lines))


def _variety(domains: int) -> str:
    return "" if domains > 1 else f"; all come from one domain. {_OTHER_MAIL}"


def _more_needed(domains: int) -> str:
    if domains < 2:
        return f"All mails come from one domain. {_OTHER_MAIL}"
    return "Confirm the server's name with its operator, or check again with more mails"
