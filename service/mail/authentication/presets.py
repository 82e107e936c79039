"""Providers whose habits are known, each with what a coordinator must know.

Sources: the 313 headers of 22 servers that Delta Chat's tests collected (deltachat/deltachat-core-rust,
test-data/message/dkimchecks-2022-09-28), and those named next to a provider.
"""

from __future__ import annotations

from service.mail.authentication.places import Place
from service.mail.authentication.providers import Provider

PRESETS = (
    Provider(
        "gmail", ("mx.google.com",), ("mx.google.com", "2002:"), place=Place.BELOW,
        label="Gmail",
        # hardware/mailserver#61: Received, Received-SPF, Authentication-Results from the top.
        sentence="Google stamps every mail; it needs no name. Google Workspace is the same.",
    ),
    Provider(
        "microsoft", ("",), ("*.prod.outlook.com", "*.mail.protection.outlook.com"), place=Place.ABOVE,
        entry_hosts=("*.mail.protection.outlook.com",), label="Microsoft",
        sentence="Microsoft 365 and Outlook.com stamp every mail that comes from outside, without a name. "
                 "Mail between mailboxes of one organisation has no stamp.",
    ),
    Provider(
        "icloud",
        ("dmarc.icloud.com", "dkim-verifier.icloud.com", "spf.icloud.com", "bimi.icloud.com",
         "arc.icloud.com"), ("*.me.com", "*.icloud.com"), place=Place.BELOW,
        label="iCloud Mail",
        sentence="Apple stamps every mail, one header for each check.",
    ),
    Provider(
        "fastmail", ("*.messagingengine.com",), ("*.messagingengine.com", "*.internal"), place=Place.ABOVE,
        label="Fastmail",
        sentence="Fastmail stamps every mail with the name of the host that took it.",
    ),
    Provider(
        "yahoo", ("*.yahoo.com",), ("atlas*.yahoo.com",), place=Place.ABOVE, label="Yahoo Mail",
        sentence="Yahoo and AOL stamp every mail. A player whose domain has no DMARC policy cannot "
                 "be proved.",
    ),
    Provider(
        "proton", ("mail.protonmail.ch", "mailin*.protonmail.ch"), ("mailin*.protonmail.ch",),
        place=Place.ANYWHERE, label="Proton Mail",
        # ProtonMail/proton-bridge#321: the Bridge rearranges headers.
        sentence="Proton stamps every mail, but its Bridge rearranges headers: stamps that contradict each "
                 "other count as forged.",
    ),
    Provider(
        "zoho", ("mx.zohomail.com", "mx.zohomail.eu", "mx.zohomail.in", "mx.zohomail.com.au",
                 "mx.zohomail.jp",
                 "mx.zohocloud.ca"),
        ("mx.zohomail.*", "mx.zohocloud.ca"), place=Place.ABOVE, label="Zoho Mail",
        sentence="Zoho stamps every mail; only its DMARC result names the domain.",
    ),
    Provider(
        "gmx", ("gmx.net", "web.de"), ("mx-ha.gmx.net", "mx-ha.web.de", "*.gmx.net", "*.web.de"),
        place=Place.ABOVE, dmarc=False, label="GMX",
        sentence="GMX and web.de stamp only DKIM signatures: a mail whose domain does not sign cannot "
                 "be proved.",
    ),
    Provider(
        "mailboxorg", ("*.mailbox.org",), ("*.mailbox.org",), place=Place.ABOVE, label="mailbox.org",
        sentence="mailbox.org stamps every mail with the name of the gateway that took it.",
    ),
    Provider(
        "posteo", ("posteo.de",), ("*.posteo.de",), place=Place.ABOVE, label="Posteo",
        sentence="Posteo stamps every mail, one header for each check.",
    ),
    Provider(
        "workmail", ("amazonses.com",), ("inbound-smtp.*.amazonaws.com",), place=Place.BELOW,
        label="Amazon WorkMail",
        # docs.aws.amazon.com/ses: receiving-email-notifications-examples.
        sentence="Amazon WorkMail and SES stamp every mail that they receive.",
    ),
    Provider(
        "infomaniak", ("mx.infomaniak.com",), ("*.infomaniak.com", "*.infomaniak.ch"), place=Place.BOTH,
        label="Infomaniak",
        sentence="Infomaniak (ik.me) stamps every mail, one header for each check.",
    ),
    Provider(
        "mailru", ("mxs.mail.ru",), ("*.mail.ru",), place=Place.BOTH, label="Mail.ru",
        sentence="Mail.ru stamps every mail. A domain without DMARC is proved by its signature.",
    ),
    Provider(
        "yandex", ("*.yandex.net", "*.yandex.ru"), ("*.yandex.net", "*.yandex.ru"), place=Place.BOTH,
        dmarc=False, label="Yandex Mail",
        sentence="Yandex stamps only SPF and DKIM: a mail whose domain does not sign cannot be proved.",
    ),
    Provider(
        "disroot", ("disroot.org",), ("*.disroot.org", "disroot.org"), place=Place.BOTH, dmarc=False,
        label="Disroot",
        sentence="Disroot stamps only DKIM signatures: a mail whose domain does not sign cannot be proved.",
    ),
    Provider(
        "riseup", ("*.riseup.net",), ("*.riseup.net",), place=Place.BOTH, dmarc=False, label="Riseup",
        sentence="Riseup stamps only DKIM signatures: a mail whose domain does not sign cannot be proved.",
    ),
    Provider(
        "mailde", ("*.mail.de",), ("*.mail.de",), place=Place.BOTH, dmarc=False, label="mail.de",
        sentence="mail.de stamps only DKIM signatures: a mail whose domain does not sign cannot be proved.",
    ),
    Provider(
        "murena", ("*.ecloud.global",), ("*.ecloud.global",), place=Place.ANYWHERE, label="Murena",
        sentence="Murena (e.email) stamps every mail, below what the sender wrote: stamps that contradict "
                 "each other count as forged.",
    ),
    Provider(
        "gandi", ("spool.mail.gandi.net",), ("*.mail.gandi.net",), place=Place.BOTH, label="Gandi",
        # A delivered mail in a public archive of kernel mails: Received-SPF and the stamp of
        # spool.mail.gandi.net.
        sentence="Gandi stamps every mail under spool.mail.gandi.net.",
    ),
    Provider(
        "migadu", ("*.migadu.com",), ("*.migadu.com",), place=Place.ABOVE, label="Migadu",
        # A list mail of November 2025 in a public archive: two LMTP hops, the stamp, ARC, aspmx1.
        sentence="Migadu stamps every mail with the name of the host that took it.",
    ),
    Provider(
        "ovh", ("in*.mail.ovh.net",), ("*.mail.ovh.net",), place=Place.ABOVE, dmarc=False, label="OVH",
        # List mails of 2021 and 2023: in66 and in32.mail.ovh.net, "dkim=none; dkim-atps=neutral".
        sentence="OVH's MX Plan stamps only DKIM signatures: a mail whose domain does not sign cannot be "
                 "proved.",
    ),
    Provider(
        "ionos", ("kundenserver.de",), ("*.kundenserver.de",), place=Place.ABOVE, label="IONOS",
        # A test of a public project; the same software and form as GMX.
        sentence="IONOS stamps every mail under kundenserver.de.",
    ),
    Provider(
        "rackspace", ("*.rsapps.net",), ("*.rsapps.net",), place=Place.ABOVE, label="Rackspace Email",
        # A mail of 2017 in a public repository: LMTP from gate to proxy, the stamp, the gate's line.
        sentence="Rackspace stamps every mail with the name of the gate that took it.",
    ),
    Provider(
        "stalwart", (), place=Place.BELOW, label="Stalwart",
        # stalwartlabs/stalwart, crates/smtp/src/inbound/data.rs: Received first, then its results.
        sentence="Give your server's own name (names). Stalwart stamps directly below its Received line.",
    ),
    Provider(
        "exim", (), place=Place.ABOVE, label="Exim",
        sentence="Give your server's own name (names). Exim stamps only where the administrator has it add "
                 "${authresults}; cPanel's stock configuration stamps nothing.",
    ),
    Provider(
        "postfix", ("OpenDMARC",), place=Place.BOTH, label="Postfix",
        sentence="Give your server's own name, in addition to OpenDMARC (names). OpenDKIM and OpenDMARC "
                 "each write a header of their own.",
    ),
    Provider(
        "rspamd", (), place=Place.ABOVE, label="rspamd",
        sentence="Give your server's own name (names). rspamd stamps where its milter_headers module has "
                 "authentication-results switched on; mailcow does.",
    ),
)  # fmt: skip

_OTHER_KEYS = {
    "google": "gmail", "outlook": "microsoft", "office365": "microsoft", "hotmail": "microsoft",
    "apple": "icloud", "aol": "yahoo", "protonmail": "proton", "webde": "gmx", "web.de": "gmx",
    "mailbox.org": "mailboxorg", "ses": "workmail", "opendmarc": "postfix", "mailcow": "rspamd",
    "cpanel": "exim", "1und1": "ionos", "ovhcloud": "ovh",
    "mail.ru": "mailru", "mail.de": "mailde", "ikme": "infomaniak",
}  # fmt: skip


def presets() -> tuple[Provider, ...]:
    """The providers whose habits are known."""
    return PRESETS


def preset(key: str) -> Provider:
    """The provider with a key, also by another name of it ("outlook", "mailcow"). Raises KeyError."""
    folded = key.strip().casefold()
    folded = _OTHER_KEYS.get(folded, folded)
    for provider in PRESETS:
        if provider.key == folded:
            return provider
    raise KeyError(key)
