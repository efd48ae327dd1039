-- A version of a skill says who wrote it: a model, or rules. Those from before this column do not know.
ALTER TABLE skills ADD COLUMN written_by TEXT;
