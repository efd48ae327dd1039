-- What a memory says as a number. SQLite's migration of the same number says what it is for.
ALTER TABLE memories ADD COLUMN same_words bigint;
CREATE INDEX memories_alike ON memories (project_id, same_words, uses DESC, memory_id, status) WHERE same_words IS NOT NULL;
INSERT INTO unfolded_memories (project_id, memory_id) SELECT project_id, memory_id FROM memories WHERE deleted_at IS NULL
ON CONFLICT DO NOTHING;
