"""Subject lines of mails and headings of sheets."""
