"""A game as one file: written, put into another site, and checked.

Door: `export.write_archive`, `import_game.import_archive`, `verify.check_archive`. Parts: `export` writes an
archive, with what the players' edition keeps closed; `rows` carries the game's own table rows,
which `table_rows` checks one by one; `jailed` opens archives of others in the jailed child; `archive_file`
looks at an archive's seal and sizes, `checker` runs the checker that players fetch, and `verify` the judge
too; `after_loading` does what is due once rows came from elsewhere; `move_database` takes a site's database
from SQLite to PostgreSQL, `remove_rehearsal` one rehearsal off it, and both know the queue's rows by
`job_rows`. It imports neither `notices` nor the web.
"""
