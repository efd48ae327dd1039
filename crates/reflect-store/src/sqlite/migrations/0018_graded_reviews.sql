-- A review may say how well a run went, from 0 to 1, and not only whether it passed.

-- Without a score a pass counts 1 and a fail 0, as every review did until now.
ALTER TABLE reviews ADD COLUMN score REAL;
ALTER TABLE credits ADD COLUMN score REAL;
