"""Providers that are in no fixture, each described as a person would, with what its servers really write
(BOX-02, BOX-04).

The tops are written after mails in public archives, with example names: Migadu, OVH, IONOS, GMX of 2025 and
Proofpoint after list mails (lore.kernel.org, oss-security) and tests of public projects; Stalwart after its
library mail-auth; smtp.subspace.kernel.org after list mails. Rackspace, Cloudflare, Naver, Comcast, maddy and
Exchange are from general knowledge of their forms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import pytest

from service.mail.authentication.authenticate import authenticate
from service.mail.authentication.trust import Trust, trust_from_mapping
from service.mail.authentication.verdict import Authentication
from service.mail.headers import split_mail

DOMAIN = "thornpost.example"
EVIL = "attacker.example"
IP = "203.0.113.57"
FROM = f"mail.{DOMAIN} (mail.{DOMAIN} [{IP}])"
SENDERS = [
    f"Received: from [192.0.2.7] (dsl.isp.example [192.0.2.7]) by mail.{DOMAIN} with ESMTPSA id 3; date",
    f"DKIM-Signature: v=1; a=rsa-sha256; d={DOMAIN}; s=s1; bh=x; b=y",
]


def _line(by: str, client: str = FROM, rest: str = "with ESMTPS id abc; date") -> str:
    return f"Received: from {client}\r\n\tby {by} {rest}"


def _stamp(name: str, *results: str) -> str:
    return "Authentication-Results: " + ";\r\n\t".join(filter(None, [name, *results]))


def _rspamd(name: str, said: str, domain: str) -> str:
    return _stamp(
        name,
        f"dkim={said} header.d={domain} header.s=s1 header.b=LzHcwtHD",
        f"spf={said} ({name}: domain of tv@{domain} designates {IP} as permitted sender) "
        f"smtp.mailfrom=tv@{domain}",
        f"dmarc={said} (policy=quarantine) header.from={domain}",
    )


def _migadu(said: str, domain: str) -> list[str]:
    return [
        _line(
            "ms17.migadu.com with LMTPS",
            "mp2.migadu.com ([2001:db8:403:4876::])\r\n\t(using TLSv1.3)",
            "id 4; date",
        ),
        _line("mp2.migadu.com with LMTPS", "aspmx1.migadu.com ([2001:db8:403:4876::])", "id 4; date"),
        _rspamd("aspmx1.migadu.com", said, domain),
        "ARC-Seal: i=1; cv=none",
        _line("aspmx1.migadu.com (Postfix)"),
    ]


def _ovh(said: str, domain: str) -> list[str]:
    return [
        _line("localhost with SMTP;", "localhost (HELO queue) (127.0.0.1)", "date"),
        _line(
            "192.168.9.10 with AES256-GCM-SHA384 encrypted SMTP;",
            "unknown (HELO output48.mail.ovh.net) (192.168.13.27)",
            "date",
        ),
        _line("out48.mail.ovh.net (Postfix)", "vr44.mail.ovh.net (unknown [10.101.8.44])"),
        _line("vr44.mail.ovh.net (Postfix)", "in32.mail.ovh.net (unknown [10.101.4.32])"),
        _stamp(
            "in32.mail.ovh.net",
            f'dkim={said} (2048-bit key; unprotected) header.d={domain} header.i=@{domain} header.b="GMG2"',
            "dkim-atps=neutral",
        ),
        _line("in32.mail.ovh.net (Postfix)"),
    ]


def _one_and_one(name: str, host: str) -> Callable[[str, str], list[str]]:
    def top(said: str, domain: str) -> list[str]:
        return [
            _stamp(
                name,
                f"dkim={said}\r\n header.i=@{domain} header.s=s1",
                f"spf={said}\r\n smtp.mailfrom=tv@{domain}",
                f"dmarc={said} header.from={domain} policy.dmarc=none",
                f"iprev=pass policy.iprev={IP}",
            ),
            _line(host, f"mail.{DOMAIN} ([{IP}])", "with ESMTPS (Nemesis) id 1; date"),
        ]

    return top


def _proofpoint(said: str, domain: str) -> list[str]:
    gate = "mx0a-00153501.pphosted.com"
    return [
        _line(
            "mail.house.example (10.1.2.3)", f"{gate} ({gate} [198.51.100.48])", "with ESMTP id 77; date"
        ),
        _line(
            f"{gate} (8.16.0.21/8.16.0.21) with SMTP id vAK;",
            "pps.filterd (m0096528.ppops.net [127.0.0.1])",
            "date",
        ),
        _stamp(
            "ppops.net",
            f"spf={said} smtp.mailfrom=tv@{domain}",
            f"dkim={said} header.d={domain} header.s=s1",
            f"dmarc={said} header.from={domain}",
        ),
        _line(f"{gate} with ESMTP id 2eaj-1; date", rest=""),
    ]


def _rackspace(said: str, domain: str) -> list[str]:
    return [
        _line(
            "director12.mail.ord1d.rsapps.net with LMTP",
            "proxy3.mail.ord1d.rsapps.net ([172.30.191.6])",
            "id 9; date",
        ),
        _stamp(
            "smtp8.gate.ord1d.rsapps.net",
            f'iprev=pass policy.iprev="{IP}"',
            f'spf={said} smtp.mailfrom="tv@{domain}" smtp.helo="mail.{domain}"',
            f"dkim={said} header.d={domain}",
            f"dmarc={said} (p=nil; dis=none) header.from={domain}",
        ),
        _line("smtp8.gate.ord1d.rsapps.net (ecelerity 4.2)", f"[{IP}] ([{IP}:40384] helo=mail.{DOMAIN})"),
    ]


def _stalwart(said: str, domain: str) -> list[str]:
    return [
        _line("mail.lettersite.example (Stalwart SMTP)"),
        _stamp(
            "mail.lettersite.example",
            f"dkim={said} header.d={domain} header.s=s1 header.b=Lz",
            f"spf={said} (mail.lettersite.example: domain of tv@{domain} designates {IP} as "
            f"permitted sender) "
            f"smtp.mailfrom=tv@{domain} smtp.helo=mail.{domain}",
            f"iprev=pass policy.iprev={IP}",
            f"dmarc={said} header.from={domain} policy.dmarc=reject",
        ),
    ]


def _subspace(said: str, domain: str) -> list[str]:
    name = "smtp.lettersite.example"
    return [
        _line(f"{name} (Postfix)", "localhost.localdomain (localhost.localdomain [127.0.0.1])"),
        _stamp(
            name, f'dkim={said} (2048-bit key) header.d={domain} header.i=@{domain} header.b="eimkY/RU"'
        ),
        _line(f"{name} (Postfix)", f"{FROM}\r\n\t(using TLSv1.2)\r\n\t(No client certificate requested)"),
        _stamp(name, f"arc=none smtp.client-ip={IP}"),
        f"ARC-Authentication-Results:i=1; {name}; dmarc=pass",
        _stamp(name, f"dmarc={said} (p=none dis=none) header.from={domain}"),
        _stamp(name, f"spf={said} smtp.mailfrom={domain}"),
    ]


def _cloudflare(said: str, domain: str) -> list[str]:
    return [
        _stamp(
            "mx.cloudflare.net",
            f"dkim={said} header.d={domain} header.s=s header.b=abc",
            f"dmarc={said} header.from={domain} policy.dmarc=reject",
            f"spf=none (mx.cloudflare.net: no SPF records found for postmaster@mail.{domain}) "
            f"smtp.helo=mail.{domain}",
            f"spf={said} (mx.cloudflare.net: domain of tv@{domain} designates {IP} as permitted sender) "
            f"smtp.mailfrom=tv@{domain}",
            f"arc=none smtp.remote-ip={IP}",
        ),
        _line("cloudflare-email.net (unknown) id abc; date", rest=""),
    ]


def _microsoft(said: str, domain: str) -> str:
    return (
        f"Authentication-Results: spf={said} (sender IP is {IP}) smtp.mailfrom={domain}; dkim={said} "
        f"(signature was verified) header.d={domain};dmarc={said} action=none header.from={domain};"
        f"compauth={said} reason=100"
    )


def _exchange(said: str, domain: str) -> list[str]:
    microsoft = "with Microsoft SMTP Server (version=TLS1_2, cipher=TLS_ECDHE) id 15.1.2507.6; date"
    return [
        _line(
            "EX01.house.example (192.0.2.11)",
            "EX01.house.example (192.0.2.11)",
            "with Microsoft SMTP Server id 15.1.2507.6 via Mailbox Transport; date",
        ),
        _line("EX01.house.example (192.0.2.11)", "edge1.house.example (10.0.0.9)", microsoft),
        _microsoft(said, domain),
        _line("edge1.house.example (192.0.2.9)", rest=microsoft),
    ]


def _naver(said: str, domain: str) -> list[str]:
    return [
        "Received: by crcvmail101.nm.naver.com with ESMTP id x; date",
        _line("crcvmail101.nm.naver.com"),
        _stamp(
            "mx.naver.com",
            f"spf={said} (mx.naver.com: domain of tv@{domain} designates {IP} as permitted "
            f"sender) smtp.mailfrom=tv@{domain}",
            f"dkim={said} header.i=@{domain}",
            f"dmarc={said} (p=NONE) header.from={domain}",
        ),
    ]


def _maddy(said: str, domain: str) -> list[str]:
    return [
        _stamp(
            "mx.lettersite.example",
            f"dkim={said} header.d={domain} header.i=@{domain} header.b=abc",
            f"dmarc={said} header.from={domain}",
            f"spf={said} smtp.mailfrom=tv@{domain} smtp.helo=mail.{domain}",
        ),
        _line("mx.lettersite.example (envelope-sender <tv@x.example>)"),
    ]


def _comcast(said: str, domain: str) -> list[str]:
    host = "resimta-c1p-023555.sys.comcast.net"
    return [
        _line(
            "dovback4.email.comcast.net with LMTP",
            "dovdir4.email.comcast.net ([198.51.100.251])",
            "id q; date",
        ),
        _line("dovdir4.email.comcast.net with LMTP", f"{host} ([198.51.100.251])", "id q; date"),
        _line(host),
        _stamp(
            host,
            f"dkim={said} header.d={domain} header.b=a",
            f"dmarc={said} header.from={domain}",
            f"spf={said} smtp.mailfrom=tv@{domain}",
        ),
    ]


def _fastmail_short(said: str, domain: str) -> list[str]:
    name = "mx5.messagingengine.com"
    return [
        _line(
            "sloti10d1p4 (Cyrus 3.13) with LMTPA;",
            "phl-compute-01.internal (phl-compute-01.internal [10.202.2.30])",
            "date",
        ),
        _line("phl-compute-01.internal (LMTPProxy);", "mx5 ([10.202.2.201])", "date"),
        _line("mailmx.phl.internal (Postfix)", f"{name} (localhost [127.0.0.1])"),
        _rspamd(name, said, domain),
        _line(f"{name} (Postfix)"),
    ]


@dataclass(frozen=True, slots=True)
class Described:
    """A provider as a setting describes it, and what it writes. `is_exposed`: it stamps below the border, so
    a stamp that it left out cannot be distinguished from one of the sender's (ADR 0016, what stays open)."""

    names: list[str]
    hosts: list[str]
    stands: str
    top: Callable[[str, str], list[str]]
    is_exposed: bool = False


PROVIDERS = {
    "migadu": Described(["aspmx1.migadu.com", "aspmx2.migadu.com"], ["*.migadu.com"],
                        "above the Received line of aspmx*.migadu.com, below the LMTP hops", _migadu),
    "migadu-border-alone": Described(["aspmx*.migadu.com"], ["aspmx*.migadu.com"],
                                     "above the Received line of the same host", _migadu),
    "ovh": Described(["in*.mail.ovh.net"], ["*.mail.ovh.net"],
                     "above the Received line of in*.mail.ovh.net", _ovh),
    "ovh-border-alone": Described(["in*.mail.ovh.net"], ["in*.mail.ovh.net"],
                                  "above the Received line of the same host, below the internal hops", _ovh),
    "ionos": Described(["kundenserver.de"], ["*.kundenserver.de"], "top of the mail",
                       _one_and_one("kundenserver.de", "mx.kundenserver.de (mxeue012 [198.51.100.41])")),
    "gmx-2025": Described(["gmx.net", "web.de"], ["mx-ha.gmx.net", "mx-ha.web.de"],
                          "above the Received line of mx-ha.gmx.net",
                          _one_and_one("gmx.net", "mx-ha.gmx.net (mxgmx016 [198.51.100.9])")),
    "proofpoint": Described(["ppops.net"], ["*.pphosted.com", "*.ppops.net"],
                            "above the Received line of mx0*.pphosted.com that names the sender, below the "
                            "pps.filterd hop", _proofpoint),
    "rackspace": Described(["*.rsapps.net"], ["*.rsapps.net"],
                           "above the Received line of the gate, below the proxies", _rackspace),
    "stalwart": Described(["mail.lettersite.example"], ["mail.lettersite.example"],
                          "below the Received line of the same host, above what the sender wrote",
                          _stalwart, True),
    "subspace": Described(["smtp.lettersite.example"], ["smtp.lettersite.example"],
                          "dkim above the Received line of the same host, dmarc and spf below it",
                          _subspace, True),
    "cloudflare": Described(["mx.cloudflare.net"], ["cloudflare-email.net"],
                            "above the Received line of cloudflare-email.net", _cloudflare),
    "exchange": Described([""], ["*.house.example"], "no name; directly above the border's line", _exchange),
    "naver": Described(["mx.naver.com"], ["*.naver.com"],
                       "below the Received line of the front host, above the sender's", _naver, True),
    "maddy": Described(["mx.lettersite.example"], ["mx.lettersite.example"],
                       "top, before the Received field", _maddy),
    "comcast": Described(["*.sys.comcast.net"], ["*.sys.comcast.net"],
                         "beneath the Received line of resimta*, on top of the sender's lines",
                         _comcast, True),
    "fastmail": Described(["*.messagingengine.com"], ["*.messagingengine.com"],
                          "above the Received line of the pool host", _fastmail_short),
}  # fmt: skip


@cache
def _trust(key: str) -> Trust:
    own = PROVIDERS[key]
    described = {
        "label": key,
        "setting": "x",
        "names": own.names,
        "border_hosts": own.hosts,
        "stands": own.stands,
        "dmarc": True,
        "a_key_of_tomorrow": [1],
    }
    return trust_from_mapping({"providers": {"theirs": described}}, "theirs")


def _judge(key: str, lines: list[str]) -> Authentication:
    headers, _ = split_mail("\r\n".join([*lines, f"From: T <tv@{DOMAIN}>", "Subject: x", "", ""]).encode())
    return authenticate(headers, _trust(key), DOMAIN)


def _stamps(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("Authentication-Results")]


@pytest.mark.parametrize("key", PROVIDERS)
def test_what_the_provider_wrote_decides(key: str) -> None:
    top = PROVIDERS[key].top
    genuine = _judge(key, [*top("pass", DOMAIN), *SENDERS])
    assert genuine.is_proved, genuine.reason
    assert not _judge(key, [*top("fail", DOMAIN), *SENDERS]).is_proved
    # It passed, but for another person's domain.
    assert not _judge(key, [*top("pass", EVIL), *SENDERS]).is_proved


@pytest.mark.parametrize("key", PROVIDERS)
def test_a_copy_below_proves_nothing(key: str) -> None:
    own = PROVIDERS[key]
    good = own.top("pass", DOMAIN)
    copies = [
        [*_stamps(good), *SENDERS],
        [*SENDERS, *_stamps(good)],
        [*good, *SENDERS],
        [SENDERS[0], *good],
        [_line((own.names[0] or own.hosts[0]).replace("*", "9"), "x (x [10.0.0.3])"), *_stamps(good)],
        [*good[:-1], *SENDERS],
    ]
    for below in copies:
        assert not _judge(key, [*own.top("fail", DOMAIN), *below]).is_proved, below
        if not own.is_exposed:
            bare = [line for line in good if line not in _stamps(good)]
            assert not _judge(key, [*bare, *below]).is_proved, below


@pytest.mark.parametrize(
    "helo", ["gw3.filter.example", "[10.0.0.5]", "localhost", "by", "x with LMTP by store"]
)
@pytest.mark.parametrize(
    "writes",
    [
        "{} ([198.51.100.6])",
        "{} (unknown [198.51.100.6])",
        "unknown (HELO {}) (198.51.100.6)",
        "{} (vps.evil.example [198.51.100.6])",
    ],
)
def test_who_passes_the_gateway_by_says_its_name_in_vain(helo: str, writes: str) -> None:
    """The mailbox is behind a gateway and takes mail from anybody. Its line names the caller as he calls
    himself; only his address and the name by DNS are the writer's knowledge."""
    described = {
        "names": ["gw.filter.example"],
        "border_hosts": ["*.filter.example"],
        "stands": "above the border's line",
    }
    trust = trust_from_mapping({"providers": {"gateway": described}, "provider": "gateway"})
    lines = [
        _line("store.mailbox.example", writes.format(helo), "with ESMTP id 2; date"),
        _rspamd("gw.filter.example", "pass", DOMAIN),
        _line("gw3.filter.example"),
        f"From: tv@{DOMAIN}",
        "",
        "",
    ]
    headers, _ = split_mail("\r\n".join(lines).encode())
    assert not authenticate(headers, trust, DOMAIN).is_proved


@pytest.mark.parametrize("pick", ["", "*.prod.outlook.com"])
@pytest.mark.parametrize("said", ["pass", "fail"])
def test_the_empty_name_in_a_list_is_microsofts(pick: str, said: str) -> None:
    source = (
        {"trusted_authserv_ids": [""]}
        if not pick
        else {"providers": {"m": {"names": [""], "border_hosts": [pick]}}, "provider": "m"}
    )
    lines = [
        _line(
            "AM0PR01.eurprd01.prod.outlook.com (2603:10a6:208::1)",
            "AM6PR01.eurprd01.prod.outlook.com (2603:10a6:20b::2)",
            "with Microsoft SMTP Server id 15.20; date",
        ),
        _microsoft(said, DOMAIN),
        _line(
            "AM6EUR05FT041.mail.protection.outlook.com (10.233.240.1)",
            f"mail.{DOMAIN} ({IP})",
            "with Microsoft SMTP Server id 15.20; date",
        ),
        f"From: tv@{DOMAIN}",
        "",
        "",
    ]
    headers, _ = split_mail("\r\n".join(lines).encode())
    assert authenticate(headers, trust_from_mapping(source), DOMAIN).is_proved is (said == "pass")


@pytest.mark.parametrize(
    ("author", "judged", "is_same"),
    [
        ("bücher.example", "xn--bcher-kva.example", True), ("BÜCHER.Example.", "bücher.example", True),
        ("xn--bcher-kva.example", "bücher.example", True), ("straße.example", "xn--strae-oqa.example", True),
        # IDNA of 2003 took these two for one; they have different owners now (RFC 5894, 7.2).
        ("straße.example", "strasse.example", False), ("strasse.example", "straße.example", False),
        ("marlpost.example", "mаrlpost.example", False), ("post.example", "p.example", False),
    ],
)  # fmt: skip
def test_domains_in_other_scripts(author: str, judged: str, is_same: bool) -> None:
    lines = [
        _stamp("mx.a.example", f"dmarc=pass header.from={judged}"),
        _line("mx.a.example"),
        f"From: <tv@{author}>",
        "",
        "",
    ]
    headers, _ = split_mail("\r\n".join(lines).encode())
    assert (
        authenticate(headers, trust_from_mapping({"trusted_authserv_id": "mx.a.example"}), author).is_proved
        is is_same
    )


@pytest.mark.parametrize(
    "change",
    [
        {"names": []}, {"names": [None]}, {"names": ""},
        {"border_hosts": ["by edge1.house.example (the edge)"]},
        {"border_hosts": ["mx.other.example, *.house.example"]}, {"border_hosts": "*.house.example"},
        {"stands": None}, {"dmarc": None, "label": None}, {"setting": "x" * 5000, "arc": {"i": 1}},
    ],
)  # fmt: skip
def test_a_nameless_server_in_odd_forms(change: dict[str, object]) -> None:
    """BOX-02: what people and programs write for a server without a name."""
    own = PROVIDERS["exchange"]
    described = {"names": own.names, "border_hosts": own.hosts, "stands": own.stands, "dmarc": True} | change
    trust = trust_from_mapping({"providers": {"theirs": described}}, "theirs")
    for said in ("pass", "fail"):
        lines = [*own.top(said, DOMAIN), *_stamps(own.top("pass", DOMAIN)), f"From: tv@{DOMAIN}", "", ""]
        headers, _ = split_mail("\r\n".join(lines).encode())
        assert authenticate(headers, trust, DOMAIN).is_proved is (said == "pass")
