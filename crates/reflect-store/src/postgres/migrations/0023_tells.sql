-- How much a lesson tells. SQLite's migration of the same number says what it is.
ALTER TABLE memories ADD COLUMN tells text;
