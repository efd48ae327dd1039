//! Lists of traces, newest first, a page at a time.

use std::time::Duration;

use reflect_core::{IngestStatus, MemoryId, Outcome, ProjectId, ReviewStatus, Timestamp, TraceId};
use uuid::Uuid;

use crate::{
    error::StoreResult,
    sql::{Query, Read, Value, params},
    sqlite::dialect,
    store::Store,
    tables::traces::INGEST_STATUS,
    waits::{WaitedFor, waiting_for},
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
            let scan = self.scans.scan(&owner, patience, move |read| list(read, &project_id, &filter, page));
            waiting_for(WaitedFor::Reader, scan).await
        } else {
            self.readers.read(move |read| list(read, &project_id, &filter, page)).await
        }
    }
}

fn list(read: &dyn Read, project_id: &ProjectId, filter: &TraceFilter, page: TracePage) -> StoreResult<Vec<TraceId>> {
    let (sql, params) = filter.select_ids(project_id, page)?;
    read.query_all(&sql, &params, |row| row.get("trace_id"))
}

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

    fn select_ids<'a>(&'a self, project_id: &'a ProjectId, page: TracePage) -> StoreResult<(String, Vec<Value<'a>>)> {
        let (conditions, params) = self.conditions(project_id, page)?;
        let sql = format!(
            "SELECT t.trace_id FROM traces t
             LEFT JOIN reviews r ON r.project_id = t.project_id AND r.trace_id = t.trace_id AND r.removed_at IS NULL
             LEFT JOIN jobs j ON j.project_id = t.project_id AND j.trace_id = t.trace_id AND j.kind = 'lesson'
             WHERE {conditions} ORDER BY t.trace_id DESC LIMIT ?4"
        );
        Ok((sql, params))
    }

    /// What a trace has to be, and the values behind the numbers in it. Ids begin with the time they were made at, so times are
    /// bounds on ids, and a page is one walk along the index however far down the list it is.
    fn conditions<'a>(&'a self, project_id: &'a ProjectId, page: TracePage) -> StoreResult<(String, Vec<Value<'a>>)> {
        let earliest = |time: Timestamp| TraceId::earliest_at(time).as_uuid();
        let until = self.until.map_or(Uuid::max(), earliest);
        let before = page.before.map_or(until, |before| before.as_uuid().min(until));
        let from = self.since.map_or(Uuid::nil(), earliest);
        let mut params = params![project_id, from, before, page.limit].to_vec();
        let mut conditions = String::from("t.project_id = ?1 AND t.trace_id >= ?2 AND t.trace_id < ?3");
        let mut narrow = |condition: &dyn Fn(usize) -> String, values: Vec<Value<'a>>| {
            conditions += " AND ";
            conditions += &condition(params.len() + 1);
            params.extend(values);
        };
        // Written out rather than bound, so that the partial index on pending traces can serve.
        if let Some(review_status) = self.review_status {
            narrow(&|_| format!("t.review_status = '{review_status}'"), Vec::new());
        }
        if let Some(ingest_status) = self.ingest_status {
            narrow(&|number| format!("{INGEST_STATUS} = ?{number}"), vec![ingest_status.as_str().into()]);
        }
        if let Some(result) = self.result {
            narrow(&|number| format!("r.result = ?{number}"), vec![result.as_str().into()]);
        }
        if let Some(model) = &self.model {
            narrow(&|number| format!("t.model = ?{number}"), vec![model.into()]);
        }
        if let Some(memory_id) = self.memory_id {
            let digits = memory_id.as_uuid().simple().to_string();
            // Those that name none are left out in the words of the partial index on the others, so that it can serve.
            let names_it = |number| dialect::names_id("t.retrieved_memory_ids", number);
            narrow(&|number| format!("t.retrieved_memory_ids <> '[]' AND {}", names_it(number)), vec![digits.into()]);
        }
        if !self.metadata.is_empty() {
            let filters = dialect::filters(&self.metadata)?;
            narrow(&|number| dialect::metadata_matches("t.metadata", number), vec![filters]);
        }
        // Last, since it reads the most.
        if let Some(text) = &self.text {
            let texts = "t.task, t.final_response, r.feedback_text";
            narrow(&|number| dialect::hold_words(texts, number), vec![dialect::words(text)]);
        }
        Ok((conditions, params))
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
            let plan = plan_of(&filter.select_ids(&project_id, page).unwrap().0);
            let expected = format!("{index} (project_id=? AND trace_id>? AND trace_id<?)");
            assert!(plan.starts_with("SEARCH t USING") && plan.contains(&expected), "{plan}");
            assert!(!plan.contains("ORDER BY"), "{plan}");
        }
    }
}
