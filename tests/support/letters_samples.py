"""One sample of each letter, from a made-up game; `nasty` fills every free text with what a hostile sender
would."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from adjudicator.calendar import Phase, PhaseKind
from service.games.results import ShownOrder, ShownPower
from service.letters.facts import (
    AnsweredMail,
    Closing,
    CorrectionFacts,
    GameInfo,
    GameOverFacts,
    Holding,
    NextDate,
    Proofs,
    Recipient,
    ResultsFacts,
    SheetFacts,
    Standings,
    UnitChanges,
)
from service.letters.render import letter
from service.letters.statistics import PowerCounts, Statistics
from service.mail.sending.compose import Attachment, OutLetter
from service.notices.announcements import ANNOUNCEMENT, AnnouncementFacts, new_coordinator_facts
from service.notices.answers.receipts import RECEIPT, RECEIPT_LATE, ArrivedSheet, ReadBack, ReceiptFacts
from service.notices.answers.replies import HELD, REJECTION, HeldFacts, RejectionFacts
from service.notices.broadcasts import (
    CORRECTION,
    DEADLINE_MOVED,
    WELCOME,
    DeadlineFacts,
    PlayingRules,
    WelcomeFacts,
    WelcomeLinks,
)
from service.notices.coordinator_notices import COORDINATOR_NOTICE, NoticedMail, NoticeFacts
from service.notices.ending import GAME_OVER
from service.notices.phase_letters.requests import (
    ADJUSTMENT,
    RETREAT_REQUEST,
    AdjustmentFacts,
    RetreatFacts,
    RetreatUnit,
)
from service.notices.postal_packs import POSTAL_PACK, PackFacts
from service.notices.reminders import REMINDER, ReminderFacts
from service.notices.results_facts import DRAFT_RESULTS, FINAL_RESULTS, YEAR_END_RESULTS
from service.record.references import RecordReference
from tests.support.features import letter_samples

AT = datetime(2027, 3, 12, 18, 2, 5, tzinfo=UTC)
MOVEMENT = Phase(1644, "Autumn", PhaseKind.MOVEMENT)
RETREAT = Phase(1644, "Autumn", PhaseKind.RETREAT)
WINTER = Phase(1645, "Winter", PhaseKind.ADJUSTMENT)
CLOSING = Closing(MOVEMENT, datetime(2027, 3, 14, 7, 0, tzinfo=UTC))
RETREATS = Closing(RETREAT, datetime(2027, 3, 16, 7, 0, tzinfo=UTC))
ADJUSTMENTS = Closing(WINTER, datetime(2027, 4, 18, 7, 0, tzinfo=UTC))
SUBJECT = "Powick Bridge - Montrose - Autumn 1644 - Movement Orders - v3"
DIGEST = "9f86d081884c7d659a2feaa0c55ad015"

CROWN = ShownPower(
    "The Crown",
    (
        ShownOrder("Army London moves to Surrey", "succeeds", "moves", "", 1),
        ShownOrder("Army Oxford supports Army London to Surrey", "fails", "cut",
                   "support cut by Army Berkshire's attack on Oxford", 2),
        ShownOrder("Fleet Bristol convoys Army Glamorganshire to Barnstaple Bay", "void", "void",
                   "Barnstaple Bay is no land.", 3),
    ),
    void=((4, "read as “Army Durham” or as “Army Derby”: void, the unit holds"),),
    without_order=("Army Exeter",),
)  # fmt: skip
MONTROSE = ShownPower("Montrose", (), without_order=("Army Inverness",), sheet=False)
HAMILTON = ShownPower("Hamilton", ())


MAP_FILE = Attachment("map.pdf", "application/pdf", b"%PDF-1.7 sample")
RECEIPT_FACTS = ReceiptFacts(ArrivedSheet(AT, MOVEMENT, 2, 3, DIGEST), CLOSING)


def results(*, nasty: str = "") -> ResultsFacts:
    """Results with every part filled."""
    return ResultsFacts(
        powers=(CROWN, MONTROSE, HAMILTON),
        sheets=(SheetFacts("The Crown", 2, DIGEST), SheetFacts("Hamilton", None, DIGEST)),
        units=UnitChanges(
            dislodged=("Army Derbyshire (Newcastle), dislodged by the attack from Nottinghamshire",),
            disbanded=("Fleet Wexford (Confederacy)",),
            built=("Army London (The Crown)",),
            removed=("Army Exeter (The Crown)",),
            by_lot=("Fleet Bristol (The Crown)", "Army Inverness (Montrose)"),
        ),
        standings=Standings(
            holdings=(
                Holding("The Crown", 7, 5, 2, gained=("Oxford",), lost=()),
                Holding("Montrose", 1, 3, -2, lost=("Orkney", "Aberdeen")),
                Holding("Hamilton", 6, 6),
            ),
            winner="The Crown",
            draw=("Montrose", "Ormond"),
        ),
        dates=(NextDate("Autumn 1644 retreat orders close", RETREATS.deadline),),
        remarks=(f"The phase was unsealed on Sat 13 Mar: a page was missing.{nasty}",),
        proofs=Proofs(drawn_lots="The draw of lots can be checked at https://example.org/lots/7"),
    )


def every_letter(
    nasty: str = "", zone: str = "Europe/London", language: str = "en"
) -> dict[str, OutLetter]:
    """Kind, or kind and what is special about it, to a letter."""
    game = GameInfo(
        "powick-bridge",
        f"Powick Bridge{nasty}",
        "Wars of the Three Kingdoms",
        "orders@w3k.example",
        f"Ada{nasty}",
    )
    to = Recipient("graham.j@mailbox.example", f"Montrose{nasty}", zone, f"Graham Jones{nasty}", language)
    asks = (f"<a1{len(nasty)}@mailbox.example>",)
    arrived = ReceiptFacts(
        ArrivedSheet(AT, MOVEMENT, 2, 3, DIGEST), CLOSING, replaces=1, subject=SUBJECT + nasty,
        message_ids=asks,
        notes=(f"One more picture in the mail could not be opened.{nasty}",),
    )
    plain = ReceiptFacts(ArrivedSheet(AT, MOVEMENT, None, 1, DIGEST), None)
    refused = RejectionFacts(
        AnsweredMail(DIGEST, AT, f"orders for montrose{nasty}", asks),
        "No picture of a sheet was found in the mail; text in the message is not read.",
        "Nothing you sent before has changed.",
        "Photograph the sheet and attach it to a mail with the same subject.", SUBJECT, CLOSING,
    )
    waiting = HeldFacts(AnsweredMail(DIGEST, AT, f"Edgehill{nasty}", asks),
                        "The heading on the sheet and the subject of the mail do not agree.",
                        "A new version with both alike settles it at once.")
    return {
        "receipt": letter(RECEIPT, game, to, arrived),
        "receipt bare": letter(RECEIPT, game, to, plain),
        "receipt read": letter(RECEIPT, game, to, replace(arrived, reading=(
            ReadBack("", "Montrose"), ReadBack("1", f"Army London moves to Surrey{nasty}"),
            ReadBack("2", "Arrny Oxfrd holds", unsure=True, order="Army Oxford? holds"),
            ReadBack("3", "Army Essex holds", struck=True), ReadBack("4", ""))), attached=(
            Attachment("reading-1.jpg", "image/jpeg", b"sample"),)),
        "receipt_late": letter(RECEIPT_LATE, game, to, arrived),
        "adjustment nothing": letter(ADJUSTMENT, game, to, AdjustmentFacts(
            0, ADJUSTMENTS, SUBJECT, may_send_supply=False), phase=WINTER),
        "adjustment few places": letter(ADJUSTMENT, game, to, AdjustmentFacts(
            3, ADJUSTMENTS, SUBJECT, places=1), phase=WINTER),
        "rejection": letter(REJECTION, game, to, refused),
        "rejection no game": letter(REJECTION, None, Recipient("graham.j@mailbox.example"), refused),
        "held": letter(HELD, game, to, waiting),
        "coordinator_notice": letter(COORDINATOR_NOTICE, game, Recipient("ada@w3k.example"), NoticeFacts(
            DIGEST, f"A mail waits in quarantine{nasty}", "https://desk.example/quarantine/9", AT,
            "its orders do not count at the deadline.")),
        "coordinator_notice mail": letter(COORDINATOR_NOTICE, None, Recipient("ada@w3k.example"), NoticeFacts(
            DIGEST, "A mail needs you.", "https://desk.example/quarantine/9", AT, "it does not count.",
            NoticedMail(f"graham.j@mailbox.example{nasty}", False, f"Orders{nasty}", f"Graham{nasty}",
                        "Powick Bridge, Montrose", CLOSING))),
        "draft_results": letter(DRAFT_RESULTS, game, to, results(nasty=nasty), phase=MOVEMENT,
            attached=(MAP_FILE,)),
        "retreat_request": letter(RETREAT_REQUEST, game, to, RetreatFacts(
            (RetreatUnit(f"Army Derbyshire{nasty}", f"Nottinghamshire{nasty}",
                         (f"Nottinghamshire is barred: the attack came from there.{nasty}",),
                         (f"Army Derbyshire retreats to ...{nasty}", "Army Derbyshire disbands")),),
            RETREATS, SUBJECT), phase=RETREAT, attached=(MAP_FILE,)),
        "final_results": letter(FINAL_RESULTS, game, to, results(nasty=nasty), phase=RETREAT),
        "adjustment": letter(ADJUSTMENT, game, to, AdjustmentFacts(2, ADJUSTMENTS, SUBJECT), phase=WINTER,
            attached=(MAP_FILE,)),
        "adjustment demand": letter(ADJUSTMENT, game, to, AdjustmentFacts(-1, ADJUSTMENTS, SUBJECT),
            phase=WINTER),
        "adjustment even": letter(ADJUSTMENT, game, to, AdjustmentFacts(0, ADJUSTMENTS, SUBJECT),
            phase=WINTER),
        "year_end_results": letter(YEAR_END_RESULTS, game, to, results(nasty=nasty), phase=WINTER,
            attached=(MAP_FILE,)),
        "deadline_moved": letter(DEADLINE_MOVED, game, to, DeadlineFacts(
            "1", MOVEMENT, CLOSING.deadline, ADJUSTMENTS.deadline, f"The post office is on strike.{nasty}",
            (NextDate("Autumn 1644 Retreat", RETREATS.deadline),), (NextDate("Winter 1645 Adjustment", AT),)),
            attached=(Attachment("calendar.ics", "text/calendar", b"BEGIN:VCALENDAR"),)),
        "deadline_moved alone": letter(DEADLINE_MOVED, game, to, DeadlineFacts(
            "2", MOVEMENT, CLOSING.deadline, ADJUSTMENTS.deadline, "The post office is on strike.")),
        "correction": letter(CORRECTION, game, to, CorrectionFacts(
            "a-key", f"Army Oxford was dislodged.{nasty}", f"Army Oxford stands.{nasty}",
            f"The Crown has one more army.{nasty}", f"Montrose{nasty}", AT), phase=MOVEMENT),
        "welcome": letter(WELCOME, game, to, WelcomeFacts(
            (f"Army Inverness{nasty}", "Fleet Orkney"), ("The Crown", "Montrose"), CLOSING, SUBJECT,
            examples=("Army Durham holds", "Army Durham moves to York"),
            links=WelcomeLinks(
                "https://example.org/powick-bridge.ics", "https://example.org/public/powick-bridge/players",
                "https://example.org/public/calendar/0123456789abcdef0123456789abcdef.ics",
                "https://example.org/public/powick-bridge", "https://example.org/public/moves/w3k",
                "https://example.org/public/powick-bridge"),
            rules=PlayingRules(conduct=(f"Nobody writes as somebody else.{nasty}",
                "What is posted counts."))), phase=MOVEMENT,
            attached=(MAP_FILE, Attachment("sample.png", "image/png", b"sample", "sample@w3k.example"))),
        "reminder": letter(REMINDER, game, to, ReminderFacts(
            48, CLOSING, AT, SUBJECT + nasty, "https://example.org/powick-bridge.ics",
            "https://example.org/public/entry")),
        "reminder plain": letter(REMINDER, game, to, ReminderFacts(12, CLOSING, AT, SUBJECT)),
        "postal_pack": letter(POSTAL_PACK, game, Recipient("ada@w3k.example"), PackFacts(
            ((f"Montrose{nasty}", 2), ("The Crown", 1)), ("Ormond",),
            (f"Montrose: A journey begins or ends about now: post to both addresses.{nasty}",)), phase=WINTER,
            attached=(MAP_FILE,)),
        "postal_pack bare": letter(POSTAL_PACK, game, Recipient("ada@w3k.example"),
            PackFacts((), ("Ormond",)), phase=WINTER),
        "announcement": letter(ANNOUNCEMENT, game, to, AnnouncementFacts(
            "a-key", f"Montrose is away{nasty}", (f"Reason: {nasty}", "Deadlines stay as they are."),
            CLOSING)),
        "announcement bare": letter(ANNOUNCEMENT, game, to,
            AnnouncementFacts("b-key", "The game pauses", ())),
        "announcement coordinator": letter(ANNOUNCEMENT, game, to, new_coordinator_facts(
            "a-key", game.name, (f"Ada{nasty}", f"Blaise{nasty}"), AT, RecordReference(7, DIGEST), b"{}",
            CLOSING)),
        **{f"game_over {kind}".removesuffix(" draw"): letter(GAME_OVER, game, to, GameOverFacts(
            kind, (f"Montrose{nasty}", "The Crown"), f"All wrote so.{nasty}",
            ((f"Montrose{nasty}", 6, 9), ("The Crown", 6, 1)), ((f"Ada Quill{nasty}", ("Montrose",)),),
            Statistics((PowerCounts(f"Montrose{nasty}", 12, 1, 6, 2, 3, 1, 1),),
                       ((f"Montrose{nasty}", "The Crown", 1), ("The Crown", "Montrose", 3))),
            ("1642",), {"Montrose": (6, 9)}, "https://example.org/public/powick-bridge/end"), phase=WINTER,
            attached=(MAP_FILE,))
           for kind in ("draw", "victory", "joint victory", "concession")},
        "announcement coordinator between": letter(ANNOUNCEMENT, game, to, new_coordinator_facts(
            "b-key", game.name, ("Ada", "Blaise"), AT, RecordReference(0, DIGEST), b"{}", None)),
        **letter_samples(game, to, nasty),
    }  # fmt: skip
