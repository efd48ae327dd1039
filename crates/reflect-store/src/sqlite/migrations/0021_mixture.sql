-- A share of tasks is answered with a configuration that is drawn at random, so that it can be told what another would have done.

-- What the query asked for, every configuration that might have been drawn with its probability and whether it shows the same, and which one was
-- drawn, as JSON. None where nothing is mixed.
ALTER TABLE drawn_queries ADD COLUMN mixed TEXT;
