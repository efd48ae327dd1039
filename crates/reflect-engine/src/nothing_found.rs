//! Why an answer is empty: a second look, at the one nearest memory.

use std::fmt;

use reflect_core::{EmbedderId, Project, QuerySettings};
use reflect_index::Search;

use crate::{
    Engine, EngineResult,
    searching::{Place, Searched},
};

/// Why an answer is empty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NothingFound {
    /// There is nothing that a query could find.
    NoMemories,
    /// None of this many has the metadata that was asked for.
    OtherMetadata(usize),
    /// None of this many has a vector that the task can be compared with.
    NotComparable(usize),
    /// All are below the floor.
    BelowFloor {
        /// The similarity of the nearest.
        nearest: f64,
        /// The floor.
        floor: f64,
        /// How many there are; `None` where only those with some metadata were looked at.
        memories: Option<usize>,
    },
    /// Those near enough are left out: they are believed to hurt, sit out, or answer another task.
    LeftOut,
}

impl fmt::Display for NothingFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMemories => f.write_str("the project has no memories yet that a query can find"),
            Self::OtherMetadata(memories) => {
                write!(f, "none of the project's memories ({memories}) has the metadata that was asked for")
            }
            Self::NotComparable(memories) => {
                write!(f, "none of the project's memories ({memories}) can be compared with the task yet")
            }
            Self::BelowFloor { nearest, floor, memories } => {
                match memories {
                    Some(memories) => write!(f, "the nearest of the project's memories ({memories})")?,
                    None => f.write_str("the nearest memory with the metadata that was asked for")?,
                }
                write!(f, " has a similarity of {nearest:.2}, below the floor of {floor:.2}")
            }
            Self::LeftOut => f.write_str(
                "the memories near enough are left out: they are believed to hurt, sit out this once, or answer another task",
            ),
        }
    }
}

impl Engine {
    /// Why a search found nothing.
    pub(crate) async fn why_nothing(
        &self,
        project: &Project,
        embedder: &EmbedderId,
        place: Place,
        search: Search,
    ) -> EngineResult<Option<NothingFound>> {
        let memories = match &place {
            Place::Memory(index) => index.count_shown(),
            Place::Database { .. } => self.searched_part(project, embedder).await?.total,
        };
        if memories == 0 {
            return Ok(Some(NothingFound::NoMemories));
        }
        let (floor, is_filtered) = (search.settings.similarity_threshold, search.settings.metadata_filter.is_some());
        let settings =
            QuerySettings { limit: 1, lambda: 0.0, mmr_lambda: 1.0, similarity_threshold: None, ..search.settings };
        let nearest =
            Search { settings, by_worth: None, empty_lessons: true, also: Vec::new(), explain: false, ..search };
        let Some(Searched { found, .. }) = self.search(place, nearest).await? else { return Ok(None) };
        let nearest = found.hits.first().map(|hit| hit.similarity);
        Ok(Some(match (nearest, floor) {
            (None, _) if is_filtered => NothingFound::OtherMetadata(memories),
            (None, _) => NothingFound::NotComparable(memories),
            (Some(nearest), Some(floor)) if nearest < floor => {
                NothingFound::BelowFloor { nearest, floor, memories: (!is_filtered).then_some(memories) }
            }
            _ => NothingFound::LeftOut,
        }))
    }
}
