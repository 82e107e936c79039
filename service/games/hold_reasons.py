"""Why a sheet waits for the coordinator, in words."""

from __future__ import annotations

from collections.abc import Sequence

# Half sentences: they follow "held, because" in the reason of a ballot.
REASONS = {
    "bad_from": "its sender's address cannot be read",
    "auth_failed": "its sender could not be proved",
    "auth_unavailable": "its sender's domain did not answer",
    "subject_unparsed": "its subject could not be understood",
    "unknown_game": "its subject names no game that runs here",
    "ambiguous_game": "its subject fits several games",
    "unknown_power": "its subject names no power of the game",
    "ambiguous_power": "its subject fits several powers",
    "sender_not_power": "its sender does not command this power",
    "unknown_sender": "nobody is registered with its sender's address",
    "phase_type_mismatch": "its kind of orders fits no open phase",
    "wrong_phase": "its season fits no open phase",
    "encrypted": "it is encrypted",
    "too_large": "it is too large",
    "bad_image": "its picture cannot be opened",
    "no_photo": "it has no picture",
    "not_bold": "its orders were typed and are not in bold",
    "late": "it came after the deadline",
    "first_by_post": "the first orders must come by post",
    "too_dark": "the photograph is too dark",
    "blurred": "the photograph is blurred",
    "cut_off": "the sheet is cut off",
    "truncated": "the picture file is cut short",
    "blank": "no writing was found on the sheet",
    "not_a_sheet": "no sheet was found in the photograph",
    "not_an_image": "the file is no picture",
    "heading_disagrees": "the sheet's heading and the mail's subject disagree",
    "code_disagrees": "the code on the sheet and the mail's subject disagree",
    "set_aside_by_hand": "the coordinator set it aside",
    "form_disagrees": "the sheet's heading and what it was filed as by hand disagree",
    "only_changes": "the sheet gives only changes to an earlier one",
    "version_unclear": "it calls itself final or another version, without a number",
    "version_conflict": "the same version number came before with other ink, and the later one counts",
    "version_disagrees": ("its heading says another version than the mail's subject; the subject's number "
                          "counts"),
    "choice_ended": "it was chosen by hand, and a later sheet that came in time ended that choice",
    "reader_failed": "the machine failed to read it",
    "own_mail": "it looks like one of our own letters that came back",
    "bounce": "it looks like a report about a letter of ours",
    "receipt": "it looks like the report that a letter of ours was opened",
    "auto_reply": "it says that a program sent it",
    "duplicate": "the same pictures came before under the same subject",
    "could_not_be_handled": "the machine failed to handle it",
}


def reasons(codes: Sequence[str]) -> str:
    """The reasons among the flags of a submission; flags that are no reason are left out."""
    return "; ".join(REASONS[code] for code in codes if code in REASONS) or "it waits for the coordinator"
