-- A deleted project is out of sight at once, and its rows are removed little by little.
CREATE TABLE deleted_projects (
    project_id TEXT NOT NULL PRIMARY KEY
) WITHOUT ROWID;
