-- Projects can change their embedder: which one they are on the way to, and which vectors they have left behind.

-- One row while a project is on the way to `target`. How far it has come is no column: it follows from the vectors that
-- are there. A `target` that the project already has means that vectors of it may be missing.
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
