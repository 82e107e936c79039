"""A demo's story played on a table: its orders as they were worked out by hand, without mails, photographs or
a mail server."""

from __future__ import annotations

from datetime import timedelta

from demo.story import Story, story_of
from service.games.phases import phase_of
from service.notices.results import ResultsAnnouncer
from tests.support.site import Site
from tests.support.table import Table, open_table


def play_story(
    site: Site, slug: str, *, letters: bool = False, receipts: bool = False
) -> tuple[Story, Table]:
    """Play every phase of the story of a variant, each judged and sent. `letters`: with the results' letters,
    whose pictures are named and not drawn; `receipts`: each sheet is answered. The game has a gazette."""
    story = story_of(slug)
    table = open_table(site, slug=slug, name=story.game, options={**story.options, "gazette": True})
    if letters:
        table.announce = ResultsAnnouncer(table.writer, drawing=False)
    ids = {power.name: power.id for power in table.variant.powers.values()}
    for title, by_power in story.expected.items():
        phase = next(row for row in table.phases() if str(phase_of(row)) == title)
        site.clock.set(max(site.clock.now(), phase.opens_at))
        table.open_phase(phase.id)
        for power, orders in by_power.items():
            table.file(ids.get(power, power), list(orders), number=phase.ordinal, answered=receipts)
        site.clock.set(phase.deadline + timedelta(minutes=1))
        table.close_phase(phase.id)
        assert table.judge_when_read(phase.id) or table.phase(phase.ordinal).state == "ready"
        table.approve_phase(phase.id, "Ada")
    return story, table
