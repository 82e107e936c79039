"""Whose stamps count, as a context or a site's settings describe it."""

from __future__ import annotations

from service.mail.authentication.trust import trust_from_mapping

HOME = {"names": ["mx.home.example"]}
FAR = {"names": ["mx.far.example"]}


def test_the_only_provider_that_is_described_is_trusted_without_a_choice() -> None:
    (only,) = trust_from_mapping({"providers": {"home": HOME}}).providers
    assert only.names == ("mx.home.example",)


def test_of_two_providers_none_is_trusted_without_a_choice() -> None:
    assert trust_from_mapping({"providers": {"home": HOME, "far": FAR}}).providers == ()


def test_a_choice_goes_before_the_only_provider_that_is_described() -> None:
    (chosen,) = trust_from_mapping({"providers": {"home": HOME}, "provider": "gmail"}).providers
    assert chosen.key == "gmail"
