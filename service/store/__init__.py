"""Tables, rows and files by their SHA-256. No rule of a game is here.

Doors: `engine.open_engine` and `migrate`, `records` for questions of all packages, `blobs.open_blobs`.

- `tables`, `tables_desk`, `tables_features`, `tables_mailbox`, `tables_record`, `tables_schedule`,
  `tables_sign_in`: the tables; `columns`: their parent class and closed sets.
- `phase_looks`: which phases the clockwork looks at next.
- `addresses`: mail addresses as they are compared, and the mark of a mail's author.
- `mail_troubles`: mails that the mail server keeps from us.
- `records`: rows to values and back, in the caller's transaction; `claim` changes a row only as it was read.
- `digests`: the arithmetic of the record.
- `dump`: rows as JSON lines, for backups and archives.
- `blobs`: files in a folder or in an object store.

Of `service` it imports `config` and `facts` alone.
"""
