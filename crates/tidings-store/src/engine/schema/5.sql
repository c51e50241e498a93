-- Searches that somebody saved, each with a feed: users by their numbers, and whoever needs no account
-- as 0. `query` is what stands in the URL of the search.
CREATE TABLE saved_searches (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner BIGINT NOT NULL,
    name TEXT NOT NULL,
    query TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX saved_searches_owner ON saved_searches (owner, id);

-- Sites that a user leaves out of their feed of everything that is followed.
CREATE TABLE left_out_sites (
    reader BIGINT NOT NULL,
    site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    PRIMARY KEY (reader, site_id)
) WITHOUT ROWID;
CREATE INDEX left_out_sites_site ON left_out_sites (site_id);
