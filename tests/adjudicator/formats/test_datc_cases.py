"""jDip's text of test cases (INS-09): written and read back, and a case in the form of jDip's own files."""

from __future__ import annotations

import pytest

from adjudicator.formats import datc_cases
from adjudicator.formats.game_log import FormatFault
from adjudicator.formats.judge_again import check
from adjudicator.geo import Region
from tests.support.game_logs import random_game, standard_board

BOARD = standard_board()

# The position of DATC 6.H.6 in jDip's form: blanks, capitals and names as its files have them.
CASE = b"""
VARIANT_ALL Standard    # for all cases

CASE 6.H.6 (unit may not retreat to a contested area)
PRESTATE_SETPHASE Spring 1901, Retreat
PRESTATE
\tAustria: A Budapest
\tAustria: A Trieste
\tGermany: A Munich
\tGermany: A Silesia
\tItaly: A vie
PRESTATE_DISLODGED
\tItaly: A Vienna
PRESTATE_RESULTS
\tSUCCESS: Austria: A Budapest Supports A Trieste - Vienna
\tSUCCESS: Austria: A Trieste-Vienna
\tFAILURE: Germany: A Munich-Bohemia
\tFAILURE: Germany: A sil-boh
\tFAILURE: Italy: A Vienna H
ORDERS
\tItaly: A Vienna-Bohemia
POSTSTATE
\tAustria: A Budapest
\tAustria: A Trieste
\tGermany: A Munich
\tGermany: A Silesia
\tItaly: A vie
END
"""


def test_a_case_in_the_form_of_jdip_is_read_and_judged() -> None:
    """INS-09; DATC 6.H.6: the province of a standoff is closed to a retreat."""
    (case,) = datc_cases.read(BOARD, CASE)
    before, _ = case.phases
    assert case.name.startswith("6.H.6")
    assert before.position.contested == {"BOH"}
    (beaten,) = before.position.dislodged
    assert beaten.attacker_from == "TRI"
    assert beaten.may_retreat.isdisjoint({Region("BOH"), Region("TRI")})
    assert Region("TYR") in beaten.may_retreat
    (judged,) = check(BOARD, case)
    assert judged.differences == ()


def test_a_wrong_result_is_found() -> None:
    """The check can fail: the same case with the retreat carried out."""
    end = b"\tItaly: A vie\nEND"
    (case,) = datc_cases.read(BOARD, CASE.replace(end, b"\tItaly: A boh\n" + end))
    (judged,) = check(BOARD, case)
    assert judged.differences == ("units: only here nothing; only in the file ITALY A BOH",)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_written_is_read_back_and_judged_alike(seed: int) -> None:
    """INS-09. By hand, jDip's own TestSuite judged 116 of such cases and agreed on all but a civil disorder
    (docs/formats.md)."""
    cases = datc_cases.read(BOARD, datc_cases.write(BOARD, random_game(seed, 20)).data)
    assert len(cases) > 12
    assert not [case.name for case in cases if case.faults]
    judged = [one_phase for case in cases for one_phase in check(BOARD, case)]
    assert not [one_phase for one_phase in judged if one_phase.differences or one_phase.unread]


@pytest.mark.parametrize(("text", "sentence"), [
    ("", "no CASE"),
    ("PRESTATE", "outside a CASE"),
    ("VARIANT_ALL Chaos\nCASE a\nEND", "the cases are of 'Chaos'"),
    ("CASE a\nPRESTATE", "CASE a has no END"),
    ("CASE a\nFrance: A par\nEND", "belongs to no part"),
])  # fmt: skip
def test_a_bad_file_is_refused(text: str, sentence: str) -> None:
    """INS-09."""
    with pytest.raises(FormatFault, match=sentence):
        datc_cases.read(BOARD, text.encode())


@pytest.mark.parametrize(("text", "sentence"), [
    ("PRESTATE_SETPHASE Summer 1901", "not a phase such as"),
    ("PRESTATE\nFrance: A atlantis", "not a unit on standard"),
    ("PRESTATE\nGaul: A par", "not a unit on standard"),
    ("PRESTATE\nFrance: F par", "not a unit on standard"),
    ("PRESTATE_RESULTS\nSUCCESS: France: A par-atlantis", "not an order with its result"),
])  # fmt: skip
def test_a_bad_case_is_told_and_leaves_the_others(text: str, sentence: str) -> None:
    """INS-09."""
    bad, good = datc_cases.read(BOARD, f"CASE a\n{text}\nEND\n".encode() + CASE.partition(b"cases\n")[2])
    assert sentence in bad.faults[0]
    assert good.faults == ()
