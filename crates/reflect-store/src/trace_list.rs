//! Lists of traces, newest first, a page at a time.

use std::time::Duration;

use reflect_core::{IngestStatus, MemoryId, Outcome, ProjectId, ReviewStatus, Timestamp, TraceId};
use uuid::Uuid;

use crate::{
    error::StoreResult,
    sql::{Read, params},
    store::Store,
    tables::traces::INGEST_STATUS,
    text_checks::TextCheck,
    text_search::Search,
    texts::Filters,
};

/// Which traces a list holds. Every field that is set narrows it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TraceFilter {
    /// By whether the review has become a memory.
    pub review_status: Option<ReviewStatus>,
    /// By how far the work has come.
    pub ingest_status: Option<IngestStatus>,
    /// By the review's result.
    pub result: Option<Outcome>,
    /// By the model's name, exactly.
    pub model: Option<String>,
    /// Stored at or after this time.
    pub since: Option<Timestamp>,
    /// Stored before this time.
    pub until: Option<Timestamp>,
    /// By words that all occur in the task, the final response or the feedback, in any order and whatever the case of their letters.
    pub text: Option<String>,
    /// By a memory that they name as shown to their run.
    pub memory_id: Option<MemoryId>,
    /// By keys of the metadata and how their values read; all of them must match.
    pub metadata: Vec<(String, String)>,
}

/// A piece of a list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TracePage {
    /// Only traces older than this one.
    pub before: Option<TraceId>,
    /// How many at most.
    pub limit: usize,
}

impl Store {
    /// The ids of a page of a project's traces, newest first. They are cheap to hold, however large the traces are, and they
    /// fix what the page is while new traces come in. One that may have to look at every trace is given up after `patience`, and
    /// as soon as nobody waits for it.
    pub async fn list_trace_ids(
        &self,
        project_id: ProjectId,
        filter: TraceFilter,
        page: TracePage,
        patience: Duration,
    ) -> StoreResult<Vec<TraceId>> {
        if filter.may_pass_over_many() {
            let owner = project_id.clone();
            self.scans.scan(&owner, patience, move |read| list(read, &project_id, &filter, page)).await
        } else {
            self.readers.read(move |read| list(read, &project_id, &filter, page)).await
        }
    }
}

fn list(read: &dyn Read, project_id: &ProjectId, filter: &TraceFilter, page: TracePage) -> StoreResult<Vec<TraceId>> {
    let mut found = Vec::new();
    filter.search(project_id, page).each(read, |row| {
        found.push(row.get("trace_id")?);
        Ok(())
    })?;
    Ok(found)
}

/// Traces with their live review and the job of their lesson.
const TABLES: &str = "FROM traces t
     LEFT JOIN reviews r ON r.project_id = t.project_id AND r.trace_id = t.trace_id AND r.removed_at IS NULL
     LEFT JOIN jobs j ON j.project_id = t.project_id AND j.trace_id = t.trace_id AND j.kind = 'lesson'";

impl TraceFilter {
    /// Whether traces may be looked at and not be listed. Times and `pending` are ranges of an index.
    fn may_pass_over_many(&self) -> bool {
        let Self { review_status, ingest_status, result, model, since: _, until: _, text, memory_id, metadata } = self;
        let ranged = matches!(review_status, None | Some(ReviewStatus::Pending));
        !(ranged
            && ingest_status.is_none()
            && result.is_none()
            && model.is_none()
            && text.is_none()
            && memory_id.is_none()
            && metadata.is_empty())
    }

    /// What a trace has to be. Ids begin with the time they were made at, so times are bounds on ids, and a page is one walk along the
    /// index however far down the list it is.
    fn search<'a>(&'a self, project_id: &'a ProjectId, page: TracePage) -> Search<'a> {
        let earliest = |time: Timestamp| TraceId::earliest_at(time).as_uuid();
        let until = self.until.map_or(Uuid::max(), earliest);
        let before = page.before.map_or(until, |before| before.as_uuid().min(until));
        let from = self.since.map_or(Uuid::nil(), earliest);
        let mut params = params![project_id, from, before].to_vec();
        let mut conditions = String::from("t.project_id = ?1 AND t.trace_id >= ?2 AND t.trace_id < ?3");
        let mut narrow = |column: &str, value: &'a str| {
            params.push(value.into());
            conditions += &format!(" AND {column} = ?{}", params.len());
        };
        if let Some(ingest_status) = self.ingest_status {
            narrow(INGEST_STATUS, ingest_status.as_str());
        }
        if let Some(result) = self.result {
            narrow("r.result", result.as_str());
        }
        if let Some(model) = &self.model {
            narrow("t.model", model);
        }
        // Written out rather than bound, so that the partial index on pending traces can serve.
        if let Some(review_status) = self.review_status {
            conditions += &format!(" AND t.review_status = '{review_status}'");
        }
        // Those that name none are left out in the words of the partial index on the others, so that it can serve.
        if self.memory_id.is_some() {
            conditions += " AND t.retrieved_memory_ids <> '[]'";
        }
        let (id, order) = ("t.trace_id", "t.trace_id DESC".to_owned());
        Search { id, tables: TABLES, conditions, params, checks: self.checks(), order, limit: page.limit }
    }

    fn checks(&self) -> Vec<TextCheck> {
        let mut checks = Vec::new();
        checks.extend(self.memory_id.map(|id| TextCheck::NamesMemory(id.as_uuid().simple().to_string())));
        if !self.metadata.is_empty() {
            checks.push(TextCheck::Metadata(Filters::new(self.metadata.iter().cloned())));
        }
        checks.extend(self.text.iter().map(|text| TextCheck::trace_words(text)));
        checks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::plan_of;

    #[test]
    fn traces_are_listed_along_an_index() {
        let project_id = "p".parse().unwrap();
        let pending = TraceFilter { review_status: Some(ReviewStatus::Pending), ..TraceFilter::default() };
        let memory_id = MemoryId::from_uuid(Uuid::max());
        let shown = TraceFilter { memory_id: Some(memory_id), ..TraceFilter::default() };
        for (filter, index) in [
            (TraceFilter::default(), "COVERING INDEX sqlite_autoindex_traces_1"),
            (pending, "INDEX traces_pending"),
            (shown, "COVERING INDEX traces_shown"),
        ] {
            let page = TracePage { before: None, limit: 10 };
            let plan = plan_of(&filter.search(&project_id, page).select().unwrap());
            let expected = format!("{index} (project_id=? AND trace_id>? AND trace_id<?)");
            assert!(plan.starts_with("SEARCH t USING") && plan.contains(&expected), "{plan}");
            assert!(!plan.contains("ORDER BY"), "{plan}");
        }
    }
}
