"""TRU-03: a receipt proves a sheet alone, and both checkers show who lies."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from service.archive.checker import VerifyReport, checking
from service.record import game_key
from service.store.signatures import Statement, is_signed, public_of, sign
from tests.support import keeper
from tests.support.acting import do
from tests.support.keeper import VICTIM, Evidence
from tests.support.proofs import proof_of, with_proof, with_words, without_proof, words_of

# RFC 8032, 7.1, tests 1 to 3: public key, message, signature.
RFC_8032 = (
    ("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     ("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
     "d25bf5f0595bbe24655141438e7a100b")),
    ("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     ("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
     "387b2eaeb4302aeeb00d291612bb0c00")),
    ("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     ("6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
     "4a7c15e9716ed28dc027beceea1ec40a")),
)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    """A game with results, its key changed between two sheets."""
    folder = tmp_path_factory.mktemp("game")
    with keeper.opened(folder / "play", None) as table:
        with table.site.store.begin() as session:
            keeper.broadcasts(table).welcome(session, table.game)
        keeper.go_on(table)
        keeper.send_sheets(table)
        do(table, game_key.ChangeKey(table.game, "the old server was sold"))
        now = table.site.clock.now()
        table.take(keeper.mailed(VICTIM, 3, 140, now), now)
        keeper.recognize(table, table.submissions()[-1].id)
        keeper.go_on(table)
        return keeper.evidence(table)


def receipts(shown: Evidence) -> dict[str, bytes]:
    return {name: data for name, data in shown.letters[VICTIM].items() if "-receipt-" in name}


def alone(folder: Path, receipt: bytes, *sheets: bytes) -> tuple[str, str]:
    """What both programs say of a receipt and its sheet: faults, or ""."""
    paths = [folder / "receipt.eml", *(folder / f"sheet-{number}" for number in range(len(sheets)))]
    for path, data in zip(paths, (receipt, *sheets), strict=True):
        path.write_bytes(data)
    report = VerifyReport()
    with checking(report) as checker:
        (of_receipt, *of_sheet) = ((path.name, path.read_bytes()) for path in paths)
        checker.check_receipt_alone(of_receipt, of_sheet)
    before, sys.argv = sys.argv, ["verify_record.py", "--receipt", *map(str, paths)]
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            keeper.tool_module().run()
        fault = ""
    except SystemExit as wrong:
        fault = str(wrong.code)
    finally:
        sys.argv = before
    return "\n".join(report.lines(quiet=True)), fault


@pytest.mark.parametrize(("public", "message", "signature"), RFC_8032)
def test_the_small_checker_knows_signatures(public: str, message: str, signature: str) -> None:
    """(TRU-03, TRU-08)"""
    tool = keeper.tool_module()
    data = bytes.fromhex(message)
    assert tool.is_signed(public, data, signature)
    assert not tool.is_signed(public, data + b"x", signature)
    assert not tool.is_signed(public, data, signature[:-2] + "ff")
    assert not tool.is_signed(public, data, "")
    assert not tool.is_signed("zz", data, signature)
    # The same key with s + L is refused (RFC 8032, 5.1.7).
    s = int.from_bytes(bytes.fromhex(signature)[32:], "little") + tool.Q
    assert not tool.is_signed(public, data, signature[:64] + s.to_bytes(32, "little").hex())


def test_both_programs_sign_and_check_the_same() -> None:
    statement = Statement("powick-bridge", 17, "ab" * 32, "cd" * 32, "2027-03-12T18:02:05Z", "ef" * 32)
    public, signature = public_of(b"k" * 32), sign(b"k" * 32, statement)
    assert is_signed(public, statement, signature)
    assert keeper.tool_module().is_signed(public, statement.text(), signature)
    assert not is_signed(public_of(b"l" * 32), statement, signature)
    assert not is_signed(public, statement, "no digits")


@pytest.mark.slow
def test_a_receipt_proves_her_sheet_alone(shown: Evidence, tmp_path: Path) -> None:
    """(TRU-03) With her own mail; and another sheet, a changed time or another's signature prove nothing."""
    of_victim = sorted(receipts(shown).items())
    assert len(of_victim) == 3
    first, last = of_victim[0][1], of_victim[-1][1]
    sent = shown.letters[VICTIM]["sent-0.eml"]
    assert alone(tmp_path, first, sent) == ("", "")
    for receipt, sheets, words in (
        (first, (shown.letters[VICTIM]["sent-1.eml"],), "has none of the photographs"),
        (with_proof(first, received="2027-03-01T00:00:00Z"), (), "signature"),
        (with_proof(first, salt="00" * 32), (), "do not give its digest or root"),
        (with_proof(first, key=public_of(b"l" * 32)), (), "signature"),
        (sent, (), "has no file receipt.json"),
    ):
        faults = alone(tmp_path, receipt, *sheets)
        assert all(words in fault for fault in faults), (words, faults)
    assert proof_of(first)["key"] != proof_of(last)["key"]


@pytest.mark.slow
def test_every_letter_fits_and_the_new_key_is_told(shown: Evidence, tmp_path: Path) -> None:
    """(TRU-03) Welcome, receipts of two keys, results."""
    for check in (keeper.galloper(tmp_path / "galloper"), keeper.independent(tmp_path / "tool")):
        for archive in (shown.whole, shown.players):
            alarms, notes = check(archive, shown.shown(keeper.PLAYERS))
            assert alarms == ""
            assert "tells of it" in notes
    results = next(data for name, data in shown.letters[VICTIM].items() if "-final_results-" in name)
    assert "the key that signs receipts was changed" in words_of(results)


@pytest.mark.parametrize(("change", "fault"), [
    (partial(with_proof, signature="", key=""), "is not signed"),
    (without_proof, "names no place in its record"),
    (partial(with_proof, mail="00" * 32), "has a signature that is not of its key"),
    (partial(with_words, change=lambda words: words.replace("received 2027-", "received 2026-")),
     "name another entry or time than its file"),
])
def test_a_letter_without_what_it_should_have_is_named(
    shown: Evidence, tmp_path: Path, change: Callable[[bytes], bytes], fault: str
) -> None:
    """(TRU-03) Never silence, and words and file of a letter have the same."""
    name, data = min(receipts(shown).items())
    for check in (keeper.galloper(tmp_path / "galloper"), keeper.independent(tmp_path / "tool")):
        assert fault in check(shown.whole, {name: change(data)})[0]


def test_junk_and_letters_of_other_games_are_named(shown: Evidence, tmp_path: Path) -> None:
    """(TRU-03) A name that looks alike is another name."""
    data = receipts(shown)[min(receipts(shown))]
    other = with_proof(data, game="powick-bridqe")
    other = other.replace(b"List-Id: <powick-bridge", b"List-Id: <powick-bridqe")
    letters = {"holiday.jpg.eml": b"\xff\xd8\xff\xe0 no mail", "look-alike.eml": other}
    for check in (keeper.galloper(tmp_path / "galloper"), keeper.independent(tmp_path / "tool")):
        alarms, notes = check(shown.whole, letters)
        assert alarms == ""
        assert re.search(r"no mail: \S*holiday.jpg.eml\.", notes)
        assert re.search(r"about the record of powick-bridqe, another game: \S*look-alike.eml\.", notes)
