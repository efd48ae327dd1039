-- Runs are known whatever became of their lessons. SQLite's migration of the same number says how.
ALTER TABLE memories ADD COLUMN run_score double precision;
ALTER TABLE memories ADD COLUMN run_added double precision;
CREATE INDEX memories_deleted ON memories (project_id, trace_id) WHERE deleted_at IS NOT NULL;
