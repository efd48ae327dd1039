-- What a query of a mixture might have been answered with, as JSON. SQLite's migration of the same number says more.

ALTER TABLE drawn_queries ADD COLUMN mixed text;
