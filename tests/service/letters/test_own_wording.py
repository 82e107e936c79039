"""A game's own words in its letters: only the sentence changes, in both forms of the letter (BEY-07)."""

from __future__ import annotations

from dataclasses import replace

from service.letters import render
from service.letters.facts import GameInfo, Recipient
from service.letters.language import OwnWording
from service.mail.sending.compose import OutLetter
from service.notices.answers.receipts import RECEIPT
from tests.support import letters_samples as samples

PRAISE = "Your %(phase)s for %(power)s have arrived, %(version)s. Thank you."


GAME = GameInfo("edgehill", "Edgehill", "Wars", "orders@w3k.example", "Ada")
TO = Recipient("p@example.org", "Montrose")


def receipt(*sentences: tuple[str, str, str]) -> OutLetter:
    return render.letter(RECEIPT, replace(GAME, wording=OwnWording(sentences)), TO, samples.RECEIPT_FACTS)


def test_a_sentence_is_said_in_the_games_own_words_in_both_forms_and_nothing_else_changes() -> None:
    ours = receipt()
    letter = receipt(("en", PRAISE, "%(power)s: %(phase)s <b>came</b> & is kept, %(version)s."))
    assert "<b>came</b> & is kept" in " ".join(letter.text.split())
    assert "&lt;b&gt;came&lt;/b&gt; &amp; is kept" in (letter.html or "")
    assert "have arrived" not in letter.text
    changed = set(letter.text.splitlines()) ^ set(ours.text.splitlines())
    assert 2 <= len(changed) <= 4
    assert (letter.subject, letter.key) == (ours.subject, ours.key)
    # Words in another language leave an English letter alone.
    assert receipt(("de", PRAISE, "%(power)s %(phase)s %(version)s")) == ours


def test_what_a_games_row_keeps_is_a_wording_by_language() -> None:
    own = OwnWording.of_option({"en": {"b": "B", "a": "A"}, "de": {"b": "C"}})
    assert own == OwnWording((("de", "b", "C"), ("en", "a", "A"), ("en", "b", "B")))
    assert own.of("en") == {"a": "A", "b": "B"}
