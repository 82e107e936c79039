"""A game as one file: written, put into another site, and checked.

Door: `export.write_archive`, `import_game.import_archive`, `verify.run_verify`, `backup.write` and
`backup.restore`, `reread.run_reread`. Parts: `export` writes an archive and `redaction` says what the
players' edition keeps closed; `rows` carries the game's own table rows, which `table_rows` checks one by
one; `jailed` opens archives of others in the jailed child; `archive_file` looks at an archive's seal and
sizes, `checker` runs the checker that players fetch, and `judge_again` the judge; `reread` reads its sheets
again; `backup` saves and restores a whole site; `move_database` takes its database from SQLite to
PostgreSQL, with the queue's rows as `job_rows` has them; `readme` is the text for whoever opens the file. It
imports neither `notices` nor the web.
"""
