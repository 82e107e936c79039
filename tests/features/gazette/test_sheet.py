"""BEY-08: the printed gazette is PDF/UA-1 (ISO 14289-1), as a checker of others states."""

from __future__ import annotations

import pytest

import maps
from service.features.gazette.compose import compose
from service.features.gazette.game_gazette import gazette_pdf
from service.features.gazette.years import GazetteGame, year_facts
from service.games.phases import game_years
from service.letters.language import LANGUAGES
from tests.support.pdf_ua import pdf_ua_faults, wrong_widths
from tests.support.random_war import random_war


@pytest.mark.parametrize("code", LANGUAGES)
def test_it_is_for_everyone(code: str) -> None:
    variant = maps.load("brittania")
    war = tuple(random_war(variant, variant.start, 2, seed=3))
    numbers = game_years(variant, war, over=True)
    year = year_facts(variant, GazetteGame("powick-bridge", "Powick Bridge"), numbers, 1)
    data = gazette_pdf(compose(year, code), variant)
    assert not pdf_ua_faults(data)
    assert not wrong_widths(data)
