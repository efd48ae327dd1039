-- What is usual for a task is known from runs, whatever became of their lessons and of themselves.

-- How the run's review scored it and what the memories that it saw were expected to add, once its trace is gone. Until then they stand on the review.
ALTER TABLE memories ADD COLUMN run_score REAL;
ALTER TABLE memories ADD COLUMN run_added REAL;
-- A deleted memory keeps the vector of its run's task, until the trace goes.
CREATE INDEX memories_deleted ON memories (project_id, trace_id) WHERE deleted_at IS NOT NULL;
