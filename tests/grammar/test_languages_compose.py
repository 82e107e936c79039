"""Order words of every choice of languages with every game's own (WRD-07)."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

import maps
from grammar.fragments.languages import LANGUAGES
from grammar.interpret import has_doubt
from grammar.words import without_elisions
from reading.vocabulary import all_forms, lexicon_of

CHOICES = [chosen for count in range(1, len(LANGUAGES) + 1) for chosen in combinations(LANGUAGES, count)]


@pytest.mark.slow
@pytest.mark.parametrize("slug", maps.variants())
@pytest.mark.parametrize("languages", CHOICES)
def test_the_words_make_one_grammar_without_two_readings(slug: str, languages: tuple[str, ...]) -> None:
    """Composing is strict: a line with two readings would be refused here, and on no one's sheet."""
    forms = all_forms(replace(maps.load(slug), languages=languages))
    english = all_forms(maps.load(slug))
    for mixed, plain in zip(forms, english, strict=True):
        assert mixed.keywords.keys() >= plain.keywords.keys()


def test_a_tick_joins_a_word_but_is_part_of_a_listed_name() -> None:
    """WRD-07: "l'Aquila" is a name as it is written, and "l'Essex" is Essex."""
    text = without_elisions("Armée d'Essex va à l'Aquila", {"d", "l"}, {"laquila"})
    assert text == "Armée d Essex va à l'Aquila"


def test_a_short_name_outranks_a_word_of_doubt_that_folds_alike() -> None:
    """"Sil" is Silesia, and "s'il" without its tick."""
    lexicon = lexicon_of(replace(maps.load("standard"), languages=("french",)))
    assert not has_doubt("A Sil - Mun", lexicon)
    assert has_doubt("A Ber - Mun si possible", lexicon)
