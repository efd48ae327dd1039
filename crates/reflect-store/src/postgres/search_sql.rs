//! Statements about the tables in which a project is searched that does not fit in memory. They need PostgreSQL's extension `vector`.

use reflect_core::worth::LearningRule;

/// The schema that the extension is in, if it can be used: scans of a graph that go on for as long as somebody reads came with its 0.8.
pub(crate) const EXTENSION: &str = "SELECT quote_ident(n.nspname::text) AS schema
     FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
     WHERE e.extname = 'vector' AND CAST(regexp_match(e.extversion, '^(\\d+)\\.(\\d+)') AS integer[]) >= ARRAY[0, 8]
       AND has_schema_privilege(n.oid, 'USAGE')";

/// Where everybody finds it, whichever schema their tables are in. Not everybody may do this.
pub(crate) const INSTALL: &str = "CREATE EXTENSION IF NOT EXISTS vector SCHEMA public";

/// The list of all search tables. It is made when a project first needs some, so that no schema depends on the extension.
pub(crate) const MAKE_LIST: &str = "CREATE TABLE IF NOT EXISTS search_tables (
    project_id      text COLLATE \"C\" NOT NULL,
    embedder        text COLLATE \"C\" NOT NULL,
    number          bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    dimension       bigint NOT NULL,
    is_filled       boolean NOT NULL DEFAULT false,
    filled_to       bigint NOT NULL DEFAULT 0,
    remembered_from bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, embedder))";

/// The rows of that list, with about how many memories each has, and whether its tables are as they were made: whoever removes the
/// extension removes columns.
pub(crate) const SELECT: &str =
    "SELECT s.project_id, s.embedder, s.number, s.dimension, s.is_filled, s.filled_to, s.remembered_from,
            CAST(greatest(c.reltuples, 0) AS bigint) AS memories,
            (SELECT count(*) FROM pg_attribute a
             WHERE a.attrelid = to_regclass('search_' || s.number || '_vectors')
               AND a.attname IN ('task', 'lesson') AND NOT a.attisdropped) = 2 AS is_sound,
            to_regclass('search_' || s.number || '_lesson_graph') IS NOT NULL AS has_graph
     FROM search_tables s LEFT JOIN pg_class c ON c.oid = to_regclass('search_' || s.number || '_utilities')";

/// The columns of vectors.
pub(crate) const VECTORS: [&str; 2] = ["task", "lesson"];

/// Whether there are more than `?3` changes after `?2`.
pub(crate) const HAS_MORE_CHANGES: &str = "SELECT changed FROM memories
     WHERE project_id = ?1 AND changed > ?2 ORDER BY changed LIMIT 1 OFFSET ?3";

/// The change before the newest `?3` of those up to `?2`.
pub(crate) const CHANGE_BEFORE_NEWEST: &str = "SELECT changed FROM memories
     WHERE project_id = ?1 AND changed <= ?2 ORDER BY changed DESC LIMIT 1 OFFSET ?3";

/// The tables of one project, and the schema that the extension is in.
#[derive(Debug, Clone)]
pub(crate) struct SearchSql {
    pub(crate) number: i64,
    pub(crate) extension: String,
}

impl SearchSql {
    /// Vectors and terms change seldom, utilities often; and whatever changes in a row that a graph has is put into the graph anew.
    pub(crate) fn create(&self, dimension: usize) -> Vec<String> {
        let Self { number, extension } = self;
        vec![
            format!(
                "CREATE TABLE search_{number}_vectors (memory_id uuid NOT NULL PRIMARY KEY,
                     task {extension}.halfvec({dimension}) NOT NULL, lesson {extension}.halfvec({dimension}) NOT NULL,
                     terms uuid[] NOT NULL) WITH (toast_tuple_target = 8160)"
            ),
            format!("CREATE INDEX search_{number}_terms ON search_{number}_vectors USING gin (terms)"),
            format!(
                "CREATE TABLE search_{number}_utilities (memory_id uuid NOT NULL PRIMARY KEY,
                     average double precision NOT NULL, worth double precision NOT NULL)"
            ),
            format!("CREATE INDEX search_{number}_averages ON search_{number}_utilities (average DESC)"),
            format!("CREATE INDEX search_{number}_worths ON search_{number}_utilities (worth DESC)"),
        ]
    }

    pub(crate) fn drop(&self) -> String {
        format!("DROP TABLE IF EXISTS search_{0}_vectors, search_{0}_utilities", self.number)
    }

    pub(crate) fn analyze(&self) -> String {
        format!("ANALYZE search_{0}_vectors, search_{0}_utilities", self.number)
    }

    pub(crate) fn make_graph(&self, column: &str) -> String {
        let Self { number, extension } = self;
        format!(
            "CREATE INDEX search_{number}_{column}_graph ON search_{number}_vectors
             USING hnsw ({column} {extension}.halfvec_ip_ops)"
        )
    }

    pub(crate) fn has_more_than(&self, rows: usize) -> String {
        format!("SELECT 1 FROM search_{}_utilities OFFSET {rows} LIMIT 1", self.number)
    }

    pub(crate) fn delete(&self) -> [String; 2] {
        ["vectors", "utilities"].map(|table| format!("DELETE FROM search_{}_{table} WHERE memory_id = ?1", self.number))
    }

    pub(crate) fn put_vectors(&self) -> String {
        let (Self { number, extension }, task, lesson) = (self, self.vector("?2"), self.vector("?3"));
        format!(
            "INSERT INTO search_{number}_vectors AS known (memory_id, task, lesson, terms)
             VALUES (?1, {task}, {lesson}, CAST(?4 AS uuid[]))
             ON CONFLICT (memory_id) DO UPDATE SET task = excluded.task, lesson = excluded.lesson, terms = excluded.terms
             WHERE known.task OPERATOR({extension}.<>) excluded.task OR known.terms <> excluded.terms
                OR known.lesson OPERATOR({extension}.<>) excluded.lesson"
        )
    }

    pub(crate) fn put_utilities(&self) -> String {
        format!(
            "INSERT INTO search_{}_utilities (memory_id, average, worth) VALUES (?1, ?2, ?3)
             ON CONFLICT (memory_id) DO UPDATE SET average = excluded.average, worth = excluded.worth",
            self.number
        )
    }

    /// How a graph is read: as many at a time as are wanted, then the next ones, nearest first.
    pub(crate) fn read_graph(depth: usize) -> String {
        let at_a_time = depth.min(1_000);
        format!(
            "SELECT set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', '{at_a_time}', true)"
        )
    }

    /// The most similar to `?1` in this column. The limit stands in the text, since a plan depends on it.
    pub(crate) fn nearest(&self, column: &str, wanted: Wanted) -> String {
        let (Self { number, extension }, vector) = (self, self.vector("?1"));
        let distance = format!("{column} OPERATOR({extension}.<#>) {vector}");
        let (filter, depth) = (if wanted.has_terms { "WHERE terms @> CAST(?2 AS uuid[])" } else { "" }, wanted.depth);
        format!(
            "SELECT memory_id, -({distance}) AS figure FROM search_{number}_vectors {filter}
             ORDER BY {distance} LIMIT {depth}"
        )
    }

    /// The most useful.
    pub(crate) fn most_useful(&self, rule: LearningRule, wanted: Wanted) -> String {
        let (number, depth) = (self.number, wanted.depth);
        let figure = match rule {
            LearningRule::Constant => "average",
            LearningRule::Worth => "worth",
        };
        let filter = if wanted.has_terms {
            format!("JOIN search_{number}_vectors v ON v.memory_id = u.memory_id WHERE v.terms @> CAST(?1 AS uuid[])")
        } else {
            String::new()
        };
        format!(
            "SELECT u.memory_id, u.{figure} AS figure FROM search_{number}_utilities u {filter}
             ORDER BY u.{figure} DESC LIMIT {depth}"
        )
    }

    fn vector(&self, parameter: &str) -> String {
        format!("CAST(CAST({parameter} AS real[]) AS {}.halfvec)", self.extension)
    }
}

/// How much of a list is wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) depth: usize,
    /// Whether memories must have the terms of the last parameter.
    pub(crate) has_terms: bool,
}
