"""LET-10: the checker reads what a letter proves in each language, not in English alone. The values are
those put into the letter."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from service.letters import render
from service.letters.facts import GameInfo, Proofs, Recipient
from service.letters.language import LANGUAGES
from service.notices.answers.receipts import RECEIPT
from service.notices.results_facts import FINAL_RESULTS
from service.record.references import Commitment, RecordReference
from tests.support import letters_samples as samples
from tools import verify_record

GAME = GameInfo("edgehill", "Edgehill (2)", "Wars", "orders@w3k.example", "Ada")
ROOT, SEED, LEAF, CHAIN = "ab" * 32, "cd" * 32, "ef" * 32, "52" * 32


def text_of(kind: str, code: str) -> str:
    """The words of a letter with proofs, as a checker sees them."""
    to = Recipient("a@b.example", "Montrose", language=code)
    proofs = Proofs(
        seeds=(Commitment("Winter 1645", 12, SEED, chain=CHAIN),
               Commitment("Winter 1646", 20, SEED)),
        record=RecordReference(41, ROOT))
    if kind == "results":
        letter = render.letter(FINAL_RESULTS, GAME, to, replace(samples.results(), proofs=proofs),
            phase=samples.MOVEMENT)
    else:
        facts = samples.RECEIPT_FACTS
        sheet = replace(facts.sheet, record=RecordReference(17, LEAF, "2027-03-12T18:02:05Z"))
        letter = render.letter(RECEIPT, GAME, to, replace(facts, sheet=sheet))
    return " ".join(letter.text.split())


@pytest.mark.parametrize("code", LANGUAGES)
def test_root_seeds_and_versions_of_results_are_read(code: str) -> None:
    text, name = text_of("results", code), re.escape(GAME.name)
    mark = samples.DIGEST[:12]
    assert verify_record.roots_of(text, name) == [("41", ROOT)]
    assert verify_record.seeds_of(text) == [("12", SEED, CHAIN), ("20", SEED, "sheets")]
    assert verify_record.versions_of(text) == {("2", mark), ("number", mark)}


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_entry_of_a_receipt_is_read(code: str) -> None:
    text, name = text_of("receipt", code), re.escape(GAME.name)
    assert verify_record.receipts_of(text, name) == [("17", "2027-03-12T18:02:05Z", LEAF)]
