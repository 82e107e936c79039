"""How a long play ends, and what is there for everybody then: the last steps of
`tests/whole_site/test_played_by_every_door.py` (BEY-03, BEY-06, BEY-08)."""

from __future__ import annotations

import re
from pathlib import Path

import pypdfium2

from service.features.programs.api import PREFIX
from service.store.tables import PhaseState
from tests.features.long_play import LongPlay
from tests.features.whole_house import Browser, words_of
from tests.support import keeper
from tests.support.mail_builder import part, picture
from tests.support.tags import tags_of


def guest(power: str) -> str:
    """The address of a player of the other game of the site."""
    return f"{power.lower()}@guests.example"


def hides(order: str) -> bool:
    """Whether an order is where a fleet of 1066 hides, which the results tell its own power alone."""
    return order.startswith("Hidden ")


def the_game_ends(play: LongPlay, ada: Browser, kind: str) -> None:
    """The coordinator declares it; each player has a letter with thanks to all by name, and no door takes a
    sheet any more."""
    game, winner = f"/games/{play.game}", next(iter(play.variant.powers))
    sharing = list(play.variant.powers) if kind == "draw" else [winner]
    browser = play.house.visit(play.people[winner])
    link = play.upload_link(browser)
    browser.page(f"{play.base}/end", 404)
    ada.look_and_send(game, f"{game}/end", kind=kind, power=sharing, why="So all agreed in writing")
    play.house.settle()
    assert {row.state for row in play.phases()} == {PhaseState.SENT}
    for address in play.people.values():
        words = words_of(play.house.letters(address)[-1])
        assert ("conceded the war to" in words) == (kind == "concession")
        assert ("draw" in words) or kind == "concession"
        assert all(name in words for name in play.names.values())
    assert play.ask()["is_over"] is True
    assert all(row["sent_at"] for row in play.ask("calendar")), "nothing is due any more"
    now, feed = play.house.clock.now(), play.house.browser().page(f"{play.base}/calendar.ics")
    assert all(instant <= f"{now:%Y%m%dT%H%M}" for instant in re.findall(r"DTSTART[^:]*:(\d{8}T\d{4})", feed))
    assert play.story.game not in ada.says("/deadlines")
    sheets = len(play.sheets(play.phases()[-1]))
    refused = play.upload(browser, link, picture(30), version="1")
    assert (refused.status_code, "Nothing was sent" in refused.text) == (403, True)
    last = play.phases()[-1]
    play.house.mail_in(play.people[winner], play.subject(winner, last, 2), [part(picture(31))])
    play.house.settle()
    assert len(play.sheets(last)) == sheets
    assert "The game is over and takes no more orders" in words_of(
        play.house.letters(play.people[winner], "rejection")[-1])


def everybody_can_read_it(play: LongPlay) -> None:
    """Results, the map, the gazette, the war and every file of a letter: in PDFs with structure, language,
    title and words for each picture; and as text with the name of each power and place."""
    power = next(iter(play.variant.powers))
    player = play.house.visit(play.people[power])
    files = {"map-a4.pdf": player.data(f"{play.base}/map-a4.pdf"),
             "map-table.pdf": player.data(f"{play.base}/map-table.pdf")}
    files |= {name: player.data(name) for name in re.findall(
        rf'href="({play.base}/gazette-\d+[.]pdf)"', player.page(f"{play.base}/gazette"))}
    for title in play.story.expected:
        number = play.phase(title).ordinal
        table = f"{play.base}/results/{number}/table"
        files[f"table-{number}.pdf"] = player.data(f"{table}.pdf")
        text = player.page(f"{table}.txt")
        for power_id, orders in play.orders(title).items():
            assert play.variant.powers[power_id].name in text
            rows = text.partition(f"\n\n{play.variant.powers[power_id].name}")[2].split("\n\n")[0]
            shown = [order for order in orders if not hides(order)]
            assert len([row for row in rows.splitlines() if "; " in row]) >= len(shown), (title, power_id)
    for letter in play.house.letters(play.people[power]):
        files |= {f"{letter['Message-ID']} {part.get_filename()}": part.get_content()
                  for part in letter.iter_attachments() if part.get_content_type() == "application/pdf"}
    for name, data in files.items():
        tags = tags_of(data)
        assert tags.is_tagged, name
        assert (tags.language[:2], bool(tags.title.strip())) == ("en", True), name
        assert all(tags.alternates), name
        assert sum(tags.counts.values()) > 2, name
    # The book of plates is pictures alone; what is on each is in the tables above.
    war = pypdfium2.PdfDocument(play.drawn_in_turn(player, f"{play.base}/war.pdf"))
    assert len(war) == len(play.story.expected) + 2
    held = player.page(f"{play.base}/map-table.txt")
    assert all(each.name in held for each in play.variant.powers.values())
    # For who needs it: black on white, white on black, by the device's own wish.
    page = player.page(f"{play.base}/results")
    sheet = re.search(r'href="(/static/design[^"]*[.]css[^"]*)"', page)
    assert sheet is not None
    style = player.page(sheet[1])
    assert "prefers-contrast: more" in style
    assert "prefers-color-scheme: dark" in style


def both_checkers_are_content(play: LongPlay, folder: Path) -> None:
    """The archive that a player takes home, with that player's own mails and letters."""
    for power in list(play.variant.powers)[:3:2]:
        address = play.people[power]
        archive = play.house.visit(address).data(f"{play.base}/archive.zip")
        mails = {f"{number:03}.eml": raw for number, raw in enumerate(play.house.raw_letters(address))}
        mails |= {f"sent-{number}.eml": raw for number, raw in enumerate(play.house.sent.get(address, ()))}
        for name, checker in (("galloper", keeper.galloper(folder / f"{power}-galloper")),
                              ("independent", keeper.independent(folder / f"{power}-independent"))):
            fault, words = checker(archive, mails)
            assert fault == "", (name, power, words)


def nobody_else_gets_in(play: LongPlay) -> None:
    """A stranger, a player of the other game, a player at the desk, and a token of no one."""
    number = play.phases()[0].ordinal
    paths = [f"{play.base}/{path}" for path in (
        "end", f"end/{number}", "war", "war.pdf", "gazette", "results", f"results/{number}", "players",
        f"results/{number}/table.txt", "archive.zip", "file")]
    stranger, other = play.house.browser(), play.house.visit(guest("Austria"))
    for browser in (stranger, other):
        assert {path: browser.client.get(path).status_code for path in paths} == dict.fromkeys(paths, 403)
    player = play.house.visit(next(iter(play.people.values())))
    for path in (f"/games/{play.game}", "/deadlines", "/new-games", f"/results/{play.phases()[0].id}"):
        answer = player.client.get(path)
        assert answer.status_code in {303, 401, 403}, path
    assert stranger.client.get(f"{PREFIX}/games/{play.game}/results").status_code == 401
