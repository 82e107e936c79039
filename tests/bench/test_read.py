"""What `galloper bench read` counts and prints.

The expected figures of the example come from another scorer, which other people wrote for `galloper read
--json`. It was run on the same truth and answers, and shares no code with this one.
"""

from __future__ import annotations

import io
import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import maps
from bench.read import child, peers as read_peers, run
from training.evaluation.align import align, loose
from training.evaluation.meaning import meaning_of, same
from training.evaluation.names import names_of
from training.evaluation.score import Score, matches, upper_bound
from training.evaluation.truth import NoTruth, Truth, load_truth, sheet_of

EXAMPLE: dict[str, Any] = json.loads((Path(__file__).parent / "bench_read_example.json").read_text("utf-8"))
ANSWERS: dict[str, dict[str, Any]] = {answer["file"]: answer for answer in EXAMPLE["answers"]}


@pytest.fixture
def truth(tmp_path: Path) -> Truth:
    (tmp_path / "truth.json").write_text(json.dumps({"sheets": EXAMPLE["sheets"]}), "utf-8")
    return load_truth(tmp_path)


def _score(truth: Truth, group: str) -> Score:
    sheets = [sheet for sheet in truth.sheets if group in {"all", sheet.manner}]
    return Score([match for sheet in sheets for match in matches(sheet, ANSWERS[sheet.file])])


# The figures


@pytest.mark.parametrize("group", ["tidy", "hasty", "all"])
def test_every_figure_is_the_other_scorers(truth: Truth, group: str) -> None:
    expected = EXAMPLE["scored"][group]
    score = _score(truth, group)
    computed = {
        "live_orders": len(score.live), "order_exact_text": score.exact_text,
        "order_exact_meaning": score.exact,
        "auto_share": score.auto_share, "auto_lines": len(score.passed), "wrong_auto": score.wrong_auto,
        "right_in_first_five": score.in_first_five, "calibration_error": score.calibration_error,
        "struck": len(score.struck), "struck_taken_as_live": score.struck_live, "CER": score.character_errors,
        "WER": score.word_errors,
    }
    assert computed == {key: expected[key] for key in computed}
    taken, of = (sum(column) for column in zip(*score.traps().values(), strict=True))
    assert (taken, of) == (expected["traps"]["review_auto_order"], expected["traps"]["review"])


def test_the_example_has_something_of_everything() -> None:
    # A figure that is 0 in the example would agree with any scorer.
    scored = EXAMPLE["scored"]["all"]
    assert all(scored[key] for key in ("wrong_auto", "struck_taken_as_live", "calibration_error", "CER"))
    assert 0 < scored["order_exact_meaning"] < scored["right_in_first_five"] < 1
    traps = {
        line["trap"] for sheet in EXAMPLE["sheets"] for line in sheet["lines"] if line.get("want") == "review"
    }
    assert {"unknown", "conditional", "negated"} <= traps


def _one(written: dict[str, Any], *lines: dict[str, Any]) -> Score:
    """The score of one written line and what was read of it."""
    sheet = {"file": "a.jpg", "lines": [{"kind": "order", "struck": False, **written}]}
    return Score(matches(sheet_of(sheet), {"pages": [{"lines": list(lines)}]}))


MOVE = {"text": "A London - Kent", "meaning": meaning_of("A London - Kent")}


def _line(text: str, order: str | None, status: str = "auto", **more: Any) -> dict[str, Any]:
    return {"text": text, "order": order, "status": status, "confidence": 0.9, "candidates": [], **more}


def test_a_struck_line_taken_as_live_without_a_look_is_counted_and_wrong() -> None:
    score = _one({**MOVE, "struck": True}, _line("A London - Kent", "A London - Kent"))
    assert (score.struck_live, score.struck_auto, score.wrong_auto) == (1, 1, 1)
    looked_at = _one({**MOVE, "struck": True}, _line("A London - Kent", "A London - Kent", "open"))
    assert (looked_at.struck_live, looked_at.struck_auto, looked_at.wrong_auto) == (1, 0, 0)


def test_a_live_order_lost_in_a_line_that_passes_is_wrong() -> None:
    assert _one(MOVE, _line("A London - Kent", None)).wrong_auto == 1
    assert _one(MOVE, _line("A London - Kent", None, "open")).wrong_auto == 0


def test_an_order_given_as_two_lines_is_not_exact() -> None:
    score = _one(MOVE, _line("A London -", None, "open"), _line("Kent", "A London - Kent", "open"))
    assert (score.exact, score.in_first_five) == (0.0, 0.0)


def test_the_right_order_among_the_first_five_only_counts_there() -> None:
    others = [
        {"text": f"A London - {to}", "order": f"A London - {to}"} for to in ("Kew", "Kerry", "Kells", "Ken")
    ]
    right = {"text": "A London - Kent", "order": "A London - Kent"}
    assert (
        _one(MOVE, _line("A London - Kem", "A London - Kew", candidates=[*others, right])).in_first_five
        == 1.0
    )
    # The desk offers five readings, so the right one in sixth place does not help.
    sixth = [*others, others[0], right]
    assert _one(MOVE, _line("A London - Kem", "A London - Kew", candidates=sixth)).in_first_five == 0.0


def test_a_line_that_must_be_looked_at_is_counted_under_its_oddity() -> None:
    written = {"text": "A London - Paris", "want": "review", "trap": "unknown"}
    assert _one(written, _line("A London - Paris", "A London - Perth")).traps() == {"unknown": (1, 1)}
    assert _one(written, _line("A London - Paris", "A London - Perth", "open")).traps() == {"unknown": (0, 1)}


# Meaning and alignment


@pytest.mark.parametrize(("order", "kind"), [
    ("A X - Y", "move"), ("A X H", "hold"), ("A X S A Y - Z", "support_move"), ("A X S A Y", "support_hold"),
    ("A X S Y", "support_hold"), ("F X C A Y - Z", "convoy"), ("A X converts to F", "convert"),
    ("A X proxy Montrose", "proxy"), ("A X R Y", "retreat"), ("A X disbands", "disband"),
    ("Build A X", "build"),
    ("Remove A X", "remove"), ("Send 2 supply to Argyll", "send_supply"),
])  # fmt: skip
def test_every_form_of_the_contract_is_known(order: str, kind: str) -> None:
    meaning = meaning_of(order)
    assert meaning is not None
    assert meaning["order"] == kind
    assert same(meaning, meaning)


@pytest.mark.parametrize(("written", "read_", "alike"), [
    ("A X R Y", "A X - Y", True), ("Remove A X", "A X disbands", True), ("A X S A Y", "A X S Y", True),
    # A coast that was written must be read, except of a supported unit; one that was not may be added.
    ("A X - Devon/South Coast", "A X - Devon", False), ("A X - Devon", "A X - Devon/South Coast", True),
    ("A X S F Devon/South Coast", "A X S F Devon", True), ("F Devon/South Coast H", "F Devon H", False),
    ("A X - Y", "F X - Y", False), ("A X proxy The Crown", "A X proxy Crown", True),
    ("Send 2 supply to Argyll", "Send 3 supply to Argyll", False), ("A X H", "A X - Y", False),
])  # fmt: skip
def test_what_means_the_same(written: str, read_: str, alike: bool) -> None:
    left, right = meaning_of(written), meaning_of(read_)
    assert left is not None
    assert right is not None
    assert same(left, right) is alike


def test_several_orders_in_one_line_are_no_meaning() -> None:
    assert meaning_of("A X H; A Y H") is None
    assert meaning_of("nothing of the kind") is None


def test_lines_are_matched_in_order_and_what_nobody_wrote_is_left() -> None:
    alignment = align(
        ["The Crown", "A London - Kent", "F Wight H"], ["The Crown", "A London -", "Kent", "xx", "F Wight H"]
    )
    assert alignment.spans == ((0, 1), (1, 3), (4, 5))
    assert alignment.left == (3,)


def test_dashes_case_and_stops_do_not_count() -> None:
    assert loose("A Lon \u2013 Kyle & Carrick.") == loose("a lon-kyle and carrick")


# What is printed


@pytest.fixture
def played(truth: Truth, monkeypatch: pytest.MonkeyPatch) -> Truth:
    """A prepared reading process: its answers are the example's, with fixed times."""

    def read_folder(reader: str, _: Truth, __: Any) -> run.FolderReading:
        times = {"cpu": 2.0, "wall": 4.0} if reader == "galloper" else {"cpu": 1.0, "wall": 1.0}
        return run.FolderReading({file: {**answer, **times} for file, answer in ANSWERS.items()}, 300.0)

    monkeypatch.setattr(run, "read_folder", read_folder)
    return truth


def _printed(folder: Path, *, peers: bool = False, save: Path | None = None) -> list[dict[str, Any]]:
    out = io.StringIO()
    assert run.run(folder, peers=peers, save=save, out=out, progress=io.StringIO()) == 0
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_tidy_and_hasty_sheets_have_figures_apart(played: Truth) -> None:
    lines = {(line["what"], line["sheets"]): line for line in _printed(played.folder)}
    for group in ("tidy", "hasty", "all"):
        exact = lines["orders exact by meaning", group]
        assert exact["value"] == EXAMPLE["scored"][group]["order_exact_meaning"]
        assert exact["of"] == EXAMPLE["scored"][group]["live_orders"]
        assert lines["wrong among auto", group]["of"] == EXAMPLE["scored"][group]["auto_lines"]
    assert lines["CPU time a sheet, median", "all"]["value"] == 2.0
    assert lines["time a sheet, median", "all"]["value"] == 4.0
    assert lines["peak memory", "all"] == {
        "what": "peak memory",
        "value": 300.0,
        "unit": "MiB",
        "sheets": "all",
    }


def test_figures_are_told_by_source_of_hand_and_by_style(played: Truth) -> None:
    """INK-01: a group for each source and each of its parts, none told twice under two names."""
    styles = [{"source": "font", "font": "a", "manner": "tidy"},
              {"source": "ink", "writer": "s1", "hand_style": "print", "manner": "tidy"},
              {"source": "ink", "writer": "s2", "hand_style": "cursive", "manner": "hasty"}]
    sheets = [{**sheet, "style": style} for sheet, style in zip(EXAMPLE["sheets"], styles, strict=False)]
    (played.folder / "truth.json").write_text(json.dumps({"sheets": sheets}), "utf-8")
    lines = _printed(played.folder)
    groups = {line["sheets"] for line in lines}
    if len(sheets) == len(styles):
        # "ink, print" are the sheets of "ink, tidy", and "ink, cursive" the hasty ones.
        assert {"tidy", "hasty", "font", "ink", "all"} <= groups
        assert len(groups & {"ink, print", "ink, tidy"}) == 1
    counts = {line["sheets"]: line["of"] for line in lines if line["what"] == "orders exact by meaning"}
    assert counts["font"] + counts["ink"] == counts["all"]


@pytest.mark.parametrize(("wrong", "of"), [(0, 463), (1, 80), (2, 80), (5, 1500), (7, 7)])
def test_the_bound_is_where_so_few_wrong_lines_would_be_rare(wrong: int, of: int) -> None:
    """INK-01: exact/auto/wrong with a bound, after Clopper and Pearson: the chance of so few is 5 % there."""
    bound = upper_bound(wrong, of)
    assert bound is not None
    if wrong == of:
        assert bound == 1.0
        return
    chance = sum(math.comb(of, k) * bound**k * (1 - bound) ** (of - k) for k in range(wrong + 1))
    assert chance == pytest.approx(0.05, abs=0.002)
    assert upper_bound(0, 0) is None


def test_sheets_without_a_manner_are_one_group(played: Truth) -> None:
    sheets = [{**sheet, "style": {"source": "neural", "bias": 0.5}} for sheet in EXAMPLE["sheets"]]
    (played.folder / "truth.json").write_text(json.dumps({"sheets": sheets}), "utf-8")
    assert {line["sheets"] for line in _printed(played.folder)} == {"all"}


def test_a_manner_is_what_the_truth_calls_it(played: Truth) -> None:
    sheets = [{**sheet, "style": {"manner": "scan"}} for sheet in EXAMPLE["sheets"]]
    (played.folder / "truth.json").write_text(json.dumps({"sheets": sheets}), "utf-8")
    assert {line["sheets"] for line in _printed(played.folder)} == {"scan", "all"}


def test_readings_are_kept_as_the_lines_of_the_contract(played: Truth, tmp_path: Path) -> None:
    _printed(played.folder, save=tmp_path / "kept.jsonl")
    answers = [json.loads(line) for line in (tmp_path / "kept.jsonl").read_text("utf-8").splitlines()]
    assert [answer["file"] for answer in answers] == list(ANSWERS)


@pytest.mark.slow
def test_a_peer_stands_beside_our_figure_as_it_comes_and_snapped(
    played: Truth, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_peers, "title", lambda name: f"{name} 1.0" if name == "rapidocr" else None)
    beside = [line for line in _printed(played.folder, peers=True) if "peer" in line]
    assert {line["peer"] for line in beside} == {
        "rapidocr 1.0, as it comes", "rapidocr 1.0, its text snapped by our grammar",
    }
    (cpu,) = [line for line in beside if line["what"].startswith("CPU") and line["sheets"] == "all"]
    assert (cpu["value"], cpu["peer_value"], cpu["ratio"]) == (2.0, 1.0, 2.0)


def test_processor_time_stands_beside_rapidocr_with_one_thread_too(
    played: Truth, monkeypatch: pytest.MonkeyPatch
) -> None:
    """INK-08: as it comes, the peer's threads wait in a loop, and on a busy machine ours looked cheaper."""
    name = read_peers.ONE_THREAD
    monkeypatch.setattr(read_peers, "title", lambda peer: "RapidOCR 1.0" if peer == name else None)
    beside = [line for line in _printed(played.folder, peers=True) if "peer" in line]
    assert {line["what"] for line in beside} == {
        "CPU time a sheet, median", "time a sheet, median", "peak memory",
    }
    assert {line["peer"] for line in beside} == {"RapidOCR 1.0, no thread waits for work"}


@pytest.mark.slow
def test_rapidocr_with_one_thread_runs_its_networks_with_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """INK-08: the settings reach the networks of the peer, whose package passes over names it does not
    know."""
    main = pytest.importorskip("rapidocr.inference_engine.onnxruntime.main")
    options: list[Any] = []
    init = main.OrtInferSession._init_sess_opts

    def noted(settings: Any) -> Any:
        options.append(init(settings))
        return options[-1]

    monkeypatch.setattr(main.OrtInferSession, "_init_sess_opts", staticmethod(noted))
    read = read_peers.PEERS[read_peers.ONE_THREAD]()
    # Networks are loaded when a picture first requests them.
    Image.new("RGB", (320, 320), "white").save(tmp_path / "blank.png")
    read(tmp_path / "blank.png")
    assert {(each.intra_op_num_threads, each.inter_op_num_threads) for each in options} == {(1, 1)}


def test_the_reader_without_tesseract_stands_beside_each_figure(played: Truth) -> None:
    """INS-02: the pair of figures that shows whether Tesseract earns its place comes of one run."""
    out = io.StringIO()
    run.run(played.folder, peers=False, save=None, out=out, progress=io.StringIO(), without_tesseract=True)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert all("without_tesseract" in line for line in lines)
    (cpu,) = [line for line in lines if line["what"].startswith("CPU") and line["sheets"] == "all"]
    assert (cpu["value"], cpu["without_tesseract"]) == (2.0, 1.0)


def test_an_absent_peer_is_named(played: Truth, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_peers, "title", lambda _: None)
    absent = [line["value"] for line in _printed(played.folder, peers=True) if line["what"] == "peer absent"]
    assert absent == ["rapidocr", "rapidocr-one-thread", "tesseract"]


@pytest.mark.parametrize(("written", "sentence"), [
    (None, "cannot be read"), ("[]", "not a list of sheets"), ('{"sheets": [{}]}', "not a list of sheets"),
    ('{"files": []}', "lists no sheet"),
])  # fmt: skip
def test_a_folder_without_truth_is_one_sentence_and_exit_one(
    tmp_path: Path, written: str | None, sentence: str
) -> None:
    if written is not None:
        (tmp_path / "truth.json").write_text(written, "utf-8")
    progress = io.StringIO()
    assert run.run(tmp_path, peers=False, save=None, out=io.StringIO(), progress=progress) == 1
    assert sentence in progress.getvalue()
    with pytest.raises(NoTruth, match=r"truth\.json"):
        load_truth(tmp_path)


def test_a_photograph_that_is_not_there_is_named_before_anything_is_read(truth: Truth) -> None:
    progress = io.StringIO()
    assert run.run(truth.folder, peers=False, save=None, out=io.StringIO(), progress=progress) == 1
    assert EXAMPLE["sheets"][0]["file"] in progress.getvalue()


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_a_bar_on_a_terminal_and_lines_elsewhere() -> None:
    for where, expected_text in (
        (_Terminal(), "\rgalloper [" + "#" * 15 + "." * 15 + "] 1 of 2"),
        (io.StringIO(), "galloper: 1 of 2\n"),
    ):
        run.show_progress(where, "galloper", 1, 2)
        assert where.getvalue() == expected_text


# The process that reads


def test_every_photograph_is_answered_once_with_its_time_after_a_first_unmeasured_one(tmp_path: Path) -> None:
    read_names: list[str] = []

    def reader(photo: Path) -> dict[str, Any]:
        read_names.append(photo.name)
        return {"file": photo.name, "pages": []}

    out = io.StringIO()
    child.serve(reader, [tmp_path / "a.jpg", tmp_path / "b.jpg"], out)
    *answers, last = (json.loads(line) for line in out.getvalue().splitlines())
    # The first photograph is read once before, so that loading the networks is in no one's time.
    assert read_names == ["a.jpg", "a.jpg", "b.jpg"]
    assert [answer["file"] for answer in answers] == ["a.jpg", "b.jpg"]
    assert all(answer["cpu"] >= 0 and answer["wall"] >= 0 for answer in answers)
    assert last["peak_mib"] > 1


def test_a_reader_that_breaks_off_is_one_sentence(truth: Truth, monkeypatch: pytest.MonkeyPatch) -> None:
    for sheet in truth.sheets:
        (truth.folder / sheet.file).write_bytes(b"")
    monkeypatch.setattr(sys, "executable", "/bin/false")
    progress = io.StringIO()
    assert run.run(truth.folder, peers=False, save=None, out=io.StringIO(), progress=progress) == 1
    assert "ended with status 1 after 0 of" in progress.getvalue()


def test_names_for_the_composer_are_the_boards_without_spellings_that_two_regions_share() -> None:
    """Q-44: "Wight" may be the isle or the sea."""
    variant = maps.load("w3k")
    listed = names_of(variant)
    assert [entry["name"] for entry in listed] == [
        province.name for province in variant.board.provinces.values()
    ]
    spelt = {text for entry in listed for text in (*entry["aliases"], entry["abbr"])}
    assert "Devonshire" in spelt
    assert not spelt & {row.text for row in variant.names if row.ambiguous}


# Peers


def test_boxes_become_rows_from_left_to_right() -> None:
    def box(x: float, y: float) -> list[tuple[float, float]]:
        return [(x, y), (x + 50, y), (x + 50, y + 20), (x, y + 20)]

    rows = read_peers.rows(
        [box(100, 2), box(0, 0), box(0, 40), box(60, 43)], ["Bridge", "Powick", "A Lon", "H"]
    )
    assert rows == ["Powick Bridge", "A Lon H"]


@pytest.mark.parametrize(("understand", "text", "order"), [
    (read_peers.strict, "Army London moves to Kent", "A London - Kent"),
    (read_peers.strict, "Army Londen moves to Kent", None),
    (read_peers.snapped, "Army Londen moves to Kent", "A London - Kent"),
    (read_peers.snapped, "|", None),
])  # fmt: skip
def test_a_peers_text_is_understood_strictly_or_snapped(
    understand: Callable[[dict[str, Any], str], dict[str, Any]], text: str, order: str | None
) -> None:
    answer = {"file": "a.jpg", "pages": [{"page": 1, "lines": [{"text": text, "order": None}]}]}
    assert understand(answer, "w3k")["pages"][0]["lines"][0]["order"] == order
