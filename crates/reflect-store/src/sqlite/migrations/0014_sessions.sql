-- People sign in to the console and work with a session: a key that ends by itself and stands for another.

-- `parent` is the public id of the key it stands for, or `master`. What it may do is looked up there at each use, and so ends with it.
CREATE TABLE sessions (
    public_id   TEXT    NOT NULL PRIMARY KEY,
    session_id  BLOB    NOT NULL,
    secret_hash BLOB    NOT NULL,
    parent      TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX sessions_by_parent ON sessions (parent, session_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);
