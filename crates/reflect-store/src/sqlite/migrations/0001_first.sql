-- The first schema: projects, traces, reviews, memories, their ledger, and the queue of lessons to write.
--
-- Every table but `api_keys` and `jobs` is keyed by project first, so that a large installation can be split by project.
-- Ids are UUIDs as 16 bytes, version 7 where we made them, so that they sort by age. Times are microseconds since 1970.

CREATE TABLE projects (
    project_id  TEXT    NOT NULL PRIMARY KEY,
    incarnation BLOB    NOT NULL,
    settings    TEXT    NOT NULL,
    embedder    TEXT    NOT NULL,
    created_at  INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE api_keys (
    key_id       BLOB    NOT NULL PRIMARY KEY,
    project_id   TEXT    NOT NULL,
    public_id    TEXT    NOT NULL UNIQUE,
    secret_hash  BLOB    NOT NULL,
    label        TEXT    NOT NULL,
    scopes       TEXT    NOT NULL,
    environment  TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER,
    revoked_at   INTEGER
) WITHOUT ROWID;

CREATE INDEX api_keys_by_project ON api_keys (project_id, key_id);

-- How far the work on a trace has come is not a column: it follows from its row in `jobs`.
CREATE TABLE traces (
    project_id           TEXT    NOT NULL,
    trace_id             BLOB    NOT NULL,
    task                 TEXT    NOT NULL,
    final_response       TEXT    NOT NULL,
    retrieved_memory_ids TEXT    NOT NULL,
    retrieval_id         BLOB,
    review_status        TEXT    NOT NULL,
    ingest_attempts      INTEGER NOT NULL DEFAULT 0,
    model                TEXT,
    metadata             TEXT    NOT NULL,
    reference_context    TEXT,
    created_memory_id    BLOB,
    warnings             TEXT    NOT NULL,
    created_at           INTEGER NOT NULL,
    PRIMARY KEY (project_id, trace_id)
);

CREATE INDEX traces_pending ON traces (project_id, trace_id) WHERE review_status = 'pending';

CREATE TABLE trajectories (
    project_id TEXT NOT NULL,
    trace_id   BLOB NOT NULL,
    trajectory TEXT NOT NULL,
    PRIMARY KEY (project_id, trace_id)
);

-- A review that was corrected or taken back keeps its row, with the time when it ceased to count.
CREATE TABLE reviews (
    project_id    TEXT    NOT NULL,
    trace_id      BLOB    NOT NULL,
    review_id     BLOB    NOT NULL,
    result        TEXT    NOT NULL,
    feedback_text TEXT,
    mode          TEXT    NOT NULL,
    source        TEXT    NOT NULL,
    asked_alpha   REAL,
    alpha         REAL    NOT NULL,
    reflection    TEXT,
    created_at    INTEGER NOT NULL,
    removed_at    INTEGER,
    PRIMARY KEY (project_id, trace_id, review_id)
);

-- `q_value`, `uses`, `passes` and `fails` are the cached fold of the live rows of `credits`.
-- `changed` counts up over all memories, so that an index can ask for what is new since it last looked.
CREATE TABLE memories (
    project_id    TEXT    NOT NULL,
    memory_id     BLOB    NOT NULL,
    trace_id      BLOB    NOT NULL,
    task          TEXT    NOT NULL,
    lesson        TEXT    NOT NULL,
    success       INTEGER,
    status        TEXT    NOT NULL,
    revision      INTEGER NOT NULL,
    written_by    TEXT    NOT NULL,
    q_value       REAL    NOT NULL,
    uses          INTEGER NOT NULL,
    passes        INTEGER NOT NULL,
    fails         INTEGER NOT NULL,
    next_position INTEGER NOT NULL,
    metadata      TEXT    NOT NULL,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    deleted_at    INTEGER,
    changed       INTEGER NOT NULL,
    PRIMARY KEY (project_id, memory_id)
);

CREATE INDEX memories_by_change ON memories (project_id, changed);

-- What a lesson said before it was edited or replaced.
CREATE TABLE memory_revisions (
    project_id TEXT    NOT NULL,
    memory_id  BLOB    NOT NULL,
    revision   INTEGER NOT NULL,
    lesson     TEXT    NOT NULL,
    success    INTEGER,
    written_by TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, memory_id, revision)
);

CREATE TABLE vectors (
    project_id TEXT NOT NULL,
    memory_id  BLOB NOT NULL,
    embedder   TEXT NOT NULL,
    vector     BLOB NOT NULL,
    PRIMARY KEY (project_id, memory_id, embedder)
);

-- The ledger. A memory's utility is the fold of its live rows by position. A correction takes the position of what it
-- corrects; both rows stay, and only the one without `removed_at` counts.
CREATE TABLE credits (
    project_id      TEXT    NOT NULL,
    memory_id       BLOB    NOT NULL,
    position        INTEGER NOT NULL,
    review_id       BLOB    NOT NULL,
    trace_id        BLOB    NOT NULL,
    memory_revision INTEGER NOT NULL,
    result          TEXT    NOT NULL,
    alpha           REAL    NOT NULL,
    created_at      INTEGER NOT NULL,
    removed_at      INTEGER,
    PRIMARY KEY (project_id, memory_id, position, review_id)
) WITHOUT ROWID;

CREATE TABLE retrievals (
    project_id   TEXT    NOT NULL,
    key_id       BLOB    NOT NULL,
    retrieval_id BLOB    NOT NULL,
    task         TEXT    NOT NULL,
    settings     TEXT    NOT NULL,
    shown        TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    PRIMARY KEY (project_id, key_id, retrieval_id)
);

CREATE TABLE skills (
    project_id  TEXT    NOT NULL,
    version     INTEGER NOT NULL,
    content     TEXT    NOT NULL,
    name        TEXT    NOT NULL,
    description TEXT    NOT NULL,
    n_passed    INTEGER NOT NULL,
    n_failed    INTEGER NOT NULL,
    memory_ids  TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (project_id, version)
);

CREATE TABLE idempotency (
    project_id      TEXT    NOT NULL,
    idempotency_key TEXT    NOT NULL,
    fingerprint     BLOB    NOT NULL,
    answer          TEXT    NOT NULL,
    created_at      INTEGER NOT NULL,
    PRIMARY KEY (project_id, idempotency_key)
) WITHOUT ROWID;

CREATE INDEX idempotency_by_age ON idempotency (created_at);

-- One row for each lesson that is still to be written. A claim moves `run_at` to the end of its lease, so a job whose
-- worker died falls due again by itself. Done jobs are deleted; those whose attempts ran out stay, with `failed_at`.
CREATE TABLE jobs (
    job_id      INTEGER PRIMARY KEY,
    project_id  TEXT    NOT NULL,
    trace_id    BLOB    NOT NULL,
    review_id   BLOB    NOT NULL,
    priority    INTEGER NOT NULL,
    run_at      INTEGER NOT NULL,
    attempts    INTEGER NOT NULL DEFAULT 0,
    lease_owner BLOB,
    last_error  TEXT,
    failed_at   INTEGER,
    UNIQUE (project_id, trace_id)
);

CREATE INDEX jobs_due ON jobs (priority, run_at) WHERE failed_at IS NULL;
