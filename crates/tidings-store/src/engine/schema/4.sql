-- Feeds that are not where they were, by their names in URLs (`feeds/KEY`, `sites/KEY`): `target` is the
-- name of the feed that goes on with one, and NULL if its site is not followed any more.
CREATE TABLE retired_feeds (
    name TEXT PRIMARY KEY,
    target TEXT,
    retired_at BIGINT NOT NULL
) WITHOUT ROWID;

-- Changes that are not told again, and have no place in a batch: those that were told in other words, such as
-- before the site had a Change List, and forgotten ones that say no time.
CREATE TABLE told_changes (
    collection_id BIGINT NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
    key BYTEA NOT NULL,
    PRIMARY KEY (collection_id, key)
) WITHOUT ROWID;
