-- Somebody may say that a memory is never left out: neither retired nor sitting out.
ALTER TABLE memories ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
