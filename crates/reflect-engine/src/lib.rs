//! The use cases: query, ingest, review, keys; the in-memory index; jobs and their runner.
