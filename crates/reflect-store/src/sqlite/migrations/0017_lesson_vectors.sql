-- Memories are found by what they say as well as by the task that they were learned from: beside the vector of the task lies one of the lesson.

-- `lesson_revision` is the revision whose words it was made of. One of an older revision is not compared any more.
ALTER TABLE vectors ADD COLUMN lesson_vector BLOB;
ALTER TABLE vectors ADD COLUMN lesson_revision INTEGER;
ALTER TABLE vectors ADD COLUMN lesson_checksum INTEGER;

-- Projects that are there get theirs in the background, as if on the way to the embedder that they have. One that is on the way to another gets
-- both there, and one that comes back from it is sent here again.
INSERT INTO embedder_switches (project_id, target, started_at)
SELECT p.project_id, p.embedder, CAST(unixepoch('subsec') * 1000000 AS INTEGER) FROM projects p
WHERE EXISTS (SELECT 1 FROM memories m WHERE m.project_id = p.project_id AND m.deleted_at IS NULL)
ON CONFLICT DO NOTHING;
