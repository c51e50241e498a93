-- Corrections of posts: what a post was known by when it was read, when it was last looked after, and
-- when it was found to say something else. `is_first` posts were in the index at its first reading: each
-- has a tile of its own.
ALTER TABLE posts ADD COLUMN etag TEXT;
ALTER TABLE posts ADD COLUMN length BIGINT;
ALTER TABLE posts ADD COLUMN checked_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE posts ADD COLUMN edited_at BIGINT;
ALTER TABLE posts ADD COLUMN is_first BIGINT NOT NULL DEFAULT 0;
CREATE INDEX posts_checked ON posts (site_id, checked_at) WHERE state = 'well';
