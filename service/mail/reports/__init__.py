"""Mail that machines write about ours: bounces and warnings of every dialect, receipts, automatic answers."""

from service.mail.reports.marks import MachineMarks, machine_marks, may_be_report
from service.mail.reports.read import read_report
from service.mail.reports.values import DeliveryReport, Evidence, Outcome, ReportKind

__all__ = [
    "DeliveryReport",
    "Evidence",
    "MachineMarks",
    "Outcome",
    "ReportKind",
    "machine_marks",
    "may_be_report",
    "read_report",
]
