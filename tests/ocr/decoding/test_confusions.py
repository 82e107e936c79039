"""The cost of a letter where the ink shows another: data that must be whole, and what a decoder makes of
it."""

from __future__ import annotations

import numpy as np
import pytest

from ocr.decoding.confusions import (
    NO_CONFUSIONS,
    ConfusionPrices,
    PriceError,
    default_confusions,
    read_prices,
    similar_pairs,
)
from ocr.decoding.decoder import Decoder, Search
from ocr.page import Posteriors
from tests.ocr.decoding.test_decoder import Words, written

GOOD = '[provenance]\nmade = "by hand"\n[shown]\n"a" = { "o" = 4.0 }\n[lost]\n"l" = 5.0\n'


def test_whole_prices_are_read() -> None:
    assert read_prices(GOOD) == ConfusionPrices({"a": {"o": 4.0}}, {"l": 5.0}, {"made": "by hand"})


@pytest.mark.parametrize(
    ("text", "named"),
    [("[shown", "not TOML"), ("", "[shown]"), (GOOD.replace("[lost]", "[gone]"), "[lost]"),
     (GOOD.replace('made = "by hand"', ""), "[provenance]"), (GOOD.replace("4.0", "-4.0"), "shown.a.o"),
     (GOOD.replace("4.0", "'much'"), "shown.a.o"), (GOOD.replace("5.0", "nan"), "lost.l"),
     (GOOD.replace('"o"', '"oh"'), "'oh'"), (GOOD.replace('"l"', '"ll"'), "'ll'")],
)
def test_faulty_prices_name_file_and_key(text: str, named: str) -> None:
    with pytest.raises(PriceError, match=r"prices\.toml") as caught:
        read_prices(text, "prices.toml")
    assert named in str(caught.value)


def test_the_release_s_prices_say_where_they_come_from() -> None:
    prices = default_confusions()
    assert {"command", "made", "letters"} <= set(prices.provenance)
    assert all(price < Search().wrong_letter for row in prices.shown.values() for price in row.values())


def test_signs_made_alike_are_never_dear() -> None:
    # An A like a 4: no hand that was counted makes it, and some hands do.
    prices = default_confusions()
    letters = [(written_sign, shown_sign) for written_sign,
        shown_sign in similar_pairs() if written_sign.isalpha() and shown_sign.isalnum()]
    assert ("a", "4") in letters
    assert all(prices.shown[written_sign][shown_sign] <= 6.0 for written_sign, shown_sign in letters)


def test_a_letter_shown_as_one_like_it_costs_its_price() -> None:
    search = Search(prices=ConfusionPrices({"o": {"a": 4.0}}, {}, {}))
    plain = (
        Decoder(Words({"cork": 0.0}), Search(prices=NO_CONFUSIONS))
        .decode(written("corka", "c.a.r.k", 0.9999))[0]
        .score
    )
    priced = Decoder(Words({"cork": 0.0, "xa": 0.0}), search).decode(written("corkxa", "c.a.r.k", 0.9999))[0]
    assert priced.text == "cork"
    assert priced.score == pytest.approx(-4.0, abs=0.1)
    assert plain < priced.score


def test_a_letter_that_is_not_shown_costs_its_price() -> None:
    decoder = Decoder(Words({"cork": 0.0}), Search(prices=ConfusionPrices({}, {"r": 5.0}, {})))
    lost = decoder.decode(written("cork", "c.o...k", 0.9999))[0].score
    assert lost == pytest.approx(-5.0 + np.log(3), abs=0.4)


def test_of_two_words_the_likelier_misreading_wins() -> None:
    # "Kenl" is rather Kent, whose t is often read as l, than Kend.
    ink = Posteriors(written("kentdl", "k.e.n.l", 0.999).log_probs, "kentdl")
    prices = ConfusionPrices({"t": {"l": 4.0}, "d": {"l": 5.5}}, {}, {})
    assert (
        Decoder(Words({"kent": 0.0, "kend": 0.0, "l": 0.0}), Search(prices=prices)).decode(ink)[0].text
        == "kent"
    )
