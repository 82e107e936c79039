"""Whether a mail comes from the domain its From names, on the word of our own mail server."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from service.mail.authentication.border import OwnStamps, own_stamps
from service.mail.authentication.domains import covers
from service.mail.authentication.providers import Provider
from service.mail.authentication.stamps import JUDGED, MethodResult, Stamp
from service.mail.authentication.trust import Trust
from service.mail.authentication.verdict import Authentication, AuthResult, Method, Proof
from service.mail.headers import Headers
from service.store.addresses import ascii_domain

_PASS = "pass"  # noqa: S105 - the word of RFC 8601


_SINGLE = ("from", "subject", "date", "content-type", "content-transfer-encoding")
"""Fields that a mail has once at most (RFC 5322, 3.6; RFC 2045, 3) and from which a turn is read. To, Sender
and Message-ID are left out: honest programs write them twice at times, and they prove nothing here."""


def authenticate(headers: Headers, trust: Trust, domain: str) -> Authentication:
    """Judge the From `domain` of a mail by its headers.

    Several providers of one site: a failure at one outweighs a pass at another.
    """
    doubled = doubled_field(headers)
    if doubled is not None:
        # A server that reads the first and we who read the last would mean two mails.
        return _failure(f"The mail has more than one {doubled.title()} field, so it is unclear what was "
                        "signed.")
    folded = domain.rstrip(".").lower()
    answers = [_judge(own_stamps(headers, provider), provider, folded) for provider in trust.providers]
    for result in (AuthResult.FAIL, AuthResult.PASS):
        for answer in answers:
            if answer.result is result:
                return answer
    if not answers:
        return _nothing("No mail server is set that proves senders; choose mail_in.provider.")
    return answers[0]


def doubled_field(headers: Headers) -> str | None:
    """The name, in lower case, of a field that is there twice and must not; None if there is none."""
    names = [name for name, _ in headers.fields]
    return next((name for name in _SINGLE if names.count(name) > 1), None)


def _judge(own_stamps: OwnStamps, provider: Provider, domain: str) -> Authentication:
    server = provider.label or "our mail server"
    if not own_stamps.stamps:
        if own_stamps.elsewhere:
            return _nothing(f"The only stamp in the name of {server} is in a place where the sender could "
                            "have written it.")
        return _nothing(f"There is no stamp of {server} about the sender.")
    stamps = (*own_stamps.stamps, *own_stamps.against)
    if not all(stamp.is_whole for stamp in stamps) or _is_beside_none(own_stamps):
        return _failure(f"A stamp in the name of {server} cannot be read reliably, so nothing is proved.")
    verdicts = {result.result for result in _results(stamps, Method.DMARC)}
    if len(verdicts) > 1:
        return _failure(f"The stamps of {server} contradict each other about DMARC "
                        f"({', '.join(sorted(verdicts))}).")
    if verdicts - {_PASS}:
        return _failure(f"{_capital(server)} did not prove the sender (DMARC:  {verdicts.pop()}).")
    proving = _proving(own_stamps)
    return (
        _by_dmarc(own_stamps, proving, server, domain)
        or _by_dkim(own_stamps, proving, domain)
        or _failure(f"{_capital(server)} did not find that the mail comes from {domain}.")
    )


def _is_beside_none(own_stamps: OwnStamps) -> bool:
    """Whether one stamp states that nothing was checked ("none", RFC 8601, 2.2) and another, which the sender
    can have written directly below it, that something was."""
    stamps = own_stamps.stamps
    return own_stamps.is_exposed and len(stamps) > 1 and not all(stamp.results for stamp in stamps)


def _proving(own_stamps: OwnStamps) -> tuple[Stamp, ...]:
    """The stamps that may prove something: where the sender's lines are next to them, only the topmost one
    if it holds all methods, since the server wrote that one for certain."""
    if not own_stamps.is_exposed:
        return own_stamps.stamps
    weighed = [stamp for stamp in own_stamps.stamps if {result.method for result in stamp.results} & JUDGED]
    if weighed and len({result.method for result in weighed[0].results} & JUDGED) > 1:
        return (weighed[0],)
    return own_stamps.stamps


def _by_dmarc(
    own_stamps: OwnStamps, proving: Sequence[Stamp], server: str, domain: str
) -> Authentication | None:
    """The answer that DMARC gives; None if the stamps that may prove something have no result of it."""
    results = _results(own_stamps.stamps, Method.DMARC)
    for result in results:
        judged = domain_of(result.get("header.from"))
        if judged is not None and (ascii_domain(judged) or judged) != (ascii_domain(domain) or domain):
            return _failure(f"The DMARC result of {server} is about {judged}, not about {domain}.")
    # DMARC passes by SPF or by DKIM (RFC 7489, 4.2). Next to the sender's own lines a pass without either is
    # his.
    if own_stamps.is_exposed and results and all(
        (method_results := _results(own_stamps.stamps, method))
        and all(result.result != _PASS for result in method_results)
        for method in ("spf", "dkim")
    ):
        return _failure(f"The stamps of {server} contradict each other: DMARC passes, SPF and DKIM do not.")
    if own_stamps.is_exposed and len(_envelope_results(own_stamps.stamps)) > 1:
        return _failure(f"The stamps of {server} contradict each other about SPF.")
    stamp = next((stamp for stamp in proving if _results((stamp,), Method.DMARC)), None)
    return None if stamp is None else _success(Method.DMARC, stamp, domain)


def _by_dkim(own_stamps: OwnStamps, proving: Sequence[Stamp], domain: str) -> Authentication | None:
    """The answer that a DKIM signature of the domain gives. SPF alone proves nothing: it vouches for the
    envelope's sender, not for From (RFC 7208, 2.4)."""
    if own_stamps.is_exposed and len(proving) > 1 and not all(
        result.result == _PASS and _signs(result, domain)
        for result in _results(own_stamps.stamps, Method.DKIM)
    ):
        return None
    for stamp in proving:
        for result in _results((stamp,), Method.DKIM):
            if result.result == _PASS and _signs(result, domain):
                return _success(Method.DKIM, stamp, domain)
    return None


def _signs(result: MethodResult, domain: str) -> bool:
    # A large provider names its signature by header.i=@post.example alone.
    signer = domain_of(result.get("header.d")) or domain_of(result.get("header.i"))
    return signer is not None and covers(signer, domain)


def _envelope_results(stamps: Iterable[Stamp]) -> set[str]:
    """What SPF states about the envelope's sender; some servers add a result about HELO."""
    return {result.result for result in _results(stamps, "spf") if result.get("smtp.mailfrom") is not None}


def _results(stamps: Iterable[Stamp], method: str) -> list[MethodResult]:
    return [result for stamp in stamps for result in stamp.results if result.method == method]


def domain_of(value: str | None) -> str | None:
    """The domain of an address or of a bare domain, in lower case; None for nothing."""
    # Mail.ru writes header.from=name@example.ru, Zoho header.from=<name@example.com>.
    return None if value is None else value.strip("<>").rpartition("@")[2].rstrip(".").lower() or None


def _success(method: Method, stamp: Stamp, domain: str) -> Authentication:
    by = stamp.authserv_id
    sentence = (f"{by or 'Our mail server'} found that the mail comes from {domain}, by "
                f"{method.value.upper()}.")
    return Authentication(AuthResult.PASS, Proof(method, by, domain), sentence)


def _failure(sentence: str) -> Authentication:
    return Authentication(AuthResult.FAIL, None, sentence)


def _nothing(sentence: str) -> Authentication:
    return Authentication(AuthResult.NONE, None, sentence)


def _capital(server: str) -> str:
    """A server's name at the start of a sentence; iCloud's stays as it is."""
    return server.replace("our mail", "Our mail", 1)
