//! The query parameters of lists.

use reflect_core::{Direction, IngestStatus, MemoryOrder, MemoryStatus, Outcome, ReviewStatus, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use uuid::Uuid;

use crate::{MetadataFilter, Violation, checks, metadata_filters};

/// Characters of a text to look for.
const TEXT_LENGTH: usize = 1_000;

/// Which traces, and how many.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListTracesRequest {
    /// Only those whose review has (`reviewed`) or has not (`pending`) become a memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, pattern = "^(pending|reviewed)$")]
    pub review_status: Option<ReviewStatus>,
    /// Only those on which the work has come this far.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, pattern = "^(queued|processing|completed|failed)$")]
    pub ingest_status: Option<IngestStatus>,
    /// Only those that were reviewed with this result.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, pattern = "^(pass|fail)$")]
    pub result: Option<Outcome>,
    /// Only those of this model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Only those stored at or after this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, format = DateTime)]
    pub since: Option<Timestamp>,
    /// Only those stored before this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, format = DateTime)]
    pub until: Option<Timestamp>,
    /// How many at most. Without it the list is streamed whole, up to the server's cap.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(minimum = 1, maximum = 1_000)]
    pub limit: Option<u32>,
    /// Where the page starts: the value in the `Link` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(format = Uuid)]
    pub cursor: Option<String>,
    /// `summary` leaves the trajectories out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(pattern = "^(full|summary)$")]
    pub view: Option<String>,
    /// Only those in whose task, final response or feedback every one of these words occurs, in any order, whatever the case of their letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(max_length = 1_000)]
    pub text: Option<String>,
    /// Only those that name this memory as shown to their run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_id: Option<Uuid>,
    /// Only those whose metadata matches every one of these: `metadata.KEY=value`, at most 32 of them.
    #[serde(flatten, with = "metadata_filters")]
    #[param(ignore)]
    pub metadata: Vec<MetadataFilter>,
}

impl ListTracesRequest {
    /// Whether what is looked for stays within bounds.
    pub fn check(&self) -> Result<(), Violation> {
        if let Some(text) = &self.text {
            checks::length("text", text, TEXT_LENGTH)?;
        }
        checks::at_most("metadata", self.metadata.len(), metadata_filters::MAX_FILTERS)?;
        self.metadata.iter().try_for_each(MetadataFilter::check)
    }
}

/// Which memories, and how many.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListMemoriesRequest {
    /// Only those that are shown (`active`) or hidden (`disabled`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, pattern = "^(active|disabled)$")]
    pub status: Option<MemoryStatus>,
    /// Only those that queries leave out, since they are believed to hurt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retired: Option<bool>,
    /// Only those that say the same as this memory, itself among them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_as: Option<Uuid>,
    /// Of those that say the same only the one that most runs saw, with `runs_alike`. Not together with `text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distinct: Option<bool>,
    /// Only those in whose task or lesson every one of these words occurs, in any order, whatever the case of their letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(max_length = 1_000)]
    pub text: Option<String>,
    /// What they are listed by: `created`, `updated`, `utility` or `uses`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, pattern = "^(created|updated|utility|uses)$")]
    pub order: Option<MemoryOrder>,
    /// `desc`: the newest, the best, the most used first; or `asc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, pattern = "^(desc|asc)$")]
    pub direction: Option<Direction>,
    /// How many at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(minimum = 1, maximum = 1_000, default = 100)]
    pub limit: Option<u32>,
    /// Where the page starts: the value in the `Link` of the page before, which was asked for in the same order.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(pattern = "^([0-9]{1,16}(\\.[0-9]{1,340})?~)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
    pub cursor: Option<String>,
}

impl ListMemoriesRequest {
    /// Whether what is looked for stays within bounds.
    pub fn check(&self) -> Result<(), Violation> {
        if self.text.is_some() && self.distinct == Some(true) {
            return Err(Violation::new(
                "distinct",
                "does not go together with `text`: of those that say the same one may match and another not",
            ));
        }
        self.text.as_ref().map_or(Ok(()), |text| checks::length("text", text, TEXT_LENGTH))
    }
}

/// Which steps of a memory's utility, and how many.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListCreditsRequest {
    /// How many at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(minimum = 1, maximum = 1_000, default = 100)]
    pub limit: Option<u32>,
    /// Where the page starts: the value in the `Link` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(pattern = "^[0-9]{1,18}$")]
    pub cursor: Option<String>,
}
