-- How much a lesson tells, and whether there was a run. SQLite's migration of the same number says what they are.
ALTER TABLE memories ADD COLUMN tells text;
ALTER TABLE memories ADD COLUMN has_run bigint NOT NULL DEFAULT 1;
UPDATE memories SET has_run = 0
WHERE EXISTS (SELECT 1 FROM traces t
              WHERE t.project_id = memories.project_id AND t.trace_id = memories.trace_id AND t.final_response = ''
                AND t.retrieval_id IS NULL AND t.retrieved_memory_ids = '[]')
  AND NOT EXISTS (SELECT 1 FROM trajectories y
                  WHERE y.project_id = memories.project_id AND y.trace_id = memories.trace_id AND octet_length(y.trajectory) > 2);
