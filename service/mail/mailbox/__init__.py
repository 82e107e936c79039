"""Mails in: IMAP and Maildir, taking in, the mailbox at a deadline."""
