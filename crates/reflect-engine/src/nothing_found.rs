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
    /// There is nothing to find.
    NoMemories,
    /// None of this many has the metadata that was asked for.
    OtherMetadata {
        /// How many memories there are.
        memories: usize,
    },
    /// All are below the floor.
    BelowFloor {
        /// The similarity of the nearest.
        nearest: f64,
        /// The floor.
        floor: f64,
        /// How many memories there are.
        memories: usize,
    },
    /// Those near enough are left out: they are believed to hurt, or sit out.
    LeftOut,
}

impl fmt::Display for NothingFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMemories => write!(f, "the project has no memories yet"),
            Self::OtherMetadata { memories } => {
                write!(f, "none of the project's memories ({memories}) has the metadata that was asked for")
            }
            Self::BelowFloor { nearest, floor, memories } => write!(
                f,
                "the nearest of the project's memories ({memories}) has a similarity of {nearest:.2}, below the floor of {floor:.2}"
            ),
            Self::LeftOut => {
                write!(f, "the memories near enough are left out: they are believed to hurt, or sit out this once")
            }
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
            Place::Memory(index) => index.len(),
            Place::Database { .. } => self.searched_part(project, embedder).await?.total,
        };
        if memories == 0 {
            return Ok(Some(NothingFound::NoMemories));
        }
        let floor = search.settings.similarity_threshold;
        let settings =
            QuerySettings { limit: 1, lambda: 0.0, mmr_lambda: 1.0, similarity_threshold: None, ..search.settings };
        let nearest =
            Search { settings, by_worth: None, empty_lessons: true, also: Vec::new(), explain: false, ..search };
        let Some(Searched { found, .. }) = self.search(place, nearest).await? else { return Ok(None) };
        let nearest = found.hits.first().map(|hit| hit.similarity);
        Ok(Some(match (nearest, floor) {
            (None, _) => NothingFound::OtherMetadata { memories },
            (Some(nearest), Some(floor)) if nearest < floor => NothingFound::BelowFloor { nearest, floor, memories },
            _ => NothingFound::LeftOut,
        }))
    }
}
