-- The retrieval log is compact, and bounded for each project.

-- From now on `shown` is a blob of 32 bytes a memory; rows that hold JSON instead are read as before.
-- What a row takes, so that a project's share can be summed up along an index. Of rows from before this column it is not known: as
-- much as a usual one.
ALTER TABLE retrievals ADD COLUMN bytes INTEGER NOT NULL DEFAULT 2000;
DROP INDEX retrievals_by_id;
CREATE INDEX retrievals_by_age ON retrievals (project_id, retrieval_id, bytes);
