-- The memories that were due for the answer and sat it out: a JSON list of their ids, the first first; none where nobody did.
ALTER TABLE retrievals ADD COLUMN sat_out TEXT;

-- Utilities have no ends any more, so all that follow from a ledger are folded again.
INSERT INTO unfolded_memories (project_id, memory_id) SELECT project_id, memory_id FROM memories WHERE uses > 0 ON CONFLICT DO NOTHING;
