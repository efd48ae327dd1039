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

/// How many operations wait in one lane before callers wait to hand theirs over. A lane that is slow fills up, and no other with it.
const QUEUE: usize = 256;

/// An operation with its slot in the lane, which is free again once it has been taken.
type Queued = (Operation, OwnedSemaphorePermit);

/// Everything that waits. A lane is in the hands of one writer at a time.
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
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing in it, or nothing that anybody waits for.
    Idle,
    Ready,
    /// In the hands of a writer.
    Taken,
}

impl Waiting {
    fn is_empty(&self) -> bool {
        self.operations.is_empty() && self.background.is_empty()
    }

    /// Whether there is company enough.
    fn is_full_batch(&self) -> bool {
        self.operations.len() >= MAX_BATCH
    }

    /// Whether somebody waits.
    fn is_waited_for(&self) -> bool {
        let is_durable = |(operation, _): &Queued| matches!(operation, Operation::Durable(_));
        !self.background.is_empty() || self.operations.iter().any(is_durable)
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
        let batch = self.operations.drain(..others).chain(self.background.drain(..background));
        let work = batch.map(|(operation, _slot)| match operation {
            Operation::Durable(work) | Operation::Background(work) | Operation::Lazy(work) => work,
        });
        work.collect()
    }
}

impl Lanes {
    /// The slots of a lane, of which a caller needs one.
    pub(super) fn slots(&mut self, lane: &Lane) -> Arc<Semaphore> {
        let new = || Waiting {
            operations: VecDeque::new(),
            background: VecDeque::new(),
            slots: Arc::new(Semaphore::new(QUEUE)),
            state: State::Idle,
        };
        Arc::clone(&self.lanes.entry(lane.clone()).or_insert_with(new).slots)
    }

    /// Puts an operation behind all others of its lane. Says whether there is something to be taken that was not before.
    pub(super) fn push(&mut self, lane: Lane, queued: Queued, now: Instant) -> bool {
        self.slots(&lane);
        let Some(waiting) = self.lanes.get_mut(&lane) else { return false };
        let is_first = waiting.is_empty();
        let is_lazy = matches!(queued.0, Operation::Lazy(_));
        waiting.push(queued);
        if waiting.state != State::Idle {
            return false;
        }
        if !is_lazy || self.is_closed || waiting.is_full_batch() {
            waiting.state = State::Ready;
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
        waiting.state = State::Taken;
        Some((lane, waiting.next_batch()))
    }

    /// Gives a lane back.
    pub(super) fn give_back(&mut self, lane: Lane, now: Instant) {
        let Some(waiting) = self.lanes.get_mut(&lane) else { return };
        waiting.state = State::Idle;
        if waiting.is_empty() {
            // Somebody may be about to hand something over, and has a slot of this lane.
            if Arc::strong_count(&waiting.slots) == 1 {
                self.lanes.remove(&lane);
            }
        } else if self.is_closed || waiting.is_full_batch() || waiting.is_waited_for() {
            waiting.state = State::Ready;
            self.ready.push_back(lane);
        } else {
            self.lazy.push_back((now + LAZY_DELAY, lane));
        }
    }

    /// When there will be something to be taken, if nobody comes before.
    pub(super) fn next_lazy(&self) -> Option<Instant> {
        self.lazy.front().map(|(at, _)| *at)
    }

    /// The lanes that hold something, or are being written.
    pub(super) fn busy(&self) -> Vec<Lane> {
        let busy = self.lanes.iter().filter(|(_, each)| each.state != State::Idle || !each.is_empty());
        busy.map(|(lane, _)| lane.clone()).collect()
    }

    /// Lets nothing wait for company any more.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
        for (lane, waiting) in &mut self.lanes {
            if waiting.state == State::Idle && !waiting.is_empty() {
                waiting.state = State::Ready;
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
                && waiting.state == State::Idle
                && !waiting.is_empty()
            {
                waiting.state = State::Ready;
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
        let slot = lanes.slots(&lane(name)).try_acquire_owned().unwrap();
        lanes.push(lane(name), (operation(work(|_| Ok(()), drop)), slot), now)
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
    fn closing_lets_nothing_wait() {
        let (mut lanes, now) = (Lanes::default(), Instant::now());
        push(&mut lanes, "a", Operation::Lazy, now);
        lanes.close();
        assert_eq!(taken(&mut lanes, now), Some((lane("a"), 1)));
    }
}
