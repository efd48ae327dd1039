//! The embedders that a server has.

use std::{collections::BTreeMap, sync::Arc};

use reflect_core::EmbedderId;
use reflect_embed::{Embedder, HashingEmbedder, ModelEmbedder, ModelFileError, run_here};

/// The embedders that a server has: one for new projects, and others that a project may be switched to or still has.
#[derive(Clone)]
pub struct Embedders {
    default: EmbedderId,
    /// What people call those that a project can be given, in the order in which they were named.
    names: Vec<(String, EmbedderId)>,
    all: BTreeMap<EmbedderId, Arc<dyn Embedder>>,
}

impl Embedders {
    /// The model inside the binary, and hashing for projects that still have it: what a server has that was told nothing.
    pub fn builtin() -> Result<Self, ModelFileError> {
        let builtin = Self::new("builtin", run_here(ModelEmbedder::builtin()?));
        Ok(builtin.with_retired(Arc::new(HashingEmbedder)))
    }

    /// One embedder, which makes the vectors of new projects.
    pub fn new(name: &str, embedder: Arc<dyn Embedder>) -> Self {
        let default = embedder.id();
        Self { default, names: Vec::new(), all: BTreeMap::new() }.with(name, embedder)
    }

    /// The same and one more that a project can be switched to. An embedder can have two names.
    pub fn with(mut self, name: &str, embedder: Arc<dyn Embedder>) -> Self {
        let named = (name.to_owned(), embedder.id());
        if !self.names.contains(&named) {
            self.names.push(named);
        }
        self.all.entry(embedder.id()).or_insert(embedder);
        self
    }

    /// The same and one more that no project is given any more. Those that have it are served until they have been switched
    /// to the default, which begins with the next start.
    pub fn with_retired(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.all.entry(embedder.id()).or_insert(embedder);
        self
    }

    /// The embedder of new projects.
    pub fn default_id(&self) -> &EmbedderId {
        &self.default
    }

    /// The embedder of that id, if it can run here.
    pub(crate) fn get(&self, id: &EmbedderId) -> Option<&Arc<dyn Embedder>> {
        self.all.get(id)
    }

    /// The embedder of that name or id, if a project can be given it.
    pub(crate) fn find(&self, name: &str) -> Option<&EmbedderId> {
        self.names.iter().find(|(known, id)| known == name || id.as_str() == name).map(|(_, id)| id)
    }

    /// Whether projects may keep this embedder.
    pub(crate) fn is_offered(&self, id: &EmbedderId) -> bool {
        self.names.iter().any(|(_, offered)| offered == id)
    }

    /// The embedders that a project can be given, each once.
    pub(crate) fn offered_ids(&self) -> impl Iterator<Item = &EmbedderId> {
        let first = |at: usize, id: &EmbedderId| self.names.iter().position(|(_, other)| other == id) == Some(at);
        self.names.iter().enumerate().filter(move |(at, (_, id))| first(*at, id)).map(|(_, (_, id))| id)
    }

    /// What a project can be given, for a message.
    pub(crate) fn offered(&self) -> String {
        let names: Vec<String> = self.names.iter().map(|(name, id)| format!("`{name}` (`{id}`)")).collect();
        names.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use reflect_embed::HashingEmbedder;

    use super::*;

    #[test]
    fn an_embedder_is_found_by_its_name_and_by_its_id() {
        let hashing = HashingEmbedder.id();
        let embedders = Embedders::new("builtin", Arc::new(HashingEmbedder)).with("hashing", Arc::new(HashingEmbedder));
        for name in ["builtin", "hashing", hashing.as_str()] {
            assert_eq!(embedders.find(name), Some(&hashing));
        }
        assert_eq!(embedders.find("Builtin"), None);
        assert_eq!(embedders.offered(), "`builtin` (`hashing-v1-256`), `hashing` (`hashing-v1-256`)");
    }

    #[test]
    fn an_embedder_that_is_both_offered_and_retired_is_offered() {
        let embedders = Embedders::new("builtin", Arc::new(HashingEmbedder)).with_retired(Arc::new(HashingEmbedder));
        assert!(embedders.is_offered(&HashingEmbedder.id()));
    }
}
