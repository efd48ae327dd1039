-- What a memory adds is learned from what was expected of the runs that saw it. That is known when a query is answered, and never again.

-- What the query knew: what was usual for such a task, the local unit of distance, how probable its answer was, and by which arithmetic. `worths` has
-- eight bytes for each memory of `shown`: what it was expected to add, and how probable it was to be shown.
ALTER TABLE retrievals ADD COLUMN usual REAL;
ALTER TABLE retrievals ADD COLUMN unit REAL;
ALTER TABLE retrievals ADD COLUMN probability REAL;
ALTER TABLE retrievals ADD COLUMN rule_version INTEGER;
ALTER TABLE retrievals ADD COLUMN worths BLOB;

-- The same for one memory of the answer. `others` is what the other memories that the run saw were expected to add; `day` is that of the run's first
-- review. Rows from before have none of it.
ALTER TABLE credits ADD COLUMN usual REAL;
ALTER TABLE credits ADD COLUMN others REAL;
ALTER TABLE credits ADD COLUMN unit REAL;
ALTER TABLE credits ADD COLUMN slate_probability REAL;
ALTER TABLE credits ADD COLUMN rule_version INTEGER;
ALTER TABLE credits ADD COLUMN day INTEGER;

-- What all memories that the run saw were expected to add.
ALTER TABLE reviews ADD COLUMN added REAL;

-- The fold of the same ledger as `q_value` by the other rule: the sum of what was left to explain, of how many runs, and the latest day. Credits before
-- the position `worth_from` do not count for it: the memory was brought back then.
ALTER TABLE memories ADD COLUMN worth_sum REAL NOT NULL DEFAULT 0.0;
ALTER TABLE memories ADD COLUMN worth_runs REAL NOT NULL DEFAULT 0.0;
ALTER TABLE memories ADD COLUMN worth_day INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memories ADD COLUMN worth_from INTEGER NOT NULL DEFAULT 0;
-- What follows from it as a utility, to list and count memories by.
ALTER TABLE memories ADD COLUMN worth_q_value REAL NOT NULL DEFAULT 0.5;
DROP INDEX memories_figures;
CREATE INDEX memories_figures ON memories (project_id, memory_id, deleted_at, status, q_value, worth_q_value, uses, updated_at);
-- The day on which a memory that is believed to hurt is shown again; none for all others.
ALTER TABLE memories ADD COLUMN retired_until INTEGER;
CREATE INDEX memories_retired ON memories (project_id, memory_id) WHERE retired_until IS NOT NULL;

-- Memories whose cached fold is not that of their ledger. They are folded when the database is opened next.
CREATE TABLE unfolded_memories (
    project_id TEXT NOT NULL,
    memory_id  BLOB NOT NULL,
    PRIMARY KEY (project_id, memory_id)
) WITHOUT ROWID;
INSERT INTO unfolded_memories (project_id, memory_id) SELECT project_id, memory_id FROM memories WHERE uses > 0;
