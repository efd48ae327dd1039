-- `reflect check` finds bytes that a disk has changed: SQLite itself does not look inside texts.

-- The CRC-32 of what stands beside it, as it was written: of a trace its task, final response, metadata and reference context. Rows from
-- before this column have none.
ALTER TABLE traces ADD COLUMN checksum INTEGER;
ALTER TABLE trajectories ADD COLUMN checksum INTEGER;
ALTER TABLE memories ADD COLUMN checksum INTEGER;
ALTER TABLE memory_revisions ADD COLUMN checksum INTEGER;
ALTER TABLE vectors ADD COLUMN checksum INTEGER;
