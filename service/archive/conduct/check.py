"""All rules of conduct, one after the other."""

from __future__ import annotations

from service.archive.archive_file import Archive, VerifyReport
from service.archive.conduct import lines, phases, plans, sheets, telling
from service.archive.conduct.facts import Fact, facts_of


def check_conduct(archive: Archive, report: VerifyReport) -> None:
    """Add every fault and note of the rules C1 to C23 to the report. A record of format 1 has no such
    rules."""
    if archive.format < 2:
        report.notes.append("The record is of format 1: its chain, sheets and lots are checked, and not "
                            "its keeper's conduct.")
        return
    facts = facts_of(archive)
    for judged in final_judgings(facts.of("judged")):
        clock = facts.last("phase", judged.number)
        phase_fact = next(
            (fact for fact in clock.values() if fact.tells["phase"] == judged.tells["phase"]), None)
        if phase_fact is None:
            continue
        sheets.check_ballot(facts, judged, phase_fact.tells["deadline"])
        sheets.check_receipts(facts, judged)
        lines.check_lines(facts, judged, phase_fact.tells["review"])
        phases.check_words(facts, judged, phase_fact.tells["deadline"])
    sheets.check_sheets_stay(facts)
    sheets.check_arrivals(facts)
    sheets.check_mails(facts)
    lines.check_readings_stay(facts)
    lines.check_decisions(facts)
    phases.check_phases(facts)
    phases.check_judgings(facts)
    plans.check_plans(facts)
    plans.check_keys(facts)
    phases.check_game(facts)
    phases.check_times(facts)
    telling.check_letters(facts)
    telling.check_closed(facts)
    telling.check_forgotten(facts)
    report.faults += facts.faults
    report.notes += facts.notes


def final_judgings(judged: list[Fact]) -> list[Fact]:
    """The last judging of each phase, where it was not taken back."""
    last = {fact.tells["phase"]: fact for fact in judged}
    return [fact for fact in last.values() if "taken_back" not in fact.tells]
