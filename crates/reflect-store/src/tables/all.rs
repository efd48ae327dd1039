//! Every table, with the columns that tell its rows apart.

/// A table that holds what was stored.
pub(crate) struct Table {
    pub(crate) name: &'static str,
    /// Unique, and an index in every backend.
    pub(crate) key: &'static str,
}

const fn table(name: &'static str, key: &'static str) -> Table {
    Table { name, key }
}

/// All that is kept. What else a database has is about the database itself: its schema's number, the process that writes.
pub(crate) const TABLES: &[Table] = &[
    table("projects", "project_id"),
    table("embedder_switches", "project_id"),
    table("leftover_vectors", "project_id, embedder"),
    table("deleted_projects", "project_id"),
    table("api_keys", "key_id"),
    table("sessions", "public_id"),
    table("llm_spend", "day, model, role"),
    table("traces", "project_id, trace_id"),
    table("trajectories", "project_id, trace_id"),
    table("reviews", "project_id, trace_id, review_id"),
    table("judgements", "project_id, trace_id"),
    table("jobs", "project_id, trace_id"),
    table("memories", "project_id, memory_id"),
    table("memory_revisions", "project_id, memory_id, revision"),
    table("vectors", "project_id, memory_id, embedder"),
    table("unfolded_memories", "project_id, memory_id"),
    table("credits", "project_id, memory_id, position, review_id"),
    table("reporters", "project_id, reporter"),
    table("retrievals", "project_id, key_id, retrieval_id"),
    table("drawn_queries", "project_id, retrieval_id"),
    table("skills", "project_id, version"),
    table("idempotency", "project_id, idempotency_key"),
];
