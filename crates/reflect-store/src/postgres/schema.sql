-- The tables that SQLite's schema of the same number has, where the reasons stand.
--
-- Names sort by their bytes, as in SQLite. JSON is kept as text, byte for byte.

CREATE TABLE reflect_schema (
    version bigint NOT NULL
);
INSERT INTO reflect_schema VALUES (0);

CREATE TABLE projects (
    project_id  text COLLATE "C" NOT NULL PRIMARY KEY,
    incarnation uuid   NOT NULL,
    settings    text   NOT NULL,
    embedder    text COLLATE "C" NOT NULL,
    created_at  bigint NOT NULL
);

CREATE TABLE deleted_projects (
    project_id text COLLATE "C" NOT NULL PRIMARY KEY
);

CREATE TABLE api_keys (
    key_id       uuid   NOT NULL PRIMARY KEY,
    project_id   text COLLATE "C" NOT NULL,
    public_id    text COLLATE "C" NOT NULL UNIQUE,
    secret_hash  bytea  NOT NULL,
    label        text   NOT NULL,
    scopes       text   NOT NULL,
    environment  text   NOT NULL,
    created_at   bigint NOT NULL,
    last_used_at bigint,
    revoked_at   bigint,
    expires_at   bigint
);

CREATE INDEX api_keys_by_project ON api_keys (project_id, key_id);
CREATE INDEX api_keys_by_expiry ON api_keys (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE sessions (
    public_id   text COLLATE "C" NOT NULL PRIMARY KEY,
    session_id  uuid   NOT NULL,
    secret_hash bytea  NOT NULL,
    parent      text COLLATE "C" NOT NULL,
    created_at  bigint NOT NULL,
    expires_at  bigint NOT NULL
);

CREATE INDEX sessions_by_parent ON sessions (parent, session_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE traces (
    project_id           text COLLATE "C" NOT NULL,
    trace_id             uuid   NOT NULL,
    task                 text   NOT NULL,
    final_response       text   NOT NULL,
    retrieved_memory_ids text COLLATE "C" NOT NULL,
    retrieval_id         uuid,
    review_status        text COLLATE "C" NOT NULL,
    ingest_attempts      bigint NOT NULL DEFAULT 0,
    model                text COLLATE "C",
    metadata             text   NOT NULL,
    reference_context    text,
    created_memory_id    uuid,
    warnings             text   NOT NULL,
    created_at           bigint NOT NULL,
    judge_asked          bigint NOT NULL DEFAULT 0,
    checksum             bigint,
    PRIMARY KEY (project_id, trace_id)
);

CREATE INDEX traces_pending ON traces (project_id, trace_id) WHERE review_status = 'pending';
CREATE INDEX traces_unjudged ON traces (project_id, trace_id) WHERE review_status = 'pending' AND judge_asked = 0;
-- Without the list of ids, which may be longer than an entry of an index.
CREATE INDEX traces_shown ON traces (project_id, trace_id) WHERE retrieved_memory_ids <> '[]';

CREATE TABLE trajectories (
    project_id text COLLATE "C" NOT NULL,
    trace_id   uuid NOT NULL,
    trajectory text NOT NULL,
    checksum   bigint,
    PRIMARY KEY (project_id, trace_id)
);

CREATE TABLE reviews (
    project_id    text COLLATE "C" NOT NULL,
    trace_id      uuid   NOT NULL,
    review_id     uuid   NOT NULL,
    result        text COLLATE "C" NOT NULL,
    score         double precision,
    feedback_text text,
    mode          text COLLATE "C" NOT NULL,
    source        text COLLATE "C" NOT NULL,
    asked_alpha   double precision,
    alpha         double precision NOT NULL,
    reflection    text,
    created_at    bigint NOT NULL,
    removed_at    bigint,
    shown         bigint NOT NULL DEFAULT 0,
    added         double precision,
    PRIMARY KEY (project_id, trace_id, review_id)
);

CREATE INDEX reviews_live ON reviews (project_id, trace_id) INCLUDE (result, shown, source, review_id, removed_at)
    WHERE removed_at IS NULL;

-- The figures are in the key's own index: every change to a memory has its own number, and so a new entry in every index anyway.
CREATE TABLE memories (
    project_id    text COLLATE "C" NOT NULL,
    memory_id     uuid   NOT NULL,
    trace_id      uuid   NOT NULL,
    task          text   NOT NULL,
    lesson        text   NOT NULL,
    success       bigint,
    status        text COLLATE "C" NOT NULL,
    revision      bigint NOT NULL,
    written_by    text   NOT NULL,
    q_value       double precision NOT NULL,
    uses          bigint NOT NULL,
    passes        bigint NOT NULL,
    fails         bigint NOT NULL,
    next_position bigint NOT NULL,
    metadata      text   NOT NULL,
    created_at    bigint NOT NULL,
    updated_at    bigint NOT NULL,
    deleted_at    bigint,
    changed       bigint NOT NULL,
    checksum      bigint,
    worth_sum     double precision NOT NULL DEFAULT 0,
    worth_runs    double precision NOT NULL DEFAULT 0,
    worth_day     bigint NOT NULL DEFAULT 0,
    worth_from    bigint NOT NULL DEFAULT 0,
    worth_q_value double precision NOT NULL DEFAULT 0.5,
    retired_until bigint,
    tells         text,
    has_run       bigint NOT NULL DEFAULT 1,
    run_score     double precision,
    run_added     double precision,
    pinned        bigint NOT NULL DEFAULT 0,
    same_words    bigint,
    PRIMARY KEY (project_id, memory_id) INCLUDE (deleted_at, status, q_value, worth_q_value, uses, updated_at)
);

CREATE UNIQUE INDEX memories_by_change ON memories (project_id, changed);
CREATE INDEX memories_retired ON memories (project_id, memory_id) WHERE retired_until IS NOT NULL;
CREATE INDEX memories_deleted ON memories (project_id, trace_id) WHERE deleted_at IS NOT NULL;
CREATE INDEX memories_alike ON memories (project_id, same_words, uses DESC, memory_id, status) WHERE same_words IS NOT NULL;

CREATE TABLE memory_revisions (
    project_id text COLLATE "C" NOT NULL,
    memory_id  uuid   NOT NULL,
    revision   bigint NOT NULL,
    lesson     text   NOT NULL,
    success    bigint,
    written_by text   NOT NULL,
    created_at bigint NOT NULL,
    checksum   bigint,
    PRIMARY KEY (project_id, memory_id, revision)
);

-- Vectors stay in their rows: an index in memory reads all of them, and a look elsewhere for each would take as long again.
CREATE TABLE vectors (
    project_id      text COLLATE "C" NOT NULL,
    memory_id       uuid  NOT NULL,
    embedder        text COLLATE "C" NOT NULL,
    vector          bytea NOT NULL,
    checksum        bigint,
    lesson_vector   bytea,
    lesson_revision bigint,
    lesson_checksum bigint,
    PRIMARY KEY (project_id, memory_id, embedder)
) WITH (toast_tuple_target = 8160);

CREATE TABLE embedder_switches (
    project_id text COLLATE "C" NOT NULL PRIMARY KEY,
    target     text COLLATE "C" NOT NULL,
    started_at bigint NOT NULL
);

CREATE TABLE leftover_vectors (
    project_id text COLLATE "C" NOT NULL,
    embedder   text COLLATE "C" NOT NULL,
    deleted_to uuid NOT NULL,
    PRIMARY KEY (project_id, embedder)
);

CREATE TABLE credits (
    project_id        text COLLATE "C" NOT NULL,
    memory_id         uuid   NOT NULL,
    position          bigint NOT NULL,
    review_id         uuid   NOT NULL,
    trace_id          uuid   NOT NULL,
    memory_revision   bigint NOT NULL,
    result            text COLLATE "C" NOT NULL,
    score             double precision,
    alpha             double precision NOT NULL,
    created_at        bigint NOT NULL,
    removed_at        bigint,
    retrieval_id      uuid,
    rank              bigint,
    similarity        double precision,
    probability       double precision,
    usual             double precision,
    others            double precision,
    unit              double precision,
    slate_probability double precision,
    rule_version      bigint,
    day               bigint,
    reporter          uuid,
    weight            double precision,
    PRIMARY KEY (project_id, memory_id, position, review_id)
);

CREATE TABLE reporters (
    project_id text COLLATE "C" NOT NULL,
    reporter   uuid   NOT NULL,
    runs       bigint NOT NULL,
    PRIMARY KEY (project_id, reporter)
);

CREATE TABLE unfolded_memories (
    project_id text COLLATE "C" NOT NULL,
    memory_id  uuid NOT NULL,
    PRIMARY KEY (project_id, memory_id)
);

CREATE TABLE retrievals (
    project_id   text COLLATE "C" NOT NULL,
    key_id       uuid   NOT NULL,
    retrieval_id uuid   NOT NULL,
    task         text   NOT NULL,
    settings     text   NOT NULL,
    shown        bytea  NOT NULL,
    created_at   bigint NOT NULL,
    bytes        bigint NOT NULL DEFAULT 2000,
    usual        double precision,
    unit         double precision,
    probability  double precision,
    rule_version bigint,
    worths       bytea,
    sat_out      text,
    PRIMARY KEY (project_id, key_id, retrieval_id)
);

CREATE INDEX retrievals_by_age ON retrievals (project_id, retrieval_id) INCLUDE (bytes);

CREATE TABLE drawn_queries (
    project_id   text COLLATE "C" NOT NULL,
    retrieval_id uuid   NOT NULL,
    draw         bigint NOT NULL,
    held_out     bigint,
    share        double precision,
    trace_id     uuid,
    named        bigint NOT NULL DEFAULT 0,
    created_at   bigint NOT NULL,
    mixed        text,
    PRIMARY KEY (project_id, retrieval_id)
);

CREATE INDEX drawn_queries_without_run ON drawn_queries (project_id, retrieval_id) WHERE trace_id IS NULL;
CREATE INDEX drawn_queries_by_run ON drawn_queries (project_id, trace_id) WHERE trace_id IS NOT NULL;

CREATE TABLE skills (
    project_id  text COLLATE "C" NOT NULL,
    version     bigint NOT NULL,
    content     text   NOT NULL,
    name        text   NOT NULL,
    description text   NOT NULL,
    n_passed    bigint NOT NULL,
    n_failed    bigint NOT NULL,
    memory_ids  text   NOT NULL,
    written_by  text,
    created_at  bigint NOT NULL,
    PRIMARY KEY (project_id, version)
);

CREATE TABLE idempotency (
    project_id      text COLLATE "C" NOT NULL,
    idempotency_key text COLLATE "C" NOT NULL,
    fingerprint     bytea  NOT NULL,
    answer          text   NOT NULL,
    created_at      bigint NOT NULL,
    PRIMARY KEY (project_id, idempotency_key)
);

CREATE INDEX idempotency_by_age ON idempotency (created_at);

CREATE TABLE jobs (
    project_id  text COLLATE "C" NOT NULL,
    trace_id    uuid   NOT NULL,
    job_id      bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    review_id   uuid   NOT NULL,
    kind        text COLLATE "C" NOT NULL DEFAULT 'lesson',
    model       text COLLATE "C" NOT NULL DEFAULT 'unknown',
    priority    bigint NOT NULL,
    run_at      bigint NOT NULL,
    attempts    bigint NOT NULL DEFAULT 0,
    lease_owner uuid,
    last_error  text,
    failed_at   bigint,
    revision    bigint,
    PRIMARY KEY (project_id, trace_id)
);

CREATE INDEX jobs_by_id ON jobs (project_id, job_id);
CREATE INDEX jobs_lessons ON jobs (priority, run_at) WHERE failed_at IS NULL AND kind = 'lesson';
CREATE INDEX jobs_follow_ups ON jobs (model, run_at) WHERE failed_at IS NULL AND kind = 'follow_up';
CREATE INDEX jobs_failed ON jobs (kind, failed_at) WHERE failed_at IS NOT NULL;
CREATE INDEX jobs_claimed ON jobs (lease_owner) WHERE lease_owner IS NOT NULL;

CREATE TABLE judgements (
    project_id text COLLATE "C" NOT NULL,
    trace_id   uuid   NOT NULL,
    attempts   bigint NOT NULL,
    unknowns   bigint NOT NULL DEFAULT 0,
    ask_at     bigint,
    verdict    text COLLATE "C",
    reason     text,
    model      text COLLATE "C",
    judged_at  bigint,
    last_error text,
    reviewed   bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, trace_id)
);

CREATE INDEX judgements_due ON judgements (project_id, ask_at) WHERE reviewed = 0;

CREATE TABLE llm_spend (
    day           bigint NOT NULL,
    model         text COLLATE "C" NOT NULL,
    role          text COLLATE "C" NOT NULL,
    calls         bigint NOT NULL,
    input_tokens  bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cost_usd      double precision NOT NULL,
    PRIMARY KEY (day, model, role)
);
