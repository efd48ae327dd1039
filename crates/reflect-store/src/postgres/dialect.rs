//! Statements that only PostgreSQL understands, each with the reason, and how it reads those that are written for both.

use reflect_core::ProjectId;

/// A write that changes nothing.
pub(crate) const PROBE: &str = "UPDATE reflect_schema SET version = version";

/// Whether there is a table `?1`.
pub(crate) const HAS_TABLE: &str = "SELECT 1 FROM information_schema.tables
     WHERE table_schema::text = current_schema()::text AND table_name::text = ?1";

/// The columns of the table `?1`.
pub(crate) const COLUMNS: &str = "SELECT column_name::text AS name FROM information_schema.columns
     WHERE table_schema::text = current_schema()::text AND table_name::text = ?1";

/// Jobs that were stored with numbers of their own are followed by higher ones.
pub(crate) const GO_ON_NUMBERING_JOBS: &str =
    "SELECT setval(pg_get_serial_sequence('jobs', 'job_id'), coalesce(max(job_id), 0) + 1, false) FROM jobs";

/// How many bytes the tables have; which of them hold nothing is the server's own affair.
pub(crate) const FILE_SIZE: &str = "SELECT CAST(coalesce(sum(pg_total_relation_size(oid)), 0) AS BIGINT) AS file,
            CAST(0 AS BIGINT) AS free
     FROM pg_class WHERE relkind = 'r' AND relnamespace = to_regnamespace(quote_ident(current_schema()))";

// Claims of several processes pass each other by. What is claimed is looked up once, however the rest is carried out: otherwise a claim could
// take more than its limit.

/// Takes lessons of the priority `?4`.
pub(crate) const CLAIM_LESSONS: &str = "WITH due AS MATERIALIZED (
         SELECT project_id, trace_id FROM jobs
         WHERE failed_at IS NULL AND kind = 'lesson' AND priority = ?4 AND run_at <= ?3
         ORDER BY run_at LIMIT ?5 FOR UPDATE SKIP LOCKED)
     UPDATE jobs j SET lease_owner = ?1, run_at = ?2, attempts = attempts + 1 FROM due
     WHERE j.project_id = due.project_id AND j.trace_id = due.trace_id
     RETURNING j.job_id, j.kind, j.project_id, j.trace_id, j.review_id, j.attempts";

/// Takes follow-ups that wait for the model `?4`.
pub(crate) const CLAIM_FOLLOW_UPS: &str = "WITH due AS MATERIALIZED (
         SELECT project_id, trace_id FROM jobs
         WHERE failed_at IS NULL AND kind = 'follow_up' AND model = ?4 AND run_at <= ?3
         ORDER BY run_at LIMIT ?5 FOR UPDATE SKIP LOCKED)
     UPDATE jobs j SET lease_owner = ?1, run_at = ?2, attempts = attempts + 1 FROM due
     WHERE j.project_id = due.project_id AND j.trace_id = due.trace_id
     RETURNING j.job_id, j.kind, j.project_id, j.trace_id, j.review_id, j.attempts";

/// Gives back at `?1` what was claimed and whose lease has ended. Other processes are at work on the rest.
pub(crate) const RELEASE_ENDED: &str =
    "UPDATE jobs SET lease_owner = NULL, run_at = ?1 WHERE (project_id, trace_id) IN (
         SELECT project_id, trace_id FROM jobs WHERE lease_owner IS NOT NULL AND run_at <= ?1 FOR UPDATE SKIP LOCKED)";

/// The newest change to a memory of a project.
pub(super) const NEWEST_CHANGE: &str = "SELECT coalesce(max(changed), 0) AS newest FROM memories WHERE project_id = ?1";

/// A statement as PostgreSQL reads it: `$1` instead of `?1`, and rows are locked or left out where it says so.
pub(super) fn translated(sql: &str) -> String {
    let sql = by_whole_keys(&sql.replace('?', "$"));
    let markers = [
        ("/* skip locked */", "FOR UPDATE SKIP LOCKED"),
        ("/* lock */", "FOR UPDATE"),
        ("/* keep */", "FOR KEY SHARE"),
    ];
    markers.into_iter().fold(sql, |sql, (written, read)| sql.replace(written, read))
}

/// Lets rows of a project be joined by their whole keys: `a.project_id = b.project_id || ''`. Otherwise PostgreSQL knows the project on both sides.
/// Of one that has just been filled, or is new beside large ones, it thinks that it is tiny, and then compares every row with every other.
fn by_whole_keys(sql: &str) -> String {
    let mut joined = String::with_capacity(sql.len());
    for part in sql.split_inclusive(".project_id") {
        joined.push_str(part);
        let before = part.strip_suffix(".project_id").and_then(|before| before.rsplit_once(' '));
        if before.is_some_and(|(before, _alias)| before.ends_with('=')) {
            joined.push_str(" || ''");
        }
    }
    joined
}

/// The number of the lock on something in this schema. FNV-1a, the same in every release: two processes must agree on it.
pub(super) fn lock_number(schema: &str, name: &str) -> i64 {
    let bytes = schema.bytes().chain([0]).chain(name.bytes());
    let hash = bytes
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    hash.cast_signed()
}

/// The same for those who add to a project. No project has a name like this.
pub(super) fn additions_number(schema: &str, project_id: &ProjectId) -> i64 {
    lock_number(schema, &format!("+{project_id}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_counted_in_dollars() {
        let sql = "SELECT a FROM b WHERE c = ?1 AND d = ?12 LIMIT ?2 /* skip locked */";
        assert_eq!(translated(sql), "SELECT a FROM b WHERE c = $1 AND d = $12 LIMIT $2 FOR UPDATE SKIP LOCKED");
    }

    #[test]
    fn rows_of_a_project_are_joined_by_their_whole_keys() {
        for (written, read) in [
            (
                "a JOIN b ON b.project_id = a.project_id AND b.id = a.id",
                "a JOIN b ON b.project_id = a.project_id || '' AND b.id = a.id",
            ),
            (
                "SELECT a.project_id FROM a WHERE a.project_id = ?1",
                "SELECT a.project_id FROM a WHERE a.project_id = $1",
            ),
            (
                "EXISTS (SELECT 1 FROM b WHERE b.project_id = a.project_id)",
                "EXISTS (SELECT 1 FROM b WHERE b.project_id = a.project_id || '')",
            ),
        ] {
            assert_eq!(translated(written), read);
        }
    }

    #[test]
    fn a_lock_has_the_number_that_it_has_always_had() {
        assert_eq!(lock_number("public", "default"), 4_997_805_920_753_455_677);
        assert_eq!(lock_number("public", "+default"), 1_926_544_082_823_944_610);
        assert_ne!(lock_number("public", "default"), lock_number("publicdefault", ""));
        assert_ne!(lock_number("a", "bc"), lock_number("ab", "c"));
    }
}
