-- Every look into the queue is a range of an index, however many follow-ups wait in an outage.

-- Of a follow-up: the model whose lesson it waits for, so that those of a model that is left alone are not even looked at.
-- Rows from before this column wait for one that nobody wrote down.
ALTER TABLE jobs ADD COLUMN model TEXT NOT NULL DEFAULT 'unknown';

-- One index a kind: lessons by who waits for them, follow-ups by what they wait for. The columns at their ends are in them so
-- that counting reads no rows.
DROP INDEX jobs_due;
CREATE INDEX jobs_lessons ON jobs (priority, run_at, kind, failed_at) WHERE failed_at IS NULL AND kind = 'lesson';
CREATE INDEX jobs_follow_ups ON jobs (model, run_at, kind, failed_at) WHERE failed_at IS NULL AND kind = 'follow_up';
CREATE INDEX jobs_failed ON jobs (kind, failed_at) WHERE failed_at IS NOT NULL;
