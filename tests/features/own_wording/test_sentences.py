"""A game's own words in its letters: which sentences may change, and that no fact, proof or outcome is lost
by it (BEY-07)."""

from __future__ import annotations

import pytest

from service.features.own_wording.sentences import (
    LetterSentence,
    as_option,
    fault_of,
    own_words,
    reworded,
    sentences_of,
)
from service.letters.language import OwnWording
from service.notices.kinds import CORE

PRAISE = "Your %(phase)s for %(power)s have arrived, %(version)s. Thank you."


@pytest.mark.parametrize(("words", "fault"), [
    ("%(power)s: %(phase)s, %(version)s", ""),
    ("%(power)s: %(phase)s", "%(version)s: a fact would be lost"),
    ("%(power)s: %(phase)s, %(version)s, %(address)s", "a % that is none"),
    ("%(power)s: %(phase)s, %(version)s, 100 %", "a % that is none"),
    ("%(power)s: %(phase)s, %(version)d %(version)s", "a % that is none"),
    ("%(power)s: %(phase)s,\n\n%(version)s", "one line"),
    ("%(power)s: %(phase)s, %(version)s" + "!" * 600, "at most 600"),
])
def test_words_that_lose_a_fact_or_name_another_are_refused(words: str, fault: str) -> None:
    sentence = next(each for each in sentences_of("receipt", "en") if each.message == PRAISE)
    assert sentence.blanks == ("phase", "power", "version")
    assert fault in fault_of(sentence, words)
    assert bool(fault) == bool(fault_of(sentence, words))


@pytest.mark.parametrize("kind", [kind.name for kind in CORE])
def test_what_proves_a_letter_and_what_happened_on_the_board_keep_our_words(kind: str) -> None:
    messages = {sentence.message for sentence in sentences_of(kind, "en")}
    assert len(messages) >= 7
    for part in ("with this root:", "with this digest:", "Signed with the key", "fingerprint",
                 "should know of these entries", "will be drawn from a seed", "One unit was built.",
                 "had no order and hold", "%(number)s centres"):
        assert not [message for message in messages if part in message], part


def test_a_german_sentence_is_shown_in_german_and_keeps_its_english_key() -> None:
    by_message = {sentence.message: sentence.ours for sentence in sentences_of("receipt", "de")}
    assert "angekommen" in by_message[PRAISE] or "eingegangen" in by_message[PRAISE]
    assert set(by_message) == {sentence.message for sentence in sentences_of("receipt", "en")}


def test_what_is_kept_comes_back_from_a_games_row_and_the_way_back_leaves_other_letters_alone() -> None:
    own = OwnWording((("de", "b", "B"), ("en", "a", "A"), ("en", "b", "B")))
    assert OwnWording.of_option(as_option(own)) == own
    a, c = LetterSentence("a", "ours"), LetterSentence("c", "ours")
    assert reworded(own, "en", [a], {}) == OwnWording((("de", "b", "B"), ("en", "b", "B")))
    assert reworded(own, "en", [a, c], {"c": "C"}).of("en") == {"b": "B", "c": "C"}


def test_an_empty_box_and_our_own_words_are_ours() -> None:
    a, b, c = (LetterSentence(name, "Our words.") for name in "abc")
    assert own_words([a, b, c], {"a": " ", "b": "Our words.", "c": "Other\nwords."}) == {"c": "Other words."}
