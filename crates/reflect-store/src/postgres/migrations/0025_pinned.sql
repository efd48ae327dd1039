-- Memories that are never left out. SQLite's migration of the same number says what that is.
ALTER TABLE memories ADD COLUMN pinned bigint NOT NULL DEFAULT 0;
