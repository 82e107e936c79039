"""BOX-02: whose word counts, from the settings; a fault names the key and shows what to write."""

from __future__ import annotations

from time import process_time

import pytest

from service.config import ConfigError, MailIn, Stamps
from service.mail.authentication.authenticate import authenticate
from service.mail.authentication.trust import NOBODY
from service.mail.authentication.verdict import AuthResult
from service.mail.headers import split_mail
from service.mail.trust_settings import trust_of

MAIL = (b"Authentication-Results: mx1.example.org; dmarc=pass header.from=player.example\r\n"
        b"Received: from mail.player.example by mx1.example.org with ESMTPS; Sat, 5 Jul 2025 09:00 +0000\r\n"
        b"From: hal@player.example\r\n\r\n")


@pytest.mark.parametrize(("settings", "result"), [
    (MailIn(trusted_authserv_ids=("mx1.example.org",)), AuthResult.PASS),
    (MailIn(trusted_authserv_ids=("other.example", "mx1.example.org")), AuthResult.PASS),
    (MailIn(stamps=Stamps(names=("mx1.example.org",), border_hosts=("mx1.example.org",))), AuthResult.PASS),
    (MailIn(trusted_authserv_ids=("mx2.example.org",)), AuthResult.NONE),
    (MailIn(provider="rspamd", trusted_authserv_ids=("mx1.example.org",)), AuthResult.PASS),
    (MailIn(provider="gmail"), AuthResult.NONE),
    (MailIn(), AuthResult.NONE),
])
def test_each_way_to_say_it_counts(settings: MailIn, result: AuthResult) -> None:
    assert authenticate(split_mail(MAIL)[0], trust_of(settings), "player.example").result is result


def test_without_any_nobody_is_trusted() -> None:
    assert trust_of(MailIn(own_proof=False)) == NOBODY
    # What is in the mail itself is then the only proof.
    assert trust_of(MailIn()).providers == ()


@pytest.mark.parametrize(("settings", "words"), [
    (MailIn(trusted_authserv_ids=("*",)), ["mail_in.trusted_authserv_ids", "strangers", '"*.example.org"']),
    (MailIn(trusted_authserv_ids=("*example.org",)), ['"*example.org"', 'such as "*.example.org"']),
    (MailIn(trusted_authserv_ids=("mx.example.*",)), ['"mx.example.*"', "strangers"]),
    (MailIn(trusted_authserv_ids=("*.com",)), ['"*.com"', "every server under .com", '"*.example.com"']),
    (MailIn(trusted_authserv_ids=("*.co.uk",)), ["every server under .co.uk"]),
    (MailIn(trusted_authserv_ids=("mx.example.org; dmarc=pass",)), ["is not the name of a server"]),
    (MailIn(trusted_authserv_ids=("mx example",)), ["mail_in.trusted_authserv_ids:", "is not the name"]),
    (MailIn(stamps=Stamps(names=("",))), ["mail_in.stamps.names", "border_hosts"]),
    (MailIn(stamps=Stamps(names=("mx",), border_hosts=("*",))), ["mail_in.stamps.border_hosts", "strangers"]),
    (MailIn(trusted_authserv_ids=("a.example",), stamps=Stamps(names=("b.example",))),
     ["trusted_authserv_ids and stamps", "keep trusted_authserv_ids"]),
    (MailIn(provider="gmial"), ["mail_in.provider", '"gmial"', 'did you mean "gmail"?', "galloper check"]),
    (MailIn(provider="my server"), ["mail_in.provider", "known are disroot, exim, fastmail"]),
    (MailIn(provider="opendmarc"), ["mail_in.provider", "trusted_authserv_ids"]),
    (MailIn(provider="gmail", stamps=Stamps(names=("mx",))), ["provider and stamps", "keep provider"]),
])  # fmt: skip
def test_a_fault_names_the_key_and_what_to_write(settings: MailIn, words: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        trust_of(settings)
    for word in words:
        assert word in str(caught.value)


def test_a_pattern_in_a_domain_is_taken() -> None:
    (provider,) = trust_of(MailIn(trusted_authserv_ids=("*.example.org", "mailin*.example.co.uk"))).providers
    assert provider.names == ("*.example.org", "mailin*.example.co.uk")


def test_a_long_name_costs_nothing() -> None:
    begun = process_time()
    with pytest.raises(ConfigError):
        trust_of(MailIn(trusted_authserv_ids=("a" * 100_000 + ";", "*" * 252 + ";")))
    assert process_time() - begun < 1.0
