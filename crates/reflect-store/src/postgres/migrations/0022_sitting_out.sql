-- Who was due for an answer and sat it out. SQLite's migration of the same number says what it is.

ALTER TABLE retrievals ADD COLUMN sat_out text;

INSERT INTO unfolded_memories (project_id, memory_id) SELECT project_id, memory_id FROM memories WHERE uses > 0 ON CONFLICT DO NOTHING;
