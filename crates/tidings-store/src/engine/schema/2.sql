-- Names are the same if they are the same in lower case: `folded`. `seen_at` is when the user last
-- asked for something, to the minute, and `visited_at` when the visit before this one ended.
CREATE TABLE users (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name TEXT NOT NULL,
    folded TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL,
    password TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    signed_in_at BIGINT,
    seen_at BIGINT,
    visited_at BIGINT
);

CREATE TABLE sessions (
    digest BYTEA PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    used_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    about TEXT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- Who did what. Names and not numbers: what was done stays when who did it is gone.
CREATE TABLE acts (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at BIGINT NOT NULL,
    actor TEXT NOT NULL,
    act TEXT NOT NULL,
    object TEXT NOT NULL,
    detail TEXT NOT NULL
);

-- How many changes there were in a collection on each day that had any. A day is counted from 1970,
-- UTC. What is said to happen after it was seen happened on the day when it was seen.
CREATE TABLE days (
    collection_id BIGINT NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
    day BIGINT NOT NULL,
    site_id BIGINT NOT NULL,
    created BIGINT NOT NULL,
    updated BIGINT NOT NULL,
    deleted BIGINT NOT NULL,
    PRIMARY KEY (collection_id, day)
) WITHOUT ROWID;
CREATE INDEX days_site ON days (site_id, day);

-- The days of all changes so far; those of which only the number is kept count on the newest day of
-- their batch.
INSERT INTO days (collection_id, day, site_id, created, updated, deleted)
SELECT collection_id, CASE WHEN time < 0 THEN 0 ELSE time / 86400000 END AS day, site_id,
    sum(created), sum(updated), sum(deleted)
FROM (
    SELECT b.collection_id AS collection_id, b.site_id AS site_id,
        CASE WHEN c.time > b.seen_at THEN b.seen_at ELSE c.time END AS time,
        CASE WHEN c.kind = 'created' THEN 1 ELSE 0 END AS created,
        CASE WHEN c.kind = 'updated' THEN 1 ELSE 0 END AS updated,
        CASE WHEN c.kind = 'deleted' THEN 1 ELSE 0 END AS deleted
    FROM changes c JOIN batches b ON b.collection_id = c.collection_id AND b.sequence = c.batch
    UNION ALL
    SELECT b.collection_id, b.site_id,
        CASE WHEN b.newest > b.seen_at THEN b.seen_at ELSE b.newest END,
        b.created - (SELECT count(*) FROM changes c WHERE c.collection_id = b.collection_id
            AND c.batch = b.sequence AND c.kind = 'created'),
        b.updated - (SELECT count(*) FROM changes c WHERE c.collection_id = b.collection_id
            AND c.batch = b.sequence AND c.kind = 'updated'),
        b.deleted - (SELECT count(*) FROM changes c WHERE c.collection_id = b.collection_id
            AND c.batch = b.sequence AND c.kind = 'deleted')
    FROM batches b WHERE b.created + b.updated + b.deleted > b.recorded
) AS counted
GROUP BY 1, 2, 3;

ALTER TABLE collections ADD COLUMN is_muted BIGINT NOT NULL DEFAULT 0;

-- By what changes are searched and news are counted, the newest first. Both are unique because a
-- batch is known by the last two alone, and are said to be so that nothing has to be sorted.
CREATE UNIQUE INDEX batches_seen ON batches (seen_at, collection_id, sequence);
CREATE UNIQUE INDEX batches_site_seen ON batches (site_id, seen_at, collection_id, sequence);
CREATE INDEX sites_news ON sites ((COALESCE(changed_at, 0)), id);
