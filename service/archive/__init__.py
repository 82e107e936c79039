"""A game as one file: written, put into another site, and checked.

Door: `export.write_archive`, `import_game.import_archive`. Parts: `export` writes an archive, with what the
players' edition keeps closed; `rows` carries the game's own table rows, which `table_rows` checks one by one;
`jailed` opens archives of others in the jailed child; `archive_file` looks at an archive's seal and sizes;
`move_database` takes a site's database from SQLite to PostgreSQL, with the queue's jobs. It
imports neither `notices` nor the web.
"""
