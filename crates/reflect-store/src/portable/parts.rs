//! What an export holds of each thing: version 1 of the format, column by column.
//!
//! A column that a later schema adds gets a line here with a default, so that files from before it can be read. One that is derived from
//! others (a checksum, a cache) is not exported; an import works it out again.

/// How a column stands in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    /// JSON as it is stored, byte for byte. Where that has line breaks, it stands as a string.
    Json,
    Id,
    /// RFC 3339 in UTC.
    Time,
    Integer,
    Real,
    Bool,
    /// Little-endian `f32`s in base64.
    Vector,
    /// The memories of an answer, best first.
    Shown,
}

/// A column of a table.
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// What a line without it means, as JSON. Without one, a line must have it.
    pub(super) default: Option<&'static str>,
}

/// What an import fills in by itself.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fill {
    /// 0, until it is folded.
    Zero,
    /// The next change to a memory.
    Change,
    /// The checksum of these columns; none where all of them are empty.
    Checksum(&'static [&'static str]),
}

/// Rows of a table, and the rows of other tables that belong to each of them.
pub(super) struct Part {
    /// Its name in a line.
    pub(super) name: &'static str,
    pub(super) table: &'static str,
    /// The columns that tell its rows apart within what they belong to, in which order they stand.
    pub(super) key: &'static str,
    pub(super) columns: &'static [Column],
    /// Columns that readers of a file are told, and that an import does not take from there.
    pub(super) told: &'static [(&'static str, Kind)],
    pub(super) filled: &'static [(&'static str, Fill)],
    /// Which rows are exported, where not all are.
    pub(super) only: &'static str,
    /// Rows that stand as lists inside the line.
    pub(super) parts: &'static [Part],
    /// A row of another table with the same key, whose columns stand among these.
    pub(super) inline: Option<&'static Part>,
}

const PLAIN: Part = Part {
    name: "",
    table: "",
    key: "",
    columns: &[],
    told: &[],
    filled: &[],
    only: "1 = 1",
    parts: &[],
    inline: None,
};

const fn required(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, default: None }
}

const fn or(name: &'static str, kind: Kind, default: &'static str) -> Column {
    Column { name, kind, default: Some(default) }
}

const fn maybe(name: &'static str, kind: Kind) -> Column {
    or(name, kind, "null")
}

/// What a project has of its own; the line opens it, and all lines up to the next one belong to it.
pub(super) const PROJECT: Part = Part {
    name: "project",
    table: "projects",
    key: "project_id",
    columns: &[
        required("project_id", Kind::Text),
        required("settings", Kind::Json),
        required("embedder", Kind::Text),
        required("created_at", Kind::Time),
    ],
    parts: &[Part {
        name: "embedder_switch",
        table: "embedder_switches",
        key: "target",
        columns: &[required("target", Kind::Text), required("started_at", Kind::Time)],
        ..PLAIN
    }],
    ..PLAIN
};

/// A memory with everything it has ever said, what it is found by, and its whole ledger.
const MEMORY: Part = Part {
    name: "memory",
    table: "memories",
    key: "memory_id",
    columns: &[
        required("memory_id", Kind::Id),
        required("trace_id", Kind::Id),
        required("task", Kind::Text),
        required("lesson", Kind::Json),
        maybe("tells", Kind::Text),
        or("has_run", Kind::Bool, "true"),
        maybe("run_score", Kind::Real),
        maybe("run_added", Kind::Real),
        or("pinned", Kind::Bool, "false"),
        maybe("success", Kind::Bool),
        or("status", Kind::Text, "\"active\""),
        or("revision", Kind::Integer, "1"),
        required("written_by", Kind::Json),
        or("next_position", Kind::Integer, "0"),
        or("worth_from", Kind::Integer, "0"),
        or("metadata", Kind::Json, "{}"),
        required("created_at", Kind::Time),
        required("updated_at", Kind::Time),
        maybe("deleted_at", Kind::Time),
    ],
    told: &[("q_value", Kind::Real), ("uses", Kind::Integer), ("passes", Kind::Integer), ("fails", Kind::Integer)],
    filled: &[
        ("q_value", Fill::Zero),
        ("uses", Fill::Zero),
        ("passes", Fill::Zero),
        ("fails", Fill::Zero),
        ("changed", Fill::Change),
        ("checksum", Fill::Checksum(&["lesson"])),
    ],
    parts: &[REVISION, VECTORS, CREDIT],
    ..PLAIN
};

const REVISION: Part = Part {
    name: "revisions",
    table: "memory_revisions",
    key: "revision",
    columns: &[
        required("revision", Kind::Integer),
        required("lesson", Kind::Json),
        maybe("success", Kind::Bool),
        required("written_by", Kind::Json),
        required("created_at", Kind::Time),
    ],
    filled: &[("checksum", Fill::Checksum(&["lesson"]))],
    ..PLAIN
};

const VECTORS: Part = Part {
    name: "vectors",
    table: "vectors",
    key: "embedder",
    columns: &[
        required("embedder", Kind::Text),
        required("vector", Kind::Vector),
        maybe("lesson_vector", Kind::Vector),
        maybe("lesson_revision", Kind::Integer),
    ],
    filled: &[("checksum", Fill::Checksum(&["vector"])), ("lesson_checksum", Fill::Checksum(&["lesson_vector"]))],
    // Others are left over from embedders that the project once had.
    only: "embedder IN (SELECT embedder FROM projects WHERE project_id = ?1
                        UNION SELECT target FROM embedder_switches WHERE project_id = ?1)",
    ..PLAIN
};

const CREDIT: Part = Part {
    name: "credits",
    table: "credits",
    key: "position, review_id",
    columns: &[
        required("position", Kind::Integer),
        required("review_id", Kind::Id),
        required("trace_id", Kind::Id),
        required("memory_revision", Kind::Integer),
        required("result", Kind::Text),
        required("alpha", Kind::Real),
        required("created_at", Kind::Time),
        maybe("removed_at", Kind::Time),
        maybe("retrieval_id", Kind::Id),
        maybe("rank", Kind::Integer),
        maybe("similarity", Kind::Real),
        maybe("probability", Kind::Real),
        maybe("score", Kind::Real),
        maybe("usual", Kind::Real),
        maybe("others", Kind::Real),
        maybe("unit", Kind::Real),
        maybe("slate_probability", Kind::Real),
        maybe("rule_version", Kind::Integer),
        maybe("day", Kind::Integer),
        maybe("reporter", Kind::Id),
        maybe("weight", Kind::Real),
    ],
    ..PLAIN
};

/// A trace with its trajectory, all its reviews, what the judge was asked about it, and the lesson that is still to be written.
const TRACE: Part = Part {
    name: "trace",
    table: "traces",
    key: "trace_id",
    columns: &[
        required("trace_id", Kind::Id),
        required("task", Kind::Text),
        or("final_response", Kind::Text, "\"\""),
        or("retrieved_memory_ids", Kind::Json, "[]"),
        maybe("retrieval_id", Kind::Id),
        or("review_status", Kind::Text, "\"pending\""),
        or("ingest_attempts", Kind::Integer, "0"),
        maybe("model", Kind::Text),
        or("metadata", Kind::Json, "{}"),
        maybe("reference_context", Kind::Text),
        maybe("created_memory_id", Kind::Id),
        or("warnings", Kind::Json, "[]"),
        required("created_at", Kind::Time),
    ],
    filled: &[("checksum", Fill::Checksum(&["task", "final_response", "metadata", "reference_context"]))],
    parts: &[REVIEW, JUDGEMENT, JOB, DRAW],
    inline: Some(&TRAJECTORY),
    ..PLAIN
};

const TRAJECTORY: Part = Part {
    table: "trajectories",
    key: "trace_id",
    columns: &[required("trajectory", Kind::Json)],
    filled: &[("checksum", Fill::Checksum(&["trajectory"]))],
    ..PLAIN
};

const REVIEW: Part = Part {
    name: "reviews",
    table: "reviews",
    key: "review_id",
    columns: &[
        required("review_id", Kind::Id),
        required("result", Kind::Text),
        maybe("score", Kind::Real),
        maybe("added", Kind::Real),
        maybe("feedback_text", Kind::Text),
        required("mode", Kind::Text),
        required("source", Kind::Text),
        maybe("asked_alpha", Kind::Real),
        required("alpha", Kind::Real),
        maybe("reflection", Kind::Json),
        required("created_at", Kind::Time),
        maybe("removed_at", Kind::Time),
    ],
    ..PLAIN
};

const JUDGEMENT: Part = Part {
    name: "judgements",
    table: "judgements",
    key: "trace_id",
    columns: &[
        required("attempts", Kind::Integer),
        or("unknowns", Kind::Integer, "0"),
        maybe("ask_at", Kind::Time),
        maybe("verdict", Kind::Text),
        maybe("reason", Kind::Text),
        maybe("model", Kind::Text),
        maybe("judged_at", Kind::Time),
        maybe("last_error", Kind::Text),
        or("reviewed", Kind::Bool, "false"),
    ],
    ..PLAIN
};

/// Without the lease that a worker may have had.
const JOB: Part = Part {
    name: "jobs",
    table: "jobs",
    key: "trace_id",
    columns: &[
        required("review_id", Kind::Id),
        required("priority", Kind::Integer),
        required("run_at", Kind::Time),
        or("attempts", Kind::Integer, "0"),
        maybe("last_error", Kind::Text),
        maybe("failed_at", Kind::Time),
        or("kind", Kind::Text, "\"lesson\""),
        maybe("revision", Kind::Integer),
        or("model", Kind::Text, "\"unknown\""),
    ],
    ..PLAIN
};

/// A query that was answered by chance, and that the trace followed. Those that no trace followed are not exported.
const DRAW: Part = Part {
    name: "draws",
    table: "drawn_queries",
    key: "retrieval_id",
    columns: &[
        required("retrieval_id", Kind::Id),
        required("draw", Kind::Integer),
        maybe("held_out", Kind::Bool),
        maybe("share", Kind::Real),
        maybe("mixed", Kind::Json),
        or("named", Kind::Bool, "false"),
        required("created_at", Kind::Time),
    ],
    ..PLAIN
};

/// A query as it was answered.
const RETRIEVAL: Part = Part {
    name: "retrieval",
    table: "retrievals",
    key: "retrieval_id",
    columns: &[
        required("retrieval_id", Kind::Id),
        required("key_id", Kind::Id),
        required("task", Kind::Text),
        required("settings", Kind::Json),
        required("shown", Kind::Shown),
        required("created_at", Kind::Time),
        or("bytes", Kind::Integer, "2000"),
        maybe("worths", Kind::Vector),
        maybe("usual", Kind::Real),
        maybe("unit", Kind::Real),
        maybe("probability", Kind::Real),
        maybe("rule_version", Kind::Integer),
        maybe("sat_out", Kind::Json),
    ],
    ..PLAIN
};

/// A version of the project's skill.
const SKILL: Part = Part {
    name: "skill",
    table: "skills",
    key: "version",
    columns: &[
        required("version", Kind::Integer),
        required("content", Kind::Text),
        required("name", Kind::Text),
        required("description", Kind::Text),
        required("n_passed", Kind::Integer),
        required("n_failed", Kind::Integer),
        required("memory_ids", Kind::Json),
        maybe("written_by", Kind::Json),
        required("created_at", Kind::Time),
    ],
    ..PLAIN
};

/// What a line can be, in the order of the file.
pub(super) const LINES: [&Part; 5] = [&PROJECT, &MEMORY, &TRACE, &RETRIEVAL, &SKILL];
