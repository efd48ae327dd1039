-- Two processes that write to one database notice each other, and no two memories of a project share a change number.

-- The process that writes. Whoever opens the database puts its own name here, and the one before it writes no more: the lock on the
-- folder can be lost with its file, or be none at all on some file systems.
CREATE TABLE writer (
    one      INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    instance BLOB    NOT NULL
);
INSERT INTO writer VALUES (1, zeroblob(16));

-- Those that were numbered alike get numbers of their own, after all others: an index reads on from the last number that it saw, and
-- would never read the second of two.
CREATE TEMP TABLE alike AS
SELECT m.rowid AS memory, (SELECT max(changed) FROM memories) + row_number() OVER (ORDER BY m.changed, m.rowid) AS changed
FROM memories m
WHERE EXISTS (SELECT 1 FROM memories o WHERE o.project_id = m.project_id AND o.changed = m.changed AND o.rowid < m.rowid);
UPDATE memories SET changed = (SELECT a.changed FROM alike a WHERE a.memory = memories.rowid)
 WHERE rowid IN (SELECT memory FROM alike);
DROP TABLE alike;
DROP INDEX memories_by_change;
CREATE UNIQUE INDEX memories_by_change ON memories (project_id, changed);
