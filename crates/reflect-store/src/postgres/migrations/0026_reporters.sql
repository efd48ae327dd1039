-- Who brought which credits, and for how much each counts. SQLite's migration of the same number says what the columns are.
ALTER TABLE credits
    ADD COLUMN reporter uuid,
    ADD COLUMN weight double precision;

CREATE TABLE reporters (
    project_id text COLLATE "C" NOT NULL,
    reporter   uuid   NOT NULL,
    runs       bigint NOT NULL,
    PRIMARY KEY (project_id, reporter)
);
