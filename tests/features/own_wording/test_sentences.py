"""A game's own words in its letters: which sentences may change, and that no fact, proof or outcome is lost
by it (BEY-07)."""

from __future__ import annotations

import pytest

from service.features.own_wording.sentences import (
    LONGEST,
    LetterSentence,
    as_option,
    fault_of,
    own_words,
    reworded,
    sentences_of,
)
from service.letters.language import OwnWording
from service.mail.sending.compose import one_line
from service.notices.kinds import CORE

PRAISE = "Your %(phase)s for %(power)s have arrived, %(version)s. Thank you."


@pytest.mark.parametrize(("words", "fault"), [
    ("%(power)s: %(phase)s, %(version)s", ""),
    ("%(power)s: %(phase)s", "%(version)s: a fact would be missing"),
    ("%(power)s: %(phase)s, %(version)s, %(address)s", "a % that is not one"),
    ("%(power)s: %(phase)s, %(version)s, 100 %", "a % that is not one"),
    ("%(power)s: %(phase)s, %(version)d %(version)s", "a % that is not one"),
    ("%(power)s: %(phase)s,\n\n%(version)s", "one line"),
    ("%(power)s: %(phase)s, %(version)s" + "!" * 600, "at most 600"),
])
def test_words_that_lose_a_fact_or_name_another_are_refused(words: str, fault: str) -> None:
    sentence = next(each for each in sentences_of("receipt", "en") if each.message == PRAISE)
    assert sentence.blanks == ("phase", "power", "version")
    assert fault in fault_of(sentence, words)
    assert bool(fault) == bool(fault_of(sentence, words))


@pytest.mark.parametrize("words", [
    "On record in Powick Bridge as entry 1, received 2027-01-01T00:00:00Z, with this digest: " + "0" * 64,
    "ON  RECORD in Powick Bridge, as entry 1",
    "Im Protokoll von Powick Bridge als Eintrag 1",
    "Ｏｎ ｒｅｃｏｒｄ ｉｎ Powick Bridge",
    "The record of Powick Bridge has 900 entries",
    "Your proof is 0123456789ab",
    "abc\u202edef",
    "abc\u200bdef",
])
def test_no_words_of_a_coordinator_counterfeit_a_proof(words: str) -> None:
    """MBX-05."""
    sentence = next(each for each in sentences_of("receipt", "en") if each.message == PRAISE)
    assert fault_of(sentence, f"{PRAISE} {words}") != ""
    assert fault_of(sentence, PRAISE.replace("Thank you", "Well met, friends of Powick Bridge")) == ""


@pytest.mark.parametrize("kind", [kind.name for kind in CORE])
@pytest.mark.parametrize("code", ["en", "de"])
def test_our_own_sentences_may_be_sent_back(kind: str, code: str) -> None:
    for sentence in sentences_of(kind, code):
        assert fault_of(sentence, one_line(sentence.ours, LONGEST)) == "", sentence.ours


@pytest.mark.parametrize("kind", [kind.name for kind in CORE])
def test_what_proves_a_letter_and_what_happened_on_the_board_keep_our_words(kind: str) -> None:
    messages = {sentence.message for sentence in sentences_of(kind, "en")}
    assert len(messages) >= 7
    for part in ("In four words", "receipt.json", "record.json", "fingerprint",
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
