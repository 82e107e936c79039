"""No real person is in what comes with the program: players and addresses are invented (GAP-07), handwriting
is generated, and no game's mail is learnt from (GAP-06)."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Callable, Sequence
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import pytest

from demo.story import STORIES, read_story, story_variants
from tests.support.site import Site
from tests.support.table import open_table
from training import calibrate_confidence, calibrate_confusions
from training.handwriting import font_sets

DATA = Path(__file__).parents[1] / "data"
MAILS = sorted((DATA / "mail").glob("*.eml"))
RESERVED = (".example", "example.com", "example.net", "example.org", ".invalid", ".test")
"""Names that no one can register (RFC 2606, RFC 6761)."""
DOCUMENTATION = [
    ipaddress.ip_network(network)
    for network in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")
]
"""Addresses that are no one's (RFC 5737, RFC 3849)."""
ADDRESS = re.compile(r"[\w.+-]+@([\w.-]+\w)")
NUMBER = re.compile(r"\[(?:IPv6:)?([0-9a-fA-F:.]+)\]")


def test_the_demos_players_write_from_addresses_that_cannot_exist() -> None:
    """GAP-07: every power has one, and so has anyone else who writes."""
    story = read_story()
    senders = {address for _, address in story.players.values()} | {mail.sender for mail in story.mails}
    assert len(story.players) == 10
    assert len(senders) == 11, "ten players and a stranger"
    assert not [sender for sender in senders if not sender.endswith(RESERVED)]


@pytest.mark.parametrize("path", MAILS, ids=lambda path: path.stem)
def test_a_mail_of_the_fixtures_names_no_address_that_can_exist(path: Path) -> None:
    """GAP-07."""
    head = message_from_bytes(path.read_bytes(), policy=policy.default).items()
    text = "\n".join(
        str(value) for name, value in head if not name.lower().startswith(("dkim", "arc", "x-ms", "x-goog"))
    )
    domains = ADDRESS.findall(text)
    assert domains
    assert not [domain for domain in domains if not domain.lower().endswith(RESERVED)]
    addresses = [ipaddress.ip_address(address) for address in NUMBER.findall(text)]
    assert not [address for address in addresses if not address.is_loopback
                and not any(address in net for net in DOCUMENTATION)]


DRAWN = [
    folder
    for folder in (*[STORIES / slug for slug in story_variants()], DATA / "sheets")
    if any(folder.glob("*.jpg"))
]


@pytest.mark.parametrize("folder", DRAWN, ids=lambda folder: folder.name)
def test_every_photograph_of_a_sheet_says_by_what_its_hand_was_made(folder: Path) -> None:
    """GAP-06: a font under the OFL, or a generating network; never a person's pen."""
    sheets: list[dict[str, Any]] = json.loads((folder / "truth.json").read_text("utf-8"))["sheets"]
    assert {sheet["file"] for sheet in sheets} == {path.name for path in folder.glob("*.jpg")} - {
        "meadow.jpg"
    }
    for sheet in sheets:
        style = sheet["style"]
        assert style["source"] == "neural" or (
            style["source"] == "font" and style["font"] in font_sets.TABLE
        ), sheet["id"]


@pytest.mark.parametrize(("fit", "more"), [
    (calibrate_confidence.main, ("--seed", "1", "--keep", "kept.jsonl")), (calibrate_confusions.main, ()),
], ids=["confidence", "likeness"])  # fmt: skip
def test_a_games_own_mail_is_nothing_to_learn_from(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    fit: Callable[[Sequence[str]], int], more: Sequence[str],
) -> None:  # fmt: skip
    """GAP-06: a site with a player's sheet is refused."""
    table = open_table(site)
    row = table.take(table.mail("Montrose"), table.phase().opens_at)
    assert row.state == "used"
    assert site.blobs.read(row.sha256)
    monkeypatch.chdir(tmp_path)
    assert fit([str(tmp_path), "--out", "fitted.toml", "--made", "from the mail of a game", *more]) == 1
    # Whatever is fitted requests photographs whose writer's program shows what they show. A site has none.
    assert "truth.json cannot be read" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.toml"))
    assert not list(tmp_path.glob("*.jsonl"))
