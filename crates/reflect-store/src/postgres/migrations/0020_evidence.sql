-- What a memory adds is learned from what was expected of the runs that saw it. SQLite's migration of the same number says what the columns are.

ALTER TABLE retrievals
    ADD COLUMN usual double precision,
    ADD COLUMN unit double precision,
    ADD COLUMN probability double precision,
    ADD COLUMN rule_version bigint,
    ADD COLUMN worths bytea;

ALTER TABLE credits
    ADD COLUMN usual double precision,
    ADD COLUMN others double precision,
    ADD COLUMN unit double precision,
    ADD COLUMN slate_probability double precision,
    ADD COLUMN rule_version bigint,
    ADD COLUMN day bigint;

ALTER TABLE reviews ADD COLUMN added double precision;

ALTER TABLE memories
    ADD COLUMN worth_sum double precision NOT NULL DEFAULT 0,
    ADD COLUMN worth_runs double precision NOT NULL DEFAULT 0,
    ADD COLUMN worth_day bigint NOT NULL DEFAULT 0,
    ADD COLUMN worth_from bigint NOT NULL DEFAULT 0,
    ADD COLUMN worth_q_value double precision NOT NULL DEFAULT 0.5,
    ADD COLUMN retired_until bigint,
    DROP CONSTRAINT memories_pkey;
ALTER TABLE memories
    ADD PRIMARY KEY (project_id, memory_id) INCLUDE (deleted_at, status, q_value, worth_q_value, uses, updated_at);
CREATE INDEX memories_retired ON memories (project_id, memory_id) WHERE retired_until IS NOT NULL;

CREATE TABLE unfolded_memories (
    project_id text COLLATE "C" NOT NULL,
    memory_id  uuid NOT NULL,
    PRIMARY KEY (project_id, memory_id)
);
INSERT INTO unfolded_memories (project_id, memory_id) SELECT project_id, memory_id FROM memories WHERE uses > 0;
