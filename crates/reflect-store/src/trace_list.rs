//! Lists of traces, newest first, a page at a time.

use reflect_core::{IngestStatus, Outcome, ProjectId, ReviewStatus, Timestamp, TraceId};
use rusqlite::ToSql;

use crate::{Store, StoreResult, text_functions::folded, traces::INGEST_STATUS};

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
    /// By what the task, the final response or the feedback holds, whatever the case of its letters.
    pub text: Option<String>,
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

impl TraceFilter {
    fn conditions(&self) -> String {
        let mut conditions = String::from("t.project_id = :project AND t.trace_id >= :from AND t.trace_id < :before");
        // Written out rather than bound, so that the partial index on pending traces can serve.
        if let Some(review_status) = self.review_status {
            conditions += &format!(" AND t.review_status = '{review_status}'");
        }
        conditions += &format!(
            " AND (:ingest_status IS NULL OR {INGEST_STATUS} = :ingest_status)
              AND (:result IS NULL OR r.result = :result)
              AND (:model IS NULL OR t.model = :model)"
        );
        for index in 0..self.metadata.len() {
            conditions += &format!(" AND metadata_reads(t.metadata, :key_{index}, :value_{index})");
        }
        // Last, since it reads the most.
        if self.text.is_some() {
            conditions += " AND (holds_folded(t.task, :text) OR holds_folded(t.final_response, :text)
                                 OR holds_folded(r.feedback_text, :text))";
        }
        conditions
    }
}

impl Store {
    /// The ids of a page of a project's traces, newest first. They are cheap to hold, however large the traces are, and they
    /// fix what the page is while new traces come in.
    pub async fn list_trace_ids(
        &self,
        project_id: ProjectId,
        filter: TraceFilter,
        page: TracePage,
    ) -> StoreResult<Vec<TraceId>> {
        self.readers
            .read(move |read| {
                let sql = format!(
                    "SELECT t.trace_id FROM traces t
                     LEFT JOIN reviews r ON r.project_id = t.project_id AND r.trace_id = t.trace_id AND r.removed_at IS NULL
                     LEFT JOIN jobs j ON j.project_id = t.project_id AND j.trace_id = t.trace_id AND j.kind = 'lesson'
                     WHERE {} ORDER BY t.trace_id DESC LIMIT :limit",
                    filter.conditions(),
                );
                let bound = Bound::new(&project_id, &filter, page);
                let ids = read
                    .prepare_cached(&sql)?
                    .query_map(bound.params().as_slice(), |row| Ok(TraceId::from_uuid(row.get(0)?)))?
                    .collect::<Result<_, _>>()?;
                Ok(ids)
            })
            .await
    }
}

/// The values behind the names in [`TraceFilter::conditions`]. Ids begin with the time they were made at, so times are
/// bounds on ids, and a page is one walk along the index however far down the list it is.
struct Bound {
    project: String,
    from: uuid::Uuid,
    before: uuid::Uuid,
    ingest_status: Option<&'static str>,
    result: Option<&'static str>,
    model: Option<String>,
    /// The values that are there only if they were asked for, with their names.
    texts: Vec<(String, String)>,
    limit: usize,
}

impl Bound {
    fn new(project_id: &ProjectId, filter: &TraceFilter, page: TracePage) -> Self {
        let earliest = |time: Timestamp| TraceId::earliest_at(time).as_uuid();
        let until = filter.until.map_or(uuid::Uuid::max(), earliest);
        let mut texts: Vec<(String, String)> = Vec::new();
        for (index, (key, value)) in filter.metadata.iter().enumerate() {
            texts.push((format!(":key_{index}"), key.clone()));
            texts.push((format!(":value_{index}"), value.clone()));
        }
        texts.extend(filter.text.as_ref().map(|text| (":text".to_owned(), folded(text))));
        Self {
            project: project_id.as_str().to_owned(),
            from: filter.since.map_or(uuid::Uuid::nil(), earliest),
            before: page.before.map_or(until, |before| before.as_uuid().min(until)),
            ingest_status: filter.ingest_status.map(IngestStatus::as_str),
            result: filter.result.map(Outcome::as_str),
            model: filter.model.clone(),
            texts,
            limit: page.limit,
        }
    }

    fn params(&self) -> Vec<(&str, &dyn ToSql)> {
        let always: [(&str, &dyn ToSql); 7] = [
            (":project", &self.project),
            (":from", &self.from),
            (":before", &self.before),
            (":ingest_status", &self.ingest_status),
            (":result", &self.result),
            (":model", &self.model),
            (":limit", &self.limit),
        ];
        let asked_for = self.texts.iter().map(|(name, text)| (name.as_str(), text as &dyn ToSql));
        always.into_iter().chain(asked_for).collect()
    }
}
