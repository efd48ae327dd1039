-- What a memory says as a number, the same for all that say the same: lists have one of each. None where it says nothing, or was deleted.
ALTER TABLE memories ADD COLUMN same_words INTEGER;
CREATE INDEX memories_alike ON memories (project_id, same_words, uses DESC, memory_id, status) WHERE same_words IS NOT NULL;
DROP INDEX memories_figures;
CREATE INDEX memories_figures
    ON memories (project_id, memory_id, deleted_at, status, q_value, worth_q_value, uses, updated_at, same_words);

-- It is worked out, as folds are, when the database is opened next.
INSERT INTO unfolded_memories (project_id, memory_id) SELECT project_id, memory_id FROM memories WHERE deleted_at IS NULL
ON CONFLICT DO NOTHING;
