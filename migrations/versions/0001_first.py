"""All tables of 1.0.0, and the triggers of the record."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa
from alembic import op

revision = '0001'
down_revision = None
branch_labels = None
depends_on = None

# Number, kind of fact, write that is noted, and the key of the fact in SQL: docs/record.md.
TRIGGERS = (
    (1, "game", "AFTER INSERT ON games", "NEW.id"),
    (2, "game", 'AFTER UPDATE OF "name", "aliases", "options" ON games', "NEW.id"),
    (3, "seat", "AFTER INSERT ON seats", "NEW.game_id || ':' || NEW.power"),
    (4, "seat", 'AFTER UPDATE OF "player_id" ON seats', "NEW.game_id || ':' || NEW.power"),
    (5, "phase", "AFTER INSERT ON phases", "NEW.id"),
    (6, "phase", 'AFTER UPDATE OF "opens_at", "deadline", "state", "position", "seed", "review", "unsealed_at" ON phases', "NEW.id"),
    (7, "judged", 'AFTER UPDATE OF "judged_at" ON phases', "NEW.id"),
    (8, "mail", 'AFTER UPDATE OF "state", "reason", "verdict" ON mails', "NEW.sha256"),
    (9, "sheet", "AFTER INSERT ON submissions", "NEW.id"),
    (10, "sheet", 'AFTER UPDATE OF "phase_id", "power", "version", "instruction", "fate", "flags", "received_at" ON submissions', "NEW.id"),
    (11, "reading", 'AFTER UPDATE OF "read_at" ON submissions', "NEW.id"),
    (12, "reading", "AFTER INSERT ON lines", "(SELECT submission_id FROM pages WHERE id = NEW.page_id)"),
    (13, "reading", "AFTER UPDATE ON lines", "(SELECT submission_id FROM pages WHERE id = NEW.page_id)"),
    (14, "decision", "AFTER INSERT ON reviews", "NEW.id"),
    (15, "decision", 'AFTER UPDATE OF "decision", "text", "order_text", "undone_at", "settles" ON reviews', "NEW.id"),
    (16, "posted", "AFTER INSERT ON posted", "NEW.id"),
    (17, "posted", 'AFTER UPDATE OF "submission_id", "ended_at" ON posted', "NEW.id"),
    (18, "word", "AFTER INSERT ON lot_words", "NEW.id"),
    (19, "letter", "AFTER INSERT ON outbox", "NEW.id"),
    (20, "letter", 'AFTER UPDATE OF "state", "message" ON outbox', "NEW.id"),
    (21, "correction", "AFTER INSERT ON corrections", "NEW.id"),
    (22, "event", "AFTER INSERT ON events", "NEW.id"),
    (101, "gone", "AFTER DELETE ON games", "'game:' || OLD.id"),
    (102, "gone", "AFTER DELETE ON seats", "'seat:' || OLD.game_id || ':' || OLD.power"),
    (103, "gone", "AFTER DELETE ON phases", "'phase:' || OLD.id"),
    (104, "gone", "AFTER DELETE ON submissions", "'sheet:' || OLD.id"),
    (105, "gone", "AFTER DELETE ON reviews", "'decision:' || OLD.id"),
    (106, "gone", "AFTER DELETE ON posted", "'posted:' || OLD.id"),
    (107, "gone", "AFTER DELETE ON lot_words", "'word:' || OLD.id"),
    (108, "gone", "AFTER DELETE ON outbox", "'letter:' || OLD.id"),
    (109, "gone", "AFTER DELETE ON corrections", "'correction:' || OLD.id"),
    (110, "gone", "AFTER DELETE ON events", "'event:' || OLD.id"),
    (111, "sheet", "AFTER DELETE ON pages", "OLD.submission_id"),
    (112, "reading", "AFTER DELETE ON lines", "COALESCE((SELECT submission_id FROM pages WHERE id = OLD.page_id), 0)"),
    (113, "sheet", 'AFTER UPDATE OF "submission_id", "original" ON pages', "NEW.submission_id"),
    (114, "sheet", 'AFTER UPDATE OF "sha256" ON submissions', "NEW.id"),
    (115, "mail", 'AFTER UPDATE OF "received_at", "size", "stored_at" ON mails', "NEW.sha256"),
    (116, "word", "AFTER UPDATE ON lot_words", "NEW.id"),
    (117, "posted", 'AFTER UPDATE OF "phase_id", "power", "postmark", "received" ON posted', "NEW.id"),
    (118, "correction", "AFTER UPDATE ON corrections", "NEW.id"),
    (119, "event", "AFTER UPDATE ON events", "NEW.id"),
    (120, "decision", 'AFTER UPDATE OF "line_id", "by", "at" ON reviews', "NEW.id"),
    (121, "letter", 'AFTER UPDATE OF "kind", "phase_id", "recipient", "sent_at" ON outbox', "NEW.id"),
    (122, "phase", 'AFTER UPDATE OF "unsealed_by", "unsealed_why", "ordinal" ON phases', "NEW.id"),
    (123, "judged", 'AFTER UPDATE OF "resolution" ON phases', "NEW.id"),
    (124, "person", "AFTER INSERT ON users", "NEW.name"),
    (125, "person", 'AFTER UPDATE OF "role" ON users', "NEW.name"),
    (126, "person", "AFTER DELETE ON users", "OLD.name"),
    (151, "phase", 'AFTER UPDATE OF "sealed", "commitment", "draw" ON phases', "NEW.id"),
    (161, "key", "AFTER INSERT ON game_keys", "NEW.game_id || ':' || NEW.number"),
    (162, "key", "AFTER UPDATE ON game_keys", "NEW.game_id || ':' || NEW.number"),
    (163, "gone", "AFTER DELETE ON game_keys", "'key:' || OLD.game_id || ':' || OLD.number"),
    (171, "addresses", "AFTER INSERT ON seats", "COALESCE(NEW.player_id, 0)"),
    (172, "addresses", 'AFTER UPDATE OF "player_id" ON seats', "COALESCE(NEW.player_id, 0)"),
    (173, "addresses", "AFTER INSERT ON addresses", "NEW.player_id"),
    (174, "addresses", "AFTER UPDATE ON addresses", "NEW.player_id"),
    (175, "addresses", 'AFTER UPDATE OF "player_id" ON addresses', "OLD.player_id"),
    (176, "addresses", "AFTER DELETE ON addresses", "OLD.player_id"),
    (177, "addresses", "AFTER INSERT ON links", "CASE WHEN NEW.game_id IS NULL THEN 0 ELSE NEW.player_id END"),
    (178, "addresses", "AFTER UPDATE ON links", "CASE WHEN NEW.game_id IS NULL THEN 0 ELSE NEW.player_id END"),
    (179, "addresses", 'AFTER UPDATE OF "player_id" ON links', "CASE WHEN OLD.game_id IS NULL THEN 0 ELSE OLD.player_id END"),
    (180, "addresses", "AFTER DELETE ON links", "CASE WHEN OLD.game_id IS NULL THEN 0 ELSE OLD.player_id END"),
    (201, "person", "AFTER INSERT ON game_roles", 'NEW."user"'),
    (202, "person", "AFTER UPDATE ON game_roles", 'NEW."user"'),
    (203, "person", "AFTER DELETE ON game_roles", 'OLD."user"'),
)


def upgrade() -> None:
    op.create_table('games',
        sa.Column('id', sa.String(length=80), nullable=False),
        sa.Column('name', sa.String(length=200), nullable=False),
        sa.Column('aliases', sa.JSON(), nullable=False),
        sa.Column('variant', sa.String(length=40), nullable=False),
        sa.Column('options', sa.JSON(), nullable=False),
        sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint('id'),
        sa.UniqueConstraint('name')
    )
    op.create_table('inspections',
        sa.Column('name', sa.String(length=20), nullable=False),
        sa.Column('night', sa.String(length=10), nullable=False),
        sa.Column('ended_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('trouble', sa.Text(), nullable=False),
        sa.Column('count', sa.Integer(), nullable=False),
        sa.Column('files', sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint('name')
    )
    op.create_table('leases',
        sa.Column('name', sa.String(length=40), nullable=False),
        sa.Column('holder', sa.String(length=120), nullable=False),
        sa.Column('ends_at', sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint('name')
    )
    op.create_table('mail_troubles',
        sa.Column('account', sa.String(length=200), nullable=False),
        sa.Column('folder', sa.String(length=200), nullable=False),
        sa.Column('uidvalidity', sa.String(length=80), nullable=False),
        sa.Column('uid', sa.String(length=300), nullable=False),
        sa.Column('kind', sa.String(length=20), nullable=False),
        sa.Column('why', sa.Text(), nullable=False),
        sa.Column('since', sa.DateTime(timezone=True), nullable=False),
        sa.Column('tries', sa.Integer(), nullable=False),
        sa.Column('due_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('size', sa.Integer(), nullable=True),
        sa.Column('received_at', sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint('account', 'folder', 'uidvalidity', 'uid')
    )
    op.create_index('mail_troubles_by_kind', 'mail_troubles', ['kind', 'received_at'], unique=False)
    op.create_table('mailbox_drains',
        sa.Column('name', sa.String(length=40), nullable=False),
        sa.Column('began_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('trouble', sa.Text(), nullable=False),
        sa.Column('left', sa.JSON(), nullable=False),
        sa.Column('unreadable', sa.Integer(), nullable=False),
        sa.Column('wanted_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('claimed_until', sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint('name')
    )
    op.create_table('mailbox_marks',
        sa.Column('name', sa.String(length=400), nullable=False),
        sa.Column('site', sa.String(length=32), nullable=False),
        sa.Column('starts', sa.Integer(), nullable=False),
        sa.Column('since', sa.DateTime(timezone=True), nullable=False),
        sa.Column('done_seen', sa.String(length=80), nullable=False),
        sa.PrimaryKeyConstraint('name')
    )
    op.create_table('mails',
        sa.Column('sha256', sa.String(length=64), nullable=False),
        sa.Column('size', sa.Integer(), nullable=False),
        sa.Column('received_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('stored_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('state', sa.String(length=20), nullable=False),
        sa.Column('reason', sa.String(length=60), nullable=True),
        sa.Column('tries', sa.Integer(), nullable=False),
        sa.Column('author', sa.String(length=64), nullable=True),
        sa.Column('sender', sa.String(length=320), nullable=True),
        sa.Column('verdict', sa.JSON(none_as_null=True), nullable=True),
        sa.Column('proof', sa.JSON(none_as_null=True), nullable=True),
        sa.Column('try_again_at', sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint('sha256')
    )
    op.create_index(op.f('ix_mails_sender'), 'mails', ['sender'], unique=False)
    op.create_index('mails_by_author', 'mails', ['state', 'author'], unique=False)
    op.create_index('mails_by_hour', 'mails', ['stored_at'], unique=False)
    op.create_index('mails_by_state', 'mails', ['state', 'received_at'], unique=False)
    op.create_index('mails_to_try', 'mails', ['state', 'try_again_at'], unique=False)
    op.create_table('offers',
        sa.Column('id', sa.String(length=80), nullable=False),
        sa.Column('name', sa.String(length=200), nullable=False),
        sa.Column('variant', sa.String(length=40), nullable=False),
        sa.Column('dates', sa.JSON(), nullable=False),
        sa.Column('note', sa.Text(), nullable=False),
        sa.Column('made_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('made_by', sa.String(length=80), nullable=False),
        sa.Column('sealed', sa.String(length=64), nullable=False),
        sa.Column('commitment', sa.String(length=64), nullable=False),
        sa.Column('drawn', sa.JSON(none_as_null=True), nullable=True),
        sa.Column('drawn_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('game_id', sa.String(length=80), nullable=True),
        sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint('id'),
        sa.UniqueConstraint('name')
    )
    op.create_table('outside_notices',
        sa.Column('key', sa.String(length=200), nullable=False),
        sa.Column('at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('event', sa.Text(), nullable=False),
        sa.Column('about', sa.Text(), nullable=False),
        sa.Column('link', sa.Text(), nullable=False),
        sa.Column('told_at', sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint('key')
    )
    op.create_index('outside_notices_by_end', 'outside_notices', ['told_at', 'at'], unique=False)
    op.create_table('players',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('name', sa.String(length=200), nullable=False),
        sa.Column('zone', sa.String(length=60), nullable=False),
        sa.Column('feed', sa.String(length=64), nullable=True),
        sa.Column('reminders', sa.Boolean(), nullable=False),
        sa.Column('accommodation', sa.Text(), nullable=False),
        sa.Column('language', sa.String(length=8), nullable=False),
        sa.PrimaryKeyConstraint('id'),
        sa.UniqueConstraint('feed')
    )
    op.create_table('record_due',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('what', sa.String(length=20), nullable=False),
        sa.Column('fact', sa.String(length=200), nullable=False),
        sa.PrimaryKeyConstraint('id')
    )
    op.create_table('scans',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('original', sa.String(length=64), nullable=False),
        sa.Column('upright', sa.String(length=64), nullable=True),
        sa.Column('pages', sa.Integer(), nullable=False),
        sa.Column('put_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('put_by', sa.String(length=80), nullable=False),
        sa.Column('read_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('phase_id', sa.Integer(), nullable=True),
        sa.Column('power', sa.String(length=40), nullable=True),
        sa.Column('version', sa.Integer(), nullable=True),
        sa.Column('submission_id', sa.Integer(), nullable=True),
        sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('ended_by', sa.String(length=80), nullable=True),
        sa.PrimaryKeyConstraint('id')
    )
    op.create_index(op.f('ix_scans_original'), 'scans', ['original'], unique=False)
    op.create_index(op.f('ix_scans_upright'), 'scans', ['upright'], unique=False)
    op.create_table('sign_in_tries',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('subject', sa.String(length=64), nullable=False),
        sa.Column('at', sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint('id')
    )
    op.create_index('sign_in_tries_of_a_subject', 'sign_in_tries', ['subject', 'at'], unique=False)
    op.create_table('switches',
        sa.Column('name', sa.String(length=40), nullable=False),
        sa.Column('by', sa.String(length=80), nullable=False),
        sa.Column('why', sa.Text(), nullable=False),
        sa.Column('at', sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint('name')
    )
    op.create_table('users',
        sa.Column('name', sa.String(length=80), nullable=False),
        sa.Column('password', sa.String(length=200), nullable=False),
        sa.Column('role', sa.String(length=20), nullable=False),
        sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('keys', sa.JSON(none_as_null=True), nullable=True),
        sa.PrimaryKeyConstraint('name')
    )
    op.create_table('workers',
        sa.Column('executor', sa.String(length=120), nullable=False),
        sa.Column('seen_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('ahead', sa.Double(), nullable=False),
        sa.Column('connections', sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint('executor')
    )
    op.create_table('absences',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('game_id', sa.String(length=80), nullable=False),
        sa.Column('player_id', sa.Integer(), nullable=False),
        sa.Column('first_day', sa.Date(), nullable=False),
        sa.Column('last_day', sa.Date(), nullable=False),
        sa.Column('made_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('made_by', sa.String(length=80), nullable=False),
        sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(['game_id'], ['games.id'], ),
        sa.ForeignKeyConstraint(['player_id'], ['players.id'], ),
        sa.PrimaryKeyConstraint('id')
    )
    op.create_index('absences_of_a_game', 'absences', ['game_id', 'last_day'], unique=False)
    op.create_table('addresses',
        sa.Column('email', sa.String(length=320), nullable=False),
        sa.Column('player_id', sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(['player_id'], ['players.id'], ),
        sa.PrimaryKeyConstraint('email')
    )
    op.create_table('code_apps',
        sa.Column('user', sa.String(length=80), nullable=False),
        sa.Column('secret', sa.String(length=64), nullable=False),
        sa.Column('made_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('confirmed_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('last_period', sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(['user'], ['users.name'], ),
        sa.PrimaryKeyConstraint('user')
    )
    op.create_table('events',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('game_id', sa.String(length=80), nullable=True),
        sa.Column('actor', sa.String(length=80), nullable=False),
        sa.Column('what', sa.String(length=80), nullable=False),
        sa.Column('detail', sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(['game_id'], ['games.id'], ),
        sa.PrimaryKeyConstraint('id')
    )
    op.create_index('events_by_kind', 'events', ['what', 'at'], unique=False)
    op.create_index('events_of_a_game', 'events', ['game_id', 'what'], unique=False)
    op.create_table('game_keys',
        sa.Column('game_id', sa.String(length=80), nullable=False),
        sa.Column('number', sa.Integer(), autoincrement=False, nullable=False),
        sa.Column('public', sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(['game_id'], ['games.id'], ),
        sa.PrimaryKeyConstraint('game_id', 'number')
    )
    op.create_table('game_roles',
        sa.Column('user', sa.String(length=80), nullable=False),
        sa.Column('game_id', sa.String(length=80), nullable=False),
        sa.Column('role', sa.String(length=20), nullable=False),
        sa.ForeignKeyConstraint(['game_id'], ['games.id'], ),
        sa.ForeignKeyConstraint(['user'], ['users.name'], ),
        sa.PrimaryKeyConstraint('user', 'game_id')
    )
    op.create_table('hands',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('player_id', sa.Integer(), nullable=False),
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column('digest', sa.String(length=64), nullable=False),
        sa.Column('base', sa.String(length=64), nullable=False),
        sa.Column('layer', sa.Text(), nullable=True),
        sa.Column('lines', sa.JSON(), nullable=False),
        sa.Column('made_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('forgotten_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('forgotten_by', sa.String(length=80), nullable=True),
        sa.ForeignKeyConstraint(['player_id'], ['players.id'], ),
        sa.PrimaryKeyConstraint('id'),
        sa.UniqueConstraint('player_id', 'version')
    )
    op.create_index(op.f('ix_hands_player_id'), 'hands', ['player_id'], unique=False)
    op.create_table('ignored_mails',
        sa.Column('sha256', sa.String(length=64), nullable=False),
        sa.Column('player_id', sa.Integer(), nullable=False),
        sa.Column('sender', sa.String(length=320), nullable=False),
        sa.Column('reason', sa.String(length=60), nullable=False),
        sa.Column('subject', sa.Text(), nullable=False),
        sa.Column('noted_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('ended_by', sa.String(length=80), nullable=True),
        sa.Column('ended_as', sa.String(length=20), nullable=True),
        sa.ForeignKeyConstraint(['player_id'], ['players.id'], ),
        sa.ForeignKeyConstraint(['sha256'], ['mails.sha256'], ),
        sa.PrimaryKeyConstraint('sha256')
    )
    op.create_index('ignored_mails_by_end', 'ignored_mails', ['ended_at', 'noted_at'], unique=False)
    op.create_index(op.f('ix_ignored_mails_player_id'), 'ignored_mails', ['player_id'], unique=False)
    op.create_table('known_browsers',
        sa.Column('token_hash', sa.String(length=64), nullable=False),
        sa.Column('user', sa.String(length=80), nullable=False),
        sa.Column('made_at', sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(['user'], ['users.name'], ),
        sa.PrimaryKeyConstraint('token_hash')
    )
    op.create_index(op.f('ix_known_browsers_user'), 'known_browsers', ['user'], unique=False)
    op.create_table('links',
        sa.Column('token_hash', sa.String(length=64), nullable=False),
        sa.Column('player_id', sa.Integer(), nullable=False),
        sa.Column('opens', sa.String(length=20), nullable=False),
        sa.Column('made_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('until', sa.DateTime(timezone=True), nullable=False),
        sa.Column('used_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('letter_id', sa.Integer(), nullable=True),
        sa.Column('game_id', sa.String(length=80), nullable=True),
        sa.ForeignKeyConstraint(['player_id'], ['players.id'], ),
        sa.PrimaryKeyConstraint('token_hash')
    )
    op.create_table('passkey_challenges',
        sa.Column('challenge_hash', sa.String(length=64), nullable=False),
        sa.Column('network_hash', sa.String(length=64), nullable=False),
        sa.Column('user', sa.String(length=80), nullable=True),
        sa.Column('made_at', sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(['user'], ['users.name'], ),
        sa.PrimaryKeyConstraint('challenge_hash')
    )
    op.create_index(op.f('ix_passkey_challenges_network_hash'), 'passkey_challenges', ['network_hash'], unique=False)
    op.create_table('passkeys',
        sa.Column('id', sa.String(length=1400), nullable=False),
        sa.Column('user', sa.String(length=80), nullable=False),
        sa.Column('public_key', sa.Text(), nullable=False),
        sa.Column('count', sa.Integer(), nullable=False),
        sa.Column('label', sa.String(length=80), nullable=False),
        sa.Column('made_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('used_at', sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(['user'], ['users.name'], ),
        sa.PrimaryKeyConstraint('id')
    )
    op.create_index(op.f('ix_passkeys_user'), 'passkeys', ['user'], unique=False)
    op.create_table('phases',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('game_id', sa.String(length=80), nullable=False),
        sa.Column('ordinal', sa.Integer(), nullable=False),
        sa.Column('year', sa.Integer(), nullable=False),
        sa.Column('season', sa.String(length=40), nullable=False),
        sa.Column('kind', sa.String(length=20), nullable=False),
        sa.Column('opens_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('deadline', sa.DateTime(timezone=True), nullable=False),
        sa.Column('moved', sa.Integer(), nullable=False),
        sa.Column('moved_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('review', sa.String(length=10), nullable=False),
        sa.Column('state', sa.String(length=20), nullable=False),
        sa.Column('position', sa.JSON(none_as_null=True), nullable=True),
        sa.Column('resolution', sa.JSON(none_as_null=True), nullable=True),
        sa.Column('seed', sa.String(length=64), nullable=True),
        sa.Column('sealed', sa.String(length=64), nullable=False),
        sa.Column('commitment', sa.String(length=64), nullable=False),
        sa.Column('draw', sa.JSON(), nullable=False),
        sa.Column('beacon', sa.JSON(none_as_null=True), nullable=True),
        sa.Column('closed_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('judged_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('sent_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('unsealed_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('unsealed_by', sa.String(length=80), nullable=True),
        sa.Column('unsealed_why', sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(['game_id'], ['games.id'], ),
        sa.PrimaryKeyConstraint('id'),
        sa.UniqueConstraint('game_id', 'ordinal')
    )
    op.create_index('phases_deadline', 'phases', ['state', 'deadline'], unique=False)
    op.create_index('phases_opening', 'phases', ['state', 'opens_at'], unique=False)
    op.create_table('places',
        sa.Column('account', sa.String(length=200), nullable=False),
        sa.Column('folder', sa.String(length=200), nullable=False),
        sa.Column('uidvalidity', sa.String(length=80), nullable=False),
        sa.Column('uid', sa.String(length=300), nullable=False),
        sa.Column('sha256', sa.String(length=64), nullable=False),
        sa.Column('moved_at', sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(['sha256'], ['mails.sha256'], ),
        sa.PrimaryKeyConstraint('account', 'folder', 'uidvalidity', 'uid')
    )
    op.create_table('postal',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('player_id', sa.Integer(), nullable=False),
        sa.Column('lines', sa.JSON(), nullable=False),
        sa.Column('first_day', sa.Date(), nullable=True),
        sa.Column('last_day', sa.Date(), nullable=True),
        sa.Column('made_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('made_by', sa.String(length=80), nullable=False),
        sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('ended_by', sa.String(length=80), nullable=True),
        sa.ForeignKeyConstraint(['player_id'], ['players.id'], ),
        sa.PrimaryKeyConstraint('id')
    )
    op.create_index(op.f('ix_postal_player_id'), 'postal', ['player_id'], unique=False)
    op.create_table('record',
        sa.Column('game_id', sa.String(length=80), nullable=False),
        sa.Column('number', sa.Integer(), autoincrement=False, nullable=False),
        sa.Column('what', sa.String(length=20), nullable=False),
        sa.Column('fact', sa.String(length=200), nullable=False),
        sa.Column('salt', sa.String(length=64), nullable=False),
        sa.Column('body', sa.Text(), nullable=False),
        sa.Column('leaf', sa.String(length=64), nullable=False),
        sa.Column('link', sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(['game_id'], ['games.id'], ),
        sa.PrimaryKeyConstraint('game_id', 'number')
    )
    op.create_index('record_of_a_fact', 'record', ['game_id', 'what', 'fact'], unique=False)
    op.create_table('record_heads',
        sa.Column('game_id', sa.String(length=80), nullable=False),
        sa.Column('number', sa.Integer(), nullable=False),
        sa.Column('link', sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(['game_id'], ['games.id'], ),
        sa.PrimaryKeyConstraint('game_id')
    )
    op.create_table('seats',
        sa.Column('game_id', sa.String(length=80), nullable=False),
        sa.Column('power', sa.String(length=80), nullable=False),
        sa.Column('player_id', sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(['game_id'], ['games.id'], ),
        sa.ForeignKeyConstraint(['player_id'], ['players.id'], ),
        sa.PrimaryKeyConstraint('game_id', 'power')
    )
    op.create_table('sessions',
        sa.Column('token_hash', sa.String(length=64), nullable=False),
        sa.Column('user', sa.String(length=80), nullable=False),
        sa.Column('csrf', sa.String(length=64), nullable=False),
        sa.Column('browser', sa.String(length=200), nullable=False),
        sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('seen_at', sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(['user'], ['users.name'], ),
        sa.PrimaryKeyConstraint('token_hash')
    )
    op.create_table('shelved_files',
        sa.Column('game_id', sa.String(length=80), nullable=False),
        sa.Column('blob', sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(['game_id'], ['games.id'], ),
        sa.PrimaryKeyConstraint('game_id', 'blob')
    )
    op.create_index(op.f('ix_shelved_files_blob'), 'shelved_files', ['blob'], unique=False)
    op.create_table('shelved_games',
        sa.Column('game_id', sa.String(length=80), nullable=False),
        sa.Column('blob', sa.String(length=64), nullable=False),
        sa.Column('number', sa.Integer(), nullable=False),
        sa.Column('link', sa.String(length=64), nullable=False),
        sa.Column('rows', sa.JSON(), nullable=False),
        sa.Column('highest', sa.JSON(), nullable=False),
        sa.Column('players', sa.JSON(), nullable=False),
        sa.Column('shelved_at', sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(['game_id'], ['games.id'], ),
        sa.PrimaryKeyConstraint('game_id')
    )
    op.create_table('sign_ups',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('offer_id', sa.String(length=80), nullable=False),
        sa.Column('number', sa.Integer(), nullable=True),
        sa.Column('name', sa.String(length=200), nullable=False),
        sa.Column('email', sa.String(length=320), nullable=False),
        sa.Column('zone', sa.String(length=60), nullable=False),
        sa.Column('language', sa.String(length=8), nullable=False),
        sa.Column('home', sa.JSON(), nullable=False),
        sa.Column('preferences', sa.JSON(), nullable=False),
        sa.Column('dates', sa.JSON(), nullable=False),
        sa.Column('made_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('link_hash', sa.String(length=64), nullable=False),
        sa.Column('mailed_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('confirmed_at', sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(['offer_id'], ['offers.id'], ),
        sa.PrimaryKeyConstraint('id'),
        sa.UniqueConstraint('link_hash'),
        sa.UniqueConstraint('offer_id', 'email')
    )
    op.create_index(op.f('ix_sign_ups_offer_id'), 'sign_ups', ['offer_id'], unique=False)
    op.create_table('acts',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('key', sa.String(length=64), nullable=False),
        sa.Column('phase_id', sa.Integer(), nullable=False),
        sa.Column('kind', sa.String(length=10), nullable=False),
        sa.Column('reviews', sa.JSON(), nullable=False),
        sa.Column('target', sa.Integer(), nullable=True),
        sa.Column('by', sa.String(length=80), nullable=False),
        sa.Column('at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('undone_at', sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(['phase_id'], ['phases.id'], ),
        sa.PrimaryKeyConstraint('id'),
        sa.UniqueConstraint('key')
    )
    op.create_index('acts_of_a_person', 'acts', ['phase_id', 'by'], unique=False)
    op.create_table('approvals',
        sa.Column('phase_id', sa.Integer(), nullable=False),
        sa.Column('asked_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('by', sa.String(length=80), nullable=False),
        sa.Column('judged_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('state', sa.String(length=20), nullable=False),
        sa.Column('done', sa.Integer(), nullable=False),
        sa.Column('total', sa.Integer(), nullable=False),
        sa.Column('step', sa.Text(), nullable=False),
        sa.Column('error', sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(['phase_id'], ['phases.id'], ),
        sa.PrimaryKeyConstraint('phase_id')
    )
    op.create_table('corrections',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('key', sa.String(length=64), nullable=False),
        sa.Column('phase_id', sa.Integer(), nullable=False),
        sa.Column('said', sa.Text(), nullable=False),
        sa.Column('is_right', sa.Text(), nullable=False),
        sa.Column('effect', sa.Text(), nullable=False),
        sa.Column('found_by', sa.String(length=200), nullable=False),
        sa.Column('by', sa.String(length=80), nullable=False),
        sa.Column('at', sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(['phase_id'], ['phases.id'], ),
        sa.PrimaryKeyConstraint('id'),
        sa.UniqueConstraint('key')
    )
    op.create_index(op.f('ix_corrections_phase_id'), 'corrections', ['phase_id'], unique=False)
    op.create_table('lot_words',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('phase_id', sa.Integer(), nullable=False),
        sa.Column('power', sa.String(length=80), nullable=False),
        sa.Column('word', sa.String(length=60), nullable=False),
        sa.Column('received_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('mail', sa.String(length=64), nullable=True),
        sa.Column('made_by', sa.String(length=80), nullable=False),
        sa.ForeignKeyConstraint(['mail'], ['mails.sha256'], ),
        sa.ForeignKeyConstraint(['phase_id'], ['phases.id'], ),
        sa.PrimaryKeyConstraint('id')
    )
    op.create_index('lot_words_of_a_phase', 'lot_words', ['phase_id', 'power'], unique=False)
    op.create_table('mailbox_waits',
        sa.Column('phase_id', sa.Integer(), nullable=False),
        sa.Column('since', sa.DateTime(timezone=True), nullable=False),
        sa.Column('why', sa.Text(), nullable=False),
        sa.Column('waived_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('waived_by', sa.String(length=80), nullable=True),
        sa.Column('waived_why', sa.Text(), nullable=True),
        sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(['phase_id'], ['phases.id'], ),
        sa.PrimaryKeyConstraint('phase_id')
    )
    op.create_table('outbox',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('key', sa.String(length=300), nullable=False),
        sa.Column('kind', sa.String(length=40), nullable=False),
        sa.Column('game_id', sa.String(length=80), nullable=True),
        sa.Column('phase_id', sa.Integer(), nullable=True),
        sa.Column('recipient', sa.String(length=320), nullable=False),
        sa.Column('player_id', sa.Integer(), nullable=True),
        sa.Column('power', sa.String(length=80), nullable=True),
        sa.Column('subject', sa.Text(), nullable=False),
        sa.Column('message', sa.String(length=64), nullable=False),
        sa.Column('words', sa.Text(), nullable=True),
        sa.Column('files', sa.JSON(), nullable=False),
        sa.Column('message_id', sa.String(length=300), nullable=False),
        sa.Column('state', sa.String(length=20), nullable=False),
        sa.Column('tries', sa.Integer(), nullable=False),
        sa.Column('rank', sa.Integer(), nullable=False),
        sa.Column('due_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('sent_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('possibly_twice', sa.Boolean(), nullable=False),
        sa.Column('shrunk', sa.Boolean(), nullable=False),
        sa.Column('claimed_until', sa.DateTime(timezone=True), nullable=True),
        sa.Column('error', sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(['game_id'], ['games.id'], ),
        sa.ForeignKeyConstraint(['phase_id'], ['phases.id'], ),
        sa.PrimaryKeyConstraint('id'),
        sa.UniqueConstraint('key')
    )
    op.create_index(op.f('ix_outbox_message'), 'outbox', ['message'], unique=False)
    op.create_index(op.f('ix_outbox_message_id'), 'outbox', ['message_id'], unique=False)
    op.create_index('outbox_claims', 'outbox', ['state', 'claimed_until'], unique=False)
    op.create_index('outbox_due', 'outbox', ['state', 'due_at'], unique=False)
    op.create_index('outbox_order', 'outbox', ['state', 'rank', 'id'], unique=False)
    op.create_table('phase_looks',
        sa.Column('phase_id', sa.Integer(), nullable=False),
        sa.Column('work', sa.String(length=20), nullable=False),
        sa.Column('instant', sa.DateTime(timezone=True), nullable=False),
        sa.Column('next_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('turn', sa.Integer(), nullable=False),
        sa.Column('clock_set', sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(['phase_id'], ['phases.id'], ),
        sa.PrimaryKeyConstraint('phase_id', 'work')
    )
    op.create_table('submissions',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('sha256', sa.String(length=64), nullable=True),
        sa.Column('phase_id', sa.Integer(), nullable=False),
        sa.Column('power', sa.String(length=80), nullable=False),
        sa.Column('player_id', sa.Integer(), nullable=True),
        sa.Column('sender', sa.String(length=320), nullable=False),
        sa.Column('received_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('version', sa.Integer(), nullable=True),
        sa.Column('instruction', sa.Integer(), nullable=True),
        sa.Column('flags', sa.JSON(), nullable=False),
        sa.Column('semantic_key', sa.String(length=64), nullable=False),
        sa.Column('fate', sa.String(length=20), nullable=False),
        sa.Column('read_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('hand', sa.String(length=64), nullable=True),
        sa.ForeignKeyConstraint(['phase_id'], ['phases.id'], ),
        sa.ForeignKeyConstraint(['player_id'], ['players.id'], ),
        sa.ForeignKeyConstraint(['sha256'], ['mails.sha256'], ),
        sa.PrimaryKeyConstraint('id'),
        sa.UniqueConstraint('phase_id', 'power', 'semantic_key'),
        sa.UniqueConstraint('sha256')
    )
    op.create_index('submissions_by_reading', 'submissions', ['read_at'], unique=False)
    op.create_table('correspondence',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('player_id', sa.Integer(), nullable=False),
        sa.Column('game_id', sa.String(length=80), nullable=True),
        sa.Column('sha256', sa.String(length=64), nullable=True),
        sa.Column('letter_id', sa.Integer(), nullable=True),
        sa.Column('at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('by', sa.String(length=80), nullable=True),
        sa.Column('subject', sa.Text(), nullable=False),
        sa.Column('words', sa.Text(), nullable=False),
        sa.Column('quoted', sa.Text(), nullable=False),
        sa.Column('files', sa.JSON(), nullable=False),
        sa.Column('done_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('done_by', sa.String(length=80), nullable=True),
        sa.ForeignKeyConstraint(['game_id'], ['games.id'], ),
        sa.ForeignKeyConstraint(['letter_id'], ['outbox.id'], ),
        sa.ForeignKeyConstraint(['player_id'], ['players.id'], ),
        sa.ForeignKeyConstraint(['sha256'], ['mails.sha256'], ),
        sa.PrimaryKeyConstraint('id'),
        sa.UniqueConstraint('letter_id'),
        sa.UniqueConstraint('sha256')
    )
    op.create_index('correspondence_by_end', 'correspondence', ['done_at', 'at'], unique=False)
    op.create_index('correspondence_of_a_player', 'correspondence', ['player_id', 'at'], unique=False)
    op.create_table('pages',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('submission_id', sa.Integer(), nullable=False),
        sa.Column('ordinal', sa.Integer(), nullable=False),
        sa.Column('original', sa.String(length=64), nullable=False),
        sa.Column('upright', sa.String(length=64), nullable=True),
        sa.Column('rotation', sa.Integer(), nullable=False),
        sa.Column('note', sa.String(length=40), nullable=True),
        sa.Column('code', sa.String(length=300), nullable=True),
        sa.ForeignKeyConstraint(['submission_id'], ['submissions.id'], ),
        sa.PrimaryKeyConstraint('id'),
        sa.UniqueConstraint('submission_id', 'ordinal')
    )
    op.create_table('posted',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('phase_id', sa.Integer(), nullable=False),
        sa.Column('power', sa.String(length=80), nullable=False),
        sa.Column('postmark', sa.Date(), nullable=True),
        sa.Column('received', sa.Date(), nullable=False),
        sa.Column('submission_id', sa.Integer(), nullable=True),
        sa.Column('made_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('made_by', sa.String(length=80), nullable=False),
        sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('ended_by', sa.String(length=80), nullable=True),
        sa.ForeignKeyConstraint(['phase_id'], ['phases.id'], ),
        sa.ForeignKeyConstraint(['submission_id'], ['submissions.id'], ),
        sa.PrimaryKeyConstraint('id'),
        sa.UniqueConstraint('submission_id')
    )
    op.create_index('posted_of_a_phase', 'posted', ['phase_id', 'power'], unique=False)
    op.create_table('lines',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('page_id', sa.Integer(), nullable=False),
        sa.Column('ordinal', sa.Integer(), nullable=False),
        sa.Column('box', sa.JSON(), nullable=False),
        sa.Column('kind', sa.String(length=10), nullable=False),
        sa.Column('struck', sa.Boolean(), nullable=False),
        sa.Column('text', sa.Text(), nullable=False),
        sa.Column('order_text', sa.Text(), nullable=True),
        sa.Column('confidence', sa.Double(), nullable=False),
        sa.Column('status', sa.String(length=20), nullable=False),
        sa.Column('candidates', sa.JSON(), nullable=False),
        sa.Column('why_open', sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(['page_id'], ['pages.id'], ),
        sa.PrimaryKeyConstraint('id'),
        sa.UniqueConstraint('page_id', 'ordinal')
    )
    op.create_table('reviews',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('line_id', sa.Integer(), nullable=False),
        sa.Column('key', sa.String(length=64), nullable=False),
        sa.Column('decision', sa.String(length=20), nullable=False),
        sa.Column('text', sa.Text(), nullable=False),
        sa.Column('order_text', sa.Text(), nullable=True),
        sa.Column('by', sa.String(length=80), nullable=False),
        sa.Column('at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('settles', sa.Boolean(), nullable=False),
        sa.Column('undone_at', sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(['line_id'], ['lines.id'], ),
        sa.PrimaryKeyConstraint('id'),
        sa.UniqueConstraint('key')
    )
    op.create_index(op.f('ix_reviews_line_id'), 'reviews', ['line_id'], unique=False)
    for number, kind, write, fact in TRIGGERS:
        for statement in _statements(f"record_{number}", write, kind, fact):
            op.execute(statement)


def _statements(name: str, write: str, kind: str, fact: str) -> Iterator[str]:
    note = f"INSERT INTO record_due (what, fact) VALUES ('{kind}', CAST({fact} AS TEXT));"
    if op.get_bind().dialect.name != "postgresql":
        yield f"CREATE TRIGGER {name} {write} BEGIN {note} END"
        return
    yield (f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {note} "
           f"RETURN NULL; END $$")
    yield f"CREATE TRIGGER {name} {write} FOR EACH ROW EXECUTE FUNCTION {name}()"
