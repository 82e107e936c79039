"""Every game through every door for a sheet (BEY-05, BEY-08): the page behind a link, and the form for who
cannot write by hand."""

from __future__ import annotations

from datetime import timedelta

import pytest

import maps
from service.games.lines import lines_of
from service.games.phases import phase_of
from service.intake.sheets.read_submission import SubmissionReader
from service.intake.sheets.recognizer import EngineRecognizer, ImageOpener, OpenerProbe
from service.notices.answers.replies import Replies
from service.notices.order_sheets import order_examples
from service.store.tables import LineState, MailState
from tests.features.uploads.test_uploads import BASE, fields, link_of, send
from tests.support.desk_table import open_desk
from tests.support.form_filling import typed_into
from tests.support.site import Site
from tests.support.table import open_table

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("slug", maps.variants())
def test_a_form_filled_in_with_a_keyboard_is_sent_by_the_page_and_read_exactly(site: Site, slug: str) -> None:
    table = open_table(site, slug=slug)
    table.probe = OpenerProbe(ImageOpener())
    site.clock.set(table.phase().opens_at + timedelta(hours=1))
    desk = open_desk(table, base_url=BASE)
    power = next(iter(table.variant.powers))
    form = desk.client.get(f"/public/{table.game}/sheet-form.pdf?power={power}").content
    examples = order_examples(table.variant, phase_of(table.phase()).kind)
    filled = typed_into(form, {f"galloper-order-{n:02}": order for n, order in enumerate(examples, start=1)})
    link = link_of(desk, power)
    told = send(desk, link, [filled], fields(desk, link)).json()
    table.process(told["mail"])
    assert table.mail_row(told["mail"]).state == MailState.USED
    (paper,) = table.submissions()
    SubmissionReader(
        store=site.store, blobs=site.blobs, clock=site.clock, recognizer=EngineRecognizer(engines=()),
        load=table.load, replies=Replies(table.writer), on_read=lambda _phase: None,
    ).read({"submission": paper.id})
    (paper,) = table.submissions()
    assert (paper.fate, paper.power, paper.flags) == ("counts", power, ["form_filled"])
    with site.store() as session:
        lines = lines_of(session, [paper.id])[paper.id]
    orders = lines[-len(examples):]
    assert [line.text for line in orders] == list(examples), "letter by letter"
    assert {line.state for line in orders} == {LineState.AUTO}
    assert [kind for kind, _ in table.written_letters()] == ["receipt"]
