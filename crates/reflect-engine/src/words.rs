//! The words of memories that queries answered with lately, so that those who ask much the same do not read them again.
//!
//! A memory's words are those of its newest change, and an index knows which one that is: words of the same change are the words of now. What no
//! query has found for [`KEPT_FOR`] is kept no longer: what was erased is found by none, and so is soon gone from here, too.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use hashlink::LruCache;
use reflect_core::MemoryId;
use reflect_index::Hit;
use reflect_store::StampedMemory;
use uuid::Uuid;

/// How many bytes are kept.
const MOST_BYTES: usize = 32 << 20;

/// What a memory takes beside its words, about: there may be many short ones.
const OVERHEAD: usize = 1_024;

/// How long words are kept that no query finds.
const KEPT_FOR: Duration = Duration::from_secs(60);

/// A memory of a project in one of its lives: what was deleted can be made again under the same names.
type Key = (Uuid, MemoryId);

pub(crate) struct Words {
    most_bytes: usize,
    kept: Mutex<Kept>,
}

struct Kept {
    by_memory: LruCache<Key, (Instant, StampedMemory)>,
    bytes: usize,
}

impl Default for Words {
    fn default() -> Self {
        Self::new(MOST_BYTES)
    }
}

impl Words {
    fn new(most_bytes: usize) -> Self {
        Self { most_bytes, kept: Mutex::new(Kept { by_memory: LruCache::new_unbounded(), bytes: 0 }) }
    }

    /// For each of the memories that an index found its words, where they are known, until those have `enough_bytes`.
    pub(crate) fn of(
        &self,
        incarnation: Uuid,
        hits: &[Hit],
        enough_bytes: usize,
        now: Instant,
    ) -> Vec<Option<StampedMemory>> {
        let mut kept = self.lock();
        let mut bytes = 0;
        let known = hits.iter().map_while(|hit| {
            let is_enough = bytes >= enough_bytes;
            let known = kept.by_memory.get_mut(&(incarnation, hit.memory_id));
            let known =
                known.filter(|(_, known)| known.changed == hit.changed && !is_enough).map(|(found_at, known)| {
                    *found_at = now;
                    known.clone()
                });
            bytes += known.as_ref().map_or(0, |known| known.bytes);
            (!is_enough).then_some(known)
        });
        known.collect()
    }

    /// Keeps words that have just been read.
    pub(crate) fn keep(&self, incarnation: Uuid, memories: &[StampedMemory], now: Instant) {
        let mut kept = self.lock();
        for stamped in memories {
            kept.bytes += size(stamped);
            let replaced = kept.by_memory.insert((incarnation, stamped.memory.id), (now, stamped.clone()));
            kept.bytes -= replaced.map_or(0, |(_, replaced)| size(&replaced));
        }
        while kept.bytes > self.most_bytes
            && let Some((_, (_, oldest))) = kept.by_memory.remove_lru()
        {
            kept.bytes -= size(&oldest);
        }
    }

    /// Forgets all of them.
    pub(crate) fn forget_all(&self) {
        let mut kept = self.lock();
        kept.by_memory.clear();
        kept.bytes = 0;
    }

    /// Forgets what was found too long ago.
    pub(crate) fn forget_old(&self, now: Instant) {
        let mut kept = self.lock();
        let Kept { by_memory, bytes } = &mut *kept;
        by_memory.retain(|_, (found_at, stamped)| {
            let is_new = now.saturating_duration_since(*found_at) < KEPT_FOR;
            *bytes -= if is_new { 0 } else { size(stamped) };
            is_new
        });
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What was known and what was read of the rest, in the order in which an index found it. Ends once that has `enough_bytes`, and says how many memories were
/// looked at until then.
pub(crate) fn in_order(
    hits: &[Hit],
    known: Vec<Option<StampedMemory>>,
    read: Vec<StampedMemory>,
    enough_bytes: usize,
) -> (Vec<StampedMemory>, usize) {
    let (mut memories, mut bytes, mut looked_at) = (Vec::with_capacity(hits.len()), 0, 0);
    let mut read = read.into_iter().peekable();
    for (hit, known) in hits.iter().zip(known) {
        if bytes >= enough_bytes {
            break;
        }
        looked_at += 1;
        if let Some(stamped) = known.or_else(|| read.next_if(|stamped| stamped.memory.id == hit.memory_id)) {
            bytes += stamped.bytes;
            memories.push(stamped);
        }
    }
    (memories, looked_at)
}

const fn size(stamped: &StampedMemory) -> usize {
    stamped.bytes + OVERHEAD
}

#[cfg(test)]
mod tests {
    use reflect_core::{Lesson, Memory, MemoryStatus, RawJson, Tally, Timestamp, TraceId, WrittenBy};

    use super::*;

    const LIFE: Uuid = Uuid::from_u128(1);

    fn stamped(number: u128, changed: i64) -> StampedMemory {
        let memory = Memory {
            id: MemoryId::from_uuid(Uuid::from_u128(number)),
            trace_id: TraceId::from_uuid(Uuid::from_u128(number)),
            task: format!("task {number}"),
            lesson: Lesson::default(),
            success: Some(true),
            status: MemoryStatus::Active,
            pinned: false,
            revision: 1,
            written_by: WrittenBy::author(),
            tally: Tally::default(),
            metadata: RawJson::empty_object(),
            created_at: Timestamp::from_micros(0),
            updated_at: Timestamp::from_micros(0),
        };
        StampedMemory { memory, changed, bytes: 100 }
    }

    fn hits(numbers: &[u128], changed: i64) -> Vec<Hit> {
        let hit = |number: &u128| Hit {
            memory_id: MemoryId::from_uuid(Uuid::from_u128(*number)),
            changed,
            utility: 0.5,
            worth: None,
            probability: None,
            similarity: 0.5,
            score: 0.5,
            mmr_penalty: 0.0,
            similarity_rank: None,
        };
        numbers.iter().map(hit).collect()
    }

    #[test]
    fn words_of_the_same_change_and_life_are_known_and_no_others() {
        let (words, now) = (Words::default(), Instant::now());
        words.keep(LIFE, &[stamped(1, 7), stamped(2, 7)], now);
        let of = |life, numbers: &[u128], changed| words.of(life, &hits(numbers, changed), 1_000, now);
        assert_eq!(of(LIFE, &[2, 1], 7), [Some(stamped(2, 7)), Some(stamped(1, 7))]);
        assert_eq!(
            of(LIFE, &[1, 3, 2], 7),
            [Some(stamped(1, 7)), None, Some(stamped(2, 7))],
            "nobody has read the third"
        );
        assert_eq!(of(LIFE, &[1], 8), [None], "it has changed since");
        assert_eq!(of(Uuid::nil(), &[1], 7), [None], "another project that was called the same");
        assert_eq!(words.of(LIFE, &hits(&[3, 1, 2], 7), 100, now), [None, Some(stamped(1, 7))], "no answer has more");
    }

    #[test]
    fn what_was_read_goes_where_it_was_missing() {
        let hits = hits(&[1, 2, 3, 4], 7);
        let of = |known: [bool; 4], read: &[u128], enough| {
            let known = (1..).zip(known).map(|(number, is_known)| is_known.then(|| stamped(number, 7))).collect();
            let (memories, looked_at) =
                in_order(&hits, known, read.iter().map(|number| stamped(*number, 7)).collect(), enough);
            let numbers: Vec<u128> = memories.iter().map(|stamped| stamped.memory.id.as_uuid().as_u128()).collect();
            (numbers, looked_at)
        };
        assert_eq!(of([false, true, false, true], &[1, 3], 1_000), (vec![1, 2, 3, 4], 4));
        assert_eq!(of([true, false, false, true], &[3], 1_000), (vec![1, 3, 4], 4), "the second is gone");
        assert_eq!(of([true, false, false, true], &[2, 3], 200), (vec![1, 2], 2), "enough");
        assert_eq!(of([false, false, false, true], &[1, 2], 200), (vec![1, 2], 2), "what was read was enough");
        assert_eq!(of([true; 4], &[], 301), (vec![1, 2, 3, 4], 4));
    }

    #[test]
    fn neither_much_nor_for_long() {
        let (words, start) = (Words::new(2 * (OVERHEAD + 100) + 50), Instant::now());
        let knows_at = |now, number, changed| {
            words.of(LIFE, &hits(&[number], changed), 1_000, now) == [Some(stamped(number, changed))]
        };
        let soon = start + KEPT_FOR / 2;
        words.keep(LIFE, &[stamped(1, 1), stamped(2, 1)], start);
        assert!(knows_at(start, 1, 1));
        words.keep(LIFE, &[stamped(3, 1), stamped(3, 2)], soon);
        assert!(!knows_at(soon, 2, 1), "the one that nobody asked for gave way");
        words.forget_old(start + KEPT_FOR);
        assert!(!knows_at(soon, 1, 1));
        assert!(knows_at(soon, 3, 2));
        assert_eq!(words.lock().bytes, OVERHEAD + 100);
        assert!(knows_at(soon + KEPT_FOR / 2, 3, 2) && !knows_at(soon + KEPT_FOR, 3, 3));
        words.forget_old(soon + KEPT_FOR);
        assert!(knows_at(soon + KEPT_FOR, 3, 2), "a query has found it since");
        words.forget_old(soon + KEPT_FOR * 2);
        assert!(!knows_at(soon + KEPT_FOR * 2, 3, 2) && words.lock().bytes == 0);
        words.keep(LIFE, &[stamped(1, 1)], soon);
        words.forget_all();
        assert!(!knows_at(soon, 1, 1) && words.lock().bytes == 0);
    }
}
