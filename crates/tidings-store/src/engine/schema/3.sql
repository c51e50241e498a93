-- The posts of webfeeds that are in their indexes now. `place` is the line of the index when the post
-- was discovered; of those of one discovery the last is the newest. `rank` counts the posts of a
-- webfeed that were discovered on a day (UTC, from 1970): those after the first few share one tile.
-- `tile` is 0 for a post with a tile of its own, 1 for the one that stands for those that share one,
-- and 2 for the others of them.
CREATE TABLE posts (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    url TEXT NOT NULL,
    url_digest BYTEA NOT NULL,
    place BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    day BIGINT NOT NULL,
    rank BIGINT NOT NULL,
    tile BIGINT NOT NULL,
    is_repost BIGINT NOT NULL,
    state TEXT NOT NULL DEFAULT 'new',
    reason TEXT,
    failures BIGINT NOT NULL DEFAULT 0,
    next_try BIGINT NOT NULL DEFAULT 0,
    is_asked_for BIGINT NOT NULL DEFAULT 0,
    title TEXT,
    author TEXT,
    sections BIGINT NOT NULL DEFAULT 0,
    UNIQUE (site_id, url_digest)
);
CREATE INDEX posts_grid ON posts (seen_at, place, id) WHERE tile < 2;
CREATE INDEX posts_site ON posts (site_id, seen_at, place, id);
CREATE INDEX posts_day ON posts (site_id, day, rank);
CREATE INDEX posts_waiting ON posts (site_id, next_try) WHERE state <> 'well';

-- What a post says, as it was fetched, and where that was: it is made safe each time it is shown, so
-- that a rule that is added holds for what is here already.
CREATE TABLE post_texts (
    post_id BIGINT PRIMARY KEY REFERENCES posts (id) ON DELETE CASCADE,
    site_id BIGINT NOT NULL,
    fetched_at BIGINT NOT NULL,
    size BIGINT NOT NULL,
    at TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX post_texts_site ON post_texts (site_id, fetched_at, post_id, size);

CREATE TABLE post_styles (
    site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    url_digest BYTEA NOT NULL,
    url TEXT NOT NULL,
    text TEXT NOT NULL,
    fetched_at BIGINT NOT NULL,
    PRIMARY KEY (site_id, url_digest)
);

-- Who has read what: users by their numbers, and whoever needs no account as 0.
CREATE TABLE post_reads (
    reader BIGINT NOT NULL,
    post_id BIGINT NOT NULL REFERENCES posts (id) ON DELETE CASCADE,
    at BIGINT NOT NULL,
    PRIMARY KEY (reader, post_id)
) WITHOUT ROWID;
CREATE INDEX post_reads_post ON post_reads (post_id);
