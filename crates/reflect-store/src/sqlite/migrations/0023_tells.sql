-- How much a lesson tells (`rule`, `fix`, … `nothing`); null where its writer did not say. Answers are put together by it.
ALTER TABLE memories ADD COLUMN tells TEXT;

-- Whether there was a run that it was learned from: what was said or done in it, or which memories it asked for, is known then. What is usual for a task
-- is known from runs, not from what somebody wrote down.
ALTER TABLE memories ADD COLUMN has_run INTEGER NOT NULL DEFAULT 1;
UPDATE memories SET has_run = 0
WHERE EXISTS (SELECT 1 FROM traces t
              WHERE t.project_id = memories.project_id AND t.trace_id = memories.trace_id AND t.final_response = ''
                AND t.retrieval_id IS NULL AND t.retrieved_memory_ids = '[]')
  AND NOT EXISTS (SELECT 1 FROM trajectories y
                  WHERE y.project_id = memories.project_id AND y.trace_id = memories.trace_id AND octet_length(y.trajectory) > 2);
