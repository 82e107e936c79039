"""Bytes in and out: MIME, IMAP, Maildir, SMTP, the outbox."""
