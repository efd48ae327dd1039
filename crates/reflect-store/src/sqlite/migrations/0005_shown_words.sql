-- A lesson's prompt shows earlier lessons in the words that the run saw: the retrieval that a trace names says which revision
-- that was, and is looked up by its id alone.
CREATE INDEX retrievals_by_id ON retrievals (project_id, retrieval_id);
