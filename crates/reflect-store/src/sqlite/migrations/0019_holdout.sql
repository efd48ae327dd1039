-- A share of tasks does without memories, so that it can be measured whether they help.

-- One row for each query that was answered by chance in some way. `draw` names the task and the day: queries that share it are one draw.
-- `held_out` and `share` say which arm it was drawn for; there is none where no share is held out. A row gets the first run that followed the
-- query, and whether that run named the query. Rows without a run go when their query leaves the log; the others stay, since a report may take
-- months.
CREATE TABLE drawn_queries (
    project_id   TEXT    NOT NULL,
    retrieval_id BLOB    NOT NULL,
    draw         INTEGER NOT NULL,
    held_out     INTEGER,
    share        REAL,
    trace_id     BLOB,
    named        INTEGER NOT NULL DEFAULT 0,
    created_at   INTEGER NOT NULL,
    PRIMARY KEY (project_id, retrieval_id)
) WITHOUT ROWID;

CREATE INDEX drawn_queries_without_run ON drawn_queries (project_id, retrieval_id) WHERE trace_id IS NULL;
CREATE INDEX drawn_queries_by_run ON drawn_queries (project_id, trace_id) WHERE trace_id IS NOT NULL;

-- A report reads the reviews of many runs, and no rows: the index has all that it asks for.
DROP INDEX reviews_live;
CREATE INDEX reviews_live ON reviews (project_id, trace_id, result, shown, source, review_id, removed_at) WHERE removed_at IS NULL;
