-- What is kept for how long: the batches of a collection up to the number `forgotten` are gone or about to
-- be, and with them all changes up to the time `forgotten_until`. Of a site, `forgotten` is the highest
-- number of such a batch.
ALTER TABLE collections ADD COLUMN forgotten BIGINT NOT NULL DEFAULT 0;
ALTER TABLE collections ADD COLUMN forgotten_until BIGINT;
ALTER TABLE sites ADD COLUMN forgotten BIGINT NOT NULL DEFAULT 0;
