-- How much a lesson tells (`rule`, `fix`, … `nothing`); null where its writer did not say. Answers are put together by it.
ALTER TABLE memories ADD COLUMN tells TEXT;
