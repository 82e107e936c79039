"""Whose stamp is whose: providers that are in no fixture, described in a person's words, and attacks on the
border (BOX-02, BOX-04).

The tops are written after headers that real servers put on mails (sources in `presets.py`), with example
names.
"""

from __future__ import annotations

import time
from typing import Any

import pytest

from service.mail.authentication.authenticate import authenticate
from service.mail.authentication.providers import ProviderError
from service.mail.authentication.trust import Trust, trust_from_mapping, trust_in
from service.mail.authentication.verdict import AuthResult, Method
from service.mail.headers import split_mail

PASS, FAIL, NONE = AuthResult.PASS, AuthResult.FAIL, AuthResult.NONE
DOMAIN = "marl.example"
GATEWAY = "gw3.filter.example"
YANDEX = "vla1-5a.qloud-c.yandex.net"
LINE = "Received: from mail.marl.example (mail.marl.example [203.0.113.5]) by {} with ESMTPS id 1; date"
FORGED = "Received: from vps.evil.example (vps.evil.example [198.51.100.6]) by {} with ESMTP id 6; date"


def _result(trust: Trust, lines: list[str]) -> AuthResult:
    headers, _ = split_mail("\r\n".join([*lines, f"From: hal@{DOMAIN}", "", ""]).encode())
    return authenticate(headers, trust, DOMAIN).result


def _ar(name: str, *results: str) -> str:
    return f"Authentication-Results: {'; '.join([name, *results])}"


def _dmarc(name: str, result: str = "pass", domain: str = DOMAIN) -> str:
    return _ar(name, f"spf=pass smtp.mailfrom={domain}", f"dmarc={result} header.from={domain}")


def _provider(names: list[str], hosts: list[str], stands: str) -> Trust:
    described: dict[str, Any] = {"names": names, "border_hosts": hosts, "stands": stands, "dmarc": True}
    return trust_from_mapping({"providers": {"other": described}, "provider": "other"})


OTHERS: dict[str, tuple[list[str], list[str], str, str, list[str]]] = {
    # Names, hosts, where the stamps stand, the name in this mail, the lines above what the sender wrote.
    "infomaniak": (
        ["mx.infomaniak.com"], ["*.infomaniak.com", "*.infomaniak.ch"],
        "on top of the Received line of the gateway", "mx.infomaniak.com",
        ["Received: from mta.mail.infomaniak.ch ([10.4.36.107]) by smtp.infomaniak.ch with LMTP; date", "{}",
         LINE.format("mta-gw.infomaniak.ch (8.14.5/8.14.5)")],
    ),
    "runner": (
        ["mx*.runner.example"], ["mx*.runner.example"],
        "The server puts them right after its own Received line, over what the sender wrote",
        "mx12.runner.example",
        [LINE.format("mx12.runner.example (Postfix)"), "{}"],
    ),
    "mailru": (
        ["mxs.mail.ru"], ["*.mail.ru"], "below the Received line of mx*.i.mail.ru", "mxs.mail.ru",
        ["Received: by f273.i.mail.ru with local (envelope-from <hal@marl.example>) id 1; date",
         LINE.format("mx273.i.mail.ru with esmtp"), "{}"],
    ),
    # The mailbox is in another domain than the gateway, and the hop has a public address.
    "gateway": (
        ["gw.filter.example"], ["*.filter.example"], "above the border's line", "gw.filter.example",
        [f"Received: from {GATEWAY} ({GATEWAY} [203.0.113.80]) by store.mailbox.example with LMTP id 2; date",
         "{}", LINE.format(GATEWAY)],
    ),
    "yandex": (
        ["*.yandex.net"], ["*.yandex.net"], "before the Received header of the front host", YANDEX,
        [f"Received: from {YANDEX} ({YANDEX} [2a02:6b8:c0d:1::1]) by sas1-9.qloud-c.yandex.net; date",
         "{}", LINE.format(YANDEX)],
    ),
    "nameless": (
        [""], ["*.exch.example"], "no name in it: it is told by the border alone", "",
        ["{}", LINE.format("edge.exch.example")],
    ),
    "bottom": (
        ["mail9.cloud.example"], ["mail9.cloud.example"], "in no fixed order", "mail9.cloud.example",
        [LINE.format("mail9.cloud.example"), "Subject: x", "{}"],
    ),
    "prose": (
        ["in.prose.example"], ["*.prose.example"], "somewhere in the mail's header", "in.prose.example",
        [LINE.format("in.prose.example"), "{}"],
    ),
}  # fmt: skip


def _top(key: str, stamp: str | None) -> tuple[Trust, list[str]]:
    names, hosts, stands, _, lines = OTHERS[key]
    return _provider(names, hosts, stands), [
        line.replace("{}", stamp or "X-None: 1") for line in lines if stamp or line != "{}"
    ]


def _stamp(key: str, result: str = "pass") -> str:
    name = OTHERS[key][3]
    if name:
        return _dmarc(name, result)
    return f"Authentication-Results: spf=pass smtp.mailfrom=x; dmarc={result} header.from={DOMAIN}"


@pytest.mark.parametrize("key", OTHERS)
def test_a_provider_in_a_persons_words(key: str) -> None:
    trust, genuine = _top(key, _stamp(key))
    assert _result(trust, [*genuine, FORGED.format("relay.evil.example")]) is PASS
    trust, failing = _top(key, _stamp(key, "fail"))
    for copy in ([_stamp(key)], [FORGED.format("relay.evil.example"), _stamp(key)]):
        assert _result(trust, [*failing, *copy]) is FAIL


@pytest.mark.parametrize("key", ["infomaniak", "gateway", "yandex", "nameless"])
@pytest.mark.parametrize("relay", ["", "relay.evil.example", "own"])
def test_a_missing_stamp_is_not_replaced(key: str, relay: str) -> None:
    trust, top = _top(key, None)
    own = OTHERS[key][1][0].replace("*", "mx1")
    between = [FORGED.format(own if relay == "own" else relay)] if relay else []
    for copy in ([*between, _stamp(key)], [_stamp(key), *between]):
        assert _result(trust, [*top, *copy]) is NONE


MX = "mx.a.example"
OWN = [LINE.format(MX)]
"""A server of one's own, known by its name alone: its stamps are below its line, or above."""


@pytest.mark.parametrize(
    ("lines", "result"),
    [
        ([*OWN, _dmarc(MX)], PASS),
        ([_dmarc(MX), *OWN], PASS),
        ([*OWN, _dmarc(MX), FORGED.format("relay.evil.example"), _dmarc(MX, "fail")], PASS),
        ([*OWN, FORGED.format("relay.evil.example"), _dmarc(MX)], NONE),
        ([FORGED.format("relay.evil.example"), _dmarc(MX)], NONE),
        ([FORGED.format("relay.evil.example"), *OWN, _dmarc(MX)], NONE),
        # Contradictions where the sender's lines are next to the server's.
        ([*OWN, _dmarc(MX), _dmarc(MX, "fail")], FAIL),
        ([*OWN, _dmarc(MX, "fail"), _dmarc(MX)], FAIL),
        ([_dmarc(MX), *OWN, _dmarc(MX, "none")], FAIL),
        ([*OWN, _ar(MX, "spf=fail smtp.mailfrom=e.example", "dkim=none"), _ar(MX,
         f"dmarc=pass header.from={DOMAIN}")],
         FAIL),
        ([*OWN, _ar(MX, "dkim=none"), _ar(MX, f"dkim=pass header.d={DOMAIN}")], FAIL),
        ([*OWN, _ar(MX, "dkim=pass header.d=evil.example"), _ar(MX, f"dkim=pass header.d={DOMAIN}")], FAIL),
        ([*OWN, _ar(MX, "spf=pass smtp.mailfrom=e.example", "dkim=none"), _ar(MX,
         f"dkim=pass header.d={DOMAIN}")],
         FAIL),
        # A server that has nothing of DMARC writes all its results in one header; a second is not its own.
        ([*OWN, _ar(MX, "spf=pass smtp.mailfrom=e.example", "dkim=pass header.d=e.example"),
          _ar(MX, f"dmarc=pass header.from={DOMAIN}")], FAIL),
        # By a Received line in our name the sender gains no place below the stamp that is ours.
        ([*OWN, _dmarc(MX, "fail"), FORGED.format(MX), _dmarc(MX)], FAIL),
        # A stamp that the sender spoilt by his envelope is not a missing one.
        ([*OWN, _ar(MX, 'spf=pass (domain of "x)@e.example) smtp.mailfrom=e.example'), _dmarc(MX)], FAIL),
        ([*OWN, f"Authentication-Results: {MX}; dmarc=pass header.from=marl.example (", _dmarc(MX)], FAIL),
        # One method alone.
        ([*OWN, _ar(MX, f"dkim=pass header.d={DOMAIN}", "dkim=pass header.d=esp.example")], PASS),
        ([*OWN, _ar(MX, f"dkim=pass header.i=@{DOMAIN}")], PASS),
        ([*OWN, _ar(MX, f"dkim=pass header.d=evil.example header.i=@{DOMAIN}")], FAIL),
        ([*OWN, _ar(MX, f"spf=pass smtp.mailfrom={DOMAIN}")], FAIL),
        ([*OWN, _ar(MX, "dkim=pass")], FAIL),
        ([*OWN, _ar(MX, f"arc=pass header.d={DOMAIN}")], NONE),
        # DMARC states it, or no person.
        ([*OWN, _ar(MX, f"dkim=pass header.d={DOMAIN}", f"dmarc=none header.from={DOMAIN}")], FAIL),
        ([*OWN, _ar(MX, f"dkim=pass header.d={DOMAIN}", "dmarc=bestguesspass")], FAIL),
        ([*OWN, _ar(MX, f"dkim=pass header.d={DOMAIN}", "dmarc=pass header.from=evil.example")], FAIL),
        ([*OWN, _ar(MX, f"dmarc=pass header.from=hal@{DOMAIN}")], PASS),
        ([*OWN, _ar(MX, "dmarc=pass header.from=sub.marl.example")], FAIL),
        ([*OWN, _ar(MX, "dmarc=pass header.from=example")], FAIL),
        # Other headers, other names.
        ([*OWN, "ARC-" + _dmarc(MX), "X-" + _dmarc(MX), "Received-SPF: pass"], NONE),
        ([*OWN, _dmarc(MX + ".evil.example"), _dmarc("x" + MX), _dmarc("evil." + MX), _dmarc("a.example")],
         NONE),
        ([*OWN, _dmarc(MX), "Subject: a", "Subject: b"], FAIL),
        ([*OWN, _dmarc(MX), "Content-Type: text/plain", "content-type : text/html"], FAIL),
        ([*OWN, _dmarc(MX), "Date: a", "Date: a"], FAIL),
        ([*OWN, _dmarc(MX), "To: a@b.example", "To: c@d.example"], PASS),
    ],
)
def test_a_server_known_by_name(lines: list[str], result: AuthResult) -> None:
    assert _result(trust_in([MX]), lines) is result


def test_a_stranger_cannot_move_the_border_by_what_he_calls_himself() -> None:
    """HELO is the sender's word; only the address behind it is the server's."""
    trust = _provider(["mx.b.example"], ["*.b.example"], "above its Received line")
    for client in ("mx.b.example", "[10.0.0.1]", "localhost", "by", "mx.b.example (mx.b.example [10.0.0.1])"):
        lines = [f"Received: from {client} (unknown [198.51.100.6]) by mx.b.example with ESMTP id 1; date",
                 _dmarc("mx.b.example"), FORGED.format("mx.b.example"), _dmarc("mx.b.example")]
        assert _result(trust, lines) is NONE, client


def test_a_known_providers_name_brings_its_habits() -> None:
    """`trusted_authserv_ids = ["mx.google.com"]` is Gmail."""
    stamp = _dmarc("mx.google.com")
    hop = "Received: by 2002:a05:6402:8:b0:1:2 with SMTP id x1; date"
    forged = [hop, LINE.format("mx.google.com"), FORGED.format("mx.google.com"), stamp]
    assert _result(trust_in(["mx.google.com"]), [hop, LINE.format("mx.google.com"), stamp]) is PASS
    assert _result(trust_in(["mx.google.com"]), forged) is NONE
    assert _result(trust_from_mapping({"provider": "gmail"}), forged) is NONE


def test_one_failure_outweighs_and_the_proof_is_named() -> None:
    both = trust_from_mapping({"provider": "zoho", "trusted_authserv_ids": [MX]})
    zoho = [_dmarc("mx.zohomail.eu"), LINE.format("mx.zohomail.eu")]
    headers, _ = split_mail("\r\n".join([*zoho, "", ""]).encode())
    answer = authenticate(headers, both, DOMAIN)
    assert answer.proof is not None
    assert (answer.proof.method, answer.proof.by, answer.proof.domain) == (Method.DMARC, "mx.zohomail.eu",
    DOMAIN)
    assert _result(both, [_dmarc(MX, "fail"), *zoho]) is FAIL


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ({"provider": "nobody"}, "the known ones are"),
        ({"provider": "x", "providers": {"x": {}}}, "needs `names`"),
        ({"provider": "x", "providers": {"x": {"names": ["*.com"]}}}, "would trust strangers"),
        ({"provider": "x", "providers": {"x": {"names": [1]}}}, "a list of texts"),
        ({"provider": "x", "providers": {"x": 1}}, "docs/contract.md"),
        ({"providers": []}, "is an object"),
        ({"trusted_authserv_ids": "mx.a.example"}, "is a list"),
        ({"trusted_authserv_ids": ["*"]}, "would trust strangers"),
    ],
)
def test_a_wrong_setting_is_one_sentence(source: dict[str, Any], says: str) -> None:
    with pytest.raises(ProviderError, match=says.replace("*", r"\*")):
        trust_from_mapping(source)


@pytest.mark.parametrize("piece", ["(", "\\(", "(a", "() ", "by ", "[", "1.", ")"])
def test_half_a_megabyte_of_received_lines_takes_no_time(piece: str) -> None:
    lines = ["Received: from " + piece * 2000] * 120
    started = time.process_time()
    assert _result(trust_in([MX]), [*lines, _dmarc(MX)]) is NONE
    assert time.process_time() - started < 3
