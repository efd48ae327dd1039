-- The judge finds what it may be asked about in a range of an index, however many traces wait for a review.

-- Whether `judgements` has a row for this trace. It could be looked up there; but an index holds columns of its own table only,
-- and without this one the search walked every pending trace, most of which it had asked about long ago.
ALTER TABLE traces ADD COLUMN judge_asked INTEGER NOT NULL DEFAULT 0;
UPDATE traces SET judge_asked = 1
 WHERE EXISTS (SELECT 1 FROM judgements g WHERE g.project_id = traces.project_id AND g.trace_id = traces.trace_id);
CREATE INDEX traces_unjudged ON traces (project_id, trace_id) WHERE review_status = 'pending' AND judge_asked = 0;

-- `ask_at` is negative while the trace has a review: then nobody is asked, and should the review be taken back, it is due as before.
UPDATE judgements SET ask_at = -ask_at
 WHERE ask_at > 0 AND EXISTS (SELECT 1 FROM reviews r WHERE r.project_id = judgements.project_id
                              AND r.trace_id = judgements.trace_id AND r.removed_at IS NULL);
CREATE INDEX judgements_due ON judgements (project_id, ask_at) WHERE ask_at > 0;
