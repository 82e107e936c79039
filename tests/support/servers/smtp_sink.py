"""The difficult mail server of the benches, under the name that tests know."""

from bench.servers.smtp_sink import Answer, Letter, SmtpSink

__all__ = ["Answer", "Letter", "SmtpSink"]
