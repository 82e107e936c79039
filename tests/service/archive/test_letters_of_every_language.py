"""LET-10: in each language the words of a letter show what its file proves, in the form that the checker
looks for. The values are those put into the letter."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from typing import Any

import pytest

from grammar.headings.root_words import WORDS
from service.letters import render
from service.letters.facts import GameInfo, Proofs, Recipient
from service.letters.language import LANGUAGES
from service.notices.answers.receipts import RECEIPT
from service.notices.results_facts import FINAL_RESULTS
from service.record.game_key import SignedReceipt
from service.record.notable import Notable
from service.record.references import Commitment, RecordReference, letter_file
from service.store.signatures import Statement
from tests.support import letters_samples as samples
from tools import verify_record

GAME = GameInfo("edgehill", "Edgehill (2)", "Wars", "orders@w3k.example", "Ada")
ROOT, SEED, LEAF, CHAIN, STAMP = "ab" * 32, "cd" * 32, "ef" * 32, "52" * 32, "2027-03-12T18:02:05Z"
HEXADECIMAL = re.compile(r"[0-9a-f]{16}|(?:[0-9a-f]{4} ){2}[0-9a-f]{4}")


def checked(text: str, proof: dict[str, Any]) -> None:
    verify_record.check_words("letter.eml", text, proof, tuple(WORDS))


@pytest.mark.parametrize("code", LANGUAGES)
def test_results_name_versions_words_and_entries(code: str) -> None:
    mark = RecordReference(41, ROOT)
    proofs = Proofs(
        seeds=(Commitment("Winter 1645", 12, SEED, chain=CHAIN), Commitment("Winter 1646", 20, SEED)),
        record=mark, notable=(Notable(37, "posted", "Montrose"),),
        file=letter_file("edgehill", mark, tell=[37]))
    letter = render.letter(
        FINAL_RESULTS, GAME, Recipient("a@b.example", "Montrose", language=code),
        replace(samples.results(), proofs=proofs), phase=samples.MOVEMENT)
    text = " ".join(letter.text.split())
    sheets = [asdict(sheet) for sheet in samples.results().sheets]
    proof = {"entry": 41, "root": ROOT, "sheets": sheets, "tell": [37]}
    checked(text, proof)
    for other in ({"root": SEED}, {"sheets": [{**sheets[0], "version": 77}]}, {"tell": [38]}):
        with pytest.raises(verify_record.Alarm):
            checked(text, proof | other)
    assert not HEXADECIMAL.search(text)
    assert [file.name for file in letter.attachments] == ["record.json"]


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_receipt_names_its_entry_its_time_and_four_words(code: str) -> None:
    signed = SignedReceipt(Statement("edgehill", 17, LEAF, ROOT, STAMP, "aa" * 32), "", "", "{}", "", "")
    facts = replace(samples.RECEIPT_FACTS, sheet=replace(samples.RECEIPT_FACTS.sheet, signed=signed))
    letter = render.letter(RECEIPT, GAME, Recipient("a@b.example", "Montrose", language=code), facts)
    text = " ".join(letter.text.split())
    proof = {"entry": 17, "root": ROOT, "leaf": LEAF, "received": STAMP}
    checked(text, proof)
    for other in ({"entry": 18}, {"received": "2027-03-12T18:02:06Z"}):
        with pytest.raises(verify_record.Alarm):
            checked(text, proof | other)
    assert not HEXADECIMAL.search(text)
    assert [file.name for file in letter.attachments] == ["receipt.json"]
