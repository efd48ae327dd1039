//! Remembers the vectors of texts that come again.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Mutex, PoisonError},
};

use async_trait::async_trait;
use hashlink::LruCache;
use reflect_core::EmbedderId;
use sha2::{Digest, Sha256};

use crate::{Caller, EmbedError, Embedder};

/// What an entry costs beside its numbers: its key, its place among the others and in the order of their use.
const ENTRY_BYTES: usize = 160;

/// Names an embedder and a text.
type Key = [u8; 32];

/// An embedder that is asked once about a text, as long as the text is remembered. What was not asked about for longest is
/// forgotten first.
pub struct CachedEmbedder<E> {
    inner: E,
    remembered: Mutex<Remembered>,
}

impl<E: Embedder> CachedEmbedder<E> {
    /// Remembers as many vectors as go into that many bytes.
    pub fn new(inner: E, max_bytes: usize) -> Self {
        Self { inner, remembered: Mutex::new(Remembered::new(max_bytes)) }
    }

    fn look_up(&self, keys: &[Key]) -> Vec<Option<Vec<f32>>> {
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        keys.iter().map(|key| remembered.get(key)).collect()
    }

    fn remember(&self, found: &[(Key, Vec<f32>)]) {
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        found.iter().for_each(|(key, vector)| remembered.put(*key, vector.clone()));
    }
}

#[async_trait]
impl<E: Embedder> Embedder for CachedEmbedder<E> {
    fn id(&self) -> EmbedderId {
        self.inner.id()
    }

    fn default_floor(&self) -> Option<f64> {
        self.inner.default_floor()
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.embed_for(Caller::asking(""), texts).await
    }

    async fn embed_for(&self, caller: Caller<'_>, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let id = self.inner.id();
        let keys: Vec<Key> = texts.iter().map(|text| key(&id, text)).collect();
        let known = self.look_up(&keys);
        // Each text that is not known, once.
        let unknown: BTreeMap<Key, &str> = known
            .iter()
            .zip(&keys)
            .zip(texts)
            .filter(|((vector, _), _)| vector.is_none())
            .map(|((_, key), text)| (*key, *text))
            .collect();
        let mut found: HashMap<Key, Vec<f32>> = HashMap::new();
        if !unknown.is_empty() {
            let asked: Vec<&str> = unknown.values().copied().collect();
            let vectors = self.inner.embed_for(caller, &asked).await?;
            if vectors.len() != asked.len() {
                return Err(EmbedError::Failed(format!(
                    "`{id}` made {} vectors of {} texts",
                    vectors.len(),
                    asked.len()
                )));
            }
            let learned: Vec<(Key, Vec<f32>)> = unknown.keys().copied().zip(vectors).collect();
            self.remember(&learned);
            found.extend(learned);
        }
        let vectors = known.into_iter().zip(&keys).map(|(vector, key)| vector.or_else(|| found.get(key).cloned()));
        vectors.collect::<Option<_>>().ok_or_else(|| EmbedError::Failed(format!("`{id}` made no vector of a text")))
    }
}

fn key(id: &EmbedderId, text: &str) -> Key {
    Sha256::new().chain_update(id.as_str()).chain_update([0xFF]).chain_update(text).finalize().into()
}

struct Remembered {
    max_bytes: usize,
    bytes: usize,
    vectors: LruCache<Key, Vec<f32>>,
}

impl Remembered {
    fn new(max_bytes: usize) -> Self {
        Self { max_bytes, bytes: 0, vectors: LruCache::new_unbounded() }
    }

    fn get(&mut self, key: &Key) -> Option<Vec<f32>> {
        self.vectors.get(key).cloned()
    }

    fn put(&mut self, key: Key, vector: Vec<f32>) {
        self.bytes += cost(&vector);
        if let Some(replaced) = self.vectors.insert(key, vector) {
            self.bytes -= cost(&replaced);
        }
        while self.bytes > self.max_bytes
            && let Some((_, oldest)) = self.vectors.remove_lru()
        {
            self.bytes -= cost(&oldest);
        }
    }
}

fn cost(vector: &[f32]) -> usize {
    size_of_val(vector) + ENTRY_BYTES
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A cache that is simply a list, the most recently used last.
    #[derive(Default)]
    struct Plain(Vec<(Key, Vec<f32>)>);

    impl Plain {
        fn get(&mut self, key: &Key) -> Option<Vec<f32>> {
            let index = self.0.iter().position(|(known, _)| known == key)?;
            let entry = self.0.remove(index);
            self.0.push(entry.clone());
            Some(entry.1)
        }

        fn put(&mut self, key: Key, vector: Vec<f32>, max_bytes: usize) {
            self.0.retain(|(known, _)| *known != key);
            self.0.push((key, vector));
            while self.0.iter().map(|(_, vector)| cost(vector)).sum::<usize>() > max_bytes {
                self.0.remove(0);
            }
        }
    }

    proptest! {
        #[test]
        fn it_remembers_what_a_plain_list_would(
            acts in prop::collection::vec((0..6_u8, prop::option::of(0..40_usize)), 0..60),
            max_bytes in 0..1_500_usize,
        ) {
            let mut remembered = Remembered::new(max_bytes);
            let mut plain = Plain::default();
            for (name, length) in acts {
                let key = [name; 32];
                match length {
                    None => prop_assert_eq!(remembered.get(&key), plain.get(&key)),
                    Some(length) => {
                        remembered.put(key, vec![0.5; length]);
                        plain.put(key, vec![0.5; length], max_bytes);
                    }
                }
                prop_assert!(remembered.bytes <= max_bytes);
                prop_assert_eq!(remembered.vectors.len(), plain.0.len());
            }
        }
    }
}
