-- Every table but keys, sessions, what models cost and the names of deleted projects is keyed by project first, so that a large installation can be
-- split by project. Ids are UUIDs as 16 bytes, version 7 where we made them, so that they sort by age. Times are microseconds since 1970; a
-- truth value is 0 or 1.

CREATE TABLE projects (
    project_id  TEXT    NOT NULL PRIMARY KEY,
    -- Tells a project from an earlier one of its name.
    incarnation BLOB    NOT NULL,
    settings    TEXT    NOT NULL,
    embedder    TEXT    NOT NULL,
    created_at  INTEGER NOT NULL
) WITHOUT ROWID;

-- A deleted project is out of sight at once, and its rows are removed little by little.
CREATE TABLE deleted_projects (
    project_id TEXT NOT NULL PRIMARY KEY
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
    revoked_at   INTEGER,
    -- None never ends by itself.
    expires_at   INTEGER
) WITHOUT ROWID;

CREATE INDEX api_keys_by_project ON api_keys (project_id, key_id);
CREATE INDEX api_keys_by_expiry ON api_keys (expires_at) WHERE expires_at IS NOT NULL;

-- People sign in to the console and work with a session: a key that ends by itself and stands for another.
CREATE TABLE sessions (
    public_id   TEXT    NOT NULL PRIMARY KEY,
    session_id  BLOB    NOT NULL,
    secret_hash BLOB    NOT NULL,
    -- The public id of the key it stands for, or `master`. What it may do is looked up there at each use, and so ends with it.
    parent      TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX sessions_by_parent ON sessions (parent, session_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

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
    -- Whether `judgements` has a row for this trace. An index holds columns of its own table only, and without this one the search for what the
    -- judge may be asked about walked every pending trace.
    judge_asked          INTEGER NOT NULL DEFAULT 0,
    -- Like all checksums the CRC-32 of what was written beside it, since SQLite's own check does not look inside texts: here of task, final
    -- response, metadata and reference context.
    checksum             INTEGER,
    PRIMARY KEY (project_id, trace_id)
);

CREATE INDEX traces_pending ON traces (project_id, trace_id) WHERE review_status = 'pending';
CREATE INDEX traces_unjudged ON traces (project_id, trace_id) WHERE review_status = 'pending' AND judge_asked = 0;
-- Appended to, as ids sort by age, and untouched by all that happens to a trace later. A row for each memory and trace would be found
-- faster still, at the price of several writes a trace.
CREATE INDEX traces_shown ON traces (project_id, trace_id, retrieved_memory_ids) WHERE retrieved_memory_ids <> '[]';

CREATE TABLE trajectories (
    project_id TEXT NOT NULL,
    trace_id   BLOB NOT NULL,
    trajectory TEXT NOT NULL,
    checksum   INTEGER,
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
    -- Whether the run named memories that it was shown: on its trace, too, but an index holds columns of its own table only.
    shown         INTEGER NOT NULL DEFAULT 0,
    -- How well the run went, from 0 to 1. Without it a pass counts 1 and a fail 0.
    score         REAL,
    -- What all memories that the run saw were expected to add.
    added         REAL,
    PRIMARY KEY (project_id, trace_id, review_id)
);

-- Figures and reports read the reviews of many runs, and no rows: the index has all that they ask for, `removed_at` among it.
CREATE INDEX reviews_live ON reviews (project_id, trace_id, result, shown, source, review_id, removed_at) WHERE removed_at IS NULL;

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
    -- These four are the cached fold of the live rows of `credits`.
    q_value       REAL    NOT NULL,
    uses          INTEGER NOT NULL,
    passes        INTEGER NOT NULL,
    fails         INTEGER NOT NULL,
    next_position INTEGER NOT NULL,
    metadata      TEXT    NOT NULL,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    deleted_at    INTEGER,
    -- Counts up over the memories of a project, so that an index can ask for what is new since it last looked.
    changed       INTEGER NOT NULL,
    checksum      INTEGER,
    -- The fold of the same ledger by the other rule: the sum of what was left to explain, of how many runs, and the latest day.
    worth_sum     REAL    NOT NULL DEFAULT 0.0,
    worth_runs    REAL    NOT NULL DEFAULT 0.0,
    worth_day     INTEGER NOT NULL DEFAULT 0,
    -- Credits before this position do not count for it: the memory was brought back then.
    worth_from    INTEGER NOT NULL DEFAULT 0,
    -- What follows from it as a utility, to list and count memories by.
    worth_q_value REAL    NOT NULL DEFAULT 0.5,
    -- The day on which a memory that is believed to hurt is shown again; none for all others.
    retired_until INTEGER,
    -- How much the lesson tells (`rule`, `fix`, … `nothing`); none where its writer did not say. Answers are put together by it.
    tells         TEXT,
    -- Whether there was a run that it was learned from: what was said or done in it, or which memories it asked for, is known then. What is
    -- usual for a task is known from runs, not from what somebody wrote down.
    has_run       INTEGER NOT NULL DEFAULT 1,
    -- How the run's review scored it and what the memories that it saw were expected to add, once its trace is gone. Until then they stand on
    -- the review.
    run_score     REAL,
    run_added     REAL,
    -- Somebody said that it is never left out: neither retired nor sitting out.
    pinned        INTEGER NOT NULL DEFAULT 0,
    -- What it says as a number, the same for all that say the same: lists have one of each. None where it says nothing, or was deleted.
    same_words    INTEGER,
    PRIMARY KEY (project_id, memory_id)
);

-- Unique, so that no two writers can number alike: an index reads on from the last number that it saw, and would never read the second of two.
CREATE UNIQUE INDEX memories_by_change ON memories (project_id, changed);
CREATE INDEX memories_retired ON memories (project_id, memory_id) WHERE retired_until IS NOT NULL;
-- A deleted memory keeps the vector of its run's task, until the trace goes.
CREATE INDEX memories_deleted ON memories (project_id, trace_id) WHERE deleted_at IS NOT NULL;
CREATE INDEX memories_alike ON memories (project_id, same_words, uses DESC, memory_id, status) WHERE same_words IS NOT NULL;
-- Figures of a project, and lists of its memories in any order, are read from this alone.
CREATE INDEX memories_figures
    ON memories (project_id, memory_id, deleted_at, status, q_value, worth_q_value, uses, updated_at, same_words);

-- What a lesson said before it was edited or replaced.
CREATE TABLE memory_revisions (
    project_id TEXT    NOT NULL,
    memory_id  BLOB    NOT NULL,
    revision   INTEGER NOT NULL,
    lesson     TEXT    NOT NULL,
    success    INTEGER,
    written_by TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    checksum   INTEGER,
    PRIMARY KEY (project_id, memory_id, revision)
);

-- Memories are found by the task that they were learned from (`vector`), and by what they say.
CREATE TABLE vectors (
    project_id      TEXT    NOT NULL,
    memory_id       BLOB    NOT NULL,
    embedder        TEXT    NOT NULL,
    vector          BLOB    NOT NULL,
    checksum        INTEGER,
    lesson_vector   BLOB,
    -- The revision whose words it was made of. One of an older revision is not compared any more.
    lesson_revision INTEGER,
    lesson_checksum INTEGER,
    PRIMARY KEY (project_id, memory_id, embedder)
);

-- One row while a project is on the way to `target`. How far it has come is no column: it follows from the vectors that are there. A
-- `target` that the project already has means that vectors of it may be missing.
CREATE TABLE embedder_switches (
    project_id TEXT    NOT NULL PRIMARY KEY,
    target     TEXT    NOT NULL,
    started_at INTEGER NOT NULL
) WITHOUT ROWID;

-- Vectors that no query will compare any more, removed little by little; `deleted_to` is the memory that this has come to.
CREATE TABLE leftover_vectors (
    project_id TEXT NOT NULL,
    embedder   TEXT NOT NULL,
    deleted_to BLOB NOT NULL DEFAULT x'',
    PRIMARY KEY (project_id, embedder)
) WITHOUT ROWID;

-- The ledger. A memory's utility is the fold of its live rows by position. A correction takes the position of what it corrects; both rows
-- stay, and only the one without `removed_at` counts.
CREATE TABLE credits (
    project_id        TEXT    NOT NULL,
    memory_id         BLOB    NOT NULL,
    position          INTEGER NOT NULL,
    review_id         BLOB    NOT NULL,
    trace_id          BLOB    NOT NULL,
    memory_revision   INTEGER NOT NULL,
    result            TEXT    NOT NULL,
    alpha             REAL    NOT NULL,
    created_at        INTEGER NOT NULL,
    removed_at        INTEGER,
    -- How the memory came to be shown. All of it may be unknown. Learning that asks whether a lesson helped, or was only shown often, needs it,
    -- and it cannot be had afterwards.
    retrieval_id      BLOB,
    rank              INTEGER,
    similarity        REAL,
    probability       REAL,
    score             REAL,
    -- What the query knew, as in `retrievals`; `others` is what the other memories that the run saw were expected to add.
    usual             REAL,
    others            REAL,
    unit              REAL,
    slate_probability REAL,
    rule_version      INTEGER,
    -- That of the run's first review. Imports of exports from before it was kept have none, and then that of this row counts.
    day               INTEGER,
    -- The key that brought the run's first review; none where that is not known.
    reporter          BLOB,
    -- The share for which the run counts; none is all of it.
    weight            REAL,
    PRIMARY KEY (project_id, memory_id, position, review_id)
) WITHOUT ROWID;

-- How many reviewed runs each key has brought that counted for any memory: one reporter alone does not decide what is believed of a memory where
-- several review a project's runs. A review that is taken back or corrected stays counted.
CREATE TABLE reporters (
    project_id TEXT    NOT NULL,
    reporter   BLOB    NOT NULL,
    runs       INTEGER NOT NULL,
    PRIMARY KEY (project_id, reporter)
) WITHOUT ROWID;

-- Memories whose cached fold is not that of their ledger, since evidence ages at another pace by now. What is left here when a server ends is
-- folded when the database is opened next.
CREATE TABLE unfolded_memories (
    project_id TEXT NOT NULL,
    memory_id  BLOB NOT NULL,
    PRIMARY KEY (project_id, memory_id)
) WITHOUT ROWID;

-- What queries were answered. What was expected of a run is known when its query is answered, and never again.
CREATE TABLE retrievals (
    project_id   TEXT    NOT NULL,
    key_id       BLOB    NOT NULL,
    retrieval_id BLOB    NOT NULL,
    task         TEXT    NOT NULL,
    settings     TEXT    NOT NULL,
    -- A blob of 32 bytes a memory, the best first.
    shown        TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    -- What the row takes, so that a project's share can be summed up along an index; as much as a usual one where that is not known.
    bytes        INTEGER NOT NULL DEFAULT 2000,
    -- What was usual for such a task, the local unit of distance, how probable the answer was, and by which arithmetic.
    usual        REAL,
    unit         REAL,
    probability  REAL,
    rule_version INTEGER,
    -- Eight bytes for each memory of `shown`: what it was expected to add, and how probable it was to be shown.
    worths       BLOB,
    -- The memories that were due for the answer and sat it out: a JSON list of their ids, the first first; none where nobody did.
    sat_out      TEXT,
    PRIMARY KEY (project_id, key_id, retrieval_id)
);

CREATE INDEX retrievals_by_age ON retrievals (project_id, retrieval_id, bytes);

-- One row for each query that was answered by chance in some way. Rows without a run go when their query leaves the log; the others stay, since
-- a report may take months.
CREATE TABLE drawn_queries (
    project_id   TEXT    NOT NULL,
    retrieval_id BLOB    NOT NULL,
    -- Names the task and the day: queries that share it are one draw.
    draw         INTEGER NOT NULL,
    -- Which arm it was drawn for; there is none where no share is held out.
    held_out     INTEGER,
    share        REAL,
    -- The first run that followed the query, and whether that run named the query.
    trace_id     BLOB,
    named        INTEGER NOT NULL DEFAULT 0,
    created_at   INTEGER NOT NULL,
    -- What the query asked for, every configuration that might have been drawn with its probability and whether it shows the same, and which
    -- one was drawn, as JSON. None where nothing is mixed.
    mixed        TEXT,
    PRIMARY KEY (project_id, retrieval_id)
) WITHOUT ROWID;

CREATE INDEX drawn_queries_without_run ON drawn_queries (project_id, retrieval_id) WHERE trace_id IS NULL;
CREATE INDEX drawn_queries_by_run ON drawn_queries (project_id, trace_id) WHERE trace_id IS NOT NULL;

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
    -- A model, or rules. Imports of exports from before it was kept do not know.
    written_by  TEXT,
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

-- One row for each lesson that is still to be written. A claim moves `run_at` to the end of its lease, so a job whose worker died falls due
-- again by itself. Done jobs are deleted; those whose attempts ran out stay, with `failed_at`.
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
    -- `lesson`: the review's lesson is still to be written. `follow_up`: a stand-in was stored, and a better one is to come. A trace has one job
    -- at a time: the first kind turns into the second.
    kind        TEXT    NOT NULL DEFAULT 'lesson',
    -- Of a follow-up: the revision that it may replace. Any other was written since, by someone who knew better.
    revision    INTEGER,
    -- Of a follow-up: the model whose lesson it waits for, so that those of a model that is left alone are not even looked at.
    model       TEXT    NOT NULL DEFAULT 'unknown',
    UNIQUE (project_id, trace_id)
);

-- Every look into the queue is a range of an index, however many follow-ups wait in an outage: lessons by who waits for them, follow-ups by what
-- they wait for. The columns at their ends are in them so that counting reads no rows.
CREATE INDEX jobs_lessons ON jobs (priority, run_at, kind, failed_at) WHERE failed_at IS NULL AND kind = 'lesson';
CREATE INDEX jobs_follow_ups ON jobs (model, run_at, kind, failed_at) WHERE failed_at IS NULL AND kind = 'follow_up';
CREATE INDEX jobs_failed ON jobs (kind, failed_at) WHERE failed_at IS NOT NULL;

-- What the judge was asked, and what it said. A claim moves `ask_at` to the end of its lease, so a question whose asker died falls due again
-- by itself. Without `ask_at` it is not asked again.
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
    -- Whether the trace has a review, while which nobody is asked.
    reviewed   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, trace_id)
) WITHOUT ROWID;

CREATE INDEX judgements_due ON judgements (project_id, ask_at) WHERE reviewed = 0;

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

-- The process that writes. Whoever opens the database puts its own name here, and the one before it writes no more: the lock on the
-- folder can be lost with its file, or be none at all on some file systems.
CREATE TABLE writer (
    one      INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    instance BLOB    NOT NULL
);
INSERT INTO writer VALUES (1, zeroblob(16));
