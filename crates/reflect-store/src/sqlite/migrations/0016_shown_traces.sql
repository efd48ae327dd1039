-- Traces that were shown a memory are looked for in an index that has only traces that were shown any, and nothing of them but the ids.

-- Appended to, as ids sort by age, and untouched by all that happens to a trace later. A row for each memory and trace would be found
-- faster still, at the price of several writes a trace.
CREATE INDEX traces_shown ON traces (project_id, trace_id, retrieved_memory_ids) WHERE retrieved_memory_ids <> '[]';
