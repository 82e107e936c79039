"""Events that are logged: each event by its name, with its sentence, and whether all players are
informed.

An event of a game is reported to all players in the next results unless `HARMLESS` has a reason why not.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Self


class Event(StrEnum):
    """An event's name, as the log and the record keep it. `sentence`: what the log page shows, with details
    in braces."""

    sentence: str

    def __new__(cls, name: str, sentence: str) -> Self:
        event = str.__new__(cls, name)
        event._value_ = name
        event.sentence = sentence
        return event

    MAIL_USED = "mail_used", "{mail}: used"
    MAIL_REFUSED = "mail_refused", "{mail}: refused with an answer"
    MAIL_QUARANTINED = "mail_quarantined", "{mail}: set aside in quarantine"
    MAIL_IGNORED = "mail_ignored", "{mail}: ignored"
    MAIL_COMMAND = "mail_command", "{mail}: a command, answered by the machine"
    MAIL_GIVEN_UP = "mail_given_up", "{mail}: it could not be handled and waits in quarantine"
    MAIL_WAITS_FOR_DNS = "mail_waits_for_dns", "{mail}: it waits until its sender's domain answers"
    MAIL_UNREADABLE = "mail_unreadable", "A mail in the mailbox could not be fetched"
    MAIL_MOVED_ELSEWHERE = "mail_moved_elsewhere", "{count} mails that the site had not moved were received"
    MAIL_ASSIGNED = "mail_assigned", "{mail}: assigned to {power}"
    MAIL_REFUSED_BY_HAND = "mail_refused_by_hand", "{mail}: refused with an answer, from quarantine"
    MAIL_DISCARDED = "mail_discarded", "{mail}: discarded, from quarantine"
    MAIL_TAKEN_BACK = "mail_taken_back", "{mail}: back in quarantine"
    IGNORED_MAIL_TAKEN_BACK = "ignored_mail_taken_back", "{mail}: ignored before, and back in the queue"
    IGNORED_MAIL_LEFT = "ignored_mail_left", "{mail}: left ignored"
    LETTER_ANSWERED = "letter_answered", "{mail}: answered"
    LETTER_DONE = "letter_done", "{mail}: marked as done"
    LETTER_LOGGED = "letter_logged", "A letter of {power} came by post"
    LETTER_TAKEN_BACK = "letter_taken_back", "The entry about a letter of {power} by post was taken back"
    LETTER_NOT_SENT = "letter_not_sent", "A letter was not sent: its player has no address any more"
    LETTER_READDRESSED = "letter_readdressed", "A letter went to its player's present address"
    LETTERS_PAUSED = "letters_paused", "Letters are held back"
    LETTERS_RESUMED = "letters_resumed", "Letters leave again"
    LETTERS_TRIED_AGAIN = "letters_tried_again", "Failed letters are tried again"
    SHEET_CHOSEN = "sheet_chosen", "A sheet of {power} was chosen to count"
    SHEET_CHOICE_TAKEN_BACK = "sheet_choice_taken_back", "The choice of a sheet of {power} was taken back"
    SHEET_REFUSED = "sheet_refused", "A sheet of {power} was refused"
    SHEET_REFUSAL_TAKEN_BACK = "sheet_refusal_taken_back", "The refusal of a sheet of {power} was taken back"
    SHEET_LOOKED_AT = "sheet_looked_at", "The sheet of {power} was confirmed as the right one"
    SHEET_FILED_ANEW = "sheet_filed_anew", "A sheet was filed for another power"
    ORDERS_TAKEN_OVER = "orders_taken_over", "A sheet of {power} took over the orders that it leaves out"
    READING_FAILED = "reading_failed", "The machine failed to read a sheet"
    LINE_READ_DIFFERENTLY = "line_read_differently", "Two people read a line differently"
    DIFFERENCES_CLOSED = "differences_closed", "Lines that two people read differently were made void"
    HAND_FORGOTTEN = "hand_forgotten", "A player's learnt hand was deleted"
    FORGOTTEN = "forgotten", "A player was forgotten"
    PHASE_OPENED = "phase_opened", "{phase} opened"
    PHASE_CLOSED = "phase_closed", "{phase} closed at its deadline"
    PHASE_JUDGED = "phase_judged", "{phase} was judged"
    PHASE_ROLLED_BACK = "phase_rolled_back", "{phase} was rolled back to the desk"
    PHASE_PROOF_READ = "phase_proof_read", "Every line of {phase} was compared with its ink"
    PHASE_UNSEALED = "phase_unsealed", "The sheets of {phase} were opened before the deadline"
    SEED_LOST = "seed_lost", "The lots of {phase} were drawn without their seed"
    BEACON_GIVEN_UP = "beacon_given_up", "The lots of {phase} were drawn without the public beacon"
    DEADLINE_WAITS_FOR_MAILBOX = "deadline_waits_for_mailbox", "{phase} waits past its deadline"
    MAILBOX_EMPTIED = "mailbox_emptied", "{phase} no longer waits and continues"
    JUDGED_WITHOUT_MAILBOX = "judged_without_mailbox", "{phase} continues without waiting further"
    RESULTS_APPROVED = "results_approved", "The results of {phase} were approved and sent"
    RESULTS_TAKEN_BACK = "results_taken_back", "The results of {phase} were taken back, to be judged again"
    BOARD_CORRECTED = "board_corrected", "The board of {phase} was corrected"
    RESULTS_CORRECTED = "results_corrected", "An error in the results of {phase} was corrected"
    DEADLINE_MOVED = "deadline_moved", "The deadline of {phase} was moved"
    YEAR_MOVED = "year_moved", "The first day of a year was moved, from {phase} on"
    GAME_CREATED = "game_created", "The game was created"
    GAME_IMPORTED = "game_imported", "The game was imported"
    KEY_CHANGED = "key_changed", "Receipts are signed with a new key from now on"
    CHANGED_BY_HAND = "changed_by_hand", "A row of the game was changed outside the program"
    OPEN_PHASE_COPIED = "open_phase_copied", "A copy was made while sheets of {phase} were sealed"
    BOARD_KEPT = "board_kept", "A board of the site was saved"
    OPTION_CHANGED = "option_changed", "An option was changed"
    ACCOMMODATION_CHANGED = "accommodation_changed", "A player's needs were changed"
    ENTRY_CHANGED = "entry_changed", "A player changed their entry"
    ADDRESS_ADDED = "address_added", "An address of the player of {power} was added"
    ADDRESS_REMOVED = "address_removed", "An address of the player of {power} was removed"
    RETURN_ADDRESS_CHANGED = "return_address_changed", "The return address for letters by post was changed"
    ABSENCE_ANNOUNCED = "absence_announced", "The player of {power} is away from {first} to {last}"
    ABSENCE_ENDED = "absence_ended", "An absence of the player of {power} was taken back"
    GAME_PAUSED = "game_paused", "The game pauses for {days} days"
    COORDINATOR_AWAY = "coordinator_away", "The coordinator is away from {first} to {last}"
    GAME_OFFERED = "game_offered", "Sign-up for a game was opened: {offer}"
    POWERS_DRAWN = "powers_drawn", "The powers of {offer} were drawn"
    SIGN_UP_REMOVED = "sign_up_removed", "Number {number} was taken off the list of {offer}"
    OFFER_ENDED = "offer_ended", "The offer {offer} has ended"
    SIGN_UP_LETTER = "sign_up_letter", "A letter about the list of {offer} was written"
    MAIL_SIGN_UP = "mail_sign_up", "A mail signed its sender up for a game"
    UPLOAD_LINK_MADE = "upload_link_made", "A link to send photographs for {power} was made"
    UPLOAD_LINK_ENDED = "upload_link_ended", "A link to send photographs for {power} has ended"
    UPLOAD_LINKS_ENDED = "upload_links_ended", "All links to send photographs for {power} have ended"
    SEAT_CHANGED = "seat_changed", "{power} has another player"
    COORDINATOR_CHANGED = "coordinator_changed", "The coordinator changed"
    PERSON_ADDED = "person_added", "{person} can sign in"
    PERSON_REMOVED = "person_removed", "{person} can no longer sign in"
    PERSON_SIGNED_OUT = "person_signed_out", "{person} was signed out everywhere"
    PASSKEY_ADDED = "passkey_added", "{person} has a new passkey"
    PASSKEY_REMOVED = "passkey_removed", "{person} removed a passkey"
    CODE_APP_ADDED = "code_app_added", "{person} also signs in with the codes of an app"
    CODE_APP_REMOVED = "code_app_removed", "{person} no longer needs codes of an app"
    SIGNED_OUT_ELSEWHERE = "signed_out_elsewhere", "Other browsers were signed out"
    ROLE_CHANGED = "role_changed", "{person} has another role"
    GAME_ROLE_CHANGED = "game_role_changed", "{person} has another role in this game"
    WORK_FAILED = "work_failed", "A job failed and is tried again"
    CLOCK_OFF = "clock_off", "The clock of this machine is wrong"
    CLOCK_RIGHT = "clock_right", "The clock of this machine is right again"
    CLOCK_SET = "clock_set", "The clock of this machine was set back from {from} to {to}"
    STRAYS_FORGOTTEN = "strays_forgotten", "Mails that belong to no game were deleted"
    BACKUP_MADE = "backup_made", "A backup was made"
    ROOT_STAMPED = "root_stamped", "An outside authority stamped the root of the results of {phase}"
    RESTORED = "restored", "The site was restored from a backup"
    RESTORE_TESTED = "restore_tested", "A backup was restored as a test"
    PHASE_REHEARSED = "phase_rehearsed", "{phase} was rehearsed"
    GAME_SHELVED = "game_shelved", "A finished game was put on the shelf"
    GAME_UNSHELVED = "game_unshelved", "A finished game was brought back from the shelf"
    WEBHOOK_DELIVERED = "webhook_delivered", "A notice to a program that results are out was delivered"
    WEBHOOK_FAILED = "webhook_failed", "A notice to a program that results are out failed"


_MAIL = "The mail's effect on a game has its own entry."
_SITE = "It concerns the site and changes no game."
_COURSE = "It is the normal course of a phase."
_LETTER = "Every player gets a letter about it at once."
_OWN = "It concerns only the player."
_TALK = "It is correspondence with one person."
_BEFORE = "It is before the game begins."
_READ = "A decision about the line or sheet follows and has its own entry."
_POSTED = "The letter has its own entry, which results name."
_AFTER = "It happens after the last results; the archive has it."
_ENDS = "The link no longer works."
_PERSON = "The person's role has its own entry, which results name."
HARMLESS: Mapping[Event, str] = {
    Event.MAIL_USED: _MAIL,
    Event.MAIL_REFUSED: _MAIL,
    Event.MAIL_QUARANTINED: _MAIL,
    Event.MAIL_IGNORED: _MAIL,
    Event.MAIL_COMMAND: _MAIL,
    Event.MAIL_GIVEN_UP: _MAIL,
    Event.MAIL_WAITS_FOR_DNS: _MAIL,
    Event.MAIL_UNREADABLE: _MAIL,
    Event.MAIL_MOVED_ELSEWHERE: _SITE,
    Event.LETTER_ANSWERED: _TALK,
    Event.LETTER_DONE: _TALK,
    Event.LETTER_LOGGED: _POSTED,
    Event.LETTER_NOT_SENT: _TALK,
    Event.LETTER_READDRESSED: _TALK,
    Event.LETTERS_PAUSED: _SITE,
    Event.LETTERS_RESUMED: _SITE,
    Event.LETTERS_TRIED_AGAIN: _SITE,
    Event.READING_FAILED: _READ,
    Event.LINE_READ_DIFFERENTLY: _READ,
    Event.HAND_FORGOTTEN: _OWN,
    Event.FORGOTTEN: _AFTER,
    Event.PHASE_OPENED: _COURSE,
    Event.PHASE_CLOSED: _COURSE,
    Event.PHASE_JUDGED: _COURSE,
    Event.PHASE_PROOF_READ: "The letters of its results name it.",
    Event.DEADLINE_WAITS_FOR_MAILBOX: _COURSE,
    Event.MAILBOX_EMPTIED: _COURSE,
    Event.RESULTS_APPROVED: _COURSE,
    Event.RESULTS_CORRECTED: _LETTER,
    Event.GAME_CREATED: _LETTER,
    Event.BOARD_KEPT: _SITE,
    Event.ACCOMMODATION_CHANGED: _OWN,
    Event.ENTRY_CHANGED: _OWN,
    Event.ABSENCE_ANNOUNCED: _LETTER,
    Event.ABSENCE_ENDED: _OWN,
    Event.GAME_PAUSED: _LETTER,
    Event.COORDINATOR_AWAY: _LETTER,
    Event.GAME_OFFERED: _BEFORE,
    Event.POWERS_DRAWN: _BEFORE,
    Event.SIGN_UP_REMOVED: _BEFORE,
    Event.OFFER_ENDED: _BEFORE,
    Event.SIGN_UP_LETTER: _BEFORE,
    Event.MAIL_SIGN_UP: _MAIL,
    Event.UPLOAD_LINK_ENDED: _ENDS,
    Event.UPLOAD_LINKS_ENDED: _ENDS,
    Event.PERSON_ADDED: _SITE,
    Event.PERSON_REMOVED: _SITE,
    Event.PERSON_SIGNED_OUT: _SITE,
    Event.PASSKEY_ADDED: _SITE,
    Event.PASSKEY_REMOVED: _SITE,
    Event.CODE_APP_ADDED: _SITE,
    Event.CODE_APP_REMOVED: _SITE,
    Event.SIGNED_OUT_ELSEWHERE: _SITE,
    Event.ROLE_CHANGED: _SITE,
    Event.WORK_FAILED: _SITE,
    Event.CLOCK_OFF: _SITE,
    Event.CLOCK_RIGHT: _SITE,
    Event.STRAYS_FORGOTTEN: _SITE,
    Event.BACKUP_MADE: _SITE,
    Event.ROOT_STAMPED: _SITE,
    Event.RESTORE_TESTED: _SITE,
    Event.PHASE_REHEARSED: _SITE,
    Event.GAME_ROLE_CHANGED: _PERSON,
    Event.GAME_SHELVED: _SITE,
    Event.GAME_UNSHELVED: _SITE,
    Event.WEBHOOK_DELIVERED: _SITE,
    Event.WEBHOOK_FAILED: _SITE,
}
"""Events that results leave out, each with the reason; the next results inform all players every other
event of a game."""
