"""Tables, rows and files by their SHA-256. No rule of a game is here.

Doors: `engine.open_engine` and `migrate`, `records` for questions of all packages, `blobs_remote.open_blobs`.

- `tables`, `tables_desk`, `tables_record`, `tables_mailbox`, `tables_hand`, `tables_scans`,
  `tables_schedule`: the tables; `columns`: their parent class; `states`: closed sets.
- `phase_looks`: which phases the clockwork looks at next.
- `addresses`: mail addresses as they are compared, and the mark of a mail's author.
- `mail_troubles`: mails that the mail server keeps from us.
- `records`: rows to values and back, in the caller's transaction; `claim` changes a row only as it was read.
- `digests`: the arithmetic of the record.
- `dump`: rows as JSON lines, for backups and archives.
- `blobs`: files in a folder; `blobs_remote`: in an object store.

Of `service` it imports `config` and `facts` alone.
"""
