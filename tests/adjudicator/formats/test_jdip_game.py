"""jDip's saved game (INS-09): written and read back. By hand, jDip itself opened such files
(docs/formats.md)."""

from __future__ import annotations

import gzip

import pytest

from adjudicator.formats import jdip_reader, jdip_writer
from adjudicator.formats.game_log import FormatFault
from adjudicator.formats.judge_again import check
from tests.support.game_logs import random_game, standard_board

BOARD = standard_board()


@pytest.mark.parametrize("seed", range(2))
def test_what_is_written_is_read_back_and_judged_alike(seed: int) -> None:
    """INS-09: also retreats, whose places are not in the file."""
    log = random_game(seed, 24)
    (again,) = jdip_reader.read(BOARD, jdip_writer.write(BOARD, log).data)
    judged = list(check(BOARD, again))
    assert len(judged) > 15
    assert not [one_phase for one_phase in judged if one_phase.differences]
    expected, got = log.phases[-1].position, again.phases[-1].position
    assert (expected.phase, expected.units, expected.centres) == (got.phase, got.units, got.centres)


def test_a_province_has_the_names_that_jdip_draws_by() -> None:
    """INS-09: its own map knows the Gulf of Lyon as `gol`, and the north coast of Spain as `nc`."""
    text = gzip.decompress(jdip_writer.write(BOARD, random_game(0, 1)).data).decode()
    for name in ("gol", "lyo", "mao", "nwg"):
        assert f"value='{name}'" in text, name
    assert "<jsx major='1' minor='1' format='JSX.DataReader'>" in text


GOOD = gzip.decompress(jdip_writer.write(BOARD, random_game(0, 1)).data).decode()


@pytest.mark.parametrize(("text", "sentence"), [
    ("", "not valid XML"),
    ("<jsx>", "not valid XML"),
    ("<world/>", "not a saved game of jDip"),
    ("<jsx><object/></jsx>", "no field nonTurnData"),
    ('<!DOCTYPE x [<!ENTITY a "b">]><jsx><a>&a;</a></jsx>', "declares entities"),
    ("<a>" * 30_000, "declares entities, or is larger"),
    (GOOD.replace("value='Standard'", "value='Chaos'"), "played on 'Chaos'"),
    (GOOD.replace("value='Paris'", "value='L'").replace("value='par'", "value='lut'"), "where no unit can"),
    (GOOD.replace("value='fleet'", "value='zeppelin'"), "a unit 'zeppelin'"),
    (GOOD.replace("value='France'", "value='Gaul'"), "a power that is not on this board"),
    (GOOD.replace("idref='i", "idref='j"), "refers to one that is not there"),
    (GOOD.replace("value='1901'", "value='19010'"), "There is no phase"),
])  # fmt: skip
def test_a_bad_file_is_refused(text: str, sentence: str) -> None:
    """INS-09: no document type, no entity, no end of nesting, no unknown name."""
    with pytest.raises(FormatFault, match=sentence):
        jdip_reader.read(BOARD, text.encode())


def test_a_bomb_is_not_unpacked() -> None:
    """INS-09: 64 MB of blanks in 64 kB."""
    with pytest.raises(FormatFault, match="has more than 32,000,000 bytes"):
        jdip_reader.read(BOARD, gzip.compress(b" " * 64_000_000, compresslevel=1))
    with pytest.raises(FormatFault, match="cannot be unpacked"):
        jdip_reader.read(BOARD, b"\x1f\x8b" + b"x" * 100)
