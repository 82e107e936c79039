"""INS-04: every example of docs/api.md and of the package's own docstring is run as it is."""

from __future__ import annotations

import doctest
import inspect
import json
import re
import shutil
from pathlib import Path

import pytest

import galloper
import maps
from tools.documents.reference import api_page, orders_page

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/api.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^#+ (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
SLOW = {"Read a sheet", "Draw a map"}


def _run(name: str, text: str) -> int:
    # A fence below an output would be taken for its last line.
    plain = re.sub(r"^```.*$", "", text, flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(plain, {}, name, "docs/api.md", 0)
    report: list[str] = []
    failed = doctest.DocTestRunner().run(test, out=report.append).failed
    assert not failed, "".join(report)
    return len(test.examples)


@pytest.mark.parametrize("section", [
    pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in SECTIONS
])
def test_the_examples_of_the_page(section: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(ROOT / "tests/data/sheets/s005.jpg", tmp_path / "sheet.jpg")
    monkeypatch.chdir(tmp_path)
    count = _run(section, SECTIONS[section])
    assert count or ">>>" not in SECTIONS[section]


@pytest.mark.slow
def test_the_lesson_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """LIB-07."""
    monkeypatch.chdir(tmp_path)
    assert _run("a-war-by-program", (ROOT / "docs/tutorial/a-war-by-program.md").read_text("utf-8"))


def test_every_kind_of_order_is_shown_in_json() -> None:
    """LIB-04: the page of orders in JSON has each game's orders, and the text next to an object is read as
    it. A kind that a board shares with the classic board, as one class, is shown there."""
    shown: set[tuple[str, type[object]]] = set()
    examples = (ROOT / "tools/documents/orders.jsonl").read_text("utf-8").splitlines()
    page = orders_page(map(json.loads, examples))
    for section in page.split("\n## ")[1:]:
        slug = re.findall(r"`(\w+)`", section.splitlines()[0])[0]
        for kind, data, text in re.findall(r"^\| (\w+) \| `(.+)` \| (.+) \|$", section, re.MULTILINE):
            order = galloper.Order.from_json(slug, json.loads(data))
            power = json.loads(data)["power"]
            assert galloper.parse_order(text, board=slug, power=power, phase=kind) == order, text
            assert type(order.inner) in maps.load(slug).rules.ORDERS[galloper.PhaseKind(kind)], data
            shown.add((slug, type(order.inner)))
    classic = {order for slug, order in shown if slug == "standard"}
    for slug in maps.variants():
        kinds = {order for orders in maps.load(slug).rules.ORDERS.values() for order in orders}
        assert kinds - classic == {order for board, order in shown if board == slug} - classic
        assert any(board == slug for board, _ in shown)


def test_the_example_in_the_package() -> None:
    assert _run("galloper", inspect.getdoc(galloper) or "")


def test_the_reference_has_every_public_name_with_its_docstring() -> None:
    """REL-02: types of arguments are in the signatures."""
    page = api_page()
    for name in galloper.__all__:
        thing = getattr(galloper, name)
        if callable(thing) and not name.endswith("Like"):
            section = page.partition(f"\n## `{name}`\n")[2].partition("\n## ")[0]
            first = (inspect.getdoc(thing) or "").splitlines()[0].replace("<", "&lt;")
            assert first in section, name
    assert page.count("```") % 2 == 0


def test_the_page_names_only_what_there_is() -> None:
    """Every attribute of the package that the page or the lesson calls."""
    lesson = (ROOT / "docs/tutorial/a-war-by-program.md").read_text("utf-8")
    called = set(re.findall(r"\bgalloper\.([A-Za-z_]+)", PAGE + lesson)) - {"errors", "__all__"}
    assert len(called) > 8
    assert all(hasattr(galloper, name) for name in called)


def test_everything_public_has_a_docstring_and_types() -> None:
    for name in galloper.__all__:
        thing = getattr(galloper, name)
        if not callable(thing) or name.endswith("Like"):
            continue
        assert inspect.getdoc(thing), name
        parts = vars(thing).items() if inspect.isclass(thing) else [(name, thing)]
        for part, value in parts:
            if part.startswith("_") or not thing.__module__.startswith("galloper"):
                continue
            function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
            if not inspect.isfunction(function):
                continue
            assert function.__doc__, f"{name}.{part}"
            hints = function.__annotations__
            assert "return" in hints, f"{name}.{part}"
            arguments = set(inspect.signature(function).parameters) - {"self", "cls"}
            assert arguments <= set(hints), f"{name}.{part}"
