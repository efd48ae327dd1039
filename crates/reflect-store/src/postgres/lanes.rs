//! What waits to be written, lane by lane.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::sql::{Lane, Operation, Work};

/// How long a write that nobody waits for may stay in memory.
const LAZY_DELAY: Duration = Duration::from_millis(200);

/// How many operations share a commit at most, so that the first of them never waits for an endless batch, nor another process for the lane.
const MAX_BATCH: usize = 64;

/// How many operations of workers share a commit with those of callers at most. A lesson takes longer to write than a trace, and there is always a next
/// one: callers would wait for them all the time.
const MAX_BACKGROUND: usize = 8;

/// How many writers may have additions to one project in hand, and how many have to wait for another writer to take some: company saves commits.
const MOST_ADDING: usize = 4;
const COMPANY: usize = 8;

/// How many operations wait in one lane before callers wait to hand theirs over. A lane that is slow fills up, and no other with it.
const QUEUE: usize = 256;

/// An operation with its slot in the lane, which is free again once it has been taken.
type Queued = (Operation, OwnedSemaphorePermit);

/// Everything that waits. A lane is in the hands of one writer at a time; additions may be in those of several.
#[derive(Default)]
pub(super) struct Lanes {
    lanes: HashMap<Lane, Waiting>,
    /// Lanes that may be taken, in their turn.
    ready: VecDeque<Lane>,
    /// Lanes in which nobody waits for anything, with the time when they are taken all the same.
    lazy: VecDeque<(Instant, Lane)>,
    is_closed: bool,
}

struct Waiting {
    operations: VecDeque<Queued>,
    /// Those of workers.
    background: VecDeque<Queued>,
    slots: Arc<Semaphore>,
    most_writers: usize,
    /// In whose hands it is.
    writers: usize,
    /// Whether its turn will come.
    is_ready: bool,
    /// Whether a writer has something in hand that nobody waits for.
    is_writing_lazy: bool,
}

impl Waiting {
    fn new(lane: &Lane) -> Self {
        Self {
            operations: VecDeque::new(),
            background: VecDeque::new(),
            slots: Arc::new(Semaphore::new(QUEUE)),
            most_writers: if matches!(lane, Lane::Additions(_)) { MOST_ADDING } else { 1 },
            writers: 0,
            is_ready: false,
            is_writing_lazy: false,
        }
    }

    /// Whether a writer may take it now, who has not been told so yet.
    fn may_be_taken(&self) -> bool {
        let is_company = self.writers == 0 || self.operations.len() >= COMPANY;
        !self.is_ready && self.writers < self.most_writers && is_company && !self.is_empty()
    }

    fn is_empty(&self) -> bool {
        self.operations.is_empty() && self.background.is_empty()
    }

    /// Whether there is company enough.
    fn is_full_batch(&self) -> bool {
        self.operations.len() >= MAX_BATCH
    }

    /// Whether somebody waits.
    fn is_waited_for(&self) -> bool {
        !self.background.is_empty() || !self.operations.iter().all(is_lazy)
    }

    /// Whether something is not written yet that nobody waits for.
    fn holds_lazy(&self) -> bool {
        self.is_writing_lazy || self.operations.iter().any(is_lazy)
    }

    fn push(&mut self, queued: Queued) {
        match queued.0 {
            Operation::Background(_) => self.background.push_back(queued),
            Operation::Durable(_) | Operation::Lazy(_) => self.operations.push_back(queued),
        }
    }

    /// What shares the next commit: workers have a few places beside others, and all of them if nobody else is there.
    fn next_batch(&mut self) -> Vec<Work> {
        let most_background = if self.operations.is_empty() { MAX_BATCH } else { MAX_BACKGROUND };
        let background = self.background.len().min(most_background);
        let others = self.operations.len().min(MAX_BATCH - background);
        self.is_writing_lazy = self.operations.iter().take(others).any(is_lazy);
        let batch = self.operations.drain(..others).chain(self.background.drain(..background));
        let work = batch.map(|(operation, _slot)| match operation {
            Operation::Durable(work) | Operation::Background(work) | Operation::Lazy(work) => work,
        });
        work.collect()
    }
}

fn is_lazy((operation, _): &Queued) -> bool {
    matches!(operation, Operation::Lazy(_))
}

impl Lanes {
    /// The slots of a lane, of which a caller needs one.
    pub(super) fn slots(&mut self, lane: &Lane) -> Arc<Semaphore> {
        Arc::clone(&self.lanes.entry(lane.clone()).or_insert_with(|| Waiting::new(lane)).slots)
    }

    /// Whether something in a lane is not written yet that nobody waits for.
    pub(super) fn holds_lazy(&self, lane: &Lane) -> bool {
        self.lanes.get(lane).is_some_and(Waiting::holds_lazy)
    }

    /// Puts an operation behind all others of its lane. Says whether there is something to be taken that was not before.
    pub(super) fn push(&mut self, lane: Lane, queued: Queued, now: Instant) -> bool {
        self.slots(&lane);
        let Some(waiting) = self.lanes.get_mut(&lane) else { return false };
        let is_first = waiting.is_empty();
        let is_lazy = is_lazy(&queued);
        waiting.push(queued);
        if !waiting.may_be_taken() {
            return false;
        }
        if !is_lazy || self.is_closed || waiting.is_full_batch() {
            waiting.is_ready = true;
            self.ready.push_back(lane);
        } else if is_first {
            self.lazy.push_back((now + LAZY_DELAY, lane));
        } else {
            return false;
        }
        true
    }

    /// Takes the lane whose turn it is, and what shares its next commit.
    pub(super) fn take(&mut self, now: Instant) -> Option<(Lane, Vec<Work>)> {
        self.wake_lazy(now);
        let lane = self.ready.pop_front()?;
        let waiting = self.lanes.get_mut(&lane)?;
        waiting.is_ready = false;
        waiting.writers += 1;
        let batch = waiting.next_batch();
        if waiting.may_be_taken() {
            waiting.is_ready = true;
            self.ready.push_back(lane.clone());
        }
        Some((lane, batch))
    }

    /// Gives a lane back.
    pub(super) fn give_back(&mut self, lane: Lane, now: Instant) {
        let Some(waiting) = self.lanes.get_mut(&lane) else { return };
        waiting.writers -= 1;
        waiting.is_writing_lazy = false;
        if waiting.is_empty() {
            // Somebody may be about to hand something over, and has a slot of this lane.
            if waiting.writers == 0 && Arc::strong_count(&waiting.slots) == 1 {
                self.lanes.remove(&lane);
            }
            return;
        }
        if !waiting.may_be_taken() {
            return;
        }
        if self.is_closed || waiting.is_full_batch() || waiting.is_waited_for() {
            waiting.is_ready = true;
            self.ready.push_back(lane);
        } else {
            self.lazy.push_back((now + LAZY_DELAY, lane));
        }
    }

    /// Whether there is something to be taken.
    pub(super) fn is_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// When there will be something to be taken, if nobody comes before.
    pub(super) fn next_lazy(&self) -> Option<Instant> {
        self.lazy.front().map(|(at, _)| *at)
    }

    /// The lanes that hold something, or are being written.
    pub(super) fn busy(&self) -> Vec<Lane> {
        let busy = self.lanes.iter().filter(|(_, each)| each.writers > 0 || !each.is_empty());
        busy.map(|(lane, _)| lane.clone()).collect()
    }

    /// Lets nothing wait for company any more.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
        for (lane, waiting) in &mut self.lanes {
            if waiting.may_be_taken() {
                waiting.is_ready = true;
                self.ready.push_back(lane.clone());
            }
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    fn wake_lazy(&mut self, now: Instant) {
        while self.lazy.front().is_some_and(|(at, _)| *at <= now) {
            let Some((_, lane)) = self.lazy.pop_front() else { return };
            if let Some(waiting) = self.lanes.get_mut(&lane)
                && waiting.may_be_taken()
            {
                waiting.is_ready = true;
                self.ready.push_back(lane);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::work;

    fn lane(name: &str) -> Lane {
        Lane::of(&name.parse().unwrap())
    }

    fn push(lanes: &mut Lanes, name: &str, operation: fn(Work) -> Operation, now: Instant) -> bool {
        push_to(lanes, lane(name), operation, now)
    }

    fn push_to(lanes: &mut Lanes, lane: Lane, operation: fn(Work) -> Operation, now: Instant) -> bool {
        let slot = lanes.slots(&lane).try_acquire_owned().unwrap();
        lanes.push(lane, (operation(work(|_| Ok(()), drop)), slot), now)
    }

    fn taken(lanes: &mut Lanes, now: Instant) -> Option<(Lane, usize)> {
        lanes.take(now).map(|(lane, batch)| (lane, batch.len()))
    }

    #[test]
    fn a_lane_is_taken_by_one_at_a_time_and_lanes_take_turns() {
        let (mut lanes, now) = (Lanes::default(), Instant::now());
        for name in ["a", "a", "b", "a"] {
            push(&mut lanes, name, Operation::Durable, now);
        }
        assert_eq!(taken(&mut lanes, now), Some((lane("a"), 3)));
        assert!(!push(&mut lanes, "a", Operation::Durable, now), "it is being written");
        assert_eq!(taken(&mut lanes, now), Some((lane("b"), 1)));
        assert_eq!(taken(&mut lanes, now), None);
        assert_eq!(lanes.busy().len(), 2);
        lanes.give_back(lane("b"), now);
        lanes.give_back(lane("a"), now);
        assert_eq!(taken(&mut lanes, now), Some((lane("a"), 1)));
        lanes.give_back(lane("a"), now);
        assert!(lanes.busy().is_empty() && lanes.lanes.is_empty());
    }

    #[test]
    fn what_nobody_waits_for_waits_for_company_and_not_for_ever() {
        let (mut lanes, now) = (Lanes::default(), Instant::now());
        assert!(push(&mut lanes, "a", Operation::Lazy, now));
        assert_eq!(taken(&mut lanes, now), None);
        assert!(push(&mut lanes, "a", Operation::Durable, now));
        assert_eq!(taken(&mut lanes, now), Some((lane("a"), 2)));
        push(&mut lanes, "a", Operation::Lazy, now);
        lanes.give_back(lane("a"), now);
        assert_eq!(taken(&mut lanes, now), None);
        let later = lanes.next_lazy().unwrap() + LAZY_DELAY;
        assert_eq!(taken(&mut lanes, later), Some((lane("a"), 1)));
    }

    #[test]
    fn what_nobody_waits_for_waits_no_longer_than_until_it_fills_a_batch() {
        let (mut lanes, now) = (Lanes::default(), Instant::now());
        for number in 1..=2 * MAX_BATCH + 1 {
            push(&mut lanes, "a", Operation::Lazy, now);
            if number < MAX_BATCH {
                assert_eq!(taken(&mut lanes, now), None);
            }
        }
        for _ in 0..2 {
            assert_eq!(taken(&mut lanes, now), Some((lane("a"), MAX_BATCH)));
            lanes.give_back(lane("a"), now);
        }
        assert_eq!(taken(&mut lanes, now), None);
        assert_eq!(taken(&mut lanes, now + LAZY_DELAY), Some((lane("a"), 1)));
    }

    #[test]
    fn workers_have_a_few_places_beside_callers_and_all_of_them_alone() {
        let (mut lanes, now) = (Lanes::default(), Instant::now());
        for _ in 0..MAX_BATCH {
            push(&mut lanes, "a", Operation::Background, now);
            push(&mut lanes, "a", Operation::Durable, now);
        }
        let mut sizes = Vec::new();
        while let Some((lane, size)) = taken(&mut lanes, now) {
            sizes.push(size);
            lanes.give_back(lane, now);
        }
        assert_eq!(sizes, [MAX_BATCH, 2 * MAX_BACKGROUND, MAX_BATCH - 2 * MAX_BACKGROUND]);
    }

    #[test]
    fn a_batch_has_an_end_and_a_lane_is_full_without_others() {
        let (mut lanes, now) = (Lanes::default(), Instant::now());
        for _ in 0..QUEUE {
            push(&mut lanes, "a", Operation::Durable, now);
        }
        assert!(lanes.slots(&lane("a")).try_acquire_owned().is_err());
        push(&mut lanes, "b", Operation::Durable, now);
        assert_eq!(taken(&mut lanes, now), Some((lane("a"), MAX_BATCH)));
        assert_eq!(taken(&mut lanes, now), Some((lane("b"), 1)));
    }

    #[test]
    fn additions_are_taken_by_several_as_soon_as_they_have_company() {
        let (mut lanes, now) = (Lanes::default(), Instant::now());
        let additions = Lane::Additions("a".parse().unwrap());
        let add = |lanes: &mut Lanes| push_to(lanes, additions.clone(), Operation::Durable, now);
        assert!(add(&mut lanes));
        assert_eq!(taken(&mut lanes, now), Some((additions.clone(), 1)), "the first one has nobody to wait for");
        for _ in 1..MOST_ADDING {
            for _ in 1..COMPANY {
                assert!(!add(&mut lanes));
            }
            assert!(add(&mut lanes));
            assert_eq!(taken(&mut lanes, now), Some((additions.clone(), COMPANY)));
        }
        for _ in 0..2 * COMPANY {
            assert!(!add(&mut lanes), "there are writers enough");
        }
        lanes.give_back(additions.clone(), now);
        assert_eq!(taken(&mut lanes, now), Some((additions.clone(), 2 * COMPANY)));
        add(&mut lanes);
        for _ in 1..MOST_ADDING {
            lanes.give_back(additions.clone(), now);
            assert_eq!(taken(&mut lanes, now), None, "too few for a commit of their own");
        }
        lanes.give_back(additions.clone(), now);
        assert_eq!(taken(&mut lanes, now), Some((additions.clone(), 1)), "nobody else will take it along");
        lanes.give_back(additions, now);
        assert!(lanes.lanes.is_empty());
    }

    #[test]
    fn what_nobody_waits_for_is_held_until_it_is_written() {
        let (mut lanes, now) = (Lanes::default(), Instant::now());
        push(&mut lanes, "a", Operation::Durable, now);
        assert!(!lanes.holds_lazy(&lane("a")));
        push(&mut lanes, "a", Operation::Lazy, now);
        assert!(lanes.holds_lazy(&lane("a")) && !lanes.holds_lazy(&lane("b")));
        taken(&mut lanes, now);
        assert!(lanes.holds_lazy(&lane("a")), "it is being written");
        push(&mut lanes, "a", Operation::Durable, now);
        lanes.give_back(lane("a"), now);
        assert!(!lanes.holds_lazy(&lane("a")));
    }

    #[test]
    fn closing_lets_nothing_wait() {
        let (mut lanes, now) = (Lanes::default(), Instant::now());
        push(&mut lanes, "a", Operation::Lazy, now);
        lanes.close();
        assert_eq!(taken(&mut lanes, now), Some((lane("a"), 1)));
    }
}
