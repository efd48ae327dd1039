-- Keys can end by themselves. Those from before this column never do.
ALTER TABLE api_keys ADD COLUMN expires_at INTEGER;
CREATE INDEX api_keys_by_expiry ON api_keys (expires_at) WHERE expires_at IS NOT NULL;
