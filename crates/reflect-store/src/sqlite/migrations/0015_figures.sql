-- Figures of a project, and lists of its memories in any order, are read from indexes alone.

-- The figures of a memory. An index of its own: the one over change numbers stays unique, so that no two writers can number alike.
CREATE INDEX memories_figures ON memories (project_id, memory_id, deleted_at, status, q_value, uses, updated_at);

-- Whether the run named memories that it was shown. It could be looked up on its trace; but an index holds columns of its own table only.
-- `removed_at` is in the index so that counting reads no rows.
ALTER TABLE reviews ADD COLUMN shown INTEGER NOT NULL DEFAULT 0;
UPDATE reviews SET shown = EXISTS (SELECT 1 FROM traces t WHERE t.project_id = reviews.project_id
                                   AND t.trace_id = reviews.trace_id AND t.retrieved_memory_ids <> '[]');
CREATE INDEX reviews_live ON reviews (project_id, trace_id, result, shown, removed_at) WHERE removed_at IS NULL;
