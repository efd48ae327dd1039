-- Lessons by models: jobs that replace a stand-in, verdicts of the judge, and what the calls of each day cost.

-- `lesson`: the review's lesson is still to be written. `follow_up`: a stand-in was stored, and a better one is to come.
-- A trace has one job at a time: the first kind turns into the second.
ALTER TABLE jobs ADD COLUMN kind TEXT NOT NULL DEFAULT 'lesson';

-- Of a follow-up: the revision that it may replace. Any other was written since, by someone who knew better.
ALTER TABLE jobs ADD COLUMN revision INTEGER;

-- What the judge was asked, and what it said. A claim moves `ask_at` to the end of its lease, so a question whose asker
-- died falls due again by itself. Without `ask_at` it is not asked again.
CREATE TABLE judgements (
    project_id TEXT    NOT NULL,
    trace_id   BLOB    NOT NULL,
    attempts   INTEGER NOT NULL,
    unknowns   INTEGER NOT NULL DEFAULT 0,
    ask_at     INTEGER,
    verdict    TEXT,
    reason     TEXT,
    model      TEXT,
    judged_at  INTEGER,
    last_error TEXT,
    PRIMARY KEY (project_id, trace_id)
) WITHOUT ROWID;

-- One row a day (days since 1970, UTC), model and role. Kept, so that a restart does not forget what was spent.
CREATE TABLE llm_spend (
    day           INTEGER NOT NULL,
    model         TEXT    NOT NULL,
    role          TEXT    NOT NULL,
    calls         INTEGER NOT NULL,
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost_usd      REAL    NOT NULL,
    PRIMARY KEY (day, model, role)
) WITHOUT ROWID;
