-- One reporter alone does not decide what is believed of a memory where several review a project's runs.

-- The key that brought the run's first review: none where that is not known. The share for which the run counts: none is all of it.
ALTER TABLE credits ADD COLUMN reporter BLOB;
ALTER TABLE credits ADD COLUMN weight REAL;

-- How many reviewed runs each key has brought that counted for any memory. A review that is taken back or corrected stays counted.
CREATE TABLE reporters (
    project_id TEXT    NOT NULL,
    reporter   BLOB    NOT NULL,
    runs       INTEGER NOT NULL,
    PRIMARY KEY (project_id, reporter)
) WITHOUT ROWID;
