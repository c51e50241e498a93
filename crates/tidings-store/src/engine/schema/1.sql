-- What the state knows of itself: the version of the tables, and what its feeds are identified by.
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- Requests to one host take turns, so hosts are what is leased. `lease_until` is 0 while nobody has
-- the lease. Whoever changes something about the sites of a host locks its row first, in a statement
-- of its own: what is read of the sites afterwards is then as of now.
CREATE TABLE hosts (
    name TEXT PRIMARY KEY,
    next_due BIGINT NOT NULL,
    lease_until BIGINT NOT NULL DEFAULT 0,
    lease_generation BIGINT NOT NULL,
    lease_by TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX hosts_due ON hosts (next_due);
CREATE INDEX hosts_leased ON hosts (lease_until) WHERE lease_until > 0;

-- URLs are found by their digests, because they may be longer than what an index takes.
CREATE TABLE sites (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    url TEXT NOT NULL,
    url_digest BYTEA NOT NULL UNIQUE,
    asked_digest BYTEA NOT NULL,
    host TEXT NOT NULL,
    via TEXT NOT NULL,
    title TEXT,
    state TEXT NOT NULL DEFAULT 'new',
    reason TEXT,
    failures BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    polled_at BIGINT,
    succeeded_at BIGINT,
    changed_at BIGINT,
    next_due BIGINT NOT NULL,
    poll_interval BIGINT NOT NULL,
    settings TEXT NOT NULL,
    details TEXT NOT NULL,
    batches BIGINT NOT NULL DEFAULT 0,
    polls BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX sites_state ON sites (state, key);
CREATE INDEX sites_host ON sites (host, next_due);
CREATE INDEX sites_due ON sites (next_due) WHERE state <> 'paused';

CREATE TABLE collections (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    key TEXT NOT NULL UNIQUE,
    identity TEXT NOT NULL,
    identity_digest BYTEA NOT NULL,
    title TEXT,
    author TEXT,
    language TEXT,
    about TEXT,
    progress TEXT NOT NULL,
    reason TEXT,
    is_gone BIGINT NOT NULL DEFAULT 0,
    ignored BIGINT NOT NULL DEFAULT 0,
    changes BIGINT NOT NULL DEFAULT 0,
    batches BIGINT NOT NULL DEFAULT 0,
    changed_at BIGINT,
    UNIQUE (site_id, identity_digest)
);

-- The changes of one poll of one collection; `recorded` of them are in `changes`.
CREATE TABLE batches (
    collection_id BIGINT NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
    sequence BIGINT NOT NULL,
    site_id BIGINT NOT NULL,
    site_sequence BIGINT NOT NULL,
    key TEXT NOT NULL,
    created BIGINT NOT NULL,
    updated BIGINT NOT NULL,
    deleted BIGINT NOT NULL,
    recorded BIGINT NOT NULL,
    oldest BIGINT NOT NULL,
    newest BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (collection_id, sequence),
    UNIQUE (site_id, site_sequence)
);

CREATE TABLE changes (
    collection_id BIGINT NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
    key BYTEA NOT NULL,
    batch BIGINT NOT NULL,
    position BIGINT NOT NULL,
    uri TEXT NOT NULL,
    kind TEXT NOT NULL,
    time BIGINT NOT NULL,
    time_text TEXT,
    title TEXT,
    note TEXT,
    PRIMARY KEY (collection_id, key)
);
CREATE INDEX changes_place ON changes (collection_id, batch, position);

-- The last polls: each takes the slot of the one that was so many before it.
CREATE TABLE polls (
    site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    slot BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    at BIGINT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    changes BIGINT NOT NULL,
    requests BIGINT NOT NULL,
    took BIGINT NOT NULL,
    PRIMARY KEY (site_id, slot)
) WITHOUT ROWID;

CREATE TABLE runs (
    site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    position BIGINT NOT NULL,
    document TEXT NOT NULL,
    etag TEXT,
    last_modified TEXT,
    entries BIGINT NOT NULL,
    pieces BIGINT NOT NULL,
    PRIMARY KEY (site_id, id)
);

CREATE TABLE pieces (
    site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    run TEXT NOT NULL,
    number BIGINT NOT NULL,
    bytes BYTEA NOT NULL,
    PRIMARY KEY (site_id, run, number)
);

CREATE TABLE pages (
    site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    uri_digest BYTEA NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (site_id, uri_digest)
);

CREATE TABLE robots (
    origin TEXT PRIMARY KEY,
    fetched_at BIGINT NOT NULL,
    body BYTEA,
    obstacle TEXT
);

CREATE TABLE tokens (
    digest BYTEA PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    scope TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    used_at BIGINT
);

CREATE INDEX sites_by_asked ON sites (asked_digest);
