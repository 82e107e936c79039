"""TRU-12: a game on a board of the site's own is judged again by its archive, anywhere."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

import maps
from maps import loader
from service.archive.export import Edition
from service.archive.import_game import ImportFault, contents_here, import_archive
from service.notices.results import ResultsAnnouncer
from tests.support import keeper
from tests.support.altered import entries, rechained, unpacked
from tests.support.played import archived
from tests.support.site import Site, make_site
from tests.support.table import open_table

SLUG = "two-rivers"


@pytest.fixture
def archives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[Edition, bytes]]:
    """Both archives of a game on a copy of the classic board. The board is forgotten before the test."""
    monkeypatch.setattr(loader, "_roots", loader._roots)
    boards = tmp_path / "boards"
    shutil.copytree(Path(maps.__file__).parent / "standard", boards / SLUG)
    maps.add_folder(boards)
    with make_site(tmp_path / "site") as site:
        table = open_table(site, slug=SLUG)
        table.announce = ResultsAnnouncer(table.writer, drawing=False)
        phase = table.phase()
        site.clock.set(phase.deadline + timedelta(minutes=1))
        table.close_phase(phase.id)
        table.approve_phase(phase.id, "Ada")
        shown = {edition: archived(table, edition) for edition in Edition}
    monkeypatch.setattr(loader, "_roots", loader._roots[:1])
    loader.load.cache_clear()
    yield shown
    loader.load.cache_clear()


def test_it_is_judged_again_by_the_archive_alone(archives: dict[Edition, bytes], tmp_path: Path) -> None:
    assert SLUG not in maps.variants()
    for archive in archives.values():
        for check in (keeper.galloper(tmp_path / "galloper"), keeper.independent(tmp_path / "tool")):
            assert check(archive, {})[0] == ""


def test_tables_that_are_not_those_of_the_first_entry_are_a_fault(
    archives: dict[Edition, bytes], tmp_path: Path
) -> None:
    files = unpacked(archives[Edition.PLAYERS])
    name = "board/borders.csv"
    files[name] = files[name].rpartition(b"\n")[0]
    without = {key: data for key, data in files.items() if not key.startswith("board/")}
    for altered in (files, without):
        for check in (keeper.galloper(tmp_path / "galloper"), keeper.independent(tmp_path / "tool")):
            assert "the board that entry 1 names" in check(rechained(altered, entries(altered)), {})[0]


def test_a_site_without_the_board_refuses_the_game(
    archives: dict[Edition, bytes], site: Site, tmp_path: Path
) -> None:
    path = tmp_path / "game.zip"
    path.write_bytes(archives[Edition.WHOLE])
    with pytest.raises(ImportFault, match=r"lacks the board two-rivers.*Nothing was imported"):
        import_archive(path, site.engine, site.blobs, None, site.clock.now(), contents_here)


def test_rules_in_an_archive_are_never_run(archives: dict[Edition, bytes], tmp_path: Path) -> None:
    """They are a program, and an archive may be anybody's."""
    files = unpacked(archives[Edition.PLAYERS])
    trap = tmp_path / "sprung"
    files["board/rules/mine.py"] = f"open({str(trap)!r}, 'w')".encode()
    chain = entries(files)
    chain[0]["body"]["tells"]["board"] = _digest(files)
    forged = rechained(files, chain)
    assert "another of that name" in keeper.galloper(tmp_path / "galloper")(forged, {})[0]
    alarms, notes = keeper.independent(tmp_path / "tool")(forged, {})
    assert alarms == ""
    assert "a program in board/rules" in notes
    assert not trap.exists()


def _digest(files: dict[str, bytes]) -> str:
    module = keeper.tool_module()
    return str(module.sha(module.canonical({
        name.removeprefix("board/"): module.sha(data) for name, data in files.items()
        if name.startswith("board/")})))
