"""A letter of more than eight megabytes: smaller pictures first, then a link that opens for its reader
alone."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256

from fastapi.testclient import TestClient

from service.mail.sending.compose import Attachment, OutLetter
from service.mail.sending.outbox import LINK_DAYS, file, prepare, put
from service.store.letter_parts import finished
from service.store.tables import AccessLinkRow
from tests.support.letters import noisy_picture
from tests.support.public_site import BASE
from tests.support.table import Table, address

MAP = b"%PDF-1.7 " + b"x" * 300_000


def letter(to: str) -> OutLetter:
    return OutLetter(
        f"key/{to}",
        "year_end_results",
        to,
        "Results",
        "The words.\n",
        html="<main><p>The words.</p></main>",
        attachments=(
            Attachment("map.pdf", "application/pdf", MAP),
            Attachment("sheet.png", "image/png", noisy_picture(200)),
        ),
    )


def written(table: Table, to: str, most: int, base: str = BASE) -> str:
    """Put a letter of which so many bytes fit into a mail; its words."""
    with table.site.store.begin() as session:
        assert put(session, table.site.blobs, letter(to), sender="Galloper <orders@galloper.example>",
                   now=table.site.clock.now(), max_bytes=most, base_url=base)
    row = table.letters()[-1]
    assert len(finished(table.site.blobs, row)) <= most
    return table.words(row)


def link(words: str) -> str:
    match = re.search(rf"{BASE}(/public/letter/[0-9a-f]{{64}})", words)
    assert match is not None, words
    return match.group(1)


def test_what_fits_as_smaller_pictures_needs_no_link(table: Table) -> None:
    words = written(table, address("Montrose"), 550_000)
    assert "Left out" not in words


def test_what_does_not_fit_lies_behind_a_link_that_gives_every_file_whole(
    table: Table, client: TestClient
) -> None:
    words = written(table, address("Montrose"), 60_000)
    assert "Left out because it is too large for mail: map.pdf" in words
    page = client.get(link(words))
    assert page.status_code == 200
    assert "map.pdf" in page.text
    assert client.get(f"{link(words)}/0").content == MAP
    assert client.get(f"{link(words)}/1").content == noisy_picture(200)
    assert client.get(f"{link(words)}/2").status_code == 404
    html = table.message(table.letters()[-1]).get_body(("html",))
    assert html is not None
    assert link(words) in html.get_content()


def test_the_link_ends_and_is_another_for_each_reader(table: Table, client: TestClient) -> None:
    first, second = (link(written(table, address(power), 60_000)) for power in ("Montrose", "Argyll"))
    assert first != second
    table.site.clock.advance(LINK_DAYS + timedelta(seconds=1))
    assert client.get(first).status_code == 404


def test_a_letter_that_two_processes_prepare_has_one_link(table: Table) -> None:
    """LET-05: only the one that is sent opens anything."""
    with table.site.store.begin() as session:
        prepared = [prepare(session, table.site.blobs, letter(address("Montrose")), max_bytes=60_000,
                            sender="Galloper <orders@galloper.example>", now=table.site.clock.now(),
                            base_url=BASE) for _ in range(2)]
        assert [file(session, each, table.site.clock.now()) for each in prepared] == [True, False]
        (row,) = session.query(AccessLinkRow)
    assert prepared[0].link is not None
    assert row.token_hash == sha256(prepared[0].link[0].encode()).hexdigest()


def test_a_kept_photograph_or_letter_is_not_opened_by_its_digest(table: Table, client: TestClient) -> None:
    """What lies under a digest that is printed or guessed is no one's to read: only a link's own secret
    opens."""
    written(table, address("Montrose"), 60_000)
    # Digests are printed in receipts and results, so knowing one must not open anything.
    for key in (table.site.blobs.put(b"a photograph"), table.letters()[-1].message, "0" * 64, "x"):
        assert client.get(f"/public/letter/{key}").status_code == 404
    with table.site.store() as session:
        (row,) = session.query(AccessLinkRow)
    assert client.get(f"/public/letter/{row.token_hash}").status_code == 404


def test_without_a_site_address_or_a_player_the_coordinator_is_named(table: Table) -> None:
    assert "Ask the coordinator for it." in written(table, address("Montrose"), 60_000, base="")
    assert "Ask the coordinator for it." in written(table, "coordinator@galloper.example", 60_000)


def test_copies_of_sheets_may_be_links(table: Table, client: TestClient) -> None:
    """LET-05: with `copies = "links"` a letter has no copy of a sheet, and a link that opens them for its
    reader alone."""
    sheets = (Attachment("sheet-montrose-1.jpg", "image/jpeg", noisy_picture(60)),)
    both = replace(letter(address("Montrose")), attachments=(), linked=sheets)
    with table.site.store.begin() as session:
        assert put(session, table.site.blobs, both, sender="Galloper <orders@galloper.example>",
                   now=table.site.clock.now(), base_url=BASE)
    row = table.letters()[-1]
    words = table.words(row)
    assert list(table.message(row).iter_attachments()) == []
    assert "Copies of the sheets that counted: until" in words
    assert "sheet-montrose-1.jpg" in client.get(link(words)).text
    assert client.get(f"{link(words)}/0").content == sheets[0].data
    # A site without a public address has no page to link to: the copies are attached.
    alone = replace(both, key="key/alone")
    with table.site.store.begin() as session:
        put(session, table.site.blobs, alone, sender="Galloper <orders@galloper.example>",
            now=table.site.clock.now())
    files = [part.get_filename() for part in table.message(table.letters()[-1]).iter_attachments()]
    assert files == ["sheet-montrose-1.jpg"]


def test_a_german_letter_says_in_german_what_was_left_out(table: Table) -> None:
    """PHA-11: German letters had English sentences about files behind a link, and about those left out."""
    german = replace(letter(address("Montrose")), html='<html lang="de"><main><p>Hallo</p>\n</main></html>')
    with table.site.store.begin() as session:
        for number, base in enumerate((BASE, "")):
            sender = replace(table.writer.sender, base_url=base, max_bytes=60_000)
            assert replace(table.writer, sender=sender).put(session, replace(german, key=f"key/{number}"))
        linked = replace(german, key="key/2", attachments=(), linked=german.attachments)
        sender = replace(table.writer.sender, base_url=BASE)
        assert replace(table.writer, sender=sender).put(session, linked)
    behind, alone, copies = (table.words(row) for row in table.letters()[-3:])
    assert "Weggelassen, weil es für eine Mail zu groß ist: map.pdf" in behind
    assert "Bis Fr, 30. April 2027, 07:00 GMT liegen sie hier, nur für Sie:" in behind
    assert "Bitten Sie die Spielleitung darum." in alone
    assert "Kopien der Blätter, die gezählt haben: Bis " in copies
