-- Credits keep how their memory came to be shown, and a question to the judge says plainly that it waits behind a review.

-- All of them may be unknown. Learning that asks whether a lesson helped, or was only shown often, needs them, and they cannot be
-- had afterwards.
ALTER TABLE credits ADD COLUMN retrieval_id BLOB;
ALTER TABLE credits ADD COLUMN rank INTEGER;
ALTER TABLE credits ADD COLUMN similarity REAL;
ALTER TABLE credits ADD COLUMN probability REAL;

-- Whether the trace has a review, while which nobody is asked. Until now `ask_at` was negative then.
DROP INDEX judgements_due;
ALTER TABLE judgements ADD COLUMN reviewed INTEGER NOT NULL DEFAULT 0;
UPDATE judgements SET ask_at = abs(ask_at), reviewed = EXISTS (
    SELECT 1 FROM reviews r WHERE r.project_id = judgements.project_id AND r.trace_id = judgements.trace_id
                              AND r.removed_at IS NULL);
CREATE INDEX judgements_due ON judgements (project_id, ask_at) WHERE reviewed = 0;

-- The smallest id rather than no id, so that the column holds ids only.
UPDATE leftover_vectors SET deleted_to = zeroblob(16) WHERE deleted_to = x'';
